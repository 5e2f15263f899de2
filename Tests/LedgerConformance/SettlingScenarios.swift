import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The next tap's work on an operation that was left open.
    static let settling = [
        Scenario("a card that is not as it was seen is judged again") { desk in
            #expect(
                try await desk.begin(.issue(), id: 1, seen: Seen(confirmed: .none, open: nil))
                    == .changed)
            try await desk.complete(.issue(), id: 1)
            let seen = Seen(try await desk.view())
            try await desk.complete(.pay(.cents(1)), id: 2)
            #expect(try await desk.begin(.pay(.cents(1)), id: 3, seen: seen) == .changed)
            #expect(try await desk.begin(.pay(.cents(1)), id: 3, seen: nil) == .changed)
        },
        Scenario("a card has one open operation at most") { desk in
            try await desk.complete(.issue(), id: 1)
            let open = try await desk.work(.pay(.cents(1)), id: 2)
            #expect(try await desk.begin(.pay(.cents(1)), id: 3) == .changed)
            #expect(try await desk.begin(.add(.cents(1)), id: 3) == .changed)
            #expect(try await desk.begin(.reseal(above: .none), id: 3) == .changed)
            #expect(try await desk.view().open == open.operation)
        },
        Scenario("a repetition writes exactly the stored record") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            let resumed = try await desk.resume(work, tagHolds: 1).work()
            #expect(resumed == work)
            try await desk.confirm(resumed)
            #expect(try await desk.balance() == 600)
        },
        Scenario("a number that is not above the tag's gives way to a fresh one") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            let resumed = try await desk.resume(work, tagHolds: 7).work()
            #expect(resumed.content.sequence.value == 8)
            #expect(resumed.operation.id == work.operation.id)
            let superseded = try await desk.ledger.confirm(work, at: .end)
            #expect(superseded == .superseded(resumed.operation))
            #expect(try await desk.view().card.confirmed.value == 1)
            try await desk.confirm(resumed)
            #expect(try await desk.view().card.confirmed.value == 8)
        },
        Scenario("a record under a retired key gives way to a fresh one") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            var rotated = desk
            rotated.sealer = .hashing(key: 2)
            let resumed = try await rotated.resume(work, tagHolds: 1).work()
            #expect(resumed.content.sequence.value == 3)
            #expect(resumed.record.first == 2)
        },
        Scenario("a record with a name that was forgotten gives way to a fresh one") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            _ = try await desk.ledger.change(.first, .forget, id: .numbered(3), at: .end).get()
            let resumed = try await desk.resume(work, tagHolds: 1).work()
            #expect(resumed.content.holder.name == nil)
            #expect(resumed.record == desk.sealer.seal(resumed.content))
            #expect(resumed.content.sequence.value == 3)
        },
        Scenario("after a restored backup an open operation takes a fresh number") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.add(.cents(400)), id: 2)
            #expect(try await desk.ledger.skipNumbersAfterRestore() == [])
            let resumed = try await desk.resume(work, tagHolds: 1).work()
            #expect(resumed.content.sequence.value == 2 + restoreGap + 1)
            try await desk.confirm(resumed)
        },
        Scenario("what is no longer open cannot be resumed or ended") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            let seen = Seen(try await desk.view())
            try await desk.confirm(work)
            #expect(try await desk.resume(work, seen: seen, tagHolds: 1) == .changed)
            #expect(try await desk.resume(work, tagHolds: 1) == .changed)
            #expect(try await desk.end(work, as: .voided, seen: seen, id: 3) == .changed)
            #expect(try await desk.end(work, as: .voided, id: 3) == .changed)
        },
        Scenario("what was seen of one operation resumes no later one") { desk in
            let (first, seen, second) = try await desk.paymentAfterAnother()
            #expect(try await desk.resume(first, seen: seen, tagHolds: 1) == .changed)
            #expect(try await desk.view().open == second.operation)
            #expect(try await desk.view().card.allocated == second.content.sequence)
        },
        Scenario("what was seen of one operation ends no later one") { desk in
            let (first, seen, second) = try await desk.paymentAfterAnother()
            for state in [Operation.State.committed, .voided] {
                #expect(try await desk.end(first, as: state, seen: seen, id: 9) == .changed)
            }
            #expect(
                try await desk.ledger.voidOpenPayment(on: .first, seen: seen, at: .end) == nil)
            #expect(try await desk.view().open == second.operation)
            #expect(try await desk.balance() == 1000)
        },
        Scenario("what was seen of one operation makes no card anew over a later one") { desk in
            let (_, seen, second) = try await desk.paymentAfterAnother()
            #expect(try await desk.begin(.reissue(), id: 9, seen: seen) == .changed)
            #expect(try await desk.view().open == second.operation)
        },
        Scenario("a payment that the tag proves is booked, with a fresh record begun") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            let fresh = try await desk.end(work, as: .committed, id: 3).work()
            #expect(fresh.operation.kind == .reseal)
            #expect(fresh.content.sequence.value == 3)
            #expect(fresh.content.balance == .cents(600))
            #expect(try await desk.ledger.operation(work.operation.id)?.state == .committed)
            #expect(try await desk.view().card.confirmed.value == 1)
            try await desk.confirm(fresh)
            #expect(try await desk.view().card.confirmed.value == 3)
        },
        Scenario("a payment that nobody waits for is voided, with a fresh record begun") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            let fresh = try await desk.end(work, as: .voided, id: 3).work()
            #expect(fresh.content.balance == .cents(1000))
            #expect(try await desk.ledger.operation(work.operation.id)?.state == .voided)
            try await desk.confirm(fresh)
            #expect(try await desk.balance() == 1000)
        },
        Scenario("a payment that the tag proves is voided on a card that was blocked since") {
            desk in
            try await desk.complete(.issue(), id: 1)
            for (id, intent) in Desk.voidable.enumerated() {
                let work = try await desk.work(intent, id: 10 * (id + 1))
                let seen = Seen(try await desk.view())
                try await desk.setBlocked(true, id: 10 * (id + 1) + 1)
                let fresh = try await desk.end(
                    work, as: .committed, seen: seen, id: 10 * (id + 1) + 2
                ).work()
                #expect(fresh.content.balance == .cents(1000))
                #expect(try await desk.ledger.operation(work.operation.id)?.state == .voided)
                try await desk.confirm(fresh)
                try await desk.setBlocked(false, id: 10 * (id + 1) + 3)
            }
            #expect(try await desk.balance() == 1000)
        },
        Scenario("an ended close leaves a closed card, or an open one") { desk in
            for (uid, state) in [(CardUID.first, Operation.State.committed), (.second, .voided)] {
                let id = state == .committed ? 10 : 20
                try await desk.complete(.issue(), id: id, on: uid)
                let work = try await desk.work(.close, id: id + 1, on: uid)
                try await desk.confirm(try await desk.end(work, as: state, id: id + 2).work())
            }
            #expect(try await desk.view(.first).card.status == .closed)
            #expect(try await desk.view(.second).card.status == .active)
            #expect(try await desk.balance(.second) == 1000)
        },
        Scenario("what has happened outside the card cannot be voided") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.add(.cents(400)), id: 2)
            let answer = try await desk.end(work, as: .voided, id: 3)
            #expect(answer == .refused(Refusal(.wrongState, "")))
            #expect(
                try await desk.ledger.voidOpenPayment(
                    on: .first, seen: Seen(try await desk.view()), at: .end) == nil)
            #expect(try await desk.view().open == work.operation)
        },
        Scenario("ending with an id that was used before changes nothing") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            let answer = try await desk.end(work, as: .committed, id: 1)
            #expect(answer == .refused(Refusal(.badIdentifier, "")))
            #expect(try await desk.view().open == work.operation)
        },
    ]
}

