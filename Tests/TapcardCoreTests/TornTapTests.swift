import FaultyWorld
import Ledger
import SimulatedField
import TapcardDomain
import Testing

/// Power lost during the n-th write, for every n and every way a page or a chip can be left: the
/// next tap settles it, and the card and the ledger agree on the old balance or the new one.
@Suite("A card pulled while it is written")
struct TornTapTests {
    static let ways: [Fault.Kind] =
        [.lost, .acknowledgeLost, .pulledAfter, .garbled, .refused(0)]
        + [TornPage.unchanged, .new, .zero, .mix(seed: 1), .mix(seed: 2), .mix(seed: 3)]
        .map(Fault.Kind.torn)

    @Test("settles at the next tap", arguments: PlayedDeed.all)
    func settles(_ chip: Chip, _ name: String) async throws {
        let deed = try await PlayedDeed(name, on: chip)
        let writes = deed.whole.writes
        // A record takes four pages, and one command to a chip.
        #expect(writes.count >= (chip == .ntag424 ? 1 : 4), "no record was interrupted")
        for (way, write) in Self.ways.flatMap({ way in writes.map { (way, $0) } }) {
            let label: Comment = "step \(write): \(way)"
            let tap = await deed.tap([write: .radio(way)])
            // Phones read the old balance, the new one or none.
            #expect(await tap.violations + tap.world.broken() == [], label)
            let (settled, violations) = await tap.world.settling()
            #expect(violations == [], label)
            #expect(await settled.restless() == [], label)
            #expect(deed.operation(in: settled)?.state == .committed || !tap.isDone, label)
        }
    }
}
