import FaultyWorld
import Ledger
import PortDoubles
import SimulatedField
import SimulatedReader
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// Whatever goes wrong while a password goes onto a tag or off it: the tag can always be opened,
/// and one undisturbed tap finishes what was asked for.
@Suite("Switching protection, broken off")
struct ProtectionFaultTests {
    static let deeds: [Deed] = [.protect, .unprotect, .issueProtected]
    static let fewWays: [Fault.Kind] = [
        .acknowledgeLost, .torn(.zero), .torn(.mix(seed: 7)), .torn(.erasedToHighestOnes(3)),
    ]

    @Test("at any frame is finished by the next tap", arguments: Type2Chip.known, deeds)
    func everyFrame(_ chip: Type2Chip, _ deed: Deed) async throws {
        for way in TornTapTests.ways {
            for decays in [false, true] {
                var frame = 1
                while try await interrupt(deed, on: chip, at: frame, way, decays: decays) {
                    frame += 1
                }
                #expect(frame > 16, "too few frames were disturbed")
            }
        }
    }

    /// False when the deed had fewer frames than that. `decays` says whether the bits of a page
    /// that was not acknowledged are gone before the next tap; afterwards they always are.
    private func interrupt(
        _ deed: Deed, on chip: Type2Chip, at frame: Int, _ way: Fault.Kind, decays: Bool
    ) async throws -> Bool {
        let world = try await deed.world(on: chip)
        let weak = InterposedReader(world.reader)
        let station = world.station(reader: weak)
        try await world.arm(Fault(at: frame, counting: .frame, way))
        let said = await outcome { () throws(TapcardError) in try await deed.perform(at: station) }
        if try await world.isArmed() { return false }
        let label: Comment = "\(deed) on \(chip.name), frame \(frame), \(way), \(decays)"
        try await world.expectAlive(label, decayed: weak.weakPages)
        let operation = try await deed.operation(in: world)
        #expect(!said.isSuccess || operation?.state == .committed, label)
        // Nothing was begun.
        if operation == nil { return true }
        try await world.putBack()
        if decays { try await world.put(try await world.tag().decayed(weak.weakPages)) }
        try await expectFinished(deed, world, station, label)
        try await world.put(try await world.tag().decayed(weak.weakPages))
        try await expectFinished(deed, world, station, label)
        return true
    }

    @Test(
        "twice in a row is finished by the third tap", arguments: fewWays,
        [Deed.protect, .unprotect])
    func twice(_ first: Fault.Kind, _ deed: Deed) async throws {
        var (firstWrite, schedules, faults) = (1, 0, 2)
        while faults > 0 {
            for second in Self.fewWays {
                var secondWrite = 1
                repeat {
                    faults = try await play(
                        deed, Fault(at: firstWrite, counting: .write, first),
                        Fault(at: secondWrite, counting: .write, second))
                    secondWrite += 1
                    schedules += faults / 2
                } while faults == 2
            }
            firstWrite += 1
        }
        #expect(firstWrite > 8 && schedules > 100, "too few schedules were played")
    }

    /// How many of the two faults were due.
    private func play(_ deed: Deed, _ first: Fault, _ second: Fault) async throws -> Int {
        let world = try await deed.world()
        let weak = InterposedReader(world.reader)
        let station = world.station(reader: weak)
        let label: Comment = "\(deed): \(first), then \(second)"
        try await world.arm(first)
        _ = await outcome { () throws(TapcardError) in try await deed.perform(at: station) }
        guard try await !world.isArmed() else { return 0 }
        try await world.expectAlive(label, decayed: weak.weakPages)
        try await world.putBack()
        try await world.arm(second)
        _ = await outcome { () throws(TapcardError) in try await station.read() }
        guard try await !world.isArmed() else { return 1 }
        try await world.expectAlive(label, decayed: weak.weakPages)
        try await world.putBack()
        try await expectFinished(deed, world, station, label)
        try await world.put(try await world.tag().decayed(weak.weakPages))
        try await expectFinished(deed, world, station, label)
        return 2
    }

    @Test("by a killed process is finished though the tag kept its power", arguments: deeds)
    func stillPowered(_ deed: Deed) async throws {
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
                try await expectFinished(deed, world, world.station, label)
            }
            #expect(step > 20)
        }
    }

    @Test("by a process that begins again asks for nothing twice", arguments: deeds)
    func sameRequest(_ deed: Deed) async throws {
        let world = try await deed.world()
        try await deed.perform(at: world.station)
        let reader = world.reader
        let writes = await reader.writeCount
        try await deed.perform(at: world.station)
        #expect(await reader.writeCount == writes)
        #expect(try await world.operations().count { $0.kind == deed.kind } == 1)
    }

    private func expectFinished(
        _ deed: Deed, _ world: World, _ station: Station, _ label: Comment
    ) async throws {
        let reading = try await station.read()
        #expect(reading.problem == nil && reading.seal == .valid, label)
        try await world.expectSettled(label)
        try await deed.expectDone(true, in: world, label)
        #expect(try await deed.operation(in: world)?.state == .committed, label)
    }
}
