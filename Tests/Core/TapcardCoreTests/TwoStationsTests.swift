import BlockingLane
import Cards
import FaultyWorld
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import TestSupport
import Testing

/// Two stations share a ledger, and one card goes from reader to reader.
@Suite("Two stations")
struct TwoStationsTests {
    /// The second station's request on the card.
    enum Visit: CaseIterable, Sendable {
        case pay, add, scratch, read, reissue
    }

    @Test(
        "A card that moves between two stations is charged once by each and never called forged",
        arguments: Thoroughness.some(TillRequest.allCases, of: 3), Visit.allCases)
    func interleaved(_ request: TillRequest, _ visit: Visit) async throws {
        try await interleave(request, visit, tornAt: nil)
    }

    @Test(
        "A card that is pulled from the second of two stations is never called forged",
        arguments: Thoroughness.some(TillRequest.allCases, of: 6), [Visit.pay, .add, .read])
    func interleavedAndTorn(_ request: TillRequest, _ visit: Visit) async throws {
        for write in 1...5 { try await interleave(request, visit, tornAt: write) }
    }

    @Test(
        "One request sent to two stations is done once and answered by both",
        arguments: [Visit.pay, .add, .scratch])
    func oneRequest(_ visit: Visit) async throws {
        for step in 1... {
            let world = try await World.withCard()
            let other = Guarded<Result<Receipt, TapcardError>?>(nil)
            let interlude = Disturbance(before: step) {
                let result = await outcome { () throws(TapcardError) in
                    try await world.station.requested(visit)
                }
                other.withLock { $0 = result }
            }
            let said = await outcome { () throws(TapcardError) in
                try await world.station(interlude).requested(visit)
            }
            guard interlude.hasCome, let theirs = other.withLock({ $0 }) else { break }
            let (ours, done) = (try said.get().operation, try theirs.get().operation)
            #expect(ours.id == done.id && done.state == .committed, "step \(step)")
            let balances: [Visit: Int64] = [.pay: 100, .add: 1_900, .scratch: 1_000]
            #expect(try await world.balance() == balances[visit], "step \(step)")
        }
    }

    @Test("Of two requests under one id, one is carried out and the other is refused")
    func oneID() async throws {
        var first = 0
        for step in 1... {
            let world = try await World.withCard()
            let other = Guarded<Result<Receipt, TapcardError>?>(nil)
            let interlude = Disturbance(before: step) {
                let result = await outcome { () throws(TapcardError) in
                    try await world.station.pay(World.usd(900), id: World.id(7))
                }
                other.withLock { $0 = result }
            }
            let said = await outcome { () throws(TapcardError) in
                try await world.station(interlude).add(World.usd(500), id: World.id(7))
            }
            let theirs = other.withLock { $0 }
            guard interlude.hasCome, let theirs else { break }
            try await world.putBack()
            _ = try await world.station.read()
            let isOurs = (try? said.get()) != nil
            #expect(isOurs != ((try? theirs.get()) != nil), "step \(step)")
            #expect(try await world.balance() == (isOurs ? 1_500 : 100), "step \(step)")
            for case .failure(let error)? in [said, theirs] {
                #expect(error.kind == .operationMismatch, "step \(step): \(error)")
            }
            first += isOurs ? 1 : 0
        }
        #expect(first > 4)
    }

