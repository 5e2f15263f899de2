import Cards
package import Ledger
package import TapcardDomain

/// A card that was read while the station's ledger was offline.
package struct UnconfirmedCard: Sendable, Hashable {
    package let uid: CardUID
    package let chip: Chip
    /// The 16 bytes of the newest record sealed with a key that is not retired here; nil if the
    /// card has no such record.
    package let record: [UInt8]?

    package init(uid: CardUID, chip: Chip, record: [UInt8]?) {
        (self.uid, self.chip, self.record) = (uid, chip, record)
    }
}

/// The decision on an offline payment. If several checks fail, the first one determines the reason.
package enum OfflineDecision: Sendable, Hashable {
    /// The payment may be added to the journal.
    case accepted(account: Int, balance: Money)
    case refused(Reason)

    /// Why a payment is refused, in the order of the checks.
    package enum Reason: Sendable, Hashable {
        case noSnapshot
        case oldSnapshot
        /// This station no longer remembers every payment that it reported as not taken.
        case forgottenPayments
        /// The card has no valid record sealed with a key in use.
        case noRecord
        case unknownCard
        case inactive(LedgerCard.Status)
        /// The record is older than the last one that the ledger had confirmed.
        case oldRecord
        case openOperation
        /// The amount is more than the card's balance, as far as this station knows.
        case balance(left: Money)
        case cardLimit(left: Money)
        case stationLimit(left: Money)

        /// The word for this reason in machine-readable output.
        package var word: String {
            switch self {
            case .noSnapshot: "no-snapshot"
            case .oldSnapshot: "old-snapshot"
            case .forgottenPayments: "forgotten-payments"
            case .noRecord: "no-record"
            case .unknownCard: "unknown-card"
            case .inactive(let status): "card-\(status.rawValue)"
            case .oldRecord: "old-record"
            case .openOperation: "open-operation"
            case .balance: "balance"
            case .cardLimit: "card-limit"
            case .stationLimit: "server-limit"
            }
        }

        /// The amount that could still be paid; nil if the refusal is not about the amount.
        package var left: Money? {
            switch self {
            case .balance(let left), .cardLimit(let left), .stationLimit(let left): left
            case .noSnapshot, .oldSnapshot, .forgottenPayments, .noRecord, .unknownCard, .inactive,
                .oldRecord, .openOperation:
                nil
            }
        }
    }

    /// Everything that a decision depends on, except the card.
    package struct Question: Sendable {
        package let amount: Money
        package let limits: OfflineLimits
        package let snapshot: CardSnapshot?
        package let journal: OfflineJournal
        package let memory: StationMemory
        package let now: Timestamp
        package let uptime: Uptime?

        package init(
            _ amount: Money, within limits: OfflineLimits, _ snapshot: CardSnapshot?,
            _ journal: OfflineJournal, _ memory: StationMemory, at now: Timestamp,
            _ uptime: Uptime?
        ) {
            (self.amount, self.limits, self.snapshot) = (amount, limits, snapshot)
            (self.journal, self.memory) = (journal, memory)
            (self.now, self.uptime) = (now, uptime)
        }

        /// Why the payment would be refused no matter which card is used; nil if it depends on the
        /// card.
        package var refusalForEveryCard: Reason? {
            do throws(Rejection) {
                _ = try currentSnapshot()
                try requirePayable(balance: .max, leftOfCard: limits.card.minorUnits)
                return nil
            } catch {
                return error.reason
            }
        }

        // The result is never negative, even if the limit was lowered below the sum already in the
        // journal.
        private var leftAtStation: Int64 { max(limits.station.minorUnits - journal.sum(), 0) }

        /// Throws if the amount is above any limit. The error reports the lowest limit, because
        /// that is the amount that can still be paid.
        fileprivate func requirePayable(
            balance: Int64, leftOfCard: Int64
        ) throws(Rejection) {
            let lowest = min(balance, leftOfCard, leftAtStation)
            guard amount.minorUnits > lowest else { return }
            let left = money(lowest)
            if lowest == balance { throw Rejection(.balance(left: left)) }
            throw Rejection(
                lowest == leftOfCard ? .cardLimit(left: left) : .stationLimit(left: left))
        }

        /// Whether this station remembers an open operation on the card that is newer than the
        /// card's standing in the snapshot.
        fileprivate func isOpenHere(_ card: CardStanding) -> Bool {
            memory.open.contains {
                $0.ledgerID == journal.ledgerID && $0.card == card.uid
                    // The snapshot already includes the outcome of every number up to `confirmed`.
                    && $0.sequence > card.confirmed
            }
        }

        fileprivate func money(_ units: Int64) -> Money {
            Money(minorUnits: units, amount.currency)
        }

        fileprivate func currentSnapshot() throws(Rejection) -> CardSnapshot {
            guard let snapshot, snapshot.currency == amount.currency,
                snapshot.ledgerID == journal.ledgerID
            else { throw Rejection(.noSnapshot) }
            // The age is nil if a clock was wrong; the snapshot then counts as too old.
            guard let age = snapshot.age(at: now, uptime), age <= limits.age else {
                throw Rejection(.oldSnapshot)
            }
            // If this station has forgotten a payment that it reported as not taken, a retry could
            // charge the card, although the customer may have paid in cash.
            guard !memory.hasForgotten else { throw Rejection(.forgottenPayments) }
            return snapshot
        }
    }

    package init(_ question: Question, _ card: UnconfirmedCard) {
        do throws(Rejection) {
            self = try OfflineDecision.accepting(question, card)
        } catch {
            self = .refused(error.reason)
        }
    }

    fileprivate struct Rejection: Error {
        let reason: Reason
        init(_ reason: Reason) { self.reason = reason }
    }

    private static func accepting(
        _ question: Question, _ card: UnconfirmedCard
    ) throws(Rejection) -> OfflineDecision {
        let snapshot = try question.currentSnapshot()
        let amount = question.amount.minorUnits
        guard let record = card.record.flatMap(SealedRecord.init),
            !snapshot.retiredKeys.contains(record.keyID)
        else { throw Rejection(.noRecord) }
        guard let standing = snapshot.card(card.uid) else { throw Rejection(.unknownCard) }
        guard standing.status == .active else { throw Rejection(.inactive(standing.status)) }
        // An older record may have been copied from the tag before money was spent.
        guard record.sequence >= standing.confirmed else { throw Rejection(.oldRecord) }
        guard !standing.isOpen, !question.isOpenHere(standing) else {
            throw Rejection(.openOperation)
        }
        let unbooked = question.journal.sum(of: card.uid)
        // Either the tag or the snapshot may have the newer balance, so the lower balance counts.
        let left = max(min(Int64(record.balance), standing.balance) - unbooked, 0)
        try question.requirePayable(
            balance: left, leftOfCard: max(question.limits.card.minorUnits - unbooked, 0))
        return .accepted(
            account: standing.account, balance: question.money(left - amount))
    }
}

