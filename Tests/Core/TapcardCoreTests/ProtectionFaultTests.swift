import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import TestSupport
import Testing

/// Whatever goes wrong while a password is set or removed, the tag can always be opened, and one
/// undisturbed tap finishes the request.
@Suite("Interrupted switches of protection")
struct ProtectionFaultTests {
    private static let requests = ["protect", "unprotect", "issue-protected"]
    private static let fewWays: [Fault.Kind] = [
        .acknowledgeLost, .torn(.zero), .torn(.mix(seed: 7)), .torn(.erasedToHighestOnes(3)),
    ]

    @Test(
        "A switch of protection interrupted at any frame is finished by the next tap",
        arguments: Thoroughness.some([Chip.ntag213, .ntag215, .ntag216], of: 3), requests)
    func everyFrame(_ chip: Chip, _ name: String) async throws {
        let request = try await PlayedRequest(name, on: chip)
        let frames = request.whole.frames
        #expect(frames.count >= 16, "too few frames were disturbed")
        for (way, frame) in Fault.Kind.endsOfWrite.flatMap({ way in frames.map { (way, $0) } }) {
            let label: Comment = "step \(frame): \(way)"
            let tap = await request.tap([frame: .radio(way)])
            #expect(await tap.violations + tap.world.broken() == [], label)
            for world in tap.world.soonAndLate {
                try world.tag.expectAlive(label)
                if request.operation(in: world) == nil { continue }
                try await expectFinished(request, by: world, label)
            }
        }
    }

    @Test(
        "A switch of protection interrupted twice is finished by the third tap", .checkOnly,
        arguments: fewWays,
        ["protect", "unprotect"])
    func twice(_ first: Fault.Kind, _ name: String) async throws {
        let request = try await PlayedRequest(name)
        var schedules = 0
        for write in request.whole.writes {
            let torn = await request.tap([write: .radio(first)]).world
            for world in torn.soonAndLate { try world.tag.expectAlive("\(first) at \(write)") }
            for second in await Tap.play(.read, in: torn).writes {
                for way in Self.fewWays {
                    let label: Comment = "\(first) at \(write), then \(way) at \(second)"
                    let tap = await Tap.play(.read, in: torn, mishaps: [second: .radio(way)])
                    #expect(await tap.violations + tap.world.broken() == [], label)
                    for world in tap.world.soonAndLate { try world.tag.expectAlive(label) }
                    try await expectFinished(request, by: tap.world, label)
                    schedules += 1
                }
            }
        }
        #expect(request.whole.writes.count > 6 && schedules > 100, "too few schedules were played")
    }

    @Test(
        "A switch of protection by a killed process is finished though the tag kept its power",
        arguments: [TillRequest.protect, .unprotect, .issueProtected])
    func stillPowered(_ request: TillRequest) async throws {
        for death in [Mishap.killedBefore, .killedAfter] {
            var step = 1
            while true {
                let world = try await request.world()
                let kill = Disturbance(death, at: step)
                // A dead process does not let the tag go.
                let reader = InterposedReader(
                    kill.reader(world.reader),
                    release: { reader in if !kill.hasCome { await reader.release() } })
                let mortal = world.station(reader: reader, ledger: kill.ledger(world.ledger))
                _ = await outcome { () throws(TapcardError) in try await request.perform(at: mortal)
                }
                guard kill.hasCome else { break }
                step += 1
                if try await request.operation(in: world) == nil { continue }
                let label: Comment = "\(request), killed at step \(step), \(death)"
                // A tap may find that settings and what is in force differ; it lets the tag go.
                _ = await outcome { () throws(TapcardError) in try await world.station.read() }
                let summary = try await world.station.read()
                #expect(summary.problem == nil && summary.seal == .valid, label)
                try await world.expectResolved(label)
                try await request.expectDone(true, in: world, label)
                #expect(try await request.operation(in: world)?.state == .committed, label)
            }
            #expect(step > 20)
        }
    }

    /// Expects one tap to finish the request, even if weak pages lose their bits only after it.
    private func expectFinished(
        _ request: PlayedRequest, by world: RestingWorld, _ label: Comment
    ) async throws {
        let protection = request.whole.world.card?.protection
        let (resolved, violations) = await world.resolving()
        #expect(violations == [], label)
        for world in resolved.soonAndLate {
            let (resolved, violations) = await world.resolving()
            #expect(violations == [], label)
            #expect(request.operation(in: resolved)?.state == .committed, label)
            let card = try #require(resolved.card, label)
            #expect(card.protection == protection, label)
            try await resolved.tag.expectProtected(as: card.protection, label)
        }
    }
}

extension RestingWorld {
    /// The world as it is, and after its weak pages have lost their bits.
    fileprivate var soonAndLate: [RestingWorld] {
        weak.isEmpty ? [self] : [self, decayed(.toZero)]
    }
}
