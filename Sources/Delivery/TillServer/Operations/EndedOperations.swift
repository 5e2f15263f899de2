import TapcardDomain

/// A cache of the latest operations that ended, which can be queried without the ledger.
struct EndedOperations {
    private static let most = 256
    private var operations: [OperationID: TillOperation] = [:]
    private var inOrder: [OperationID] = []

    subscript(id: OperationID) -> TillOperation? { operations[id] }

    mutating func keep(_ operation: TillOperation) {
        let id = operation.id
        // Each ID is listed only once. A second entry for a retried ID would drop its newer answer
        // too early.
        if operations.updateValue(operation, forKey: id) == nil { inOrder.append(id) }
        if inOrder.count > EndedOperations.most { operations[inOrder.removeFirst()] = nil }
    }
}
