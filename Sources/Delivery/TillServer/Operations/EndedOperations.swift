import TapcardDomain

/// A cache of the operations that ended most recently, which can be queried without the ledger.
struct EndedOperations {
    private static let maximumCount = 64
    private var operations: [OperationID: TillOperation] = [:]
    private var inOrder: [OperationID] = []

    subscript(id: OperationID) -> TillOperation? { operations[id] }

    mutating func keep(_ operation: TillOperation) {
        let id = operation.id
        // Each ID is listed only once. If a retried ID were listed twice, its newer answer would be
        // dropped too early.
        if operations.updateValue(operation, forKey: id) == nil { inOrder.append(id) }
        if inOrder.count > EndedOperations.maximumCount { operations[inOrder.removeFirst()] = nil }
    }
}
