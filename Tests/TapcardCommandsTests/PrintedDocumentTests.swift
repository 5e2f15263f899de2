import Glibc
import TapcardCommands
import TapcardCore
import Testing
import TextCodecs

@Suite("docs/JSON.md and the schemas")
struct PrintedDocumentTests {
    @Test("the page is what the schemas say; make docs brings it up to date")
    func page() async throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let bench = try ProgramBench()
        let printed = await bench.run("schema --markdown")
        #expect(printed.status == 0)
        #expect(try text(of: "/\(root)/docs/JSON.md") == printed.text)
        // Every verb, every error, and a word for each member.
        for command in CommandTable.tapcard.commands {
            let verb = command.path.joined(separator: " ")
            #expect(printed.text.contains("| `\(verb)` | "), "\(verb)")
        }
        for kind in TapcardError.Kind.allCases {
            let row = printed.text.split(separator: "\n").first {
                $0.hasPrefix("| `\(kind.word)` | `")
            }
            #expect(row?.hasSuffix(" |  |") == false, "\(kind.word) needs its words")
        }
        let unsaid = printed.text.split(separator: "\n")
            .filter { $0.hasPrefix("| `") && $0.hasSuffix("|  |") }
        #expect(unsaid == [])
    }

    @Test("every verb has a document of its own, but for the board on a screen")
    func verbs() async throws {
        let bench = try ProgramBench()
        for command in CommandTable.tapcard.commands {
            let verb = command.path.joined(separator: " ")
            let schema = try await bench.document("schema \(verb)")["schema"]
            let kinds = schema?["anyOf"]?.array?.count ?? 0
            #expect(kinds >= (verb == "mastermind play" ? 1 : 2), "\(verb)")
        }
    }

    private func text(of path: String) throws -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 262_144)
        let length = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(descriptor, buffer.baseAddress, buffer.count)
        }
        try #require(length > 0 && length < bytes.count)
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }
}
