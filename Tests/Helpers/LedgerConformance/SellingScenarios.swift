import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Sales of products, and the ways to pay.
    static let selling = [
        Scenario("a sale keeps its lines, and its entries are those of a payment") { till in
            try await till.complete(.issue(), id: 1)
            let sale = Sale([try .sample("Coffee", 350, 2), try .sample("Cup", -200)])
            let done = try await till.complete(.pay(.cents(500), sale), id: 2)
            #expect(done.lines == sale.lines)
            #expect(try await till.ledger.answer(to: done.id)?.lines == sale.lines)
            #expect(try await till.balance() == 500)
            #expect(try await till.balance(of: .takings) == 500)
        },
        Scenario("a repeated sale is the same only with the same lines and the same rest") { till in
            try await till.complete(.issue(), id: 1)
            let coffee = Sale([try .sample("Coffee", 350)])
            try await till.complete(.pay(.cents(350), coffee), id: 2)
            guard case .known = try await till.begin(.pay(.cents(350), coffee), id: 2) else {
                throw Unexpected(answer: "the repeated sale is not known")
            }
            let others = [
                Sale.unitemized, Sale([try .sample("Cake", 350)]),
                Sale(
                    [try .sample("Coffee", 450)],
                    rest: TenderedAmount(.cash, 100)),
            ]
            for other in others {
                guard case .mismatched = try await till.begin(.pay(.cents(350), other), id: 2)
                else { throw Unexpected(answer: "\(other) counts as the same sale") }
            }
        },
        Scenario("a sale whose lines do not add up is refused") { till in
            try await till.complete(.issue(), id: 1)
            let coffee = try SaleLine.sample("Coffee", 350)
            let rest = TenderedAmount(.cash, 100)
            for (amount, sale) in [
                (349, Sale([coffee])), (350, Sale([coffee], rest: rest)),
                (101, Sale([SaleLine](repeating: try .sample("Nut", 1), count: 101))),
            ] {
                let action = CardAction.pay(.cents(Int64(amount)), sale)
                #expect(try await till.refusal(of: action, id: 2) == .badAmount)
            }
            let credit = CardAction.credit(.cents(350), [coffee])
            #expect(try await till.refusal(of: credit, id: 2) == .badAmount)
        },
        Scenario("the rest of a sale goes to the account of its tender, and a refund returns it") {
            till in
            try await till.complete(.issue(), id: 1)
            for (id, tender) in [(2, Tender.cash), (4, .terminal), (6, .other)] {
                let account: Account =
                    switch tender {
                    case .cash: .cash
                    case .terminal: .terminal
                    case .other: .other
                    }
                let before = try await till.balance(of: account)
                let sale = Sale(
                    [try .sample("Soup", 600)], rest: TenderedAmount(tender, 200))
                let paid = try await till.complete(.pay(.cents(400), sale), id: id)
                #expect(paid.rest?.amount == 200)
                #expect(try await till.balance(of: account) == before - 200)
                #expect(try await till.balance(of: .takings) == 600)
                try await till.complete(.refund(of: paid.id, nil), id: id + 1)
                #expect(try await till.balance(of: account) == before)
                #expect(try await till.balance(of: .takings) == 0)
                #expect(try await till.balance() == 1000)
            }
        },
        Scenario("a partial refund of a sale leaves its rest alone") { till in
            try await till.complete(.issue(), id: 1)
            let sale = Sale(
                [try .sample("Soup", 600)], rest: TenderedAmount(.cash, 200))
            let paid = try await till.complete(.pay(.cents(400), sale), id: 2)
            try await till.complete(.refund(of: paid.id, .cents(100)), id: 3)
            #expect(try await till.balance(of: .cash) == -1200)
            #expect(try await till.balance(of: .takings) == 500)
        },
        Scenario("an open sale has no entries, and a voided one never has any") { till in
            try await till.complete(.issue(), id: 1)
            let sale = Sale(
                [try .sample("Soup", 600)], rest: TenderedAmount(.cash, 200))
            let open = try await till.open(.pay(.cents(400), sale), id: 2)
            #expect(try await till.balance(of: .cash) == -1000)
            _ = try await till.ledger.voidOpenPayment(
                on: .first, version: CardVersion(try await till.knownCard()), at: .end)
            #expect(try await till.balance(of: .cash) == -1000)
            #expect(try await till.ledger.answer(to: open.operation.id)?.state == .voided)
        },
        Scenario("returned deposits are a credit, which is never a refund") { till in
            try await till.complete(.issue(), id: 1)
            let lines = [try SaleLine.sample("Cup", -200, 2), try .sample("Nut", 100)]
            let credit = try await till.complete(.credit(.cents(300), lines), id: 2)
            #expect(credit.kind == .credit && credit.reverses == nil && credit.lines == lines)
            #expect(try await till.balance() == 1300)
            #expect(try await till.balance(of: .takings) == -300)
            #expect(
                try await till.refusal(of: .refund(of: credit.id, nil), id: 3) == .notRefundable)
        },
        Scenario("a top-up and its reversal use the account of the tender") { till in
            try await till.complete(.issue(), id: 1)
            let topUp = try await till.complete(.add(.cents(500), paid: .terminal), id: 2)
            #expect(topUp.tender == .terminal)
            #expect(try await till.balance(of: .terminal) == -500)
            #expect(try await till.balance(of: .cash) == -1000)
            guard case .mismatched = try await till.begin(.add(.cents(500)), id: 2) else {
                throw Unexpected(answer: "a top-up in cash counts as one at the terminal")
            }
            try await till.complete(.reverse(of: topUp.id, nil), id: 3)
            #expect(try await till.balance(of: .terminal) == 0)
        },
        Scenario("products are kept in order, and changed in place") { till in
            let cup = Product(id: .numbered(1), name: try SaleText("Cup"), price: 200, position: 9)
            var coffee = Product(
                id: .numbered(2), name: try SaleText("Coffee"), group: try SaleText("Drinks"),
                price: 350, color: .blue, position: 1, deposit: cup.id, minimumAge: 16)
            let soup = Product(
                id: .numbered(3), name: try SaleText("Soup"), price: nil, position: 1)
            try await till.ledger.write { [coffee] rows throws(LedgerError) in
                for product in [cup, soup, coffee] { try rows.save(product) }
            }
            func products() async throws -> [Product] {
                try await till.ledger.read { rows throws(LedgerError) in try rows.products() }
            }
            #expect(try await products() == [coffee, soup, cup])
            coffee.price = 380
            (coffee.isSoldOut, coffee.isRetired, coffee.color) = (true, true, nil)
            (coffee.group, coffee.deposit, coffee.minimumAge) = (nil, nil, nil)
            try await till.ledger.write { [coffee] rows throws(LedgerError) in
                try rows.save(coffee)
            }
            #expect(try await products() == [coffee, soup, cup])
        },
    ]
}

extension SaleLine {
    static func sample(
        _ name: String, _ price: Int64, _ quantity: Int = 1
    ) throws(Refusal) -> SaleLine {
        try SaleLine(
            product: .numbered(quantity), name: try SaleText(name), price: price,
            quantity: quantity)
    }
}
