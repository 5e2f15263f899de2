import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The cashier of an operation is recorded, and decides nothing.
    static let cashiers = [
        Scenario("an operation keeps the cashier who has begun it, and only that one") { till in
            let (ann, bob) = till.annAndBob
            try await ann.complete(.issue(), id: 1)
            let open = try await ann.open(.pay(.cents(100)), id: 2)
            try await bob.confirm(open)
            try await bob.complete(.add(.cents(50)), id: 3)
            try await till.complete(.reseal(above: .none), id: 4)
            let kept = try await Snapshot(of: till.ledger).operations.map(\.cashier)
            #expect(kept == [.ann, .ann, .bob, nil])
        },
        Scenario("an operation keeps its till and who consented, on the card and without one") {
            till in
            let requester = Requester(.ann, till: try TillName("Bar 1"), supervisor: .bob)
            let paid = try await LedgerTill(till.ledger, requester).complete(.issue(), id: 1)
            #expect(paid.requester == requester)
            #expect(try await till.ledger.operation(.numbered(1))?.requester == requester)
            let sold = CardlessOperation(
                id: .numbered(2), kind: .cashIn, amount: 100, reason: try SaleText("Change"),
                by: requester, at: .tick(2))
            #expect(try await till.ledger.book(sold) == .booked(sold))
            #expect(try await till.ledger.cardless(.numbered(2))?.requester == requester)
        },
        Scenario("the same request of another cashier is the same request") { till in
            let (ann, bob) = till.annAndBob
            try await ann.complete(.issue(), id: 1)
            let paid = try await ann.complete(.pay(.cents(100)), id: 2)
            #expect(paid.cashier == .ann)
            #expect(try await bob.begin(.pay(.cents(100)), id: 2) == .known(paid))
            #expect(try await till.begin(.pay(.cents(100)), id: 2) == .known(paid))
            #expect(try await bob.begin(.pay(.cents(101)), id: 2) == .mismatched(paid))
        },
        Scenario("what no tag takes part in keeps its cashier, too") { till in
            let ann = LedgerTill(till.ledger, Requester(.ann))
            try await ann.complete(.issue(), id: 1)
            try await ann.complete(.ticket(.sample(), .cents(100)), id: 2)
            guard case .booked(let paid) = try await ann.payOut(5, id: 3) else {
                Issue.record("the prize was not booked")
                return
            }
            #expect(paid.cashier == .ann)
            for (change, id) in [(StatusChange.block, 4), (.unblock, 5), (.forget, 6)] {
                _ = try await till.ledger.change(
                    .first, change, id: .numbered(id), by: Requester(.bob), at: .tick(id))
            }
            let kept = try await Snapshot(of: till.ledger).operations
            #expect(kept.suffix(4).map(\.cashier) == [.ann, .bob, .bob, .bob])
            // A forgotten name is the holder's: who served them stays.
            #expect(kept.prefix(2).allSatisfy { $0.cashier == .ann })
        },
        Scenario("a question about an attempt keeps who has asked it") { till in
            let (ann, bob) = till.annAndBob
            try await ann.complete(.issue(), id: 1)
            try await ann.complete(.scratch(.numbered(9)), id: 2)
            try await ann.ask(for: 3)
            try await bob.ask(for: 4)
            try await till.ledger.keep(
                .numbered(5), for: .numbered(3), of: .first, by: Requester(.ann), at: .tick(5))
            let asked = try await Snapshot(of: till.ledger).operations.filter { $0.kind == .ask }
            #expect(asked.map(\.cashier) == [.bob, .ann])
        },
        Scenario("the fresh record behind what was left open is begun by who has resolved it") {
            till in
            let ann = LedgerTill(till.ledger, Requester(.ann))
            try await ann.complete(.issue(), id: 1)
            let open = try await ann.open(.pay(.cents(100)), id: 2).operation
            let resolved = try await till.ledger.end(
                open, as: .voided, resealWith: .numbered(3),
                version: CardVersion(try await till.knownCard()),
                sealer: till.sealer, by: Requester(.bob), at: .end)
            #expect(try resolved.open().operation.cashier == .bob)
            #expect(
                try await till.ledger.operation(.numbered(2))?.cashier == .ann)
        },
    ]
}

extension LedgerTill {
    /// Two tills with the same ledger, each with a cashier.
    fileprivate var annAndBob: (LedgerTill, LedgerTill) {
        (LedgerTill(ledger, Requester(.ann)), LedgerTill(ledger, Requester(.bob)))
    }
}
