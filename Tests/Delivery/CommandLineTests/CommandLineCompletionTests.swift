import CommandLine
import Glibc
import Testing
import Verbs

@Suite("Shell completions")
struct CommandLineCompletionTests {
    @Test(
        "Bash completes verbs, options and choices",
        arguments: [
            ([""], ["completions", "draws", "forget", "pay", "read", "tag"]),
            (["p"], ["pay"]),
            (["x"], []),
            (["tag", ""], ["dump", "info"]),
            (["--json", "tag", "i"], ["info"]),
            (["tag", "--reader", "sim", "d"], ["dump"]),
            (["draws", ""], ["show"]),
            (["draws", "show", ""], []),
            (["pay", "4.50", ""], []),
            (["pay", "--op"], ["--operation"]),
            (["pay", "4.50", "--c"], ["--card"]),
            (["read", "-"], ["--help", "--json", "--ledger", "--reader", "--version", "--watch"]),
            (["-"], ["--help", "--json", "--ledger", "--reader", "--version"]),
            (["completions", ""], ["bash", "fish", "zsh"]),
            (["completions", "z"], ["zsh"]),
            (["completions", "zsh", ""], []),
            (["tag", "dump", "--format", ""], ["flipper", "text"]),
            (["tag", "dump", "--format", "f"], ["flipper"]),
            (["pay", "--card", ""], []),
            (["pya", ""], []),
            (["pay", "--crad", ""], []),
        ])
    func verbsOptionsAndChoices(words: [String], offered: [String]) throws {
        #expect(try completions(of: words) == offered)
    }

    /// Bash passes `--format=f` and `sim:a` in pieces, as here.
    @Test(
        "Bash completes words that it splits at equals signs and colons",
        arguments: [
            (["tag", "dump", "--format", "="], ["flipper", "text"]),
            (["tag", "dump", "--format", "=", "f"], ["flipper"]),
            (["--reader", "=", "sim", ":", "a", "ta"], ["tag"]),
            (["--reader", "sim", ":", "a", "=", "b", "ta"], ["tag"]),
            (["--reader", "sim", ":"], []),
            (["--bogus", "=", ""], []),
        ])
    func wordsThatBashCutsUp(words: [String], offered: [String]) throws {
        #expect(try completions(of: words) == offered)
    }

    @Test(
        "Bash completes file names",
        arguments: [
            ["--ledger", ""], ["read", "--ledger", "=", ""], ["tag", "dump", ""],
            ["tag", "dump", "--json", "my"],
        ])
    func files(words: [String]) throws {
        let name = words.last == "my" ? ["my card.nfc"] : ["my card.nfc", "other"]
        #expect(try completions(of: words) == name)
    }

    @Test("A repeating argument is completed again after its first word")
    func anArgumentThatRepeatsGoesOn() throws {
        let table = CommandTable(
            program: "tapcard", summary: "",
            globals: [],
            commands: [
                CommandSpec(
                    path: ["paint"], summary: "",
                    parameters: [
                        CommandParameter(
                            "COLOUR", .arguments, help: "", isRequired: true,
                            choices: ["red", "green"])
                    ], example: "", group: "")
            ].map(row))
        guard case .help(let text) = try table.parse(["help", "--complete", "paint", "red", ""])
        else {
            Issue.record("no text")
            return
        }
        #expect(text == "red\ngreen\n")
    }

    @Test(
        "The program answers a completion request with candidates and descriptions",
        arguments: [
            (
                ["tag", ""],
                "info\tDescribe the chip\ndump\tWrite all pages down\n"
            ),
            (
                ["re"],
                """
                read\tShow what is on a card
                forget\tBlank the names of cards
                pay\tTake a payment
                draws\tList the draws; subcommands: show
                tag\tinfo, dump
                completions\tPrint completions for a shell

                """
            ),
            (["tag", "dump", "--format=t"], "--format=text\n--format=flipper\n"),
            (["tag", "dump", "--ledger=t"], ":files\n"),
            ([], "read"),
        ])
    func whatTheShellsAreTold(words: [String], answer: String) throws {
        let told = try #require(try text(["help", "--complete"] + words))
        #expect(words.isEmpty ? told.hasPrefix(answer) : told == answer)
    }

    @Test(
        "Every completion script parses in its shell and has no placeholder left",
        arguments: Shell.allCases)
    func everyScriptIsValidAndNamesTheProgram(shell: Shell) throws {
        let script = sample.completion(for: shell)
        #expect(script.contains("help --complete"))
        #expect(script.contains(":files"))
        #expect(!script.contains("PROGRAM"))
        // Only bash is sure to be installed.
        let check = "command -v \(shell) > /dev/null || exit 0; \(shell) -n 2>&1 && echo valid"
        let answer = try output(of: "printf %s \(quoted(script)) | { \(check); }")
        #expect(shell == .bash ? answer == "valid\n" : ["valid\n", ""].contains(answer))
    }

    @Test("Every completion script registers itself for the program")
    func theLinesThatTieTheScriptsToTheProgram() {
        #expect(sample.completion(for: .bash).hasSuffix("complete -F _tapcard tapcard\n"))
        #expect(sample.completion(for: .zsh).hasPrefix("#compdef tapcard\n"))
        #expect(
            sample.completion(for: .fish)
                .hasSuffix("complete -c tapcard -f -a '(__tapcard_candidates)'\n"))
    }

    /// The completions of bash after these words: its script's request to the program is recorded
    /// first; then the script gets the program's answer.
    private func completions(of words: [String]) throws -> [String] {
        let asked = try bash(words, program: #"printf '%s\n' "$@" >&3"#, show: "")
        let request = asked.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let answer = try #require(try text(request.map(String.init)))
        let offered = try bash(
            words, program: "printf %s \(quoted(answer))", show: #"printf '%s\n' "${COMPREPLY[@]}""#
        )
        return offered.split(separator: "\n").map(String.init).sorted()
    }

    private func bash(_ words: [String], program: String, show: String) throws -> String {
        let script = """
            folder=$(mktemp -d) && cd "$folder" && touch 'my card.nfc' other
            \(sample.completion(for: .bash))
            tapcard() { \(program); }
            COMP_WORDS=(tapcard \(words.map(quoted).joined(separator: " ")))
            COMP_CWORD=\(words.count)
            _tapcard 3>&1
            \(show)
            rm -r "$folder"
            """
        return try output(of: "bash -c \(quoted(script))")
    }

    private func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: #"'\''"#))'"
    }

    private func output(of command: String) throws -> String {
        guard let stream = unsafe popen(command, "r") else { throw ShellError.cannotStart }
        defer { unsafe pclose(stream) }
        var bytes: [UInt8] = []
        while case let byte = unsafe getc(stream), byte != EOF {
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

private enum ShellError: Error {
    case cannotStart
}
