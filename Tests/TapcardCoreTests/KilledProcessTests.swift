import FaultyWorld
import SimulatedField
import TapcardDomain
import Testing

/// The process is killed before or after any frame and any transaction; a new one finds tag and
/// ledger as they were left.
@Suite("A process that is killed between tag and ledger")
struct KilledProcessTests {
    @Test(
        "leaves a card that the next tap settles, and a request that happens once",
        arguments: PlayedDeed.all)
    func everyStep(_ chip: Chip, _ name: String) async throws {
        let deed = try await PlayedDeed(name, on: chip)
        #expect(deed.whole.steps.count >= 12, "too few steps were interrupted")
        for death in [Mishap.killedBefore, .killedAfter] {
            for step in deed.whole.steps.indices {
                let label: Comment = "step \(step): \(death)"
                let killed = await deed.tap([step: death])
                #expect(killed.violations == [], label)
                // One look settles the card, and then tells what became of the request.
                let (settled, violations) = await killed.world.settling()
                #expect(violations == [], label)
                #expect(await settled.askingAgain(deed.errand) == [], label)
                await expectOnce(deed.errand, from: killed.world, label)
            }
        }
    }

    /// Expects that the request, repeated twice, is carried out once.
    private func expectOnce(
        _ errand: Errand, from world: RestingWorld, _ label: Comment
    ) async {
        let second = await Tap.play(errand, in: world)
        let third = await Tap.play(errand, in: second.world)
        for tap in [second, third] {
            #expect(tap.isDone && tap.violations == [], label)
        }
        #expect(third.world.balance == second.world.balance, label)
        let last = await third.world.settling()
        #expect(last.violations == [], label)
    }
}
