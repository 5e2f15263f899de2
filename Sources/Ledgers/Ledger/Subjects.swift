public import TapcardDomain

/// What an operation is about, as the ledger keeps it beside the operation: it never changes, so
/// that the audit can hold the rows of cards and tickets against it.
extension Ticket {
    var subject: String {
        let numbers = balls.numbers.map(String.init).joined(separator: " ")
        return "\(id) \(draw) \(numbers) + \(balls.bonus)"
    }
}

extension Operation {
    /// The ticket that it sells, or whose prize it books.
    public var ticketID: TicketID? {
        guard kind == .ticket || kind.booksPrize else { return nil }
        return subject?.split(separator: " ").first.flatMap { TicketID(String($0)) }
    }
}

extension ScratchCard {
    var subject: String {
        [word ?? "none", code?.description].compactMap { $0 }.joined(separator: " ")
    }

    /// Nil where none was kept, or nothing that can be read.
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
