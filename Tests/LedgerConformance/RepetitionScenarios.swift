import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The same id never happens twice.
    static let repetition = [
        Scenario("the same request again is answered with what became of it") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            #expect(try await desk.begin(.pay(.cents(400)), id: 2) == .known(work.operation))
            let committed = try await desk.confirm(work)
            #expect(try await desk.begin(.pay(.cents(400)), id: 2) == .known(committed))
            #expect(try await desk.confirm(work) == committed)
            #expect(try await desk.balance() == 600)
        },
        Scenario("what was voided stays voided") { desk in
            try await desk.complete(.issue(), id: 1)
            try await desk.work(.pay(.cents(400)), id: 2).discard()
            let voided = try #require(
                try await desk.ledger.voidOpenPayment(
                    on: .first, seen: Seen(try await desk.view()), at: .end))
            #expect(voided.state == .voided)
            #expect(voided.balanceAfter == 1000)
            #expect(try await desk.begin(.pay(.cents(400)), id: 2) == .known(voided))
            #expect(
                try await desk.ledger.voidOpenPayment(
                    on: .first, seen: Seen(try await desk.view()), at: .end) == nil)
        },
        Scenario("an id with other parameters is another request") { desk in
            try await desk.complete(.issue(), id: 1)
            try await desk.complete(.issue(), id: 2, on: .second)
            let payment = try await desk.complete(.pay(.cents(400)), id: 3)
            let refund = try await desk.complete(.refund(of: payment.id, .cents(100)), id: 4)
            let other = try await desk.complete(.pay(.cents(100)), id: 5)

            #expect(try await desk.begin(.pay(.cents(401)), id: 3) == .mismatched(payment))
            #expect(try await desk.begin(.add(.cents(400)), id: 3) == .mismatched(payment))
            #expect(
                try await desk.begin(.pay(.cents(400)), id: 3, on: .second)
                    == .mismatched(payment))
            #expect(
                try await desk.begin(.refund(of: payment.id, .cents(100)), id: 4) == .known(refund))
            #expect(
                try await desk.begin(.refund(of: other.id, .cents(100)), id: 4)
                    == .mismatched(refund))
            #expect(
                try await desk.begin(.refund(of: payment.id, nil), id: 4) == .mismatched(refund))
        },
        Scenario("a forgotten name leaves all other parameters with the id") { desk in
            func plan(_ lines: String...) -> Intent {
                .make(.sample(parameters: lines.joined(separator: "\n")))
            }
            let issue = try await desk.complete(plan("display=tapcard", "id=7", "name=Ann"), id: 1)
            try await desk.complete(.pay(.cents(1)), id: 2)
            _ = try await desk.ledger.change(.first, .forget, id: .numbered(3), at: .end).get()
            let kept = try #require(try await desk.ledger.operation(.numbered(1)))
            #expect(kept.parameters == "display=tapcard\nid=7\nname")
            for name in ["Ann", "Bob"] {
                #expect(
                    try await desk.begin(plan("display=tapcard", "id=7", "name=\(name)"), id: 1)
                        == .known(kept))
            }
            for other in [
                plan("display=tapcard", "id=7"), plan("display=tapcard", "id=8", "name=Ann"),
                plan("display=iphone", "id=7", "name=Ann"), .issue(),
            ] {
                #expect(try await desk.begin(other, id: 1) == .mismatched(kept))
            }
            #expect(issue.id == kept.id)
        },
        Scenario("a repeated issue has to name the same balance") { desk in
            let issue = try await desk.complete(.issue(1000), id: 1)
            #expect(try await desk.begin(.issue(1000), id: 1) == .known(issue))
            #expect(try await desk.begin(.issue(2000), id: 1) == .mismatched(issue))
        },
        Scenario("a repeated refund of the whole payment is known") { desk in
            try await desk.complete(.issue(), id: 1)
            let payment = try await desk.complete(.pay(.cents(400)), id: 2)
            let refund = try await desk.complete(.refund(of: payment.id, nil), id: 3)
            #expect(try await desk.begin(.refund(of: payment.id, nil), id: 3) == .known(refund))
        },
        Scenario("a repeated replacement, scratch and close are known") { desk in
            try await desk.complete(.issue(), id: 1)
            let plan = CardPlan.sample(.replace(lost: .first), balance: 0)
            let replaced = try await desk.complete(.make(plan), id: 2, on: .second)
            #expect(try await desk.begin(.make(plan), id: 2, on: .second) == .known(replaced))
            let scratch = Intent.scratch(.numbered(7))
            let scratched = try await desk.complete(scratch, id: 3, on: .second)
            #expect(try await desk.begin(scratch, id: 3, on: .second) == .known(scratched))
            let closed = try await desk.complete(.close, id: 4, on: .second)
            #expect(try await desk.begin(.close, id: 4, on: .second) == .known(closed))
        },
        Scenario("blocking is idempotent by its id, and the id is nobody else's") { desk in
            try await desk.complete(.issue(), id: 1)
            let ledger = desk.ledger
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

extension OpenWork {
    /// The tag was taken away.
    func discard() {}
}
