public import Ledger
public import TapcardDomain

/// A ticket that was bought: what it is, and the payment for it.
public struct TicketReceipt: Sendable, Hashable {
    public let ticket: Ticket
    public let receipt: Receipt
}

/// A ticket that counts, with what the ledger knows of it.
public struct CardTicket: Sendable, Hashable {
    public let ticket: Ticket
    /// The card that bought it: the one in hand, or one that it replaces.
    public let boughtWith: CardUID
    public let purchase: OperationID
    public let price: Money
    public let boughtAt: Timestamp
    /// Nil while its prize was not claimed.
    public let claim: Claim?

    /// The prize of a ticket, once it is booked.
    public struct Claim: Sendable, Hashable {
        public let operation: OperationID
        public let prize: Money
        public let at: Timestamp
    }
}

/// A card with its tickets, newest first.
public struct CardTickets: Sendable, Hashable {
    public let card: CardReading
    public let tickets: [CardTicket]
}

/// What claiming the prizes of a card has brought.
public struct PrizeReceipt: Sendable, Hashable {
    public let uid: CardUID
    /// Each won ticket, the newest first, with the booking of its prize; replayed where it was
    /// booked before.
    public let prizes: [Prize]
    /// What the card holds now.
    public let balance: Money
    public let display: DisplayState
    /// Why not every prize was booked; the others were.
    public let problem: TapcardError?

    public struct Prize: Sendable, Hashable {
        public let ticket: CardTicket
        public let draw: Draw
        public let receipt: Receipt
    }

    /// Whether every prize was booked before: nothing happened this time.
    public var isReplayed: Bool { prizes.allSatisfy(\.receipt.isReplayed) }
}

extension Station {
    /// Sells a ticket with random balls. The price is held, and booked when the card has it; until
    /// then there is no ticket. The same id gets the same ticket. That the draw is still to come
    /// is for the caller to know.
    public func buyTicket(
        draw: DrawID, price: Money, rules: LotteryRules, id: OperationID,
        only card: CardUID? = nil
    ) async throws(TapcardError) -> TicketReceipt {
        throw TapcardError(.failed, "Tickets cannot be bought yet.")
    }

    /// Reads a card, settles what is open on it, and looks up its tickets.
    public func checkTickets(
        only card: CardUID? = nil
    ) async throws(TapcardError) -> CardTickets {
        throw TapcardError(.failed, "Tickets cannot be checked yet.")
    }

    /// Books the prizes of all won tickets of the card on the reader, or of the one that is
    /// named: each once, whoever asks again. Throws `.nothingWon` where there is none.
    public func claimTickets(
        drawn: DrawList, prizes: PrizeTable, topPrizeUnit: TopPrizeUnit,
        naming ticket: TicketID? = nil, only card: CardUID? = nil
    ) async throws(TapcardError) -> PrizeReceipt {
        throw TapcardError(.failed, "Tickets cannot be claimed yet.")
    }

    /// The tickets of a card that need not be there, newest first; of all cards where none is
    /// named.
    public static func tickets(
        of card: CardUID?, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [CardTicket] {
        throw TapcardError(.failed, "Tickets cannot be listed yet.")
    }

    /// Keeps a game of Mastermind on the card on the reader, in the place of another one; nil
    /// takes it off.
    public func keepGame(
        _ game: MastermindGame?, id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        throw TapcardError(.failed, "Games cannot be kept yet.")
    }

    /// The game on the card on the reader, with the card; what is open on it is settled.
    public func keptGame(
        only card: CardUID? = nil
    ) async throws(TapcardError) -> (card: CardReading, game: MastermindGame?) {
        throw TapcardError(.failed, "Games cannot be read yet.")
    }
}
