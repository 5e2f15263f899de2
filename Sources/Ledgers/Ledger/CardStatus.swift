public import TapcardDomain

/// An operator's change to a card that is not on the reader.
public enum StatusChange: Hashable, Sendable {
    /// Stops all operations on the card.
    case block
    /// Allows operations on the card again.
    case unblock
    /// Removes the cardholder's name from the ledger, along with any foreign message that may
    /// contain it.
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
    /// Changes the card and returns it, or returns a refusal.
    public func change(
        _ uid: CardUID, _ change: StatusChange, id: OperationID,
        by requester: Requester = Requester(),
        at now: Timestamp
    ) async throws(LedgerError) -> Result<LedgerCard, Refusal> {
        try await write { rows throws(LedgerError) in
            guard var card = try rows.card(uid) else {
                return .failure(Refusal(.cardUnknown, "card \(uid) is not in this ledger"))
            }
            // A retry finds the operation of the first call and changes nothing.
            if let known = try rows.operation(id) {
                guard known.uid == uid, known.kind == change.kind else {
                    return .failure(
                        Refusal(
                            .badIdentifier,
                            "operation ID \(id) is already used by another operation"))
                }
                return .success(card)
            }
            // An activation attempt may have reserved the ID.
            guard try !rows.isUsed(id) else {
                return .failure(
                    Refusal(
                        .badIdentifier, "operation ID \(id) is already used by another operation"))
            }
            switch (change, card.status) {
            case (.block, .active):
                card.status = .blocked
            case (.unblock, .blocked):
                card.status = .active
            // A name can be removed no matter what status the card has.
            case (.forget, _):
                card.holder = Holder(id: card.holder.id, name: nil)
                card.foreignMessage = nil
                try rows.forgetNameInParameters(of: uid)
            case (.block, let status), (.unblock, let status):
                return .failure(
                    Refusal(.wrongState, "card \(uid) is already \(status.rawValue)"))
            }
            try rows.save(card)
            try rows.insert(
                Operation(
                    id: id, uid: uid, kind: change.kind, by: requester, beganAt: now,
                    state: .committed, endedAt: now, balanceAfter: try rows.balance(of: card.purse))
            )
            return .success(card)
        }
    }

    /// After a restore, skips the numbers that may have been assigned since the backup was made.
    /// These numbers are never used again, and a tag that has one of them needs an operator's
    /// attention. Returns the cards that have no numbers left.
    public func skipNumbersAfterRestore() async throws(LedgerError) -> [CardUID] {
        try await write { rows throws(LedgerError) in
            var exhausted: [CardUID] = []
            var cards = rows.pagesOfCards()
            while var card = try cards.next() {
                guard let first = card.allocated.next() else {
                    exhausted.append(card.uid)
                    continue
                }
                // If fewer numbers are left, the gap ends at the highest number.
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

/// How many numbers each card skips when a backup is restored: more than a card uses between two
/// backups. A record's 24-bit number leaves room for 255 restores.
public let restoreGap: UInt32 = 65_536
