import FaultyWorld
import Ledger
import SimulatedField
import Testing
import Type2Tag

/// Power lost during the n-th WRITE, for every n and every way a page can be left: the next tap
/// settles it, and the card and the ledger agree on the old balance or the new one.
@Suite("A card pulled while it is written")
struct TornTapTests {
    static let ways: [Fault.Kind] =
        [.lost, .acknowledgeLost, .pulledAfter, .garbled, .refused(0)]
        + [TornPage.unchanged, .new, .zero, .mix(seed: 1), .mix(seed: 2), .mix(seed: 3)]
        .map(Fault.Kind.torn)

    @Test(
        "settles at the next tap", arguments: Type2Chip.known, FaultyWorld.Deed.all.map(\.name))
    func settles(_ chip: Type2Chip, _ name: String) async throws {
        let deed = try #require(FaultyWorld.Deed.named(name))
        let before = await deed.world(on: chip)
        let writes = await Tap.play(deed.errand, in: before).writes
        #expect(writes.count >= 4, "no WRITE of a record was interrupted")
        for (way, write) in Self.ways.flatMap({ way in writes.map { (way, $0) } }) {
            let label: Comment = "step \(write): \(way)"
            let tap = await Tap.play(deed.errand, in: before, mishaps: [write: .radio(way)])
            // Phones read the old balance, the new one or none.
            #expect(await tap.violations + tap.world.broken() == [], label)
            let (settled, violations) = await tap.world.settling()
            #expect(violations == [], label)
            #expect(await settled.restless() == [], label)
            let state = deed.errand.operation(in: settled.ledger)?.state
            #expect(state == .committed || !tap.isDone, label)
        }
    }
}

extension Tap {
    var isDone: Bool { if case .done = said { true } else { false } }

    /// The places of the WRITEs among its steps.
    var writes: [Int] {
        steps.indices.filter { if case .write = steps[$0].act { true } else { false } }
    }
}
