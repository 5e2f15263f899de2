import CommandLine
import TapcardCore
import Testing
import TextCodecs
import TillServer
import Verbs

@Suite("Error words and document schemas")
struct PrintedDocumentTests {
    private static let table = CommandTable.tapcard(Command.table(adding: [.serve()]))

    @Test("The errors topic lists every error with its result, exit status and meaning")
    func errors() async throws {
        let help = try await ProgramBench().run("help errors")
        #expect(help.status == 0)
        for kind in TapcardError.Kind.allCases {
            let row = help.text.split(separator: "\n").first { $0.hasPrefix("  \(kind.word) ") }
            #expect(row?.contains(/[a-z-]+ \([1-9]\): [a-z]/) == true, "\(kind.word)")
        }
        #expect(help.text.contains("  card-blocked "))
        #expect(help.text.contains(" refused (4): the card is blocked or was replaced\n"))
    }

    @Test("Every described member appears in the schema with its description")
    func words() async throws {
        let text = try await ProgramBench().document("schema")["schema"]?.text ?? ""
        for (name, words) in MemberWords.all {
            #expect(text.contains("\"\(name)\":{") && text.contains(words), "\(name)")
        }
    }

    @Test("Every verb has a schema with at least two kinds of documents")
    func verbs() async throws {
        let bench = try ProgramBench()
        for command in Self.table.commands {
            let verb = command.path.joined(separator: " ")
            let schema = try await bench.document("schema \(verb)")["schema"]
            let kinds = schema?["anyOf"]?.array?.count ?? 0
            #expect(kinds >= 2, "\(verb)")
        }
    }
}
