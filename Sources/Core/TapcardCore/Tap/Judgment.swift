import Cards
import Ledger
import TapcardDomain

/// The result of comparing a tag with the ledger. The first check that applies determines the
/// result.
enum Judgment: Sendable, Hashable {
    /// The card is not in this ledger.
    case unknown
    /// The card is being made, so what is on the tag does not matter yet.
    case inTheMaking(Operation)
    /// The best record was issued by this ledger and is not out of date.
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
            // Once a card has been confirmed, removing it during a write always leaves one valid
            // record.
            self = slots.hasRetired ? .forged : .damaged
            return
        }
        let sequence = best.record.sequence
        // A record is old if its number is below `confirmed`. If `allocated` were the limit, every
        // card that was removed too soon would look rolled back.
        let isBelowAllocated = SafetyRule.rolledBackIsBelowConfirmed.isDisabled
        let isOld = sequence < (isBelowAllocated ? known.card.allocated : known.card.confirmed)
        // A number in a gap below `confirmed` is merely old: the card has been given a newer record
        // since the ledger was restored.
        let isSkipped = known.isInGap(sequence)
        if sequence > known.card.allocated || (isSkipped && !isOld) {
            self = .ledgerBehind
        } else if !isSkipped, known.issued[sequence]?.bytes != slots.bytes[best.slotIndex] {
            self = .forged
        } else if isOld {
            // If another slot is damaged, it may have contained the newer record.
            let hasDamage = slots.others.contains { slot in
                switch slot {
                case .valid, .retired, .blank: false
                case .broken, .unsealed: true
                }
            }
            self = hasDamage ? .damaged : .rolledBack
        } else {
            self = .trusted(best.record)
        }
    }
}

/// What has to be done with a trusted card before anything else.
enum ResolvingStep: Sendable, Hashable {
    case nothing
    /// Write the operation's own record to the tag.
    case resume(Operation)
    /// Commit or void the open operation, and then write a fresh record.
    case end(Operation, as: Operation.State)
    /// Write the service's approval of the code to the tag.
    case activate(ActivationAttempt)
    /// Write a fresh record, because the one on the tag is out of date.
    case reseal

    /// `request` is the ID of the request for which the card was tapped.
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
            let isUpToDate =
                best.sequence == known.card.confirmed && bytes == expected
                && known.card.protection.isStable
            self = isUpToDate ? .nothing : .reseal
            return
        }
        // An operation that cannot be voided has already happened, such as a top-up whose cash is
        // in the drawer. Only the card is updated now.
        guard open.kind.isVoidable else {
            self = .resume(open)
            return
        }
        // No money moves on a blocked card, not even for an operation that began before the card
        // was blocked, because nobody was told that the operation succeeded.
        let mayMove = known.card.status == .active
        let isRepeated = open.id == request
        // A record sealed with a retired key proves nothing, because others may have that key.
        guard best.sequence == open.sequence, !isUnderRetiredKey else {
            self = isRepeated && mayMove ? .resume(open) : .end(open, as: .voided)
            return
        }
        // An older payment that nobody repeats is voided, because nobody was told that it
        // succeeded.
        let isRecent = open.age(at: now, uptime).map { $0 < lifetime } ?? false
        self = .end(open, as: mayMove && (isRepeated || isRecent) ? .committed : .voided)
    }
}

extension Operation {
    /// How long ago the operation began, by the monotonic clock or, if the machine has restarted
    /// since, by the wall clock. Nil if the wall clock puts the beginning in the future.
    fileprivate func age(at now: Timestamp, _ uptime: Uptime?) -> Duration? {
        if let uptime, let uptimeAtStart, let age = uptime.millisecondsSince(uptimeAtStart) {
            return .milliseconds(age)
        }
        return now < beganAt ? nil : .milliseconds(now.millisecondsSince(beganAt))
    }
}
