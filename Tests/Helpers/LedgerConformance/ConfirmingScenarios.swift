import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The transaction that makes "paid" true.
    static let confirming = [
        Scenario("a confirmation after the card was resolved elsewhere says what became of it") {
            till in
            try await till.complete(.issue(), id: 1)
            let lost = try await till.open(.pay(.cents(400)), id: 2)
            try await till.confirm(try await till.end(lost, as: .voided, id: 3).open())
            let voided = try await till.ledger.confirm(lost, at: .end)
            guard case .voided(let operation) = voided else {
                throw Unexpected(answer: "\(voided)")
            }
            #expect(operation.id == lost.operation.id)

            let kept = try await till.open(.pay(.cents(100)), id: 4)
            try await till.confirm(try await till.end(kept, as: .committed, id: 5).open())
            #expect(try await till.confirm(kept).id == kept.operation.id)
            #expect(try await till.balance() == 900)
        },
        Scenario("nothing that can be voided is confirmed once its card was blocked") { till in
            try await till.complete(.issue(), id: 1)
            for (id, action) in LedgerTill.voidable.enumerated() {
                let open = try await till.open(action, id: 10 * (id + 1))
                try await till.setBlocked(true, id: 10 * (id + 1) + 1)
                let answer = try await till.ledger.confirm(open, at: .end)
                guard case .voided(let operation) = answer else {
                    throw Unexpected(answer: "\(answer)")
                }
                #expect(operation.id == open.operation.id && operation.state == .voided)
                #expect(try await till.ledger.confirm(open, at: .end) == answer)
                try await till.setBlocked(false, id: 10 * (id + 1) + 2)
            }
            #expect(try await till.balance() == 1000)
            let known = try await till.knownCard()
            #expect(known.card.confirmed.value == 1 && known.card.status == .active)
        },
        Scenario("what has happened outside the card is confirmed on a blocked one") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.add(.cents(400)), id: 2)
            try await till.setBlocked(true, id: 3)
            try await till.confirm(open)
            #expect(try await till.balance() == 1400)
        },
        Scenario("confirmed never falls") { till in
            let first = try await till.open(.issue(), id: 1)
            try await till.confirm(first)
            try await till.complete(.pay(.cents(1)), id: 2)
            try await till.confirm(first)
            #expect(try await till.knownCard().card.confirmed.value == 2)
        },
        Scenario("a number given out later makes a confirmation late") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            _ = try await till.ledger.skipNumbersAfterRestore()
            let answer = try await till.ledger.confirm(open, at: .end)
            #expect(answer == .superseded(open.operation))
            #expect(try await till.balance() == 1000)
        },
        Scenario("a confirmation of what this ledger never began is an error") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let stranger = OpenOperation(
                operation: Operation(
                    id: .numbered(99), uid: .first, kind: .pay, amount: 400, beganAt: .end),
                card: open.card, content: open.content, record: open.record)
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await till.ledger.confirm(stranger, at: .end)
            }
        },
        Scenario("a known card has the records that were asked for, and the gaps") { till in
            let open = try await till.open(.issue(), id: 1)
            try await till.confirm(open)
            _ = try await till.ledger.skipNumbersAfterRestore()
            let one = open.content.sequence
            let two = try #require(one.next())
            let known = try #require(
                try await till.ledger.knownCard(of: .first, holding: [one, two]))
            #expect(known.issued[one]?.bytes == open.record)
            #expect(known.issued[one]?.operation == open.operation.id)
            #expect(known.issued[two] == nil)
            #expect(known.isInGap(two))
            #expect(!known.isInGap(one))
            #expect(try await till.ledger.knownCard(of: .second) == nil)
            #expect(try await till.ledger.operation(.numbered(99)) == nil)
        },
    ]
}

extension LedgerTill {
    /// The operations that take money off a card.
    static let voidable: [CardAction] = [
        .pay(.cents(400)), .ticket(.sample(), .cents(200)), .close,
    ]

    func setBlocked(_ isBlocked: Bool, id: Int, on uid: CardUID = .first) async throws {
        _ = try await ledger.change(
            uid, isBlocked ? .block : .unblock, id: .numbered(id), at: .end
        ).get()
    }
}
