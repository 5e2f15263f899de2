import FaultyWorld
import Ledger
import SimulatedReader
import TapcardDomain
import Testing

/// Power lost during the n-th write, for every n and every way a page or a chip can be left: the
/// next tap resolves it, and the card and the ledger agree on the old balance or the new one.
@Suite("A card pulled while it is written")
struct TornTapTests {
    static let ways: [Fault.Kind] =
        [.lost, .acknowledgeLost, .pulledAfter, .garbled, .refused(0)]
        + [TornPage.unchanged, .new, .zero, .mix(seed: 1), .mix(seed: 2), .mix(seed: 3)]
        .map(Fault.Kind.torn)

    @Test("resolves at the next tap", arguments: PlayedRequest.all)
    func resolves(_ chip: Chip, _ name: String) async throws {
        let request = try await PlayedRequest(name, on: chip)
        let writes = request.whole.writes
        // A record takes four pages, and one command to a chip.
        #expect(writes.count >= (chip == .ntag424 ? 1 : 4), "no record was interrupted")
        for (way, write) in Self.ways.flatMap({ way in writes.map { (way, $0) } }) {
            let label: Comment = "step \(write): \(way)"
            let tap = await request.tap([write: .radio(way)])
            // Phones read the old balance, the new one or none.
            #expect(await tap.violations + tap.world.broken() == [], label)
            let (resolved, violations) = await tap.world.resolving()
            #expect(violations == [], label)
            #expect(await resolved.restless() == [], label)
            #expect(request.operation(in: resolved)?.state == .committed || !tap.isDone, label)
        }
    }
}
