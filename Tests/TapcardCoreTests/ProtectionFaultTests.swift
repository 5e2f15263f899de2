import FaultyWorld
import Ledger
import PortDoubles
import SimulatedField
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Thoroughness
import Type2Tag

/// Anything that goes wrong while a password goes onto a tag or off it: the tag can always be
/// opened, and one undisturbed tap finishes the request.
@Suite("Switching protection, broken off")
struct ProtectionFaultTests {
    private static let deeds = ["protect", "unprotect", "issue-protected"]
    private static let fewWays: [Fault.Kind] = [
        .acknowledgeLost, .torn(.zero), .torn(.mix(seed: 7)), .torn(.erasedToHighestOnes(3)),
    ]

    @Test(
        "at any frame is finished by the next tap",
        arguments: Thoroughness.some([Chip.ntag213, .ntag215, .ntag216], of: 3), deeds)
    func everyFrame(_ chip: Chip, _ name: String) async throws {
        let deed = try await PlayedDeed(name, on: chip)
        let frames = deed.whole.frames
        #expect(frames.count >= 16, "too few frames were disturbed")
        for (way, frame) in TornTapTests.ways.flatMap({ way in frames.map { (way, $0) } }) {
            let label: Comment = "step \(frame): \(way)"
            let tap = await deed.tap([frame: .radio(way)])
            #expect(await tap.violations + tap.world.broken() == [], label)
            for world in tap.world.soonAndLate {
                try world.tag.expectAlive(label)
                if deed.operation(in: world) == nil { continue }
                try await expectFinished(deed, by: world, label)
            }
        }
    }

    @Test(
        "twice in a row is finished by the third tap", .checkOnly, arguments: fewWays,
        ["protect", "unprotect"])
    func twice(_ first: Fault.Kind, _ name: String) async throws {
        let deed = try await PlayedDeed(name)
        var schedules = 0
        for write in deed.whole.writes {
            let torn = await deed.tap([write: .radio(first)]).world
            for world in torn.soonAndLate { try world.tag.expectAlive("\(first) at \(write)") }
            for second in await Tap.play(.read, in: torn).writes {
                for way in Self.fewWays {
                    let label: Comment = "\(first) at \(write), then \(way) at \(second)"
                    let tap = await Tap.play(.read, in: torn, mishaps: [second: .radio(way)])
                    #expect(await tap.violations + tap.world.broken() == [], label)
                    for world in tap.world.soonAndLate { try world.tag.expectAlive(label) }
                    try await expectFinished(deed, by: tap.world, label)
                    schedules += 1
                }
            }
        }
        #expect(deed.whole.writes.count > 6 && schedules > 100, "too few schedules were played")
    }

    @Test(
        "by a killed process is finished though the tag kept its power",
        arguments: [CounterDeed.protect, .unprotect, .issueProtected])
    func stillPowered(_ deed: CounterDeed) async throws {
        for death in [Mishap.killedBefore, .killedAfter] {
            var step = 1
            while true {
                let world = try await deed.world()
                let kill = Disturbance(death, at: step)
                // A dead process does not let the tag go.
                let reader = InterposedReader(
                    kill.reader(world.reader),
                    release: { reader in if !kill.hasCome { await reader.release() } })
                let mortal = world.station(reader: reader, ledger: kill.ledger(world.ledger))
                _ = await outcome { () throws(TapcardError) in try await deed.perform(at: mortal) }
                guard kill.hasCome else { break }
                step += 1
                if try await deed.operation(in: world) == nil { continue }
                let label: Comment = "\(deed), killed at step \(step), \(death)"
                // A tap may find that settings and what is in force differ; it lets the tag go.
                _ = await outcome { () throws(TapcardError) in try await world.station.read() }
                let reading = try await world.station.read()
                #expect(reading.problem == nil && reading.seal == .valid, label)
                try await world.expectSettled(label)
                try await deed.expectDone(true, in: world, label)
                #expect(try await deed.operation(in: world)?.state == .committed, label)
            }
            #expect(step > 20)
        }
    }

    @Test("by a process that begins again asks for nothing twice", arguments: deeds)
    func sameRequest(_ name: String) async throws {
        let deed = try await PlayedDeed(name)
        let again = await Tap.play(deed.errand, in: deed.whole.world)
        #expect(again.isDone && again.writes == [] && again.violations == [])
        let kind = try #require(deed.operation(in: again.world)).kind
        #expect(again.world.ledger.operations.values.count { $0.kind == kind } == 1)
    }

    /// Expects that one tap finishes the deed, also where weak pages lose their bits only after it.
    private func expectFinished(
        _ deed: PlayedDeed, by world: RestingWorld, _ label: Comment
    ) async throws {
        let protection = deed.whole.world.card?.protection
        let (settled, violations) = await world.settling()
        #expect(violations == [], label)
        for world in settled.soonAndLate {
            let (settled, violations) = await world.settling()
            #expect(violations == [], label)
            #expect(deed.operation(in: settled)?.state == .committed, label)
            let card = try #require(settled.card, label)
            #expect(card.protection == protection, label)
            try await settled.tag.expectProtected(as: card.protection, label)
        }
    }
}

extension RestingWorld {
    /// As it is, and once its weak pages have lost their bits.
    fileprivate var soonAndLate: [RestingWorld] {
        weak.isEmpty ? [self] : [self, decayed(.toZero)]
    }
}