extension TapcardError {
    /// Creates the error for a refused offline payment.
    package init(_ reason: OfflineDecision.Reason, uid: CardUID? = nil) {
        let explanation =
            switch reason {
            case .noSnapshot: "this machine has no usable snapshot of the cards"
            case .oldSnapshot: "this machine's snapshot of the cards is older than allowed"
            case .forgottenPayments:
                "more payments failed in the last day than this machine can remember, so earlier "
                    + "outcomes are uncertain"
            case .noRecord: "this card has no valid record sealed with a key in use"
            case .unknownCard: "this card is not in the snapshot"
            case .inactive(let status):
                "this card was \(status.rawValue) when the snapshot was taken"
            case .oldRecord: "this card's record is older than the last one confirmed"
            case .openOperation: "this card had an open operation"
            case .balance(let left):
                "this card's last known balance, after offline payments not yet booked, is "
                    + "\(left.shown)"
            case .cardLimit(let left):
                "one card can pay only \(left.shown) until the ledger is back online"
            case .stationLimit(let left):
                "this machine can take only \(left.shown) more in payments until the ledger is "
                    + "back online"
            }
        self.init(
            .ledgerOffline, "The ledger is offline, and \(explanation).",
            meaning: "The payment was not taken: the card was not charged.",
            next: [.ledger(.waitForLedger(reason))], uid: uid)
    }

    /// Creates the error for a request that is repeated while the ledger is offline. `earlier` is
    /// what this station remembers about the request: that it was voided, that it was completed, or
    /// that it may have been completed.
    package init(
        _ earlier: StationMemory.Note, in currency: Currency, because what: String, uid: CardUID?
    ) {
        let known: String
        switch earlier.state {
        case .voided:
            // A voided request never takes effect, so the outcome is certain even without the
            // ledger.
            self = .notDone(earlier.kind, Money(minorUnits: earlier.amount, currency), earlier.card)
            return
        case .committed:
            known = "\(earlier.kind.titled(earlier.operation)) was completed earlier."
        case .pending:
            known =
                "\(earlier.kind.titled(earlier.operation)) may or may not have been completed "
                + "earlier."
        }
        self.init(
            .outcomeUnknown, "\(what) \(known)", meaning: "Nothing was done this time.",
            next: [.ledger(.readCardWhenBack)], uid: uid ?? earlier.card,
            operation: earlier.operation)
    }
}
