import CardCryptography
import Cards
import Ledger
import TapcardDomain

/// A tag that is not in this ledger.
enum UnknownTag: Sendable {
    /// A card with a valid seal, from another ledger with the same keys.
    case sealed(SealedRecord, CardFace?)
    /// A card with a valid seal in another currency, from another station with the same keys.
    case sealedElsewhere(SealedRecord, CardFace?, Currency)
    /// A card made by other software, or one of ours without a seal.
    case unsealed(CardFace)
    case untrusted(TapcardError)
    case blank
    /// Card data with an invalid value, and what is wrong with it.
    case invalidCardData(String)
    /// Something other than a card, and what it is.
    case other(String)
}

extension SealedRecord {
    /// The scratch card. Its state is sealed in the record, but its code is only in the text for
    /// phones. If a tap was interrupted between writing the two, the code is missing and cannot be
    /// guessed.
    func scratch(beside face: CardFace?) -> ScratchCard {
        let code = face?.scratch.code
        return switch state {
        case .noScratchCard: .none
        case .unscratched: .unscratched
        case .scratched: code.map(ScratchCard.scratched) ?? .none
        case .activated: code.map(ScratchCard.activated) ?? .none
        }
    }
}

extension TagContent {
    /// A description of the content for the user.
    var what: String {
        switch self {
        case .tapcard, .foreignCard, .badCard: "unknown card data"
        case .empty: "nothing"
        case .text: "text"
        case .uri: "a link"
        case .other: "other data"
        case .unreadable(let reason): "unreadable data (\(reason))"
        }
    }

    var state: String { self == .empty ? "is blank" : "holds \(what)" }

    /// Whether the content is only what this card itself left behind.
    func isLeftover(of card: LedgerCard) -> Bool {
        switch self {
        case .empty: true
        case .tapcard: card.face == .tapcard
        case .foreignCard: card.face == .iosApp
        case .badCard, .unreadable: card.isDisplayStale
        case .text, .uri, .other: false
        }
    }
}

/// Identifies tags that are not in this ledger, and creates the errors for them.
struct UnknownTags: StationWork {
    let station: Station

    /// Identifies a tag that is not in this ledger.
    func identify(_ reading: CardReading) async throws(Interruption) -> UnknownTag {
        let content = reading.content
        if let best = reading.slots.best { return .sealed(best.record, content.face) }
        // A seal covers the currency, so a card in another currency has no valid seal here.
        if let other = sealedElsewhere(reading) {
            return .sealedElsewhere(
                other.record, reading.pages?.image.content(in: other.currency).face,
                other.currency)
        }
        if case .ntag424(let chip) = reading.medium, case .foreign(let version) = chip.state {
            return .untrusted(TapcardError.foreignChip(version, reading.uid))
        }
        if let error = try await impostor(reading, content) { return .untrusted(error) }
        switch content {
        case .tapcard(let face), .foreignCard(let face): return .unsealed(face)
        case .badCard(let reason): return .invalidCardData(reason)
        case .empty: return .blank
        case .text, .uri, .other, .unreadable: return .other(content.what)
        }
    }

    /// The tag's newest record that is sealed with our keys for another currency; nil if there is
    /// none.
    func sealedElsewhere(_ reading: CardReading) -> (record: SealedRecord, currency: Currency)? {
        sealedElsewhere(reading.slots.bytes, reading.pages?.image, reading.uid)
    }

    func sealedElsewhere(
        _ records: [[UInt8]], _ image: CardImage?, _ uid: CardUID
    ) -> (record: SealedRecord, currency: Currency)? {
        for other in Currency.known where other != currency {
            let holders = [.nobody] + (image?.remains(in: other).map { [$0.holder] } ?? [])
            let slots = RecordSlots(
                records, uid: uid, holders: holders, currency: other, keys: keys)
            if let best = slots.best { return (best.record, other) }
        }
        return nil
    }

