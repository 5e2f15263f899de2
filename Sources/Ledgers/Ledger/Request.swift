public import TapcardDomain

/// A requested change of the card on the reader.
public struct Request: Hashable, Sendable {
    /// The id that the client chose before anything happens: an operation is done once under an id.
    public let id: OperationID
    /// The card on which the request works.
    public let uid: CardUID
    /// The change that is asked for.
    public let action: CardAction
    /// The cashier who asks, if known. It is not compared: another cashier may repeat the request.
    public let cashier: CashierName?
    /// The time of the request.
    public let at: Timestamp
    /// The monotonic clock at that time; nil where the machine has none.
    public let uptime: Uptime?

    /// Creates a request.
    public init(
        id: OperationID, uid: CardUID, action: CardAction, by cashier: CashierName? = nil,
        at: Timestamp, uptime: Uptime? = nil
    ) {
        self.id = id
        self.uid = uid
        self.action = action
        self.cashier = cashier
        self.at = at
        self.uptime = uptime
    }
}

/// The changes that a card can go through.
public enum CardAction: Hashable, Sendable {
    /// Pay this amount.
    case pay(Money)
    /// Add this amount.
    case add(Money)
    /// Reverses a payment, entirely if no amount is named.
    case refund(of: OperationID, Money?)
    /// Takes back a top-up, entirely if no amount is named: its cash leaves the drawer again.
    case reverse(of: OperationID, Money?)
    /// Scratch to this code.
    case scratch(ScratchCode)
    /// Activate the code of the card.
    case activate
    /// Close the card and pay its balance out.
    case close
    /// Sells a ticket at a price.
    case ticket(Ticket, Money)
    /// Books the prize of a ticket.
    case claim(TicketID, Money)
    /// Keeps a game on the card; nil removes it.
    case game(MastermindGame?)
    /// Writes a fresh record with a number above every one on the tag, even a forged one.
    case reseal(above: SequenceNumber)
    /// Make a card of the tag.
    case make(CardPlan)
    /// Protects the tag with the password that derives from this key.
    case protect(keyID: UInt8)
    /// Take the password off the tag.
    case unprotect

    /// The kind of operation in the ledger.
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
    /// The source of the card's value.
    public enum Origin: Hashable, Sendable {
        /// A card that was not there before.
        case issue
        /// A card of another writer, with the message on the tag.
        case adopt(message: [UInt8])
        /// A card in the place of a lost one, with its balance.
        case replace(lost: CardUID)
    }

    /// The way in which the card comes to be.
    public let origin: Origin
    /// The chip of the tag.
    public let chip: Chip
    /// Whether the maker's signature is valid; nil where it was not checked.
    public let isGenuineChip: Bool?
    /// The holder of the card.
    public let holder: Holder
    /// The scratch card's first state.
    public let scratch: ScratchCard
    /// The text that phones will read.
    public let face: LedgerCard.Face
    /// The protection of the tag; where that takes steps, the first of them.
    public let protection: CardProtection
    /// The first balance.
    public let balance: Money
    /// The requested parameters beyond kind and amount, as a text that is compared and never
    /// parsed.
    public let parameters: String
    /// Whether a card that is known already may be issued again.
    public let mayReissue: Bool
    /// The highest number under a valid seal on the tag: new numbers have to be above it.
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

/// The state of a card when a station judged its tag. If it has changed when the operation is to
/// begin, another station was quicker, and the tag is judged again.
public struct CardVersion: Hashable, Sendable {
    /// The record that the station believes to be on the card.
    public let confirmed: SequenceNumber
    /// The open operation that the station saw; nil without one.
    public let open: OperationID?

    /// Creates the state that a station saw.
    public init(confirmed: SequenceNumber, open: OperationID?) {
        self.confirmed = confirmed
        self.open = open
    }

    /// Takes the state from what the ledger knows of the card.
    public init(_ known: KnownCard) {
        self.init(confirmed: known.card.confirmed, open: known.open?.id)
    }
}

/// A change that is durable in the ledger and is now written to the tag.
public struct OpenOperation: Hashable, Sendable {
    /// The operation that is open.
    public let operation: Operation
    /// The card in the ledger while the operation is open.
    public private(set) var card: LedgerCard
    /// The content of the record, which phones read once it is confirmed.
    public let content: SealedContent
    /// The record to write, byte by byte.
    public let record: [UInt8]
    /// The sold ticket, valid once the operation is confirmed.
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

    /// The operation, once the ledger has recorded this step of protecting the card.
    func protecting(_ protection: CardProtection) -> OpenOperation {
        var open = self
        open.card.protection = protection
        return open
    }

    /// The card in the ledger once the operation is confirmed.
    public var cardAfterwards: LedgerCard {
        var card = card
        card.protection = card.protection.next
        card.complete(operation.kind, ticket)
        return card
    }

    /// The number that must not be overwritten: taken under the lock, not from an earlier look.
    public var confirmed: SequenceNumber { card.confirmed }
}

/// The ledger's answer to a request.
public enum Beginning: Hashable, Sendable {
    /// The operation is open: write its record.
    case begun(OpenOperation)
    /// The id is known with the same parameters; the operation's state tells the outcome.
    case known(Operation)
    /// The id belongs to another request.
    case mismatched(Operation)
    /// The card has changed since it was seen: judge it again.
    case changed
    /// A rule refused the request; no operation has begun.
    case refused(Refusal)
}

/// The result of a confirmation.
public enum Confirmation: Hashable, Sendable {
    /// The operation is done.
    case committed(Operation)
    /// The operation was voided before: it did not happen.
    case voided(Operation)
    /// A later number was handed out in the meantime: the next tap judges by the record on the tag.
    case superseded(Operation)
}
