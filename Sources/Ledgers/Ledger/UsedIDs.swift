import TapcardDomain

extension LedgerRows {
    /// Whether an id is an operation's, or that of an attempt to activate: kept for what comes of
    /// it.
    func isUsed(_ id: OperationID) throws(LedgerError) -> Bool {
        if try operation(id) != nil { return true }
        return try activation(id) != nil
    }
}
