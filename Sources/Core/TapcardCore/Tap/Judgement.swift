import Cards
import Ledger
import TapcardDomain

/// The verdict on a tag, compared with the ledger. The order of the questions is the rule.
enum Judgement: Sendable, Hashable {
    /// This ledger does not know the card.
    case unknown
    /// It is being made; what lies on the tag does not matter yet.
    case inTheMaking(Operation)
    /// The best record is one that this ledger issued, and not an old one.
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
            // Honest tears always leave one good record on a card that was confirmed once.
            self = slots.hasRetired ? .forged : .damaged
            return
        }
        let sequence = best.record.sequence
        let isBelowAllocated = SafetyRule.rolledBackIsBelowConfirmed.isLeftOut
        let isOld = sequence < (isBelowAllocated ? known.card.allocated : known.card.confirmed)
        // Below what was confirmed since, even a skipped number is an old one: somebody has decided
        // about the loss already.
        let isSkipped = known.isInGap(sequence)
        if sequence > known.card.allocated || (isSkipped && !isOld) {
            self = .ledgerBehind
        } else if !isSkipped, known.issued[sequence]?.bytes != slots.bytes[best.place] {
            self = .forged
        } else if isOld {
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

/// The step that a trusted card needs before anything else.
enum ResolvingStep: Sendable, Hashable {
    case nothing
    /// Put the operation's own record onto the tag.
    case resume(Operation)
    /// Make the open payment final, then write a fresh record.
    case end(Operation, as: Operation.State)
    /// Put onto the tag what the service has said yes to.
    case activate(ActivationAttempt)
    /// The record is not the last word: write a fresh one.
    case reseal

    /// `request` is the operation for which the card was held to the reader.
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
            // Whatever was to switch the tag's protection was given up for another operation; a
            // fresh record finishes it.
            let isLastWord =
                best.sequence == known.card.confirmed && bytes == expected
                && known.card.protection.isSteady
            self = isLastWord ? .nothing : .reseal
            return
        }
        guard open.kind.isVoidable else {
            self = .resume(open)
            return
        }
        // No money moves on a blocked card, not even what was begun before: nobody was told that it
        // is paid.
        let mayMove = known.card.status == .active
        let isSameAgain = open.id == request
        // What stands under a key that was given up proves nothing.
        guard best.sequence == open.sequence, !isUnderRetiredKey else {
            self = isSameAgain && mayMove ? .resume(open) : .end(open, as: .voided)
            return
        }
        let isYoung = open.age(at: now, uptime).map { $0 < lifetime } ?? false
        self = .end(open, as: mayMove && (isSameAgain || isYoung) ? .committed : .voided)
    }
}

extension Operation {
    /// How long ago it began: by the clock that cannot be set, or by the time of day where the
    /// machine was started in between. Nil where that time is still to come: it is that of a clock
    /// that was ahead.
    fileprivate func age(at now: Timestamp, _ uptime: Uptime?) -> Duration? {
        if let uptime, let begunUptime, let age = uptime.millisecondsSince(begunUptime) {
            return .milliseconds(age)
        }
        return now < begunAt ? nil : .milliseconds(now.millisecondsSince(begunAt))
    }
}
