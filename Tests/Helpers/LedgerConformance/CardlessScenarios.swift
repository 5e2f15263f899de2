package import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Sales without a card, and cash put into the drawer or taken out.
    static let cardless = [
        Scenario("a sale without a card is booked once, on the account of its tender") { till in
            for (id, tender, account) in [
                (1, Tender.cash, Account.cash), (2, .terminal, .terminal), (3, .other, .other),
            ] {
                let sale = try CardlessOperation.sample(id, 600, tender)
                guard case .booked = try await till.ledger.book(sale),
                    case .earlier(let known) = try await till.ledger.book(sale)
                else { throw Unexpected(answer: "the sale is not booked exactly once") }
                #expect(known == sale)
                #expect(try await till.ledger.cardless(sale.id) == sale)
                #expect(try await till.balance(of: account) == -600)
            }
            #expect(try await till.balance(of: .takings) == 1800)
            #expect(try await till.ledger.audit().violations == [])
        },
        Scenario("a used ID is refused for another sale, another kind, and a card") { till in
            try await till.complete(.issue(), id: 1)
            _ = try await till.ledger.book(try .sample(2, 600))
            for other in [
                try CardlessOperation.sample(2, 700), try .sample(2, 600, .terminal),
                try .sample(1, 600), .cash(2, 600),
            ] {
                #expect(try await till.ledger.book(other) == .mismatched)
            }
            #expect(try await till.refusal(of: .pay(.cents(100)), id: 2) == .badIdentifier)
            #expect(try await till.balance(of: .takings) == 600)
            #expect(try await till.ledger.audit().violations == [])
        },
        Scenario("rounding is booked on its own account, and an undone sale returns all") { till in
            let sale = try CardlessOperation.sample(1, 352, rounding: -2)
            _ = try await till.ledger.book(sale)
            #expect(try await till.balance(of: .takings) == 352)
            #expect(try await till.balance(of: .cash) == -350)
            #expect(try await till.balance(of: .rounding) == -2)
            guard case .booked(let undo) = try await till.undo(1, id: 2),
                try await till.undo(1, id: 2) == .earlier(undo)
            else { throw Unexpected(answer: "the sale is not undone exactly once") }
            for account in [Account.takings, .cash, .rounding] {
                #expect(try await till.balance(of: account) == 0)
            }
            guard case .refused(let refusal) = try await till.undo(1, id: 3) else {
                throw Unexpected(answer: "the sale is undone twice")
            }
            #expect(refusal.rule == .alreadyRefunded)
            guard case .refused(let other) = try await till.undo(2, id: 4) else {
                throw Unexpected(answer: "an undoing is undone")
            }
            #expect(other.rule == .notRefundable)
            #expect(try await till.ledger.audit().violations == [])
        },
        Scenario("cash moves between the drawer and the safe") { till in
            _ = try await till.ledger.book(.cash(1, 5000))
            _ = try await till.ledger.book(.cash(2, -1200))
            #expect(try await till.balance(of: .cash) == -3800)
            #expect(try await till.balance(of: .safe) == 3800)
            #expect(try await till.ledger.audit().violations == [])
        },
        Scenario("a sale without a card whose lines do not add up is refused") { till in
            let line = try SaleLine.sample("Coffee", 350)
            let wrong = CardlessOperation(
                id: .numbered(1), kind: .sale, amount: 351, lines: [line], at: .end)
            guard case .refused(let refusal) = try await till.ledger.book(wrong) else {
                throw Unexpected(answer: "the sale is booked")
            }
            #expect(refusal.rule == .badAmount)
        },
        Scenario("changes without a card are read in the order of their times") { till in
            var made: [CardlessOperation] = []
            for id in 1...5 {
                let time = Timestamp(milliseconds: Int64(1_000 + id / 2))
                made.append(try .sample(id, 100, at: time))
            }
            for operation in made.reversed() { _ = try await till.ledger.book(operation) }
            let read = try await till.ledger.read { rows throws(LedgerError) in
                var pages = rows.pagesOfCardless(
                    since: Timestamp(milliseconds: 1_001), until: Timestamp(milliseconds: 1_002))
                var all: [CardlessOperation] = []
                while let next = try pages.next() { all.append(next) }
                return all
            }
            #expect(read == Array(made[1...2]))
        },
    ]
}

extension LedgerTill {
    fileprivate func undo(_ sale: Int, id: Int) async throws(LedgerError) -> CardlessOutcome {
        try await ledger.undo(.numbered(sale), id: .numbered(id), by: Requester(), at: .end)
    }
}

extension CardlessOperation {
    static func sample(
        _ id: Int, _ amount: Int64, _ tender: Tender = .cash, rounding: Int64 = 0,
        at time: Timestamp = .end
    ) throws(Refusal) -> CardlessOperation {
        CardlessOperation(
            id: .numbered(id), kind: .sale, amount: amount, tender: tender, rounding: rounding,
            lines: [try .sample("Soup", amount)], at: time)
    }

    package static func cash(_ id: Int, _ amount: Int64) -> CardlessOperation {
        CardlessOperation(
            id: .numbered(id), kind: amount < 0 ? .cashOut : .cashIn, amount: amount,
            reason: try? SaleText("Change"), at: .end)
    }
}
