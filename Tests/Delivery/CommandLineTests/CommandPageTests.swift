import CommandLine
import Testing
import TillServer
import Verbs

@Suite("The command table")
struct CommandPageTests {
    private static let table = CommandTable.tapcard(Command.table(adding: [.serve()]))

    @Test("Every example is a command line of its own verb")
    func examples() throws {
        for command in Self.table.commands {
            // What follows ">" is for the shell.
            let line = command.example.prefix { $0 != ">" }
            let words = line.replacing("\"Zoë Álvarez\"", with: "Zoë").split(separator: " ")
            #expect(words.first == "tapcard")
            guard
                case .run(let parsed, _, _) = try Self.table.parse(
                    words.dropFirst().map(String.init))
            else {
                Issue.record("\(command.example) is not a command line")
                continue
            }
            #expect(parsed.spec.path == command.path)
        }
    }

    @Test("Verbs and options have unique names and descriptions")
    func names() {
        let commands = Self.table.commands
        #expect(Set(commands.map(\.path)).count == commands.count)
        for command in commands {
            // An option that may be given several times replaces the global one of its name.
            let several = command.options.filter(\.isRepeatable).map(\.name)
            let options =
                command.options + Self.table.globals.filter { !several.contains($0.name) }
            #expect(Set(options.map(\.name)).count == options.count, "\(command.path)")
            #expect(options.allSatisfy { !$0.help.isEmpty }, "\(command.path)")
            #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."), "\(command.path)")
        }
    }
}
