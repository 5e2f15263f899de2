import Ledger
public import TapcardDomain

/// What a new card is to be.
public struct CardOrder: Sendable, Hashable {
    /// Where its value comes from.
    public enum Origin: Sendable, Hashable {
        case issue(Holder, Money, hasScratchCard: Bool)
        /// A card of others; its balance is credited only if this is the amount it says.
        case adopt(accepting: Money?)
        case replace(CardUID)
    }

    public var origin: Origin
    public var face: FaceStyle
    /// Close the account of a card that is known, or known to others, and begin a new one.
    public var mayReissue: Bool
    /// Write over what is no card.
    public var mayOverwrite: Bool
    /// Protect the tag with the card's password.
    public var protects: Bool
    /// Take a chip whose maker's signature is not valid.
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
    /// Whether an operation is this making, as far as it remembers.
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

    /// What is asked for beyond the amount, the same text for the same order: it belongs to the
    /// order's id. What only permits something (to write over a tag, to take any chip) does not:
    /// the order is the same with it.
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
