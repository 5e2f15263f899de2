import Foundation
import FuzzTargets
import TestSupport
import Testing

/// The inputs that are kept: real ones to start with, and all that ever broke something.
@Suite("The fuzzer's corpora")
struct CorpusTests {
    private static let folder = URL(filePath: Repository.path("Fuzz/Corpora"))

    private static func files(of name: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: name), includingPropertiesForKeys: nil)
    }

    /// The inputs for the reader's line run before libnfc's own tests, one at a time.
    @Test(
        "Every kept input satisfies the rule of its fuzz target", .timeLimit(.minutes(2)),
        arguments: FuzzTarget.all.map(\.name).filter { $0 != FuzzTarget.readerLine.name }
    )
    func holds(_ name: String) async throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let files = try Self.files(of: name)
        #expect(!files.isEmpty)
        try await target.run([])
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            #expect(!input.isEmpty && input.count <= 16_384, "\(file.lastPathComponent)")
            await #expect(throws: Never.self, "\(file.lastPathComponent)") {
                try await target.run(input)
            }
            await #expect(throws: Never.self, "the first half of \(file.lastPathComponent)") {
                try await target.run(Array(input.prefix(input.count / 2)))
            }
        }
    }

    @Test("Every fuzz target has its own corpus, and every corpus has a target")
    func complete() throws {
        let names = FuzzTarget.all.map(\.name)
        #expect(Set(names).count == names.count)
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(folders) == Set(names))
    }
}
