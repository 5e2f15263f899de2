public import TapcardDomain

/// One change to a card, either final or still open.
public struct Operation: Hashable, Identifiable, Sendable {
    /// The kind of change.
    public enum Kind: String, Sendable, CaseIterable {
        /// Makes a new card.
        case issue
        /// Takes over a tag made by other software.
        case adopt
        /// Makes a card that replaces a lost one and takes over its balance.
        case replace
        /// Takes a payment from the card.
        case pay
        /// Adds money to the card for returned deposits that were worth more than what was sold.
        case credit
        /// Adds money to the card.
        case add
        /// Returns a payment to the card.
        case refund
        /// Reveals a scratch code.
        case scratch
        /// Activates a code through the service.
        case activate
        /// Closes the card and pays out its balance.
        case close
        /// Reverses a top-up.
        case reverse
        /// Asks about an existing activation attempt, under an ID of its own.
        case ask
        /// Buys a lottery ticket.
        case ticket
        /// Adds a ticket's prize to the card.
        case claim
        /// Pays a ticket's prize in cash.
        case payout
        /// Books an offline payment.
        case offline
        /// Stores a Mastermind game on the card.
        case game
        /// Writes a fresh record with the same contents: the last step after an interruption.
        case reseal
        /// Sets the card's password on its tag, or removes it.
        case protect, unprotect
        /// Stops all operations on the card.
        case block
        /// Allows operations on the card again.
        case unblock
        /// Removes the cardholder's name.
        case forget

        /// Whether the operation is voided if it was not written to the card. Only changes that
        /// take money off a card are voided: anything else has already happened in the real world.
        public var isVoidable: Bool { self == .pay || self == .ticket || self == .close }

        /// Whether the operation records a ticket's prize, paid onto its card or in cash.
        public var recordsPrize: Bool { self == .claim || self == .payout }

        /// Whether the operation only changes the tag's password. If the tag cannot do that, the
        /// operation is voided.
        public var changesProtection: Bool { self == .protect || self == .unprotect }

        /// Whether an operator changed the card without its tag.
        package var isByOperator: Bool { [.block, .unblock, .forget].contains(self) }

        /// Whether the operation turns a tag into a card, in which case it is resumed even on a tag
        /// without a valid record.
        public var makesCard: Bool { self == .issue || self == .adopt || self == .replace }

        /// The word that ledgers store. It never changes, so ledgers still call an offline payment
        /// "deferred".
        package var stored: String { self == .offline ? "deferred" : rawValue }

        package init?(stored word: String) {
            guard let kind = Kind.allCases.first(where: { $0.stored == word }) else { return nil }
            self = kind
        }
    }

    /// Whether an operation is open, or how it ended.
    public enum State: String, Sendable, CaseIterable {
        /// The operation has begun; its record may or may not be on the card.
        case pending
        /// The operation is done, and the card has the record.
        case committed
        /// The operation has ended without effect.
        case voided
    }

    /// The ID from the request, except for some offline payments that were booked later.
    public let id: OperationID
    /// The card that the operation changes.
    public let uid: CardUID
    /// The kind of change.
    public let kind: Kind
    /// The amount in minor units, never negative; its direction depends on the kind.
    public let amount: Int64
    /// The payment that this operation refunds, or the top-up that it reverses. Each can be
    /// refunded or reversed only once.
    public let reverses: OperationID?
    /// What the operation is about, such as a ticket; nil for kinds without a subject, and for
    /// removing a game from a card.
    public let subject: Subject?
    /// What was sold; empty if only the amount is known.
    public let lines: [SaleLine]
    /// The parameters that the card was made with, apart from the amount. They are stored so that a
    /// repeated request can be compared in full. If the cardholder's name is removed from the
    /// ledger, it is removed from here, too.
    public var parameters: String?
    /// Who began the operation, and at which till.
    public let requester: Requester
    /// When the operation began, by the ledger's clock.
    public let beganAt: Timestamp
    /// The machine's uptime at the start; nil if the station could not determine it.
    public let uptimeAtStart: Uptime?
    /// The state of the operation.
    public var state: State
    /// The number of its last record; `.none` for an operation that writes to no tag.
    public var sequence: SequenceNumber
    /// The time when it was committed or voided; nil while it is open.
    public var endedAt: Timestamp?
    /// The card's balance afterward in minor units, returned for a repeated request.
    public var balanceAfter: Int64?

    /// Creates an operation.
    public init(
        id: OperationID, uid: CardUID, kind: Kind, amount: Int64 = 0, reverses: OperationID? = nil,
        subject: Subject? = nil, lines: [SaleLine] = [], parameters: String? = nil,
        by requester: Requester = Requester(), beganAt: Timestamp, uptimeAtStart: Uptime? = nil,
        state: State = .pending,
        sequence: SequenceNumber = .none,
        endedAt: Timestamp? = nil, balanceAfter: Int64? = nil
    ) {
        self.id = id
        self.uid = uid
        self.kind = kind
        self.amount = amount
        self.reverses = reverses
        self.subject = subject
        self.lines = lines
        self.parameters = parameters
        self.requester = requester
        self.beganAt = beganAt
        self.uptimeAtStart = uptimeAtStart
        self.state = state
        self.sequence = sequence
        self.endedAt = endedAt
        self.balanceAfter = balanceAfter
    }

    /// The cashier who began the operation, if known.
    public var cashier: CashierName? { requester.cashier }

    /// The amount that an open operation holds back from the balance until it is final.
    public var held: Int64 { state == .pending && kind.isVoidable ? amount : 0 }

    /// Whether the card with this number was tapped for the operation.
    public func wasTapped(_ uid: CardUID) -> Bool { self.uid == uid || subject == .tapped(uid) }

    /// The change to the customer's balance, such as -4.50 for a payment of 4.50.
    public func change(in currency: Currency) -> Money {
        // The cash comes from the drawer, and the balance does not change.
        if kind == .payout { return Money(minorUnits: 0, currency) }
        // A reversal is never voided, but it takes the top-up back off the card.
        let takesMoney = kind.isVoidable || kind == .reverse || kind == .offline
        return Money(minorUnits: takesMoney ? -amount : amount, currency)
    }
}
