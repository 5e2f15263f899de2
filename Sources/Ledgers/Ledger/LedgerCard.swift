public import TapcardDomain

/// The ledger's row of one card. Its money is not here: that is the sum of its entries.
public struct LedgerCard: Hashable, Sendable {
    /// Whether the card may be used, and if not, why.
    public enum Status: String, Sendable, CaseIterable {
        /// The card can be used.
        case active
        /// The card is stopped until it is unblocked.
        case blocked
        /// Paid out and emptied.
        case closed
        /// Lost; the balance went to another card.
        case replaced
    }

    /// The text that phones read on the card.
    public typealias Face = FaceStyle

    /// The card's number.
    public let uid: CardUID
    /// Taken at the first reading together with a fitting capability container.
    public var chip: Chip
    /// Whether the maker's signature on the chip was valid at the first reading; nil without a signature.
    public var isGenuineChip: Bool?
    /// The card's status.
    public var status: Status
    /// The holder of the card.
    public var holder: Holder
    /// The state of the scratch card.
    public var scratch: ScratchCard
    /// The last valid ticket.
    public var ticket: Ticket?
    /// The game of Mastermind that is kept on the card; nil without one.
    public var game: MastermindGame?
    /// The text that phones read on the card.
    public var face: Face
    /// The number of accounts that this chip has had: a re-issue begins a new one.
    public var account: Int
    /// The highest number that was handed out.
    public var allocated: SequenceNumber
    /// The highest number written, every page acknowledged, read back and recorded.
    public var confirmed: SequenceNumber
    /// Whether refreshing what phones read has failed: its pages may be weak, so all are written
    /// again.
    public var isDisplayStale: Bool
    /// The password protection of the tag.
    public var protection: CardProtection
    /// The message of another writer that was on the tag when it was adopted.
    public var foreignMessage: [UInt8]?

    /// Creates the row of a card.
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

    /// Whether the card still holds an account; a blocked one does.
    public var isInUse: Bool { status == .active || status == .blocked }

    /// The customer's account of this card.
    public var purse: Account { .purse(uid, account) }

    /// Updates the card when a voidable operation becomes final.
    mutating func complete(_ kind: Operation.Kind, _ sold: Ticket?) {
        switch kind {
        case .ticket: ticket = sold
        case .close: (status, ticket, game) = (.closed, nil, nil)
        default: break
        }
    }
}
