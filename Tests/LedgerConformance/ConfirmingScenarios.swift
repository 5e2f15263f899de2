import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The transaction that makes "paid" true.
    static let confirming = [
        Scenario("a confirmation after the card was settled elsewhere says what became of it") {
            desk in
            try await desk.complete(.issue(), id: 1)
            let lost = try await desk.work(.pay(.cents(400)), id: 2)
            try await desk.confirm(try await desk.end(lost, as: .voided, id: 3).work())
            let voided = try await desk.ledger.confirm(lost, at: .end)
            guard case .voided(let operation) = voided else {
                throw Unexpected(answer: "\(voided)")
            }
            #expect(operation.id == lost.operation.id)

            let kept = try await desk.work(.pay(.cents(100)), id: 4)
            try await desk.confirm(try await desk.end(kept, as: .committed, id: 5).work())
            #expect(try await desk.confirm(kept).id == kept.operation.id)
            #expect(try await desk.balance() == 900)
        },
        Scenario("nothing that can be voided is confirmed once its card was blocked") { desk in
            try await desk.complete(.issue(), id: 1)
            for (id, intent) in Desk.voidable.enumerated() {
                let work = try await desk.work(intent, id: 10 * (id + 1))
                try await desk.setBlocked(true, id: 10 * (id + 1) + 1)
                let answer = try await desk.ledger.confirm(work, at: .end)
                guard case .voided(let operation) = answer else {
                    throw Unexpected(answer: "\(answer)")
                }
                #expect(operation.id == work.operation.id && operation.state == .voided)
                #expect(try await desk.ledger.confirm(work, at: .end) == answer)
                try await desk.setBlocked(false, id: 10 * (id + 1) + 2)
            }
            #expect(try await desk.balance() == 1000)
            let view = try await desk.view()
            #expect(view.card.confirmed.value == 1 && view.card.status == .active)
        },
        Scenario("what has happened outside the card is confirmed on a blocked one") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.add(.cents(400)), id: 2)
            try await desk.setBlocked(true, id: 3)
            try await desk.confirm(work)
            #expect(try await desk.balance() == 1400)
        },
        Scenario("confirmed never falls") { desk in
            let first = try await desk.work(.issue(), id: 1)
            try await desk.confirm(first)
            try await desk.complete(.pay(.cents(1)), id: 2)
            try await desk.confirm(first)
            #expect(try await desk.view().card.confirmed.value == 2)
        },
        Scenario("a number given out later makes a confirmation late") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            _ = try await desk.ledger.skipNumbersAfterRestore()
            let answer = try await desk.ledger.confirm(work, at: .end)
            #expect(answer == .superseded(work.operation))
            #expect(try await desk.balance() == 1000)
        },
        Scenario("a confirmation of what this ledger never began is an error") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            let stranger = OpenWork(
                operation: Operation(
                    id: .numbered(99), uid: .first, kind: .pay, amount: 400, begunAt: .end),
                card: work.card, content: work.content, record: work.record)
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await desk.ledger.confirm(stranger, at: .end)
            }
        },
        Scenario("the view has the records that were asked for, and the gaps") { desk in
            let work = try await desk.work(.issue(), id: 1)
            try await desk.confirm(work)
            _ = try await desk.ledger.skipNumbersAfterRestore()
            let one = work.content.sequence
            let two = try #require(one.next())
            let view = try #require(
                try await desk.ledger.view(of: .first, holding: [one, two]))
            #expect(view.issued[one]?.bytes == work.record)
            #expect(view.issued[one]?.operation == work.operation.id)
            #expect(view.issued[two] == nil)
            #expect(view.isInGap(two))
            #expect(!view.isInGap(one))
            #expect(try await desk.ledger.view(of: .second) == nil)
            #expect(try await desk.ledger.operation(.numbered(99)) == nil)
        },
    ]
}

extension Desk {
    /// The operations that take money off a card.
    static let voidable: [Intent] = [
        .pay(.cents(400)), .ticket(.sample(), .cents(200)), .close,
    ]

    func setBlocked(_ isBlocked: Bool, id: Int, on uid: CardUID = .first) async throws {
        _ = try await ledger.change(
            uid, isBlocked ? .block : .unblock, id: .numbered(id), at: .end
        ).get()
    }
}
