import Foundation
import FuzzTargets
import TestSupport
import Testing

extension LiveTests {
    /// These inputs run here, apart from those of other targets, because libnfc opens only one
    /// reader in a process.
    @Suite("Fuzzer inputs on the reader's line")
    struct LineCorpusTests {
        private static let folder = URL(
            filePath: Repository.path("Fuzz/Corpora/\(FuzzTarget.readerLine.name)"))

        @Test(
            "Every input gives an error or the right data, and the next tap works",
            .timeLimit(.minutes(2)))
        func holds() async throws {
            let files = try FileManager.default.contentsOfDirectory(
                at: Self.folder, includingPropertiesForKeys: nil)
            #expect(!files.isEmpty)
            for file in files {
                let input = [UInt8](try Data(contentsOf: file))
                for part in [input, Array(input.prefix(input.count / 2))] {
                    await #expect(throws: Never.self, "\(file.lastPathComponent)") {
                        try await FuzzTarget.readerLine.run(part)
                    }
                }
            }
            await FuzzTarget.closeReaderLine()
        }
    }
}
