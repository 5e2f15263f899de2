import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The next tap resolves an operation that was left open.
    static let resolving = [
        Scenario("a card that is not as it was seen is judged again") { till in
            #expect(
                try await till.begin(
                    .issue(), id: 1, version: CardVersion(confirmed: .none, open: nil))
                    == .changed)
            try await till.complete(.issue(), id: 1)
            let version = CardVersion(try await till.knownCard())
            try await till.complete(.pay(.cents(1)), id: 2)
            #expect(try await till.begin(.pay(.cents(1)), id: 3, version: version) == .changed)
            #expect(try await till.begin(.pay(.cents(1)), id: 3, version: nil) == .changed)
        },
        Scenario("a card has one open operation at most") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(1)), id: 2)
            #expect(try await till.begin(.pay(.cents(1)), id: 3) == .changed)
            #expect(try await till.begin(.add(.cents(1)), id: 3) == .changed)
            #expect(try await till.begin(.reseal(above: .none), id: 3) == .changed)
            #expect(try await till.knownCard().open == open.operation)
        },
        Scenario("a repetition writes exactly the stored record") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let resumed = try await till.resume(open, tagHolds: 1).open()
            #expect(resumed == open)
            try await till.confirm(resumed)
            #expect(try await till.balance() == 600)
        },
        Scenario("a number that is not above the tag's gives way to a fresh one") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let resumed = try await till.resume(open, tagHolds: 7).open()
            #expect(resumed.content.sequence.value == 8)
            #expect(resumed.operation.id == open.operation.id)
            let superseded = try await till.ledger.confirm(open, at: .end)
            #expect(superseded == .superseded(resumed.operation))
            #expect(try await till.knownCard().card.confirmed.value == 1)
            try await till.confirm(resumed)
            #expect(try await till.knownCard().card.confirmed.value == 8)
        },
        Scenario("a record under a retired key gives way to a fresh one") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            var rotated = till
            rotated.sealer = .hashing(key: 2)
            let resumed = try await rotated.resume(open, tagHolds: 1).open()
            #expect(resumed.content.sequence.value == 3)
            #expect(resumed.record.first == 2)
        },
        Scenario("a record with a name that was forgotten gives way to a fresh one") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            _ = try await till.ledger.change(.first, .forget, id: .numbered(3), at: .end).get()
            let resumed = try await till.resume(open, tagHolds: 1).open()
            #expect(resumed.content.holder.name == nil)
            #expect(resumed.record == till.sealer.seal(resumed.content))
            #expect(resumed.content.sequence.value == 3)
        },
        Scenario("after a restored backup an open operation takes a fresh number") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.add(.cents(400)), id: 2)
            #expect(try await till.ledger.skipNumbersAfterRestore() == [])
            let resumed = try await till.resume(open, tagHolds: 1).open()
            #expect(resumed.content.sequence.value == 2 + restoreGap + 1)
            try await till.confirm(resumed)
        },
        Scenario("what is no longer open cannot be resumed or ended") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let version = CardVersion(try await till.knownCard())
            try await till.confirm(open)
            #expect(try await till.resume(open, version: version, tagHolds: 1) == .changed)
            #expect(try await till.resume(open, tagHolds: 1) == .changed)
            #expect(try await till.end(open, as: .voided, version: version, id: 3) == .changed)
            #expect(try await till.end(open, as: .voided, id: 3) == .changed)
        },
        Scenario("what was seen of one operation resumes no later one") { till in
            let (first, version, second) = try await till.paymentAfterAnother()
            #expect(try await till.resume(first, version: version, tagHolds: 1) == .changed)
            #expect(try await till.knownCard().open == second.operation)
            #expect(try await till.knownCard().card.allocated == second.content.sequence)
        },
        Scenario("what was seen of one operation ends no later one") { till in
            let (first, version, second) = try await till.paymentAfterAnother()
            for state in [Operation.State.committed, .voided] {
                #expect(try await till.end(first, as: state, version: version, id: 9) == .changed)
            }
            #expect(
                try await till.ledger.voidOpenPayment(on: .first, version: version, at: .end) == nil
            )
            #expect(try await till.knownCard().open == second.operation)
            #expect(try await till.balance() == 1000)
        },
        Scenario("what was seen of one operation makes no card anew over a later one") { till in
            let (_, version, second) = try await till.paymentAfterAnother()
            #expect(try await till.begin(.reissue(), id: 9, version: version) == .changed)
            #expect(try await till.knownCard().open == second.operation)
        },
        Scenario("a payment that the tag proves is booked, with a fresh record begun") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let fresh = try await till.end(open, as: .committed, id: 3).open()
            #expect(fresh.operation.kind == .reseal)
            #expect(fresh.content.sequence.value == 3)
            #expect(fresh.content.balance == .cents(600))
            #expect(try await till.ledger.operation(open.operation.id)?.state == .committed)
            #expect(try await till.knownCard().card.confirmed.value == 1)
            try await till.confirm(fresh)
            #expect(try await till.knownCard().card.confirmed.value == 3)
        },
        Scenario("a payment that nobody waits for is voided, with a fresh record begun") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let fresh = try await till.end(open, as: .voided, id: 3).open()
            #expect(fresh.content.balance == .cents(1000))
            #expect(try await till.ledger.operation(open.operation.id)?.state == .voided)
            try await till.confirm(fresh)
            #expect(try await till.balance() == 1000)
        },
        Scenario("a payment that the tag proves is voided on a card that was blocked since") {
            till in
            try await till.complete(.issue(), id: 1)
            for (id, action) in LedgerTill.voidable.enumerated() {
                let open = try await till.open(action, id: 10 * (id + 1))
                let version = CardVersion(try await till.knownCard())
                try await till.setBlocked(true, id: 10 * (id + 1) + 1)
                let fresh = try await till.end(
                    open, as: .committed, version: version, id: 10 * (id + 1) + 2
                ).open()
                #expect(fresh.content.balance == .cents(1000))
                #expect(try await till.ledger.operation(open.operation.id)?.state == .voided)
                try await till.confirm(fresh)
                try await till.setBlocked(false, id: 10 * (id + 1) + 3)
            }
            #expect(try await till.balance() == 1000)
        },
        Scenario("an ended close leaves a closed card, or an open one") { till in
            for (uid, state) in [(CardUID.first, Operation.State.committed), (.second, .voided)] {
                let id = state == .committed ? 10 : 20
                try await till.complete(.issue(), id: id, on: uid)
                let open = try await till.open(.close, id: id + 1, on: uid)
                try await till.confirm(try await till.end(open, as: state, id: id + 2).open())
            }
            #expect(try await till.knownCard(.first).card.status == .closed)
            #expect(try await till.knownCard(.second).card.status == .active)
            #expect(try await till.balance(.second) == 1000)
        },
        Scenario("what has happened outside the card cannot be voided") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.add(.cents(400)), id: 2)
            let answer = try await till.end(open, as: .voided, id: 3)
            #expect(answer == .refused(Refusal(.wrongState, "")))
            #expect(
                try await till.ledger.voidOpenPayment(
                    on: .first, version: CardVersion(try await till.knownCard()), at: .end) == nil)
            #expect(try await till.knownCard().open == open.operation)
        },
        Scenario("ending with an id that was used before changes nothing") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let answer = try await till.end(open, as: .committed, id: 1)
            #expect(answer == .refused(Refusal(.badIdentifier, "")))
            #expect(try await till.knownCard().open == open.operation)
        },
    ]
}

