import CardCryptography
import Cards
import Ledger
import Tags
public import TapcardDomain

/// A request for a new card.
public struct CardRequest: Sendable, Hashable {
    /// Where the card's value comes from.
    public enum Origin: Sendable, Hashable {
        /// A new card for a cardholder, with a starting balance.
        case issue(Holder, Money, hasScratchCard: Bool)
        /// A card made by other software. Its balance is credited only if this amount is given and
        /// matches it.
        case adopt(accepting: Money?)
        /// A card that replaces a lost card and takes over its balance.
        case replace(CardUID)
    }

    /// Where the card's value comes from.
    public var origin: Origin
    /// The format of the JSON for phones.
    public var face: FaceStyle
    /// Whether a tag that is already a card, in this ledger or another, may be made into a new
    /// card. Its account in this ledger is then closed.
    public var mayReissue: Bool
    /// Whether other content on a tag may be overwritten.
    public var mayOverwrite: Bool
    /// Whether to protect the tag with the card's password.
    public var protects: Bool
    /// Whether to accept a chip whose manufacturer's signature is invalid.
    public var acceptsAnyChip: Bool

    /// Creates a request. By default, it overwrites nothing.
    public init(
        _ origin: Origin, face: FaceStyle = .tapcard, mayReissue: Bool = false,
        mayOverwrite: Bool = false, protects: Bool = false, acceptsAnyChip: Bool = false
    ) {
        self.origin = origin
        self.face = face
        self.protects = protects
        self.acceptsAnyChip = acceptsAnyChip
        self.mayReissue = mayReissue
        self.mayOverwrite = mayOverwrite
    }

    /// A request for a demo card. Its cardholder is the same on every tag.
    public static func demo(
        in currency: Currency, face: FaceStyle = .tapcard, mayReissue: Bool = false,
        mayOverwrite: Bool = false, protects: Bool = false, acceptsAnyChip: Bool = false
    ) throws(Refusal) -> CardRequest {
        CardRequest(
            .issue(
                Holder(id: try HolderID(1), name: try HolderName("Amanda Gonzalez")),
                Money(minorUnits: 0, currency), hasScratchCard: true),
            face: face, mayReissue: mayReissue, mayOverwrite: mayOverwrite, protects: protects,
            acceptsAnyChip: acceptsAnyChip)
    }
}

extension CardRequest {
    /// The kind of the requested operation.
    var kind: Operation.Kind {
        switch origin {
        case .issue: .issue
        case .adopt: .adopt
        case .replace: .replace
        }
    }

    /// Whether an operation made the requested card, as far as its stored parameters show.
    func isAnswered(by operation: Operation) -> Bool {
        let isSame =
            switch origin {
            case .issue(_, let balance, _):
                operation.kind == .issue && operation.amount == balance.minorUnits
            case .adopt(let accepted):
                // If no balance was given, nothing was credited.
                operation.kind == .adopt && operation.amount == accepted?.minorUnits ?? 0
            case .replace: operation.kind == .replace
            }
        return isSame && operation.wasRequested(with: parameters)
    }

    /// The request's parameters other than the amount, as text that is bound to the request's ID.
    /// Permissions, such as overwriting a tag, are left out, because they do not make the request a
    /// different one.
    var parameters: String {
        if SafetyRule.requestBelongsToItsID.isDisabled { return "" }
        var lines = ["display=\(face.rawValue)", "protect=\(protects)"]
        switch origin {
        case .issue(let holder, _, let hasScratchCard):
            lines.append("scratch=\(hasScratchCard)")
            if let id = holder.id { lines.append("id=\(id)") }
            if let name = holder.name { lines.append("name=\(name.text)") }
        case .replace(let lost): lines.append("lost=\(lost)")
        case .adopt: break
        }
        return lines.joined(separator: "\n")
    }
}

/// Turns a request into a plan for the tag on the reader, or refuses it before the operation
/// begins.
struct CardPlanning: StationWork {
    let station: Station

    /// The plan for the card, based on the signature and the protection found on the tag.
    func plan(
        _ request: CardRequest, for reading: CardReading, _ signature: [UInt8]?,
        _ found: CardProtection
    ) async throws(Interruption) -> CardPlan {
        var holder = Holder.nobody
        var balance = Money(minorUnits: 0, currency)
        var scratch = ScratchCard.none
        let origin: CardPlan.Origin
        switch request.origin {
        case .issue(let wanted, let amount, let hasScratchCard):
            try translating(
                station.limits.requireOwnCurrency(amount), into: Interruption.refused)
            try await requireOverwritable(reading, request)
            (holder, balance) = (wanted, amount)
            scratch = hasScratchCard ? .unscratched : .none
            origin = .issue
        case .replace(let lost):
            try await requireOverwritable(reading, request)
            let known = try await asking(await ledger.knownCard(of: lost))
            // If the lost card is unknown, the ledger's rules refuse the plan.
            if let card = known?.card { (holder, scratch) = (card.holder, card.scratch) }
            origin = .replace(lost: lost)
        case .adopt(let accepted):
            let found = try await foundValue(reading)
            (holder, scratch) = (found.holder, found.scratch)
            if let accepted {
                // Only a balance that the caller has seen and entered is credited.
                guard accepted == found.balance else {
                    throw .refused(
                        .refusal(.badAmount),
                        "The balance on the tag is \(found.balance.shown), not \(accepted.shown).",
                        meaning: TapcardError.unchanged,
                        next: [.request(.acceptBalance)], uid: reading.uid)
                }
                balance = accepted
            }
            origin = .adopt(
                message: (reading.pages?.image.area ?? []) + reading.slots.bytes.joined())
        }
        // The ledger must not begin making a card that does not fit on its tag.
        if let layout = reading.pages?.layout {
            let face = CardFace(
                style: request.face, balance: balance, holder: holder, scratch: scratch)
            func refused(_ error: CardImageError) -> Interruption {
                .refused(TapcardError(error).naming(reading.uid))
            }
            _ = try translating(face.area(in: layout), into: refused)
            try translating(face.requireRoomForCode(in: layout), into: refused)
        }
        return CardPlan(
            origin: origin, chip: reading.chip,
            isGenuineChip: try isGenuine(signature, reading, request), holder: holder,
            scratch: scratch, face: request.face,
            protection: protection(request, on: reading, found), balance: balance,
            parameters: request.parameters, mayReissue: request.mayReissue,
            above: highest(on: reading, for: holder))
    }

