import TapcardDomain

/// A cache of the newest completed operations, which can be queried without the ledger.
struct EndedOperations {
    private static let most = 256
    private var operations: [OperationID: TillOperation] = [:]
    private var inOrder: [OperationID] = []

    subscript(id: OperationID) -> TillOperation? { operations[id] }

    mutating func keep(_ operation: TillOperation) {
        let id = operation.id
        // Listed once: a second entry for a retried ID would drop its newer answer too early.
        if operations.updateValue(operation, forKey: id) == nil { inOrder.append(id) }
        if inOrder.count > EndedOperations.most { operations[inOrder.removeFirst()] = nil }
    }
}
