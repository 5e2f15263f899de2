import TapcardDomain

extension LedgerRows {
    /// Whether an ID belongs to an operation, with or without a card, or to an activation attempt,
    /// which reserves the ID for the activation.
    func isUsed(_ id: OperationID) throws(LedgerError) -> Bool {
        if try operation(id) != nil { return true }
        if try cardless(id) != nil { return true }
        return try activation(id) != nil
    }
}
