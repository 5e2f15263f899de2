public import TapcardDomain

/// The subjects of operations, as the ledger stores them with the operation. They never change, so
/// that the audit can compare the rows of cards and tickets with them.
extension Ticket {
    var subject: String {
        let numbers = balls.numbers.map(String.init).joined(separator: " ")
        return "\(id) \(draw) \(numbers) + \(balls.bonus)"
    }
}

extension Operation {
    /// The ticket that the operation sells, or whose prize it books.
    public var ticketID: TicketID? {
        guard kind == .ticket || kind.booksPrize else { return nil }
        return subject?.split(separator: " ").first.flatMap { TicketID(String($0)) }
    }
}

extension ScratchCard {
    var subject: String {
        [word ?? "none", code?.description].compactMap { $0 }.joined(separator: " ")
    }

    /// Reads a stored subject; nil for a missing or unreadable one.
    init?(subject: String?) {
        let words = (subject ?? "").split(separator: " ").map(String.init)
        let code = words.count == 2 ? ScratchCode(words[1]) : nil
        switch (words.first, code) {
        case ("none", nil) where words.count == 1: self = .none
        case ("unscratched", nil) where words.count == 1: self = .unscratched
        case ("scratched", let code?): self = .scratched(code)
        case ("activated", let code?): self = .activated(code)
        default: return nil
        }
    }
}
