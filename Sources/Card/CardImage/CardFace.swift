public import TapcardDomain
public import TextCodecs

/// What a phone reads off a card. It is derived from the ledger and decides nothing.
public struct CardFace: Hashable, Sendable {
    public var style: FaceStyle
    public var balance: Money
    public var holder: Holder
    public var scratch: ScratchCard
    /// The last lottery ticket, and the game of Mastermind that is kept on the card.
    public var ticket: Ticket?
    public var game: MastermindGameID?
    /// Members that others put beside ours; they survive a rewrite.
    public var extras: [JSONMember]

    public init(
        style: FaceStyle, balance: Money, holder: Holder, scratch: ScratchCard,
        ticket: Ticket? = nil, game: MastermindGameID? = nil, extras: [JSONMember] = []
    ) {
        self.style = style
        self.balance = balance
        self.holder = holder
        self.scratch = scratch
        self.ticket = ticket
        self.game = game
        self.extras = extras
    }

    /// What of it a chip has room for: beside all else, also a code still to come, first the game
    /// gives way and then the ticket. The ledger has both. What others added takes no room from
    /// either: whoever holds a phone to a card takes nothing off it.
    public func shown(in layout: CardLayout) -> CardFace {
        var face = self
        if style == .iosApp || layout == .ntag213 { (face.ticket, face.game) = (nil, nil) }
        guard face.ticket != nil || face.game != nil else { return face }
        face.extras = []
        if !face.hasRoom(in: layout) { face.game = nil }
        if !face.hasRoom(in: layout) { face.ticket = nil }
        guard face.ticket != nil || face.game != nil else {
            face.extras = extras
            return face
        }
        for member in extras {
            face.extras.append(member)
            if !face.hasRoom(in: layout) { face.extras.removeLast() }
        }
        return face
    }

    /// Whether the code still to come will have room, in the shortest spelling.
    public func requireRoomForCode(in layout: CardLayout) throws(CardImageError) {
        if let later = withCode { _ = try later.area(in: layout) }
    }

    /// The same card once it is scratched.
    var withCode: CardFace? {
        guard scratch == .unscratched, let code = ScratchCode(bytes: .init(repeating: 0, count: 16))
        else { return nil }
        var later = self
        later.scratch = .activated(code)
        return later
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
    static let ticket = "ticket"
    static let game = "game"
    static let own = [balance, id, name, code, state, ticket, game]
    /// The app's keys, and those of ours that its form leaves to the ledger.
    static let app = [firstName, lastName, accountValue, id, code, state, ticket, game]
}
