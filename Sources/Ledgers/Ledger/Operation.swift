public import TapcardDomain

/// One thing that was done to a card, or was begun and is still open.
public struct Operation: Hashable, Identifiable, Sendable {
    /// What is done.
    public enum Kind: String, Sendable, CaseIterable {
        case issue, adopt, replace, pay, add, refund, scratch, activate, close
        /// An addition is taken back.
        case reverse
        /// Somebody has asked with another id for what an attempt to activate was made for.
        case ask
        /// A lottery ticket is bought; the prize of one is booked.
        case ticket, claim
        /// The prize of one is paid out of the drawer, past the card.
        case payout
        /// A game of Mastermind is kept on the card.
        case game
        /// A fresh record without any change: the last word after something was interrupted.
        case reseal
        /// The card's password goes onto its tag, or off it.
        case protect, unprotect
        case block, unblock, forget

        /// Whether it is undone when the card did not follow. Only what takes money off a card
        /// can be: everything else has happened outside the card and the tag follows it.
        public var isVoidable: Bool { self == .pay || self == .ticket || self == .close }

        /// Whether it books the prize of a ticket: onto its card, or out of the drawer.
        public var booksPrize: Bool { self == .claim || self == .payout }

        /// Whether it is about the tag's password alone: what cannot be done there never happened.
        public var switchesProtection: Bool { self == .protect || self == .unprotect }

        /// Whether it makes a card of a tag, so that a tag without a valid record is resumed.
        public var makesCard: Bool { self == .issue || self == .adopt || self == .replace }
    }

    /// Open, or one of the two final states.
    public enum State: String, Sendable, CaseIterable {
        case pending, committed, voided
    }

    public let id: OperationID
    public let uid: CardUID
    public let kind: Kind
    /// Minor units, never negative; which way they go follows from the kind.
    public let amount: Int64
    /// The payment that a refund reverses, or the addition that is taken back, once.
    public let reverses: OperationID?
    /// The ticket that is bought, whole, or the name of the one whose prize is claimed; the game
    /// that is kept; what the code on the card is from then on, or the card whose code was on a tag
    /// that was adopted without it; the attempt that is asked about. None from before version 3.
    public let subject: String?
    /// What the making of a card was asked for beyond its amount, so that the id stands for all of
    /// it. None from before version 6, and where the holder's name was forgotten since.
    public var parameters: String?
    /// Who has begun it, where that was said. None from before version 5.
    public let cashier: CashierName?
    public let begunAt: Timestamp
    /// How long the machine had been running then; nil where the station had no such clock.
    public let begunUptime: Uptime?
    public var state: State
    /// The number of the record that shows it; none where the tag has no part in it.
    public var sequence: SequenceNumber
    public var endedAt: Timestamp?
    /// What the card held afterwards, in minor units: the answer to a repeated request.
    public var balanceAfter: Int64?

    public init(
        id: OperationID, uid: CardUID, kind: Kind, amount: Int64 = 0, reverses: OperationID? = nil,
        subject: String? = nil, parameters: String? = nil, cashier: CashierName? = nil,
        begunAt: Timestamp, begunUptime: Uptime? = nil, state: State = .pending,
        sequence: SequenceNumber = .none,
        endedAt: Timestamp? = nil, balanceAfter: Int64? = nil
    ) {
        self.id = id
        self.uid = uid
        self.kind = kind
        self.amount = amount
        self.reverses = reverses
        self.subject = subject
        self.parameters = parameters
        self.cashier = cashier
        self.begunAt = begunAt
        self.begunUptime = begunUptime
        self.state = state
        self.sequence = sequence
        self.endedAt = endedAt
        self.balanceAfter = balanceAfter
    }

    /// What an open operation keeps back from the balance until it is final.
    public var held: Int64 { state == .pending && kind.isVoidable ? amount : 0 }

    /// What it adds to the customer's balance: "-4.50" for a payment of 4.50.
    public func change(in currency: Currency) -> Money {
        if kind == .payout { return Money(minorUnits: 0, currency) }
        let takesMoney = kind.isVoidable || kind == .reverse
        return Money(minorUnits: takesMoney ? -amount : amount, currency)
    }
}
