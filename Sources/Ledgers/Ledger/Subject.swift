public import TapcardDomain

/// What an operation is about, in addition to its card and amount. It never changes, so that the
/// audit can compare the rows of cards and tickets with it.
public enum Subject: Hashable, Sendable {
    /// The scratch card after it was scratched or activated, or as found on an adopted card.
    case scratch(ScratchCard)
    /// The card that already had the code found on an adopted tag; the adopted card did not get the
    /// code.
    case codeOwner(CardUID)
    /// The ticket that was bought.
    case ticket(Ticket)
    /// The ticket whose prize the operation books.
    case prize(TicketID)
    /// The game that the operation stores on the card.
    case game(MastermindGameID)
    /// The activation attempt that the request asks about.
    case attempt(OperationID)
    /// The card that was tapped, if the payment was booked on another card.
    case tapped(CardUID)
    /// The part of a sale that was not paid with the card.
    case rest(TenderedAmount)
    /// How a top-up was paid, if not in cash.
    case paid(Tender)
}

/// The stored form of a subject. It does not record which case it is, because that depends on the
/// operation's kind.
extension Subject {
    /// The text to store.
    public var text: String {
        switch self {
        case .scratch(let scratch):
            // `ScratchCard.none` has no stored form, but a stored subject is never empty.
            [scratch.word ?? Subject.noScratch, scratch.code?.description]
                .compactMap(\.self).joined(separator: " ")
        case .codeOwner(let uid), .tapped(let uid): uid.description
        case .ticket(let ticket):
            "\(ticket.id) \(ticket.draw) "
                + ticket.balls.numbers.map(String.init).joined(separator: " ")
                + " \(Subject.bonusMark) \(ticket.balls.bonus)"
        case .prize(let id): id.text
        case .game(let id): id.text
        case .attempt(let id): id.description
        case .rest(let rest): "\(rest.tender.rawValue) \(rest.amount)"
        case .paid(let tender): tender.rawValue
        }
    }

    /// Parses the stored subject of an operation of this kind; nil if no such operation could have
    /// stored that text.
    public init?(_ text: String, of kind: Operation.Kind) {
        let subject: Subject? =
            switch kind {
            case .scratch, .activate: ScratchCard(words: text).map(Subject.scratch)
            case .adopt:
                ScratchCard(words: text).map(Subject.scratch)
                    // A UID is never one of the words that describe a scratch card.
                    ?? CardUID(text).map(Subject.codeOwner)
            case .ticket: Ticket(words: text).map(Subject.ticket)
            case .claim, .payout: TicketID(text).map(Subject.prize)
            case .game: MastermindGameID(text).map(Subject.game)
            case .ask: OperationID(text).map(Subject.attempt)
            case .offline: CardUID(text).map(Subject.tapped)
            case .pay: TenderedAmount(words: text).map(Subject.rest)
            case .add: Tender(rawValue: text).map(Subject.paid)
            case .issue, .replace, .credit, .refund, .close, .reverse, .reseal, .protect,
                .unprotect, .block, .unblock, .forget:
                nil
            }
        // Storage searches and compares the text, so a different spelling would count as a
        // different subject.
        guard let subject, subject.text == text else { return nil }
        self = subject
    }

    private static let noScratch = "none"
    fileprivate static let bonusMark = "+"
}

extension Operation {
    /// The ticket that the operation sells, or whose prize it books.
    public var ticketID: TicketID? {
        switch subject {
        case .ticket(let ticket): ticket.id
        case .prize(let id): id
        default: nil
        }
    }

    /// The scratch card in the operation's subject, if any.
    var scratch: ScratchCard? { if case .scratch(let scratch) = subject { scratch } else { nil } }
}

extension TenderedAmount {
    fileprivate init?(words text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, let tender = Tender(rawValue: String(words[0])),
            let amount = Int64(words[1])
        else { return nil }
        self.init(tender, amount)
    }
}

extension Operation {
    /// The part of a sale that was not paid with the card.
    public var rest: TenderedAmount? { if case .rest(let rest) = subject { rest } else { nil } }

    /// How a top-up was paid. For any other operation, this is `cash` and means nothing.
    public var tender: Tender { if case .paid(let tender) = subject { tender } else { .cash } }
}

extension ScratchCard {
    fileprivate init?(words text: String) {
        let words = text.split(separator: " ")
        let code = words.count == 2 ? ScratchCode(String(words[1])) : nil
        switch (words.first, code) {
        case ("none", nil): self = .none
        case ("unscratched", nil): self = .unscratched
        case ("scratched", let code?): self = .scratched(code)
        case ("activated", let code?): self = .activated(code)
        default: return nil
        }
    }
}

extension Ticket {
    fileprivate init?(words text: String) {
        let words = text.split(separator: " ").map(String.init)
        // Two IDs, at least one ball, the mark, and the bonus ball.
        guard words.count >= 5, words[words.count - 2] == Subject.bonusMark,
            let id = TicketID(words[0]), let draw = DrawID(words[1]),
            let bonus = Int(words[words.count - 1]),
            let balls = Balls(
                stored: words[2..<(words.count - 2)].compactMap { Int($0) }, bonus: bonus)
        else { return nil }
        self.init(id: id, draw: draw, balls: balls)
    }
}
