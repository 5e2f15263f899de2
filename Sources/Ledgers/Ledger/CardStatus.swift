public import TapcardDomain

/// What an operator can do to a card that is not on the reader.
public enum StatusChange: Hashable, Sendable {
    case block, unblock
    /// Takes the name, and a foreign message that may hold one, out of the ledger.
    case forget

    fileprivate var kind: Operation.Kind {
        switch self {
        case .block: .block
        case .unblock: .unblock
        case .forget: .forget
        }
    }
}

extension LedgerStore {
    /// Returns the card as it is now, or why the change must not be.
    public func change(
        _ uid: CardUID, _ change: StatusChange, id: OperationID, by cashier: CashierName? = nil,
        at now: Timestamp
    ) async throws(LedgerError) -> Result<LedgerCard, Refusal> {
        try await write { rows throws(LedgerError) in
            guard var card = try rows.card(uid) else {
                return .failure(Refusal(.cardUnknown, "this ledger knows no card \(uid)"))
            }
            if let known = try rows.operation(id) {
                guard known.uid == uid, known.kind == change.kind else {
                    return .failure(
                        Refusal(.badIdentifier, "operation \(id) was another one before"))
                }
                return .success(card)
            }
            guard try !rows.isUsed(id) else {
                return .failure(Refusal(.badIdentifier, "operation \(id) was another one before"))
            }
            switch (change, card.status) {
            case (.block, .active):
                card.status = .blocked
            case (.unblock, .blocked):
                card.status = .active
            case (.forget, _):
                card.holder = Holder(id: card.holder.id, name: nil)
                card.foreignMessage = nil
                try rows.forgetNamesAsked(of: uid)
            case (.block, let status), (.unblock, let status):
                return .failure(
                    Refusal(.wrongState, "card \(uid) is \(status.rawValue) already"))
            }
            try rows.save(card)
            try rows.insert(
                Operation(
                    id: id, uid: uid, kind: change.kind, cashier: cashier, begunAt: now,
                    state: .committed, endedAt: now, balanceAfter: try rows.balance(of: card.purse))
            )
            return .success(card)
        }
    }

    /// After a backup was put back: numbers that may have been handed out since it was made are
    /// never handed out again, and a tag that holds one is an operator's case.
    public func skipNumbersAfterRestore() async throws(LedgerError) -> [CardUID] {
        try await write { rows throws(LedgerError) in
            var exhausted: [CardUID] = []
            var cards = rows.pagesOfCards()
            while var card = try cards.next() {
                guard let first = card.allocated.next() else {
                    exhausted.append(card.uid)
                    continue
                }
                let last = card.allocated.next(restoreGap) ?? SequenceNumber.highest
                if last == .highest { exhausted.append(card.uid) }
                try rows.insert(SequenceGap(uid: card.uid, numbers: first...last))
                card.allocated = last
                try rows.save(card)
            }
            return exhausted
        }
    }
}

/// How many numbers a restored backup gives up: more than a card is used between two backups.
/// 255 restores fit into the 24 bits of a record.
public let restoreGap: UInt32 = 65_536
