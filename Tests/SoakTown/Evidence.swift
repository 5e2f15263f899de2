import CardCryptography
import CardImage
import FaultyWorld
import Ledger
import TapcardCore
import TapcardDomain
import Type2Tag

/// What a card had to say for itself before a tap, looked up in the bytes: a mark alone says only
/// that something was done to it, and the card may be as good as before.
struct Evidence: Sendable {
    var isKnown = true
    /// A record of the ledger's own, under a trusted key, that is not below the confirmed one.
    var hasGoodRecord = true
    /// The newest record is of a time that a restored ledger has lost.
    var isAhead = false
    var isUnderRetiredKey = false
    /// A record stands on it that this ledger never made, as on a card that was adopted.
    var hasForeignRecord = false
    /// What phones read does not say for whom a record is.
    var isFaceTorn = false
    /// The tag asks for a password, or for none, as the ledger has it.
    var isProtectionKnown = true

    func supports(_ kind: TapcardError.Kind) -> Bool {
        switch kind {
        case .damaged: !hasGoodRecord && (!isAhead || isFaceTorn)
        case .rolledBack: !hasGoodRecord && !isAhead
        case .forged: !hasGoodRecord && (isUnderRetiredKey || hasForeignRecord)
        case .ledgerBehind: isAhead
        case .cardUnknown: !isKnown
        case .protectedTag, .outcomeUnknown: !isProtectionKnown
        default: false
        }
    }
}

extension Town {
    func evidence(of index: Int) -> Evidence {
        let (tag, uid) = (bodies[index].tag, uid(index))
        var evidence = Evidence()
        evidence.isFaceTorn = tag.image?.content(in: .usd).face == nil
        guard let card = tables.cards[uid] else {
            evidence.isKnown = false
            evidence.hasGoodRecord = false
            return evidence
        }
        var (best, bestLost) = (SequenceNumber.none, SequenceNumber.none)
        for bytes in tag.records {
            guard let record = SealedRecord(bytes) else { continue }
            let isIssued = tables.issued[uid]?[record.sequence]?.bytes == bytes
            guard isIssued || lost[uid]?.contains(bytes) == true else {
                evidence.hasForeignRecord = true
                continue
            }
            if keys.entry(record.keyID)?.status == .retired {
                evidence.isUnderRetiredKey = true
            } else if isIssued {
                best = max(best, record.sequence)
            } else {
                bestLost = max(bestLost, record.sequence)
            }
        }
        evidence.hasGoodRecord = best >= card.confirmed
        evidence.isAhead = bestLost > max(best, card.confirmed)
        evidence.isProtectionKnown = isProtected(tag, as: card.protection)
        return evidence
    }

    private func isProtected(_ tag: TagMemory, as protection: CardProtection) -> Bool {
        guard protection.isSettled, let settings = tag.chip.configurationPage,
            let secret = tag.chip.passwordPage
        else { return true }
        let asks = Int(tag[settings][3]) < tag.chip.pageCount
        guard let keyID = protection.keyID else { return !asks }
        return asks && keys.entry(keyID)?.keys.password(uid: tag.uid).password == tag[secret].bytes
    }

    /// A card was accused: nobody may be who is honest, or whose card has its good record yet.
    mutating func expectExcuse(for kind: TapcardError.Kind, _ index: Int) throws(Broken) {
        let marks = bodies[index].excuses(of: kind)
        guard !marks.isEmpty else { throw broken("I7: an honest card is \(kind.rawValue)") }
        guard evidence.supports(kind) else {
            throw broken("I7: a card that shows no sign of it is \(kind.rawValue): \(evidence)")
        }
        note("accused: \(kind.rawValue)")
        for mark in marks { note("accused: \(kind.rawValue), \(mark)") }
    }

    /// I6: what was said of a request is so, by the ledger's rows before and after it.
    func expectTruth<Success>(
        _ said: Result<Success, TapcardError>?, _ what: String, _ before: Ledger.Operation.State?,
        _ after: Ledger.Operation.State?
    ) throws(Broken) {
        let isTrue: Bool
        switch said {
        case nil: isTrue = true
        case .success: isTrue = after == .committed
        case .failure(let error):
            switch error.kind {
            case .outcomeUnknown: isTrue = true
            case .operationVoided: isTrue = after == .voided
            case _ where error.kind == .ledgerUnavailable || Town.blames(error):
                isTrue = after == before || after == .voided
            default: isTrue = after == nil || after == .voided
            }
        }
        guard isTrue else {
            throw broken(
                "I6: \(what) was said to be \(Town.words(said)); it was "
                    + "\(before?.rawValue ?? "not begun"), it is \(after?.rawValue ?? "not begun")")
        }
    }

    /// Whether somebody is told that his card is not good.
    static func blames(_ error: TapcardError) -> Bool {
        error.result == .untrusted || [.ledgerBehind, .cardUnknown].contains(error.kind)
    }

    /// What may be said where something went wrong on the way. A frame that was refused once looks
    /// as if the tag asked for a password, and a blank tag of which one answer was lost looks like
    /// an older chip.
    static func isOfDisturbance(_ kind: TapcardError.Kind) -> Bool {
        [
            .tagLost, .noCard, .protectedTag, .unsupportedTag, .outcomeUnknown, .ledgerUnavailable,
        ].contains(kind)
    }
}
