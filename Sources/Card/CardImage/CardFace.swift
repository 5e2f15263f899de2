public import TapcardDomain
public import TextCodecs

/// What a phone reads off a card. It is derived from the ledger and decides nothing.
public struct CardFace: Hashable, Sendable {
    public var style: FaceStyle
    public var balance: Money
    public var holder: Holder
    public var scratch: ScratchCard
    /// Members that others put beside ours; they survive a rewrite.
    public var extras: [JSONMember]

    public init(
        style: FaceStyle, balance: Money, holder: Holder, scratch: ScratchCard,
        extras: [JSONMember] = []
    ) {
        self.style = style
        self.balance = balance
        self.holder = holder
        self.scratch = scratch
        self.extras = extras
    }

    /// Whether the code still to come will have room, in the shortest spelling.
    public func requireRoomForCode(in layout: CardLayout) throws(CardImageError) {
        guard scratch == .unscratched, let code = ScratchCode(bytes: .init(repeating: 0, count: 16))
        else { return }
        var later = self
        later.scratch = .activated(code)
        _ = try later.area(in: layout)
    }
}

/// The keys of both forms. Their order on the tag is fixed: the balance comes first, so that a
/// payment changes as few pages as can be.
enum FaceKey {
    static let balance = "balance"
    static let id = "id"
    static let name = "name"
    static let code = "code"
    static let state = "state"
    static let firstName = "firstName"
    static let lastName = "lastName"
    static let accountValue = "accountValue"
    static let own = [balance, id, name, code, state]
    /// The app's keys, and those of ours that its form leaves to the ledger.
    static let app = [firstName, lastName, accountValue, id, code, state]
}