extension LedgerTill {
    /// A payment that somebody has seen open, and another one that is open now; `confirmed` is
    /// unchanged.
    fileprivate func paymentAfterAnother() async throws -> (
        OpenOperation, CardVersion, OpenOperation
    ) {
        try await complete(.issue(), id: 1)
        let first = try await open(.pay(.cents(400)), id: 2)
        let version = CardVersion(try await knownCard())
        let voided = try await ledger.voidOpenPayment(on: .first, version: version, at: .end)
        #expect(voided?.id == first.operation.id)
        let second = try await open(.pay(.cents(100)), id: 3)
        #expect(try await knownCard().card.confirmed == version.confirmed)
        return (first, version, second)
    }

    func resume(
        _ open: OpenOperation, version: CardVersion? = nil, tagHolds best: UInt32
    ) async throws -> Resolution {
        let known = try await knownCard(open.card.uid)
        return try await ledger.resume(
            open.operation, version: version ?? CardVersion(known),
            tagHolds: try #require(SequenceNumber(best)), sealer: sealer, at: .end)
    }

    // Swift 6.3.1 crashes in a scenario where it inlines this.
    @inline(never) func end(
        _ open: OpenOperation, as state: Operation.State, version: CardVersion? = nil, id: Int
    ) async throws -> Resolution {
        let known = try await knownCard(open.card.uid)
        return try await ledger.end(
            open.operation, as: state, resealWith: .numbered(id),
            version: version ?? CardVersion(known),
            sealer: sealer, at: .end)
    }
}