    @Test("A request that another station has already carried out is answered as replayed")
    func sameRequest() async throws {
        let world = try await World.withCard()
        let interlude = Disturbance(before: 3) {
            _ = await outcome { () throws(TapcardError) in
                try await world.station.pay(World.usd(900), id: World.id(7))
            }
        }
        let station = world.station(interlude)
        #expect(try await station.pay(World.usd(900), id: World.id(7)).isReplayed)
        #expect(try await world.balance() == 100)
        await #expect(throws: TapcardError(.operationMismatch, "")) {
            try await station.pay(
                World.usd(900), id: World.id(7), only: CardUID(bytes: World.otherUID))
        }
    }

    @Test("A card that gets other keys while another station reads it is not called forged")
    func keysChangedBetween() async throws {
        let request = try await PlayedRequest("change-keys", on: .ntag424)
        let begun = try #require(request.whole.commits.first)
        // Which keys the chip has, the ledger knows; or, where a change was begun, the chip.
        for world in [request.before, await request.tap([begun: .killedAfter]).world] {
            for step in 0... {
                let scene = Guarded<Scene?>(nil)
                let count = Guarded(0)
                let first = Scene(world, stations: 2, areReadersCareless: true) { station in
                    guard station == 0, let both = scene.withLock({ $0 }) else { return }
                    let isDue = count.withLock { count in
                        count += 1
                        return count - 1 == step
                    }
                    guard isDue else { return }
                    both.moveCard(to: 1)
                    _ = await EnumeratedRequest.next.run(in: both, at: 1)
                    both.moveCard(to: 0)
                }
                scene.withLock { $0 = first }
                let said = await request.stationRequest.run(in: first)
                guard count.withLock({ $0 }) > step else {
                    #expect(step >= 12)
                    break
                }
                if case .failed(let error) = said {
                    #expect(error.result != .untrusted, "step \(step): \(error)")
                }
                #expect(first.violations == [], "step \(step)")
                #expect(await first.world.resolving().violations == [], "step \(step)")
                scene.withLock { $0 = nil }
            }
        }
    }

    /// Plays the second station's whole tap before each step of the first one's.
    private func interleave(_ request: TillRequest, _ visit: Visit, tornAt write: Int?) async throws
    {
        var step = 1
        while true {
            let world = try await request.world()
            let second = Guarded<Result<Void, TapcardError>?>(nil)
            let interlude = Disturbance(before: step) {
                let fault = write.map { Fault(at: $0, counting: .write, .torn(.zero)) }
                try? await world.reader.change { $0.fault = fault }
                let result = await outcome { () throws(TapcardError) in
                    try await TwoStationsTests.perform(visit, at: world.station)
                }
                second.withLock { $0 = result }
                try? await world.reader.change { $0.fault = nil }
            }
            let station = world.station(interlude)
            let first = await outcome { () throws(TapcardError) in
                try await request.perform(at: station)
            }
            guard interlude.hasCome else { break }
            let label: Comment =
                "\(request), before step \(step) \(visit), torn at WRITE \(write ?? 0)"
            for said in [first, second.withLock { $0 }] {
                #expect(said?.result != .untrusted && said?.result != .ledger, label)
            }
            try await expectTruth(request, first, visit, second.withLock { $0 }, in: world, label)
            step += 1
        }
        // An addition takes one step less than any other request.
        #expect(step > (request == .add ? 15 : 16))
    }

    private func expectTruth(
        _ request: TillRequest, _ first: Result<Void, TapcardError>, _ visit: Visit,
        _ second: Result<Void, TapcardError>?, in world: World, _ label: Comment
    ) async throws {
        try await world.putBack()
        if try await world.balance() != nil {
            #expect(try await world.station.read().problem == nil, label)
            try await world.expectResolved(label)
        }
        let mine = try await request.operation(in: world)
        if first.isSuccess { #expect(mine?.state == .committed, label) }
        let theirs = try await world.ledger.operation(TwoStationsTests.id)
        if second?.isSuccess == true, visit != .read {
            #expect(theirs?.state == .committed, label)
        }
        if visit == .reissue && theirs != nil || request == .close { return }
        let isDone = mine?.state == .committed
        var expected = isDone ? request.after : request.before
        if theirs?.state == .committed, let balance = expected {
            switch visit {
            case .pay: expected = balance - 70
            case .add: expected = balance + 30
            case .scratch, .read, .reissue: break
            }
        }
        #expect(try await world.balance() == expected, label)
    }

    private static let id = World.id(70)

    private static func perform(
        _ visit: Visit, at station: Station
    ) async throws(TapcardError) {
        switch visit {
        case .pay: _ = try await station.pay(World.usd(70), id: id)
        case .add: _ = try await station.add(World.usd(30), id: id)
        case .scratch: _ = try await station.scratch(id: id)
        case .read: _ = try await station.read()
        case .reissue:
            let request = CardRequest(
                .issue(.nobody, World.usd(400), hasScratchCard: false), mayReissue: true,
                mayOverwrite: true)
            _ = try await station.make(request, id: id)
        }
    }

    @Test(
        "A payment left open by another station is booked only if young and on the tag",
        arguments: [true, false], [0, 119, 120, 100_000])
    func openPayment(_ isOnTag: Bool, _ seconds: Int64) async throws {
        let world = try await World.withCard()
        try await leavePaymentOpen(in: world, isOnTag: isOnTag)
        world.clock.advance(seconds: seconds)
        let receipt = try await world.station.pay(World.usd(70), id: World.id(3))
        let isPosted = isOnTag && seconds < 120
        #expect(receipt.balance == World.usd(isPosted ? 680 : 930))
        let state = try await world.ledger.operation(World.id(2))?.state
        #expect(state == (isPosted ? .committed : .voided))
        try await world.expectResolved()

        let again = await outcome { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        #expect(again.error == (isPosted ? nil : .operationVoided))
        #expect(try await world.balance() == (isPosted ? 680 : 930))
    }

    /// The clock that was ahead recorded a time in the future.
    @Test(
        "A payment from before a restart is voided if the clock was ahead",
        arguments: [-1, -60, -100_000_000])
    func clockAhead(_ seconds: Int64) async throws {
        let world = try await World.withCard()
        try await leavePaymentOpen(in: world)
        world.clock.restart()
        world.clock.set(aheadBy: seconds)
        let receipt = try await world.station.pay(World.usd(70), id: World.id(3))
        #expect(receipt.balance == World.usd(930))
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        try await world.expectResolved()
    }

    /// The clock is corrected, and its time of day later reaches the recorded time again.
    @Test("A payment begun by a clock that was ahead is not booked beyond its lifetime")
    func clockCorrected() async throws {
        let ahead: Int64 = 3_600
        for (passed, isBooked) in [(ahead + 60, false), (ahead, false), (119, true), (0, true)] {
            let world = try await World.withCard()
            world.clock.set(aheadBy: ahead)
            try await leavePaymentOpen(in: world)
            world.clock.set(aheadBy: -ahead)
            world.clock.advance(seconds: passed)
            _ = try await world.station.read()
            let state = try await world.ledger.operation(World.id(2))?.state
            #expect(state == (isBooked ? .committed : .voided), "after \(passed) s")
            try await world.expectResolved()
        }
    }

    /// Leaves a payment of 2.50 without an answer, with its record on the tag or half of it.
    private func leavePaymentOpen(in world: World, isOnTag: Bool = true) async throws {
        try await world.arm(Fault(at: isOnTag ? 4 : 3, counting: .write, .acknowledgeLost))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        try await world.putBack()
    }
}

extension Station {
    /// One request, always under the same id.
    fileprivate func requested(
        _ visit: TwoStationsTests.Visit
    ) async throws(TapcardError) -> Receipt {
        switch visit {
        case .pay: try await pay(World.usd(900), id: World.id(7))
        case .add: try await add(World.usd(900), id: World.id(7))
        default: try await scratch(id: World.id(7))
        }
    }
}
