public import TapcardDomain

/// A requested change to the card on the reader.
public struct Request: Hashable, Sendable {
    /// The ID that the client chose in advance. At most one operation is ever begun with this ID.
    public let id: OperationID
    /// The card to change.
    public let uid: CardUID
    /// The requested change.
    public let action: CardAction
    /// Who made the request, and at which till. They are not compared when a request is repeated,
    /// because another cashier may repeat it.
    public let requester: Requester
    /// The time of the request.
    public let at: Timestamp
    /// The machine's uptime at that time; nil if the machine has no such clock.
    public let uptime: Uptime?
    /// The key policy when the card was checked. If it has changed by the time the request begins,
    /// the card is checked again. Nil if the card's keys do not matter.
    public let keyPolicy: KeyPolicy?

    /// Creates a request.
    public init(
        id: OperationID, uid: CardUID, action: CardAction, by requester: Requester = Requester(),
        at: Timestamp, uptime: Uptime? = nil, under keyPolicy: KeyPolicy? = nil
    ) {
        self.keyPolicy = keyPolicy
        self.id = id
        self.uid = uid
        self.action = action
        self.requester = requester
        self.at = at
        self.uptime = uptime
    }
}

/// A change that can be requested for a card.
public enum CardAction: Hashable, Sendable {
    /// Takes this amount off the card, for a sale.
    case pay(Money, Sale = .unitemized)
    /// Adds this amount to the card for a sale in which the returned deposits were worth more than
    /// what was sold.
    case credit(Money, [SaleLine])
    /// Tops the card up by this amount, which the customer paid with the tender.
    case add(Money, paid: Tender = .cash)
    /// Refunds a payment, in full if no amount is given.
    case refund(of: OperationID, Money?)
    /// Reverses a top-up, in full if no amount is given; the cash comes back out of the drawer.
    case reverse(of: OperationID, Money?)
    /// Scratches the card to reveal this code.
    case scratch(ScratchCode)
    /// Activates the card's code.
    case activate
    /// Closes the card and pays out its balance.
    case close
    /// Sells a ticket at the given price.
    case ticket(Ticket, Money)
    /// Books a ticket's prize.
    case claim(TicketID, Money)
    /// Stores a game on the card; nil removes it.
    case game(MastermindGame?)
    /// Writes a fresh record with a number higher than any on the tag, even a forged one.
    case reseal(above: SequenceNumber)
    /// Turns the tag into a card.
    case make(CardPlan)
    /// Protects the tag with the password derived from this key.
    case protect(keyID: UInt8)
    /// Removes the password from the tag.
    case unprotect

    /// The kind of operation in the ledger.
    public var kind: Operation.Kind {
        switch self {
        case .pay: .pay
        case .credit: .credit
        case .add: .add
        case .refund: .refund
        case .reverse: .reverse
        case .scratch: .scratch
        case .activate: .activate
        case .close: .close
        case .ticket: .ticket
        case .claim: .claim
        case .game: .game
        case .reseal: .reseal
        case .protect: .protect
        case .unprotect: .unprotect
        case .make(let plan):
            switch plan.origin {
            case .issue: .issue
            case .adopt: .adopt
            case .replace: .replace
            }
        }
    }
}

/// The card to be made from a tag.
public struct CardPlan: Hashable, Sendable {
    /// Where the card's initial balance comes from.
    public enum Origin: Hashable, Sendable {
        /// A new card.
        case issue
        /// A card made by other software, with the message on the tag.
        case adopt(message: [UInt8])
        /// A card that replaces a lost one and takes over its balance.
        case replace(lost: CardUID)
    }

