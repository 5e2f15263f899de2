import FaultyWorld
import Ledger
import SimulatedField
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// The process is killed before or after any frame and any transaction; a new one finds the tag
/// and the ledger as they were left.
@Suite("A process that is killed between tag and ledger")
struct KilledProcessTests {
    @Test(
        "leaves a card that the next tap settles", arguments: Type2Chip.known, Deed.allCases)
    func nextTapSettles(_ chip: Type2Chip, _ deed: Deed) async throws {
        for death in [Mishap.killedBefore, .killedAfter] {
            var step = 1
            while try await kill(deed, on: chip, at: step, death, tapSettles) { step += 1 }
            #expect(step > 17, "too few steps were interrupted")
        }
    }

    @Test(
        "leaves a request that can be repeated and happens once", arguments: Type2Chip.known,
        Deed.allCases)
    func sameRequestAgain(_ chip: Type2Chip, _ deed: Deed) async throws {
        for death in [Mishap.killedBefore, .killedAfter] {
            var step = 1
            while try await kill(deed, on: chip, at: step, death, repetitionHappensOnce) {
                step += 1
            }
            #expect(step > 17, "too few steps were interrupted")
        }
    }

    /// False when the deed took fewer steps than that.
    private func kill(
        _ deed: Deed, on chip: Type2Chip, at step: Int, _ death: Mishap,
        _ expect: (Deed, World, TagMemory, Comment) async throws -> Void
    ) async throws -> Bool {
        let world = try await deed.world(on: chip)
        let untouched = try await world.tag()
        let kill = Disturbance(death, at: step)
        let said = await outcome { () throws(TapcardError) in
            try await deed.perform(at: world.station(kill))
        }
        guard kill.hasCome else { return false }
        let label: Comment = "\(deed) on \(chip.name), step \(step): \(death)"
        if said.isSuccess {
            #expect(try await deed.operation(in: world)?.state == .committed, label)
        }
        try await world.putBack()
        try await expect(deed, world, untouched, label)
        return true
    }

    private func tapSettles(
        _ deed: Deed, _ world: World, _ untouched: TagMemory, _ label: Comment
    ) async throws {
        if try await world.balance() == nil {
            #expect(try await world.tag() == untouched, label)
            #expect(try await deed.operation(in: world) == nil, label)
            return
        }
        let reading = try await world.station.read()
        #expect(reading.seal == .valid && reading.problem == nil, label)
        try await world.expectSettled(label)
        let operation = try await deed.operation(in: world)
        let isDone = operation?.state == .committed
        try await deed.expectDone(isDone, in: world, label)
        if let operation, !operation.kind.isVoidable { #expect(isDone, label) }

        // Whoever asks now what became of the request is told just that.
        let said = await outcome { () throws(TapcardError) in
            try await deed.perform(at: world.station)
        }
        let isVoided = operation?.state == .voided
        #expect(said.error == (isVoided ? .operationVoided : nil), label)
        try await deed.expectDone(!isVoided, in: world, label)
        try await world.expectSettled(label)
    }

    private func repetitionHappensOnce(
        _ deed: Deed, _ world: World, _ untouched: TagMemory, _ label: Comment
    ) async throws {
        for _ in 1...2 {
            let said = await outcome { () throws(TapcardError) in
                try await deed.perform(at: world.station)
            }
            #expect(said.isSuccess, label)
            try await deed.expectDone(true, in: world, label)
        }
        _ = try await world.station.read()
        try await world.expectSettled(label)
        let kinds = try await world.operations().filter { $0.kind == deed.kind }
        #expect(kinds.count == 1, label)
    }
}