    /// The refusal of a card that uses another currency. Its seal covers the currency, so the card
    /// is genuine but worth nothing here.
    func otherCurrency(_ other: Currency, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .cardCurrency,
            "This is a genuine \(other.code) card, but this machine uses \(currency.code).",
            meaning: "Its balance is in the ledger where it was issued. Nothing was changed, and "
                + "no money moved.", next: [.trust(.useThere(other))], uid: uid)
    }

    /// The error for a tag with records in our format but without a valid seal; nil for any other
    /// tag. The tag may be a copy or a forgery.
    private func impostor(
        _ reading: CardReading, _ content: TagContent
    ) async throws(Interruption) -> TapcardError? {
        guard reading.slots.hasInvalidSeal || reading.slots.hasRetired else { return nil }
        // If the ledger issued these bytes for another card, the tag is a copy of that card.
        for bytes in reading.slots.bytes {
            let owner = try await asking(await ledger.owner(ofRecord: bytes))
            if let owner {
                return TapcardError(
                    .copied, "This tag holds data copied from card \(owner).",
                    meaning: "The tag has no value; the balance belongs to card \(owner).",
                    uid: reading.uid)
            }
        }
        // Text written by other software can extend into the record slots and look like a record,
        // but not like one with a balance.
        if reading.pages != nil {
            let showsMoney = reading.slots.bytes.contains { SealedRecord($0)?.showsMoney == true }
            switch content {
            case .tapcard: break
            case .foreignCard where showsMoney: break
            default: return nil
            }
        }
        let known = reading.slots.bytes.compactMap(SealedRecord.init).map(\.keyID)
        // Without any of these keys, the seals cannot be verified.
        if known.allSatisfy({ keys.entry($0) == nil }) {
            return TapcardError(
                .keyMissing,
                "This machine does not have this card's sealing key "
                    + "(key \(known.map(String.init).joined(separator: " or "))).",
                meaning: "Without the key, this machine cannot tell whether the card is genuine.",
                next: [.file(.importKeysOrOverwrite)], uid: reading.uid)
        }
        return forged(reading, naming: known)
    }

    /// The error for a record that is sealed with a retired key or with none of our keys. In the
    /// second case, it may still specify the ID of one of our keys, because every issuer numbers
    /// its keys from 1, and so does an issuer that lost its keys and started over.
    private func forged(_ reading: CardReading, naming known: [UInt8]) -> TapcardError {
        let names = Set(known).sorted().map { "key \($0)" }.joined(separator: " and ")
        if reading.slots.hasRetired {
            return TapcardError(
                .forged, "The card's record is sealed with a retired key (\(names)).",
                meaning: "Anyone who has that old key could have forged the record, so the card is "
                    + "not accepted.",
                next: [.tag(.overwriteByIssuing)], uid: reading.uid)
        }
        return TapcardError(
            .forged,
            "The card's record specifies \(names), but none of this machine's keys verifies it for "
                + "this chip.",
            meaning: "This is another issuer's card with the same key number, a copy, or a "
                + "forgery. The card has no value "
                + "here.", next: [.file(.importKeysOrOverwrite)], uid: reading.uid)
    }

    /// Why no money can move on a tag that is not in this ledger or, if `isMaking` is true, why no
    /// card can be made from it. If the tag is an NTAG 424 that has not authenticated, its content
    /// proves nothing.
    func refusal(
        _ reading: CardReading, isMaking: Bool = false
    ) async throws(Interruption) -> Interruption {
        let error = try await error(reading, isMaking: isMaking)
        if case .ntag424(let chip) = reading.medium, chip.visit == nil { return .claimed(error) }
        return .refused(error)
    }

    private func error(
        _ reading: CardReading, isMaking: Bool
    ) async throws(Interruption) -> TapcardError {
        // Only a caller who wants to make a card is told that the tag can be overwritten.
        func other() async -> [NextStep] {
            isMaking
                ? [.tag(.overwrite)] : await advice(.tag(.makeCard(on: reading.chip)), reading)
        }
        let unchanged = TapcardError.unchanged
        switch try await identify(reading) {
        case .sealed, .unsealed:
            return TapcardError(
                .refusal(.cardUnknown), "This card is not in this ledger.", meaning: unchanged,
                next: await advice(.card(.adopt(reading.uid)), reading), uid: reading.uid)
        case .sealedElsewhere(_, _, let other): return otherCurrency(other, reading.uid)
        case .untrusted(let error): return error
        case .blank:
            return TapcardError(
                .blankTag, "This tag is blank.", meaning: unchanged,
                next: await advice(.card(.issue(on: reading.chip)), reading), uid: reading.uid)
        case .invalidCardData(let reason):
            return TapcardError(
                .notACard, "This tag holds invalid card data: \(reason).",
                meaning: unchanged, next: await other(), uid: reading.uid)
        case .other(let what):
            return TapcardError(
                .notACard, "This tag holds \(what) instead of a card.", meaning: unchanged,
                next: await other(), uid: reading.uid)
        }
    }

    /// The advice for a tag that is not in this ledger: the given step, unless the tag could not be
    /// made into a card. A tag's pages are checked here as they are when a card is made, but an
    /// NTAG 424's keys are tried only when a card is made.
    private func advice(_ step: NextStep, _ reading: CardReading) async -> [NextStep] {
        guard settings.checksAdvice, let tag = reading.pages?.tag else { return [step] }
        do throws(Interruption) {
            _ = try await station.fitness.requireWritable(
                tag, reading.identity, reading.uid, known: nil)
            let originality = TagInfo.Originality(tag.signature, of: reading.uid, on: reading.chip)
            return originality == .invalid ? TapcardError.invalidSignature(reading).next : [step]
        } catch {
            // If the tag has been removed, it will be checked again when a card is made.
            if case .reader = error { return [step] }
            return error.mayPass ? [step] : error.error.next
        }
    }
}
