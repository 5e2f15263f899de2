import TapcardDomain

/// Changes without a card, with the constraints that a database would enforce.
extension MemoryRows {
    func cardless(_ id: OperationID) -> CardlessOperation? { tables.cardless[id] }

    func cardless(undoing id: OperationID) -> CardlessOperation? {
        tables.cardless.values.first { $0.reverses == id }
    }

    func cardless(
        since start: Timestamp, until end: Timestamp, after last: CardlessOperation?,
        atMost count: Int
    ) -> [CardlessOperation] {
        tables.cardless.values.filter { one in
            one.at >= start && one.at < end && last.map { $0.precedes(one) } ?? true
        }.sorted { $0.precedes($1) }.prefixed(count)
    }

    func insert(_ operation: CardlessOperation) throws(LedgerError) {
        let isUndone =
            operation.reverses.map { cardless(undoing: $0) != nil } ?? false
            && !SafetyRule.saleIsUndoneOnce.isDisabled
        guard tables.cardless[operation.id] == nil, tables.operations[operation.id] == nil,
            !isUndone
        else { throw LedgerError(.corrupt, "operation \(operation.id) breaks a constraint") }
        for posting in operation.postings { try add(posting.amount, to: posting.account) }
        var operation = operation
        operation.shift = openShift()?.id
        tables.cardless[operation.id] = operation
    }
}

extension CardlessOperation {
    /// Whether this change comes before another in a list. Changes made at the same time are in the
    /// order of their IDs.
    func precedes(_ other: CardlessOperation) -> Bool {
        (at, id.description) < (other.at, other.id.description)
    }
}
