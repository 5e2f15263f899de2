import Ledger
public import TapcardDomain

/// The order of a new card.
public struct CardOrder: Sendable, Hashable {
    /// The source of the card's value.
    public enum Origin: Sendable, Hashable {
        case issue(Holder, Money, hasScratchCard: Bool)
        /// A card of another writer; its balance is credited only if this is the amount it shows.
        case adopt(accepting: Money?)
        case replace(CardUID)
    }

    public var origin: Origin
    public var face: FaceStyle
    /// Whether to close the account of a card that is known, or known to others, and begin a new
    /// one.
    public var mayReissue: Bool
    /// Whether to overwrite a tag that is not a card.
    public var mayOverwrite: Bool
    /// Whether to protect the tag with the card's password.
    public var protects: Bool
    /// Whether to accept a chip whose maker's signature is not valid.
    public var acceptsAnyChip: Bool

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

    /// The demo user: the same on every tag.
    public static func demo(
        in currency: Currency, face: FaceStyle = .tapcard, mayReissue: Bool = false,
        mayOverwrite: Bool = false, protects: Bool = false, acceptsAnyChip: Bool = false
    ) throws(Refusal) -> CardOrder {
        CardOrder(
            .issue(
                Holder(id: try HolderID(1), name: try HolderName("Amanda Gonzalez")),
                Money(minorUnits: 0, currency), hasScratchCard: true),
            face: face, mayReissue: mayReissue, mayOverwrite: mayOverwrite, protects: protects,
            acceptsAnyChip: acceptsAnyChip)
    }
}

extension CardOrder {
    /// Whether an operation is this making, as far as its stored parameters tell.
    func isAnswered(by operation: Operation) -> Bool {
        let isSame =
            switch origin {
            case .issue(_, let balance, _):
                operation.kind == .issue && operation.amount == balance.minorUnits
            case .adopt(let accepted):
                operation.kind == .adopt && operation.amount == accepted?.minorUnits ?? 0
            case .replace: operation.kind == .replace
            }
        return isSame && operation.wasAsked(with: parameters)
    }

    /// The requested parameters beyond the amount, the same text for the same order: it belongs to
    /// the order's id. Permissions (to overwrite a tag, to accept any chip) are left out: the order
    /// is the same with them.
    var parameters: String {
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .orderBelongsToItsID { return "" }
        #endif
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
