import Glibc
import SimulatedReader
import Tags
import Testing

@Suite("A process killed at a frame")
struct DyingTests {
    @Test(
        "A process killed at a write leaves the page old or new, and the reader free",
        arguments: [("killed-before", Page.zero), ("killed-after", Page(1, 2, 3, 4))])
    func dies(word: String, content: Page) async throws {
        let place = TemporaryPath()
        try place.file.change { $0.fault = Fault("write 2 \(word)") }
        let path = place.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let reader = try SimulatedReader(SimulationFile(path: path))
            _ = try await reader.select(within: .zero)
            _ = try await reader.exchange([0xA2, 0x0F, 9, 9, 9, 9])
            _ = try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4])
        }
        let world = try place.file.change { $0 }
        #expect(world.tags.first?[0x0F] == Page(9, 9, 9, 9))
        #expect(world.tags.first?[0x10] == content)
        #expect(world.fault == nil && world.onReader == [FieldWorld.uid])
        // The dead process holds the reader no longer.
        #expect(throws: Never.self) { try SimulatedReader(place.file) }
    }
}
