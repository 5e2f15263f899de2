import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Prizes that are paid in cash out of the drawer.
    static let payouts = [
        Scenario("a prize is paid out past the card, and once") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.ticket(.sample(), .cents(200)), id: 2)
            let before = try await till.knownCard()
            let most = Currency.largestPayout
            guard case .booked(let paid) = try await till.payOut(most, id: 3) else {
                Issue.record("the prize was not booked")
                return
            }
            #expect(paid.kind == .payout && paid.amount == most && paid.state == .committed)
            #expect(paid.balanceAfter == 800 && paid.change(in: .usd) == .cents(0))
            #expect(try await till.knownCard() == before)
            #expect(try await till.balance(of: .prizes) == -most)
            #expect(try await till.balance(of: .cash) == most - 1000)
            #expect(try await till.ledger.tickets(of: .first)?.map(\.claim) == [paid])
            #expect(try await till.ledger.operation(paid.id) == paid)
            // The other way, the same way with another prize or id: it is paid.
            let claim = CardAction.claim(Ticket.sample().id, .cents(30))
            #expect(try await till.refusal(of: claim, id: 4) == .alreadyClaimed)
            #expect(try await till.begin(claim, id: 3) == .mismatched(paid))
            #expect(try await till.payOut(most, id: 3) == .earlier(paid))
            #expect(try await till.payOut(5, id: 6) == .earlier(paid))
            #expect(try await till.balance(of: .prizes) == -most)
            try await till.complete(.pay(.cents(800)), id: 7)
        },
        Scenario("a prize that is on the card, or on its way there, is not paid out") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.ticket(.sample(1), .cents(200)), id: 2)
            try await till.complete(.ticket(.sample(2), .cents(200)), id: 3)
            try await till.complete(.claim(Ticket.sample(1).id, .cents(30)), id: 4)
            _ = try await till.open(.claim(Ticket.sample(2).id, .cents(30)), id: 5)
            for (ticket, id) in [(1, 4), (1, 6), (2, 5), (2, 7)] {
                #expect(
                    try await till.payOut(30, of: .sample(ticket), id: id).refused
                        == .alreadyClaimed)
            }
            #expect(try await till.balance(of: .prizes) == -60)
        },
        Scenario("a payout is for a ticket that counts, on a card in use that bought it") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            #expect(try await till.payOut(5, id: 9).refused == .wrongState)
            let open = try await till.open(.ticket(.sample(), .cents(200)), id: 3)
            #expect(try await till.payOut(5, id: 9).refused == .wrongState)
            try await till.confirm(open)
            #expect(try await till.payOut(5, id: 9, on: .second).refused == .wrongState)
            #expect(try await till.payOut(5, id: 9, on: .numbered(9)).refused == .cardUnknown)
            for (prize, rule) in [
                (0, .badAmount), (-5, .badAmount), (Currency.largestPayout + 1, .limitExceeded),
                (.max, .limitExceeded),
            ] as [(Int64, Refusal.Rule)] {
                #expect(try await till.payOut(prize, id: 9).refused == rule)
            }
            let foreign = try await till.ledger.payOut(
                Money(minorUnits: 5, .foreign), of: Ticket.sample().id, on: .first,
                id: .numbered(9), at: .end)
            #expect(foreign.refused == .badAmount)
            #expect(try await till.payOut(5, id: 1).refused == .badIdentifier)
            try await till.complete(.scratch(.numbered(77)), id: 10)
            try await till.ask(for: 11)
            #expect(try await till.payOut(5, id: 11).refused == .badIdentifier)
            _ = try await till.ledger.change(.first, .block, id: .numbered(4), at: .end)
            #expect(try await till.payOut(5, id: 9).refused == .cardBlocked)
            _ = try await till.ledger.change(.first, .unblock, id: .numbered(5), at: .end)
            try await till.complete(.reissue(), id: 6)
            #expect(try await till.payOut(5, id: 9).refused == .wrongState)
            try await till.complete(.close, id: 7)
            #expect(try await till.payOut(5, id: 9).refused == .cardClosed)
            #expect(try await till.balance(of: .prizes) == 0)
        },
        Scenario("what a lost card has won is paid out on the card that replaced it") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.ticket(.sample(), .cents(200)), id: 2)
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 3, on: .second)
            #expect(try await till.payOut(5, id: 4).refused == .cardBlocked)
            guard case .booked = try await till.payOut(5, id: 4, on: .second) else {
                Issue.record("the prize was not booked")
                return
            }
            // It stays paid when the card has another life.
            try await till.complete(
                .make(.sample(balance: 0, mayReissue: true)), id: 5, on: .second)
        },
        Scenario("a ticket says when no card can claim it any more") { till in
            try await till.complete(.issue(), id: 1)
            for number in 2...4 {
                try await till.complete(.ticket(.sample(number), .cents(10)), id: number)
            }
            try await till.complete(.claim(Ticket.sample(3).id, .cents(5)), id: 5)
            _ = try await till.payOut(5, of: .sample(4), id: 6)
            func expect(_ isAbandoned: [Bool], on uids: [CardUID?] = [.first, nil]) async throws {
                for uid in uids {
                    #expect(
                        try await till.ledger.tickets(of: uid)?.map(\.isAbandoned) == isAbandoned)
                }
            }
            try await expect([false, false, false])
            _ = try await till.ledger.change(.first, .block, id: .numbered(7), at: .end)
            try await expect([false, false, false])
            // The lost one cannot claim it, the other one can.
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 8, on: .second)
            try await expect([false, false, false], on: [.first, .second, nil])
            try await till.complete(.close, id: 9, on: .second)
            try await expect([false, false, true], on: [.first, .second, nil])
        },
    ]
}

extension PrizePayout {
    /// The rule that refused, if any.
    fileprivate var refused: Refusal.Rule? {
        if case .refused(let refusal) = self { refusal.rule } else { nil }
    }
}
