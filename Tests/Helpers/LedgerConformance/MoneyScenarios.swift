import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Changes of a card in use that go as they should.
    static let money = [
        Scenario("a payment is held when it begins and booked when it is confirmed") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(450)), id: 2)
            #expect(open.content.balance == .cents(550))
            #expect(open.confirmed.value == 1)
            let known = try await till.knownCard()
            #expect(known.balance == .cents(1000))
            #expect(known.purse?.available == .cents(550))
            #expect(known.open == open.operation)

            let operation = try await till.confirm(open)
            #expect(operation.balanceAfter == 550)
            #expect(operation.endedAt == .end)
            #expect(operation.change(in: .usd) == .cents(-450))
            #expect(try await till.balance() == 550)
            #expect(try await till.balance(of: .takings) == 450)
        },
        Scenario("the whole balance can be paid, and filled up to the limit again") { till in
            let most = Currency.largestBalance
            try await till.complete(.issue(most), id: 1)
            try await till.complete(.pay(.cents(most)), id: 2)
            #expect(try await till.balance() == 0)
            try await till.complete(.add(.cents(most)), id: 3)
            #expect(try await till.balance() == most)
        },
        Scenario("a top-up is booked at once") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.add(.cents(250)), id: 2)
            #expect(try await till.balance() == 1250)
            #expect(open.content.balance == .cents(1250))
            try await till.confirm(open)
            #expect(try await till.balance(of: .cash) == -1250)
        },
        Scenario("a refund reverses the whole payment, or a part that is named") { till in
            try await till.complete(.issue(), id: 1)
            let first = try await till.complete(.pay(.cents(400)), id: 2)
            let second = try await till.complete(.pay(.cents(100)), id: 3)
            let whole = try await till.complete(.refund(of: first.id, nil), id: 4)
            #expect(whole.amount == 400)
            #expect(whole.reverses == first.id)
            try await till.complete(.refund(of: second.id, .cents(30)), id: 5)
            #expect(try await till.balance() == 930)
            #expect(try await till.balance(of: .takings) == 70)
        },
        Scenario("a scratch card is scratched once and activated once") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.scratch(.numbered(77)), id: 2)
            #expect(open.content.scratch == .scratched(.numbered(77)))
            try await till.confirm(open)
            try await till.ask(for: 3)
            try await till.answer(3)
            try await till.complete(.activate, id: 3)
            #expect(try await till.knownCard().card.scratch == .activated(.numbered(77)))
        },
        Scenario("closing pays out, and the card is closed when the tag has followed") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.close, id: 2)
            #expect(open.content.balance == .cents(0))
            #expect(open.content.holder == .nobody)
            #expect(open.content.scratch == .none)
            #expect(try await till.knownCard().card.status == .active)
            try await till.confirm(open)
            let known = try await till.knownCard()
            #expect(known.card.status == .closed)
            #expect(known.balance == .cents(0))
            #expect(try await till.balance(of: .cash) == 0)
        },
        Scenario("a fresh record changes nothing but the number, whatever the card's state") {
            till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.close, id: 2)
            let open = try await till.open(.reseal(above: .none), id: 3)
            #expect(open.content.sequence.value == 3)
            try await till.confirm(open)
            #expect(try await till.knownCard().card.status == .closed)
        },
        Scenario("every operation is found, oldest first") { till in
            try await till.complete(.issue(), id: 9)
            try await till.complete(.issue(), id: 4, on: .second)
            try await till.complete(.pay(.cents(1)), id: 2)
            let ids = try await till.ledger.read { rows throws(LedgerError) in
                (
                    all: try rows.operations(on: nil).map(\.id),
                    first: try rows.operations(on: .first).map(\.id)
                )
            }
            #expect(ids.all == [.numbered(9), .numbered(4), .numbered(2)])
            #expect(ids.first == [.numbered(9), .numbered(2)])
        },
    ]
}
