public import TapcardDomain

/// What someone asks to be done to the card on the reader.
public struct Request: Hashable, Sendable {
    /// Chosen by the client before anything happens: the same id never happens twice.
    public let id: OperationID
    public let uid: CardUID
    public let intent: Intent
    /// Who asks, where that is known. The same request of somebody else is the same request.
    public let cashier: CashierName?
    public let at: Timestamp
    public let uptime: Uptime?

    public init(
        id: OperationID, uid: CardUID, intent: Intent, by cashier: CashierName? = nil,
        at: Timestamp, uptime: Uptime? = nil
    ) {
        self.id = id
        self.uid = uid
        self.intent = intent
        self.cashier = cashier
        self.at = at
        self.uptime = uptime
    }
}

/// The changes that a card can go through.
public enum Intent: Hashable, Sendable {
    case pay(Money)
    case add(Money)
    /// Reverses a payment, whole where no amount is named.
    case refund(of: OperationID, Money?)
    /// Takes back an addition, whole where no amount is named: its cash leaves the drawer again.
    case reverse(of: OperationID, Money?)
    case scratch(ScratchCode)
    case activate
    case close
    /// Sells a ticket at a price.
    case ticket(Ticket, Money)
    /// Books what a ticket has won.
    case claim(TicketID, Money)
    /// Keeps a game on the card; nil takes it off.
    case game(MastermindGame?)
    /// With a number above what lies on the tag, whoever put it there.
    case reseal(above: SequenceNumber)
    case make(CardPlan)
    /// With the password that comes from this key.
    case protect(keyID: UInt8)
    case unprotect

    /// What the ledger calls it.
    public var kind: Operation.Kind {
        switch self {
        case .pay: .pay
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

/// The card that is to be made of a tag.
public struct CardPlan: Hashable, Sendable {
    /// Where its value comes from.
    public enum Origin: Hashable, Sendable {
        case issue
        /// With the message that lay on the tag.
        case adopt(message: [UInt8])
        case replace(lost: CardUID)
    }

    public let origin: Origin
    public let chip: String
    public let isGenuineChip: Bool?
    public let holder: Holder
    public let scratch: ScratchCard
    public let face: LedgerCard.Face
    /// What its tag is to be: where that takes steps, the first of them.
    public let protection: CardProtection
    public let balance: Money
    /// What was asked for beyond kind and amount, as a text that is compared and never parsed.
    public let parameters: String
    /// Whether a card that is known already may be made anew.
    public let mayReissue: Bool
    /// The highest number under a valid seal on the tag: new ones have to be above it.
    public let above: SequenceNumber

    public init(
        origin: Origin, chip: String, isGenuineChip: Bool?, holder: Holder, scratch: ScratchCard,
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

/// What a station saw of a card when it judged the tag. If it is no longer so when the change is
/// to begin, another station was quicker, and the tag is judged again.
public struct Seen: Hashable, Sendable {
    public let confirmed: SequenceNumber
    public let open: OperationID?

    public init(confirmed: SequenceNumber, open: OperationID?) {
        self.confirmed = confirmed
        self.open = open
    }

    public init(_ view: CardView) {
        self.init(confirmed: view.card.confirmed, open: view.open?.id)
    }
}

/// A change that is durable in the ledger and now goes onto the tag.
public struct OpenWork: Hashable, Sendable {
    public let operation: Operation
    /// The card as the ledger has it while the operation is open.
    public private(set) var card: LedgerCard
    /// What the record says, and what phones are to read once it is confirmed.
    public let content: SealedContent
    public let record: [UInt8]
    /// What is sold, and counts once it is confirmed.
    public let ticket: Ticket?

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

    /// The same after the ledger has noted a step of its protection.
    func protecting(_ protection: CardProtection) -> OpenWork {
        var work = self
        work.card.protection = protection
        return work
    }

    /// The card as the ledger will have it once the operation is confirmed.
    public var cardAfterwards: LedgerCard {
        var card = card
        card.protection = card.protection.next
        card.complete(operation.kind, ticket)
        return card
    }

    /// The number that must not be overwritten: taken under the lock, not from an earlier look.
    public var confirmed: SequenceNumber { card.confirmed }
}

/// How the ledger answered a request.
public enum Beginning: Hashable, Sendable {
    case begun(OpenWork)
    /// The id is known with just these parameters; its state says what became of it.
    case known(Operation)
    /// The id belongs to another request.
    case mismatched(Operation)
    /// The card is not as it was seen: judge it again.
    case changed
    case refused(Refusal)
}

/// How a confirmation ended.
public enum Confirmation: Hashable, Sendable {
    case committed(Operation)
    case voided(Operation)
    /// A later number was handed out meanwhile: what lies on the tag decides at the next tap.
    case superseded(Operation)
}
