import FaultyWorld
import SimulatedReader
import TapcardDomain
import Testing

/// The process is killed before or after any frame or transaction, and a new one finds tag and
/// ledger as they were left.
@Suite("A process killed between tag and ledger")
struct KilledProcessTests {
    @Test(
        "A request whose process is killed at any step is resolved by one tap and happens once",
        arguments: PlayedRequest.all)
    func everyStep(_ chip: Chip, _ name: String) async throws {
        let request = try await PlayedRequest(name, on: chip)
        // These ask the ledger four times and write the least.
        let isShort = name == "game" || name == "pay" && chip == .ntag424
        #expect(request.whole.steps.count >= (isShort ? 10 : 11), "too few steps were interrupted")
        for death in [Mishap.killedBefore, .killedAfter] {
            for step in request.whole.steps.indices {
                let label: Comment = "step \(step): \(death)"
                let killed = await request.tap([step: death])
                #expect(killed.violations == [], label)
                // One look resolves the card, and then tells what became of the request.
                let (resolved, violations) = await killed.world.resolving()
                #expect(violations == [], label)
                #expect(await resolved.askingAgain(request.stationRequest) == [], label)
                await expectOnce(request.stationRequest, from: killed.world, label)
            }
        }
    }

    /// Expects the request to be carried out once, although it is repeated twice.
    private func expectOnce(
        _ request: StationRequest, from world: RestingWorld, _ label: Comment
    ) async {
        let second = await Tap.play(request, in: world)
        let third = await Tap.play(request, in: second.world)
        for tap in [second, third] {
            #expect(tap.isDone && tap.violations == [], label)
        }
        #expect(third.world.balance == second.world.balance, label)
        let last = await third.world.resolving()
        #expect(last.violations == [], label)
    }
}
