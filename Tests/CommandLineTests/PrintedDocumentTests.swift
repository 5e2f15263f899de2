import CommandLine
import KioskServer
import TapcardCore
import Testing
import TextCodecs
import Verbs

@Suite("docs/JSON.md and the schemas")
struct PrintedDocumentTests {
    private static let table = CommandTable.tapcard(Command.table(adding: [.serve()]))

    @Test("the page has every verb and every error, and a word for each member")
    func page() async throws {
        let bench = try ProgramBench()
        let printed = await bench.run("schema --markdown")
        #expect(printed.status == 0)
        for command in Self.table.commands {
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
        for command in Self.table.commands {
            let verb = command.path.joined(separator: " ")
            let schema = try await bench.document("schema \(verb)")["schema"]
            let kinds = schema?["anyOf"]?.array?.count ?? 0
            #expect(kinds >= (verb == "mastermind play" ? 1 : 2), "\(verb)")
        }
    }
}
