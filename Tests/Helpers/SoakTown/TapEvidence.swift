import CardCryptography
import Cards
import FaultyWorld
import Ledger
import Tags
package import TapcardCore
import TapcardDomain

/// The state of a card before a tap, read from its bytes: a mark only says that something was done
/// to it, and the card may be as good as before.
package struct TapEvidence: Sendable {
    var isKnown = true
    /// It is being made, or was blanked after its payout, so its records do not matter.
    var isBetweenCards = false
    /// It has a record of this ledger, under a trusted key, that is not below the confirmed one.
    var hasGoodRecord = true
    /// It has such a record below the confirmed one.
    var hasOldRecord = false
    /// The newest record is from a time that a restored ledger has lost.
    var isAhead = false
    /// Neither the text for phones nor the ledger says for whom that record was made.
    var isAheadForAnother = false
    var isUnderRetiredKey = false
    /// It has a record that this ledger never made, as on an adopted card.
    var hasForeignRecord = false
    /// The text for phones does not say for whom a record is.
    var isFaceTorn = false
    /// The ledger says that it has a password, and it has another or none.
    var lacksPassword = false
    /// The last writer of a slot was a vandal.
    var isSpoilt = false

    package init() {}

    /// Whether the mark explains that the card is accused of this.
    package func bears(_ kind: TapcardError.Kind, _ mark: Body.Mark) -> Bool {
        switch (mark, kind) {
        case (.vandalised, .damaged): isSpoilt && !hasGoodRecord && !isAhead
        case (.copied, .rolledBack), (.copied, .damaged):
            !hasGoodRecord && !isAhead && hasOldRecord
        case (.vandalised, .forged):
            isSpoilt && !hasGoodRecord && (isUnderRetiredKey || hasForeignRecord)
        case (.restored, .ledgerBehind): isAhead
        case (.restored, .refusal(.cardUnknown)): !isKnown
        // Torn, or an older one: the message may be the only one who knew.
        case (.restored, .damaged): isAhead && isAheadForAnother
        // Put on or taken off in the time that is lost.
        case (.restored, .protectedTag): lacksPassword
        case (.keyRetired, .forged): !hasGoodRecord && isUnderRetiredKey
        case (.keyRetired, .damaged): !hasGoodRecord && isUnderRetiredKey && isFaceTorn
        default: false
        }
    }

    /// Whether the card must not be accepted, whatever was done to it.
    var isBad: Bool { isKnown && !isBetweenCards && !hasGoodRecord }
}

extension Town {
    func evidence(of index: Int) -> TapEvidence {
        let (tag, uid) = (bodies[index].tag, uid(index))
        var evidence = TapEvidence()
        let face = tag?.image?.content(in: .usd).face
        evidence.isFaceTorn = tag != nil && face == nil
        evidence.isSpoilt = !bodies[index].spoiltPlaces.isEmpty
        guard let card = tables.cards[uid] else {
            evidence.isKnown = false
            evidence.hasGoodRecord = false
            return evidence
        }
        var (best, bestLost) = (SequenceNumber.none, SequenceNumber.none)
        let isHalfWay = world(of: index).open != nil
        for bytes in bodies[index].memory.records {
            guard let record = SealedRecord(bytes) else { continue }
            let isIssued = tables.issued[uid]?[record.sequence]?.bytes == bytes
            guard isIssued || lost[uid]?.contains(bytes) == true else {
                evidence.hasForeignRecord = true
                continue
            }
            if keys.entry(record.keyID)?.status == .retired {
                evidence.isUnderRetiredKey = true
                // Until what is open is resolved, the ledger's own bytes are believed.
                let isBelieved = isIssued && isHalfWay && record.sequence >= card.confirmed
                if isBelieved { best = max(best, record.sequence) }
            } else if isIssued {
                best = max(best, record.sequence)
            } else if record.sequence > bestLost {
                bestLost = record.sequence
                let holders = [.nobody, card.holder] + (face.map { [$0.holder] } ?? [])
                evidence.isAheadForAnother = !holders.contains { holder in
                    (keys.entry(record.keyID)?.masters.cardKey(uid: uid.bytes)).map {
                        record.isSealed(
                            uid: uid, holder: holder, currency: .usd, cardKey: $0)
                    } ?? false
                }
            }
        }
        if let tag, let keyID = card.protection.possiblyRequiredKeyID,
            let masters = keys.entry(keyID)?.masters
        {
            evidence.lacksPassword = !tag.has(TagPassword(masters, uid: uid.bytes))
        }
        evidence.isBetweenCards = isBetweenCards(world(of: index))
        evidence.hasGoodRecord = best >= card.confirmed
        evidence.hasOldRecord = best != .none && !evidence.hasGoodRecord
        evidence.isAhead = bestLost > max(best, card.confirmed)
        return evidence
    }

    /// I7: neither an honest customer is accused, nor one whose card still has its good record.
    mutating func expectExcuse(for kind: TapcardError.Kind, _ index: Int) throws(Broken) {
        guard !bodies[index].marks.isEmpty else {
            throw broken("I7: an honest card is \(kind.word)")
        }
        let marks = bodies[index].marks.filter { evidence.bears(kind, $0) }
        guard !marks.isEmpty else {
            throw broken(
                "I7: a card that was \(bodies[index].marks) and shows no sign of it is "
                    + "\(kind.word): \(evidence)")
        }
        note("accused: \(kind.word)")
        for mark in marks { note("accused: \(kind.word), \(mark)") }
    }

    /// I7: no card without a good record was accepted.
    func expectAcceptable() throws(Broken) {
        guard !evidence.isBad else { throw broken("I7: a bad card was accepted: \(evidence)") }
    }

    /// I6: the answer to a request is true by the ledger's rows before and after it.
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

    /// Whether the error says that the customer's card is not good.
    static func blames(_ error: TapcardError) -> Bool {
        error.result == .untrusted || [.ledgerBehind, .refusal(.cardUnknown)].contains(error.kind)
    }
}
