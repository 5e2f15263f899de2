import Glibc
import TapcardCommands
import Testing

@Suite("The table of the commands")
struct CommandPageTests {
    @Test(
        "docs/COMMANDS.md and docs/SETTINGS.md are what the tables say; make docs writes them",
        arguments: [
            ("COMMANDS.md", CommandTable.tapcard.markdown()),
            ("SETTINGS.md", CommandTable.settingsPage()),
        ])
    func page(name: String, text: String) throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let descriptor = unsafe open("/\(root)/docs/\(name)", O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 262_144)
        let length = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(descriptor, buffer.baseAddress, buffer.count)
        }
        try #require(length > 0 && length < bytes.count)
        #expect(String(decoding: bytes.prefix(length), as: UTF8.self) == text, "docs/\(name)")
    }

    @Test("every example is a command line of its own verb")
    func examples() throws {
        for command in CommandTable.tapcard.commands {
            // What follows ">" is for the shell.
            let line = command.example.prefix { $0 != ">" }
            let words = line.replacing("\"Zoë Álvarez\"", with: "Zoë").split(separator: " ")
            #expect(words.first == "tapcard")
            guard
                case .run(let parsed) = try CommandTable.tapcard.parse(
                    words.dropFirst().map(String.init))
            else {
                Issue.record("\(command.example) is no command line")
                continue
            }
            #expect(parsed.spec.path == command.path)
        }
    }

    @Test("no two verbs have one name, and every option says what it does")
    func names() {
        let commands = CommandTable.tapcard.commands
        #expect(Set(commands.map(\.path)).count == commands.count)
        for command in commands {
            let options = command.options + CommandTable.tapcard.globals
            #expect(Set(options.map(\.name)).count == options.count, "\(command.path)")
            #expect(options.allSatisfy { !$0.help.isEmpty }, "\(command.path)")
            #expect(!command.summary.isEmpty && !command.summary.hasSuffix("."), "\(command.path)")
        }
    }
}
