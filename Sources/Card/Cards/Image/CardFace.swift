package import TapcardDomain
package import TextCodecs

/// The part of a card that phones read. It is generated from the ledger, and no decision is based
/// on it.
package struct CardFace: Hashable, Sendable {
    package var style: FaceStyle
    package var balance: Money
    package var holder: Holder
    package var scratch: ScratchCard
    /// The latest lottery ticket, and the Mastermind game stored on the card.
    package var ticket: Ticket?
    package var game: MastermindGameID?
    /// Members added by other software. They are kept when the face is rewritten.
    package var extras: [JSONMember]

    package init(
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

    /// The part of the face that fits on the chip, leaving room for a future code. If space is
    /// short, the game is dropped first and then the ticket; the ledger has both. Members added by
    /// other software never displace either of them, so that no one can use a phone to remove data
    /// from the card.
    package func shown(in layout: CardLayout) -> CardFace {
        var face = self
        // The app's format has no keys for these, and they do not fit in the 112 bytes of an
        // NTAG213.
        if style == .iosApp || layout == .ntag213 { (face.ticket, face.game) = (nil, nil) }
        // Without a game or a ticket, there is nothing for extras to displace; `area` throws if the
        // extras are too long.
        guard face.ticket != nil || face.game != nil else { return face }
        face.extras = []
        // docs/CARDS.md promises other programs that the game is dropped before the ticket.
        if !face.hasRoom(in: layout) { face.game = nil }
        if !face.hasRoom(in: layout) { face.ticket = nil }
        guard face.ticket != nil || face.game != nil else {
            face.extras = extras
            return face
        }
        // Extras are added one at a time, so that a single long member does not crowd out the short
        // ones.
        for member in extras {
            face.extras.append(member)
            if !face.hasRoom(in: layout) { face.extras.removeLast() }
        }
        return face
    }

    /// Throws if the face leaves no room for a future code, even in its short form.
    package func requireRoomForCode(in layout: CardLayout) throws(CardImageError) {
        if let scratched = withCode { _ = try scratched.area(in: layout) }
    }

    /// This face after the card is scratched and activated, with a placeholder for the code; `nil`
    /// unless the card is unscratched.
    var withCode: CardFace? {
        // Any 16 bytes will do, because all codes have the same length.
        guard scratch == .unscratched, let code = ScratchCode(bytes: .init(repeating: 0, count: 16))
        else { return nil }
        var scratched = self
        scratched.scratch = .activated(code)
        return scratched
    }
}

/// The JSON keys of both formats. Their order on the tag is fixed: the balance comes first, so that
/// a payment changes as few pages as possible.
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
    /// The app's keys, followed by our keys for data that the app's format leaves to the ledger.
    static let app = [firstName, lastName, accountValue, id, code, state, ticket, game]
}