extension Desk {
    /// A payment that somebody has seen open, and another one that is open now; `confirmed` is as
    /// it was.
    fileprivate func paymentAfterAnother() async throws -> (OpenWork, Seen, OpenWork) {
        try await complete(.issue(), id: 1)
        let first = try await work(.pay(.cents(400)), id: 2)
        let seen = Seen(try await view())
        let voided = try await ledger.voidOpenPayment(on: .first, seen: seen, at: .end)
        #expect(voided?.id == first.operation.id)
        let second = try await work(.pay(.cents(100)), id: 3)
        #expect(try await view().card.confirmed == seen.confirmed)
        return (first, seen, second)
    }

    func resume(
        _ work: OpenWork, seen: Seen? = nil, tagHolds best: UInt32
    ) async throws -> Settlement {
        let view = try await view(work.card.uid)
        return try await ledger.resume(
            work.operation, seen: seen ?? Seen(view),
            tagHolds: try #require(SequenceNumber(best)), sealer: sealer, at: .end)
    }

    // Swift 6.3.1 crashes in a scenario where it inlines this.
    @inline(never) func end(
        _ work: OpenWork, as state: Operation.State, seen: Seen? = nil, id: Int
    ) async throws -> Settlement {
        let view = try await view(work.card.uid)
        return try await ledger.end(
            work.operation, as: state, resealWith: .numbered(id), seen: seen ?? Seen(view),
            sealer: sealer, at: .end)
    }
}
