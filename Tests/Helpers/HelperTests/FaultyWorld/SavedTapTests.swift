import FaultyWorld
import SimulatedReader
import TapcardDomain
import Testing

/// A tap can be saved between two steps of its use case and continued from there any number of
/// times.
@Suite("A saved tap")
struct SavedTapTests {
    @Test(
        "A tap saved at every step ends like one that is played at once",
        arguments: EnumeratedRequest.all.map(\.name),
        [Chip.ntag215, .ntag424])
    func whole(_ name: String, _ chip: Chip) async throws {
        let request = try #require(EnumeratedRequest.named(name))
        guard request.isPlayed(on: chip) else { return }
        let world = await request.world(on: chip)
        let played = await Tap.play(request.stationRequest, in: world)
        var saved: SavedTap? = SavedTap(request.stationRequest, in: world)
        var steps = 0
        var end = world
        while let now = saved {
            // What somebody else does from the same moment changes nothing.
            _ = await now.advance([0: .radio(.pulledAfter)], keepsWorlds: false)
            let advance = await now.advance([:], keepsWorlds: false)
            #expect(advance.violations == [])
            steps += advance.steps.count
            (saved, end) = (advance.next, advance.world)
        }
        #expect(end == played.world && steps == played.steps.count)
    }

    @Test("Two saved taps are equal if they continue alike, and unequal otherwise")
    func equal() async throws {
        let request = try #require(EnumeratedRequest.named("pay"))
        var saved = SavedTap(request.stationRequest, in: await request.world(on: .ntag213))
        var advance = await saved.advance([:], keepsWorlds: true)
        // Up to the step that reads the card.
        while !advance.steps.contains(where: \.isFrame) {
            saved = try #require(advance.next)
            advance = await saved.advance([:], keepsWorlds: true)
        }
        let first = advance.steps.firstIndex { $0.isFrame }
        let frame = try #require(first)
        func after(_ mishap: Mishap) async -> SavedTap? {
            await saved.advance([frame: mishap], keepsWorlds: false).next
        }
        let garbled = await after(.radio(.garbled))
        let late = await after(.radio(.late))
        let pulled = await after(.radio(.pulledAfter))
        #expect(late != nil && garbled == late)
        #expect(pulled != late && advance.next != late)
    }
}
