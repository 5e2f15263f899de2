public import TapcardDomain

/// The ledger's row for one card. The balance is not stored in it: it is the sum of the
/// entries of the card's account.
public struct LedgerCard: Hashable, Sendable {
    /// Whether the card may be used, and if not, why.
    public enum Status: String, Sendable, CaseIterable {
        /// The card can be used.
        case active
        /// The card cannot be used until it is unblocked.
        case blocked
        /// The card was closed, and its balance was paid out.
        case closed
        /// The card was lost, and its balance was moved to another card.
        case replaced
    }

    /// The format of the text for phones on the card.
    public typealias Face = FaceStyle

    /// The card's number.
    public let uid: CardUID
    /// The chip, as found at the first reading that also had a matching capability container.
    public var chip: Chip
    /// Whether the manufacturer's signature was valid at the first reading; nil if there was none.
    public var isGenuineChip: Bool?
    /// The card's status.
    public var status: Status
    /// The cardholder.
    public var holder: Holder
    /// The state of the scratch card.
    public var scratch: ScratchCard
    /// The last valid ticket.
    public var ticket: Ticket?
    /// The Mastermind game stored on the card; nil if there is none.
    public var game: MastermindGame?
    /// The format of the text for phones on the card.
    public var face: Face
    /// How many accounts this chip has had; each reissue opens a new one.
    public var account: Int
    /// The highest number ever assigned.
    public var allocated: SequenceNumber
    /// The highest number whose record was written with every page acknowledged, was read back, and
    /// was recorded as confirmed.
    public var confirmed: SequenceNumber
    /// Whether an update of the text for phones failed. The pages may then be weakly written,
    /// so all of them are written again.
    public var isDisplayStale: Bool
    /// The password protection of the tag.
    public var protection: CardProtection
    /// The message from other software that was on the tag when it was adopted.
    public var foreignMessage: [UInt8]?

    /// Creates a card's row.
    public init(
        uid: CardUID, chip: Chip, isGenuineChip: Bool? = nil, status: Status = .active,
        holder: Holder = .nobody, scratch: ScratchCard = .none,
        ticket: Ticket? = nil, game: MastermindGame? = nil, face: Face = .tapcard,
        account: Int = 1, allocated: SequenceNumber = .none, confirmed: SequenceNumber = .none,
        isDisplayStale: Bool = false, protection: CardProtection = .off,
        foreignMessage: [UInt8]? = nil
    ) {
        self.uid = uid
        self.chip = chip
        self.isGenuineChip = isGenuineChip
        self.status = status
        self.holder = holder
        self.scratch = scratch
        self.ticket = ticket
        self.game = game
        self.face = face
        self.account = account
        self.allocated = allocated
        self.confirmed = confirmed
        self.isDisplayStale = isDisplayStale
        self.protection = protection
        self.foreignMessage = foreignMessage
    }

    /// Whether the card is active or blocked, so that its account is still in use.
    public var isInUse: Bool { status == .active || status == .blocked }

    /// The customer's account for this card.
    public var purse: Account { .purse(uid, account) }

    /// Updates the card when a voidable operation becomes final.
    mutating func complete(_ kind: Operation.Kind, _ sold: Ticket?) {
        switch kind {
        case .ticket: ticket = sold
        // Like a reissue, closing an account removes its ticket and its game.
        case .close: (status, ticket, game) = (.closed, nil, nil)
        default: break
        }
    }
}

extension LedgerCard {
    /// The contents of a record with this number for the card.
    public func content(_ sequence: SequenceNumber, balance: Money) -> SealedContent {
        let isClosed = status == .closed
        return SealedContent(
            uid: uid, sequence: sequence, balance: balance, holder: isClosed ? .nobody : holder,
            scratch: isClosed ? .none : scratch)
    }
}
