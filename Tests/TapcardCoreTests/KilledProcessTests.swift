import FaultyWorld
import SimulatedField
import Testing
import Type2Tag

/// The process is killed before or after any frame and any transaction; a new one finds tag and
/// ledger as they were left.
@Suite("A process that is killed between tag and ledger")
struct KilledProcessTests {
    @Test(
        "leaves a card that the next tap settles, and a request that happens once",
        arguments: Type2Chip.known, FaultyWorld.Deed.all.map(\.name))
    func everyStep(_ chip: Type2Chip, _ name: String) async throws {
        let deed = try #require(FaultyWorld.Deed.named(name))
        let before = await deed.world(on: chip)
        let count = await Tap.play(deed.errand, in: before).steps.count
        #expect(count >= 12, "too few steps were interrupted")
        for death in [Mishap.killedBefore, .killedAfter] {
            for step in 0..<count {
                let label: Comment = "step \(step): \(death)"
                let killed = await Tap.play(deed.errand, in: before, mishaps: [step: death])
                #expect(killed.violations == [], label)
                try await expectSettled(deed, by: killed.world, label)
                try await expectOnce(deed, from: killed.world, label)
            }
        }
    }

    /// One look settles the card, and then tells what became of the request.
    private func expectSettled(
        _ deed: FaultyWorld.Deed, by world: RestingWorld, _ label: Comment
    ) async throws {
        let (settled, violations) = await world.settling()
        #expect(violations == [], label)
        #expect(await settled.askingAgain(deed.errand) == [], label)
    }

    /// The same request, repeated twice, is carried out once.
    private func expectOnce(
        _ deed: FaultyWorld.Deed, from world: RestingWorld, _ label: Comment
    ) async throws {
        let second = await Tap.play(deed.errand, in: world)
        let third = await Tap.play(deed.errand, in: second.world)
        for tap in [second, third] {
            #expect(tap.isDone && tap.violations == [], label)
        }
        #expect(third.world.balance == second.world.balance, label)
        let last = await third.world.settling()
        #expect(last.violations == [], label)
    }
}
