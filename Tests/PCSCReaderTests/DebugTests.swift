import PCSCReader
import PlayedPCSCReaders
import Testing
extension PCSCReaderTests {
    @Suite struct Debugging {
        @Test(arguments: Kind.allCases) func debug(kind: Kind) async throws {
            Stage.reset()
            try kind.lay()
            let reader = try await kind.open()
            do { print(try await reader.select(within: .seconds(1))) } catch { print("E", error) }
            kind.slot.change { f in for c in f.commands.prefix(12) { print(c.map { String($0, radix: 16) }.joined(separator: " ")) } }
        }
    }
}