    /// Where the card's initial balance comes from.
    public let origin: Origin
    /// The chip of the tag.
    public let chip: Chip
    /// Whether the manufacturer's signature is valid; nil if it was not checked.
    public let isGenuineChip: Bool?
    /// The cardholder.
    public let holder: Holder
    /// The scratch card's initial state.
    public let scratch: ScratchCard
    /// The format of the text for phones.
    public let face: LedgerCard.Face
    /// The tag's protection, or the first step toward it.
    public let protection: CardProtection
    /// The initial balance.
    public let balance: Money
    /// The requested parameters other than kind and amount, as text that is only used for
    /// comparison.
    public let parameters: String
    /// Whether a known card may be reissued.
    public let mayReissue: Bool
    /// The highest number with a valid seal on the tag; new numbers have to be higher.
    public let above: SequenceNumber

    /// Creates a plan.
    public init(
        origin: Origin, chip: Chip, isGenuineChip: Bool?, holder: Holder, scratch: ScratchCard,
        face: LedgerCard.Face, protection: CardProtection = .off, balance: Money,
        parameters: String = "", mayReissue: Bool, above: SequenceNumber
    ) {
        self.parameters = parameters
        self.origin = origin
        self.chip = chip
        self.isGenuineChip = isGenuineChip
        self.holder = holder
        self.scratch = scratch
        self.face = face
        self.protection = protection
        self.balance = balance
        self.mayReissue = mayReissue
        self.above = above
    }
}

/// The state of a card when a station checked its tag. If the state has changed by the time the
/// operation begins, another station got there first, and the tag is checked again.
public struct CardVersion: Hashable, Sendable {
    /// The highest confirmed number that the station saw.
    public let confirmed: SequenceNumber
    /// The open operation that the station saw; nil if there was none.
    public let open: OperationID?

    /// Creates the state that a station saw.
    public init(confirmed: SequenceNumber, open: OperationID?) {
        self.confirmed = confirmed
        self.open = open
    }

    /// The state of a card, as the ledger knows it.
    public init(_ known: KnownCard) {
        self.init(confirmed: known.card.confirmed, open: known.open?.id)
    }
}

/// A change that is durable in the ledger and is now being written to the tag.
public struct OpenOperation: Hashable, Sendable {
    /// The open operation.
    public let operation: Operation
    /// The card's row in the ledger while the operation is open.
    public private(set) var card: LedgerCard
    /// The contents of the record, which phones will see once it is confirmed.
    public let content: SealedContent
    /// The bytes of the record to write.
    public let record: [UInt8]
    /// The ticket being sold, which becomes valid once the operation is confirmed.
    public let ticket: Ticket?

    /// Creates an open operation with the record to write.
    public init(
        operation: Operation, card: LedgerCard, content: SealedContent, record: [UInt8],
        ticket: Ticket? = nil
    ) {
        self.operation = operation
        self.card = card
        self.content = content
        self.record = record
        self.ticket = ticket
    }

    /// This open operation after the ledger has recorded a new state of the card's protection.
    func protecting(_ protection: CardProtection) -> OpenOperation {
        var open = self
        open.card.protection = protection
        return open
    }

    /// The card's row in the ledger once the operation is confirmed.
    public var cardAfterConfirmation: LedgerCard {
        var card = card
        card.protection = card.protection.next
        card.complete(operation.kind, ticket)
        return card
    }

    /// The number of the record that must not be overwritten. It comes from the transaction that
    /// opened the operation, not from an earlier reading.
    public var confirmed: SequenceNumber { card.confirmed }
}

/// The ledger's response to a request.
public enum BeginOutcome: Hashable, Sendable {
    /// The operation is open, and its record can be written.
    case begun(OpenOperation)
    /// The same request was made before; the operation's state is its outcome.
    case known(Operation)
    /// The ID was already used for a different request.
    case mismatched(Operation)
    /// The card has changed since its tag was read, so the tag has to be checked again.
    case changed
    /// The request breaks a rule; no operation has begun.
    case refused(Refusal)
}

/// The outcome of a confirmation.
public enum Confirmation: Hashable, Sendable {
    /// The operation is done.
    case committed(Operation)
    /// The operation was voided earlier, so it did not happen.
    case voided(Operation)
    /// A later number has been assigned in the meantime, so the next tap determines the outcome
    /// from the record on the tag.
    case superseded(Operation)
}
