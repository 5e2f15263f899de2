import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The same id never happens twice.
    static let repetition = [
        Scenario("the same request again is answered with what became of it") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            #expect(try await till.begin(.pay(.cents(400)), id: 2) == .known(open.operation))
            let committed = try await till.confirm(open)
            #expect(try await till.begin(.pay(.cents(400)), id: 2) == .known(committed))
            #expect(try await till.confirm(open) == committed)
            #expect(try await till.balance() == 600)
        },
        Scenario("what was voided stays voided") { till in
            try await till.complete(.issue(), id: 1)
            try await till.open(.pay(.cents(400)), id: 2).discard()
            let voided = try #require(
                try await till.ledger.voidOpenPayment(
                    on: .first, version: CardVersion(try await till.knownCard()), at: .end))
            #expect(voided.state == .voided)
            #expect(voided.balanceAfter == 1000)
            #expect(try await till.begin(.pay(.cents(400)), id: 2) == .known(voided))
            #expect(
                try await till.ledger.voidOpenPayment(
                    on: .first, version: CardVersion(try await till.knownCard()), at: .end) == nil)
        },
        Scenario("an id with other parameters is another request") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            let payment = try await till.complete(.pay(.cents(400)), id: 3)
            let refund = try await till.complete(.refund(of: payment.id, .cents(100)), id: 4)
            let other = try await till.complete(.pay(.cents(100)), id: 5)

            #expect(try await till.begin(.pay(.cents(401)), id: 3) == .mismatched(payment))
            #expect(try await till.begin(.add(.cents(400)), id: 3) == .mismatched(payment))
            #expect(
                try await till.begin(.pay(.cents(400)), id: 3, on: .second)
                    == .mismatched(payment))
            #expect(
                try await till.begin(.refund(of: payment.id, .cents(100)), id: 4) == .known(refund))
            #expect(
                try await till.begin(.refund(of: other.id, .cents(100)), id: 4)
                    == .mismatched(refund))
            #expect(
                try await till.begin(.refund(of: payment.id, nil), id: 4) == .mismatched(refund))
        },
        Scenario("a forgotten name leaves all other parameters with the id") { till in
            func plan(_ lines: String...) -> CardAction {
                .make(.sample(parameters: lines.joined(separator: "\n")))
            }
            let issue = try await till.complete(plan("display=tapcard", "id=7", "name=Ann"), id: 1)
            try await till.complete(.pay(.cents(1)), id: 2)
            _ = try await till.ledger.change(.first, .forget, id: .numbered(3), at: .end).get()
            let kept = try #require(try await till.ledger.operation(.numbered(1)))
            #expect(kept.parameters == "display=tapcard\nid=7\nname")
            for name in ["Ann", "Bob"] {
                #expect(
                    try await till.begin(plan("display=tapcard", "id=7", "name=\(name)"), id: 1)
                        == .known(kept))
            }
            for other in [
                plan("display=tapcard", "id=7"), plan("display=tapcard", "id=8", "name=Ann"),
                plan("display=iphone", "id=7", "name=Ann"), .issue(),
            ] {
                #expect(try await till.begin(other, id: 1) == .mismatched(kept))
            }
            #expect(issue.id == kept.id)
        },
        Scenario("a repeated issue has to name the same balance") { till in
            let issue = try await till.complete(.issue(1000), id: 1)
            #expect(try await till.begin(.issue(1000), id: 1) == .known(issue))
            #expect(try await till.begin(.issue(2000), id: 1) == .mismatched(issue))
        },
        Scenario("a repeated refund of the whole payment is known") { till in
            try await till.complete(.issue(), id: 1)
            let payment = try await till.complete(.pay(.cents(400)), id: 2)
            let refund = try await till.complete(.refund(of: payment.id, nil), id: 3)
            #expect(try await till.begin(.refund(of: payment.id, nil), id: 3) == .known(refund))
        },
        Scenario("a repeated replacement, scratch and close are known") { till in
            try await till.complete(.issue(), id: 1)
            let plan = CardPlan.sample(.replace(lost: .first), balance: 0)
            let replaced = try await till.complete(.make(plan), id: 2, on: .second)
            #expect(try await till.begin(.make(plan), id: 2, on: .second) == .known(replaced))
            let scratch = CardAction.scratch(.numbered(7))
            let scratched = try await till.complete(scratch, id: 3, on: .second)
            #expect(try await till.begin(scratch, id: 3, on: .second) == .known(scratched))
            let closed = try await till.complete(.close, id: 4, on: .second)
            #expect(try await till.begin(.close, id: 4, on: .second) == .known(closed))
        },
        Scenario("blocking is idempotent by its id, and the id is nobody else's") { till in
            try await till.complete(.issue(), id: 1)
            let ledger = till.ledger
            for change in [StatusChange.block, .unblock, .forget] {
                let id = OperationID.numbered(change == .block ? 2 : change == .unblock ? 3 : 4)
                let card = try await ledger.change(.first, change, id: id, at: .end).get()
                #expect(try await ledger.change(.first, change, id: id, at: .end) == .success(card))
            }
            let foreign = try await ledger.change(.first, .forget, id: .numbered(1), at: .end)
            #expect(foreign == .failure(Refusal(.badIdentifier, "")))
        },
    ]
}

extension OpenOperation {
    /// Ignores the record, as if the tag had been taken away.
    func discard() {}
}
