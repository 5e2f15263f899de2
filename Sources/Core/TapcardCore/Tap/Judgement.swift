import Cards
import Ledger
import TapcardDomain

/// What a tag turns out to be when compared with the ledger. The first check that fits decides.
enum Judgement: Sendable, Hashable {
    /// This ledger does not know the card.
    case unknown
    /// The card is being made, so what is on the tag does not matter yet.
    case inTheMaking(Operation)
    /// The best record was issued by this ledger and is not an old one.
    case trusted(SealedRecord)
    case damaged
    case forged
    case rolledBack
    case ledgerBehind

    init(_ slots: RecordSlots, _ known: KnownCard?) {
        guard let known else {
            self = .unknown
            return
        }
        if let open = known.open, open.kind.makesCard {
            self = .inTheMaking(open)
            return
        }
        guard let best = slots.best else {
            // A genuine tear always leaves one good record on a card that was ever confirmed.
            self = slots.hasRetired ? .forged : .damaged
            return
        }
        let sequence = best.record.sequence
        // Old means below `confirmed`: "below the last number" would incriminate every card pulled
        // away too soon.
        let isBelowAllocated = SafetyRule.rolledBackIsBelowConfirmed.isLeftOut
        let isOld = sequence < (isBelowAllocated ? known.card.allocated : known.card.confirmed)
        // A skipped number below `confirmed` is merely old: someone has already decided about the
        // loss.
        let isSkipped = known.isInGap(sequence)
        if sequence > known.card.allocated || (isSkipped && !isOld) {
            self = .ledgerBehind
        } else if !isSkipped, known.issued[sequence]?.bytes != slots.bytes[best.place] {
            self = .forged
        } else if isOld {
            // If another slot is broken, the newer record may have been in it.
            let isSpoilt = slots.others.contains { slot in
                switch slot {
                case .valid, .retired, .blank: false
                case .broken, .unsealed: true
                }
            }
            self = isSpoilt ? .damaged : .rolledBack
        } else {
            self = .trusted(best.record)
        }
    }
}

/// What a trusted card needs before anything else.
enum ResolvingStep: Sendable, Hashable {
    case nothing
    /// Write the operation's own record to the tag.
    case resume(Operation)
    /// Commit or void the open payment, and then write a fresh record.
    case end(Operation, as: Operation.State)
    /// Write to the tag what the service has approved.
    case activate(ActivationAttempt)
    /// The record is out of date: write a fresh one.
    case reseal

    /// `request` is the operation for which the card is on the reader.
    init(
        tag best: SealedRecord, bytes: [UInt8], isUnderRetiredKey: Bool = false, known: KnownCard,
        expected: [UInt8], request: OperationID?, now: Timestamp,
        uptime: Uptime? = nil, lifetime: Duration
    ) {
        guard let open = known.open else {
            if let attempt = known.activation, attempt.state == .active {
                self = .activate(attempt)
                return
            }
            // A fresh record also ends a protection change that was abandoned in favor of another
            // operation.
            let isLastWord =
                best.sequence == known.card.confirmed && bytes == expected
                && known.card.protection.isSteady
            self = isLastWord ? .nothing : .reseal
            return
        }
        // Anything else has already happened, like cash in the drawer: the card is updated
        // afterward.
        guard open.kind.isVoidable else {
            self = .resume(open)
            return
        }
        // No money moves on a blocked card, not even money from an operation begun earlier: nobody
        // was told "paid".
        let mayMove = known.card.status == .active
        let isSameAgain = open.id == request
        // A record sealed with a retired key proves nothing: others may have that key.
        guard best.sequence == open.sequence, !isUnderRetiredKey else {
            self = isSameAgain && mayMove ? .resume(open) : .end(open, as: .voided)
            return
        }
        // An older payment that nobody repeats is voided, because nobody was told "paid".
        let isYoung = open.age(at: now, uptime).map { $0 < lifetime } ?? false
        self = .end(open, as: mayMove && (isSameAgain || isYoung) ? .committed : .voided)
    }
}

extension Operation {
    /// How long ago it began, by the clock that nobody can set, or by the time of day if the
    /// machine has restarted since. Nil if it appears to have begun in the future, by a clock that
    /// was ahead.
    fileprivate func age(at now: Timestamp, _ uptime: Uptime?) -> Duration? {
        if let uptime, let begunUptime, let age = uptime.millisecondsSince(begunUptime) {
            return .milliseconds(age)
        }
        return now < begunAt ? nil : .milliseconds(now.millisecondsSince(begunAt))
    }
}