    /// The highest sequence number on the tag. A seal may cover a name that is missing from the
    /// tag, so the records are also checked with the new cardholder's name.
    private func highest(on reading: CardReading, for holder: Holder) -> SequenceNumber {
        let slots = RecordSlots(
            reading.slots.bytes, uid: reading.uid, holders: [holder], currency: currency, keys: keys
        )
        return max(reading.highest, slots.best?.record.sequence ?? .none)
    }

    /// The initial protection state of the new card, based on the tag's actual state. If the
    /// password of an earlier card was left partly set or removed, and the new card is requested
    /// without protection, that is undone.
    private func protection(
        _ request: CardRequest, on reading: CardReading, _ found: CardProtection
    ) -> CardProtection {
        if request.protects, reading.pages != nil {
            return found.protecting(with: keys.sealing.id)
        }
        return reading.known?.card.protection.isStable == false ? found.unprotecting : found
    }

    /// Whether the manufacturer's signature shows that the chip is genuine; nil if the chip has no
    /// signature. Refuses an invalid signature unless the request accepts any chip. A chip without
    /// a signature does not claim to be genuine, so it is not refused.
    private func isGenuine(
        _ signature: [UInt8]?, _ reading: CardReading, _ request: CardRequest
    ) throws(Interruption) -> Bool? {
        let originality = TagInfo.Originality(signature, of: reading.uid, on: reading.chip)
        guard originality != .invalid || request.acceptsAnyChip else {
            // Interference with a single response can corrupt a signature, so it has to be invalid
            // in two sessions.
            throw .claimed(.invalidSignature(reading))
        }
        return originality.isGenuine
    }

    /// Refuses to overwrite a tag that may be of value to someone.
    private func requireOverwritable(
        _ reading: CardReading, _ request: CardRequest
    ) async throws(Interruption) {
        let unchanged = TapcardError.nothingWritten
        if let card = reading.known?.card {
            let content = reading.content
            if !reading.isAbandoned || request.mayOverwrite || content.isLeftover(of: card) {
                return
            }
            throw .refused(
                .notACard,
                "No card was issued: the tag already holds content "
                    + "(\(content.word)).", meaning: unchanged,
                next: [.tag(.overwrite)], uid: reading.uid)
        }
        switch try await station.unknownTags.identify(reading) {
        case .blank: return
        // A card from another ledger may hold money there, so only a reissue replaces it.
        case .sealed:
            if request.mayReissue { return }
            throw .refused(
                .refusal(.cardKnown),
                "No card was issued: the tag holds a valid card of another ledger, sealed with "
                    + "this issuer's keys.",
                meaning: unchanged, next: [.card(.adoptOrReissue)], uid: reading.uid)
        // Such a card may also have money in another ledger.
        case .sealedElsewhere(_, _, let other):
            if !request.mayReissue {
                throw .refused(station.unknownTags.otherCurrency(other, reading.uid))
            }
        case .unsealed:
            if request.mayOverwrite { return }
            throw .refused(
                .refusal(.cardKnown),
                "No card was issued: the tag holds a card of another system, without this issuer's "
                    + "seal.",
                meaning: unchanged, next: [.card(.adoptOrOverwrite)], uid: reading.uid)
        case .untrusted(let error):
            if !request.mayOverwrite { throw .refused(error) }
        case .invalidCardData, .other:
            if !request.mayOverwrite {
                throw try await station.unknownTags.refusal(reading, isMaking: true)
            }
        }
    }

    /// The value of a card made by other software.
    private func foundValue(
        _ reading: CardReading
    ) async throws(Interruption) -> (holder: Holder, balance: Money, scratch: ScratchCard) {
        if let known = reading.known {
            throw .refused(
                Refusal(.cardKnown, "card \(known.card.uid) is already in this ledger"),
                uid: reading.uid)
        }
        switch try await station.unknownTags.identify(reading) {
        case .sealed(let record, let face):
            return (
                face?.holder ?? .nobody, Money(minorUnits: Int64(record.balance), currency),
                record.scratch(beside: face)
            )
        // Any phone can write an activated code to a tag, but only the service's approval counts.
        case .unsealed(let face): return (face.holder, face.balance, face.scratch.unactivated)
        case .sealedElsewhere(_, _, let other):
            throw .refused(station.unknownTags.otherCurrency(other, reading.uid))
        case .untrusted(let error): throw .refused(error)
        case .blank, .invalidCardData, .other: throw try await station.unknownTags.refusal(reading)
        }
    }
}

extension ScratchCard {
    /// This scratch card as it was before activation.
    fileprivate var unactivated: ScratchCard {
        if case .activated(let code) = self { .scratched(code) } else { self }
    }
}
