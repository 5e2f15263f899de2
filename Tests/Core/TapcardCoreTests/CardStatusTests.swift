import BlockingLane
import Cards
import FaultyWorld
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// An operator's decisions about a card that need not be there.
@Suite("A card that is blocked or forgotten")
struct CardStatusTests {
    @Test("is blocked: it shows its balance and takes and gives no money")
    func blocked() async throws {
        let world = try await World.withCard()
        let uid = try await world.uid()
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        #expect(try await world.change(uid, .block).status == .blocked)
        let before = try await world.tag()
        let station = world.station
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await station.pay(World.usd(1), id: World.id(10))
        }
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await station.add(World.usd(1), id: World.id(11))
        }
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await station.refund(World.id(2))
        }
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await station.scratch(id: World.id(12))
        }
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await station.close(id: World.id(13))
        }
        let summary = try await world.station.read()
        #expect(summary.ledger == .blocked && summary.seal == .valid)
        #expect(summary.balance == World.usd(900))
        #expect(try await world.tag() == before)
        #expect(try await world.change(uid, .unblock).status == .active)
        _ = try await world.station.pay(World.usd(1), id: World.id(14))
        try await world.expectResolved()
    }

    @Test(
        "is blocked: a payment that is between its steps is not paid any more",
        arguments: [TillRequest.pay, .close])
    func blockedBetweenSteps(_ request: TillRequest) async throws {
        var voided = 0
        for step in 1... {
            let world = try await request.world()
            let uid = try await world.uid()
            let wasDone = Guarded(false)
            let interlude = Disturbance(before: step) {
                let isBlocked = await outcome { () throws(TapcardError) in
                    try await world.change(uid, .block)
                }.isSuccess
                let operation = try? await request.operation(in: world)
                wasDone.withLock { $0 = !isBlocked || operation?.state == .committed }
            }
            let said = await outcome { () throws(TapcardError) in
                try await request.perform(at: world.station(interlude))
            }
            guard interlude.hasCome else { break }
            try await world.putBack()
            _ = try await world.station.read()
            let state = try await request.operation(in: world)?.state
            #expect((state == .committed) == wasDone.withLock { $0 }, "step \(step)")
            #expect(said.isSuccess == (state == .committed), "step \(step)")
            try await world.expectResolved("step \(step)")
            voided += state == .voided ? 1 : 0
        }
        #expect(voided > 4)
    }

    @Test("is blocked or allowed once")
    func wrongState() async throws {
        let world = try await World.withCard()
        let uid = try await world.uid()
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await world.change(uid, .unblock)
        }
        _ = try await world.change(uid, .block)
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await world.change(uid, .block)
        }
        let other = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.refusal(.cardUnknown), exit: 4) { () throws(TapcardError) in
            try await world.change(other, .block)
        }
    }

    @Test(
        "is forgotten: no byte of the name is left where phones read", arguments: FaceStyle.allCases
    )
    func forgotten(_ style: FaceStyle) async throws {
        let world = World(try World.blank())
        try await world.issue(face: style)
        let uid = try await world.uid()
        #expect(try await world.change(uid, .forget).holder.name == nil)
        let summary = try await world.station.read()
        #expect(summary.holder.name == nil && summary.seal == .valid)
        #expect(summary.balance == World.usd(1_000))
        let text = String(decoding: try await world.tag().image.area, as: UTF8.self)
        for part in ["Ama", "anda", "Gon", "zal", "lez"] { #expect(!text.contains(part)) }
        try await world.expectResolved()
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        try await world.expectResolved()
    }

    @Test(
        "is forgotten wherever the tap is torn that blanks the name", arguments: FaceStyle.allCases)
    func tornForgetting(_ style: FaceStyle) async throws {
        for way: Fault.Kind in [.lost, .torn(.mix(seed: 2)), .acknowledgeLost] {
            var write = 1
            while true {
                let world = World(try World.blank())
                try await world.issue(face: style)
                _ = try await world.change(try await world.uid(), .forget)
                try await world.arm(Fault(at: write, counting: .write, way))
                _ = try? await world.station.read()
                guard try await !world.isArmed() else { break }
                try await world.putBack()
                let summary = try await world.station.read()
                #expect(summary.problem == nil && summary.holder.name == nil)
                try await world.expectResolved("\(way) at WRITE \(write)")
                write += 1
            }
            #expect(write > 10)
        }
    }

    @Test("is forgotten with the message of others that it was adopted with")
    func forgottenMessage() async throws {
        let world = try await TillRequest.adopt.world()
        try await TillRequest.adopt.perform(at: world.station)
        let uid = try await world.uid()
        #expect(try await world.ledger.view(of: uid)?.card.foreignMessage != nil)
        _ = try await world.change(uid, .forget)
        #expect(try await world.ledger.view(of: uid)?.card.foreignMessage == nil)
        _ = try await world.station.read()
        let text = String(decoding: try await world.tag().image.area, as: UTF8.self)
        #expect(!text.contains("Amanda") && !text.contains("Gonzalez"))
        try await world.expectResolved()
    }
}
