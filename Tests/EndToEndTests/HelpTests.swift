import Testing

@Suite("Help and completions of the program", .ownThread)
struct HelpTests {
    @Test("every verb of the overview has its own page, with an example of itself")
    func everyVerb() throws {
        let counter = try Counter()
        let overview = try counter.step("--help")
        for line in ["", "help", "-h"] { #expect(try counter.step(line) == overview) }
        let verbs = overview.matches(of: /\n  ([a-z][a-z-]*(?: [a-z-]+)?)  +[A-Z]/).map(\.output.1)
        #expect(verbs.count == 73)
        for verb in verbs {
            let help = try counter.step("\(verb) --help")
            #expect(help.hasPrefix("Usage:\n  tapcard \(verb) [OPTIONS]"))
            let example = try #require(help.firstRange(of: "\n\nExample:\n  tapcard "), "\(verb)")
            #expect(help[example.upperBound...].contains(verb))
            #expect(try counter.step("help \(verb)") == help)
        }
        #expect(try counter.step("tag") == counter.step("tag --help"))
        #expect(try counter.step("--version").wholeMatch(of: /tapcard \d+\.\d+\.\d+/) != nil)
    }

    @Test("help asks for no reader, no ledger and no folder")
    func nothingNeeded() throws {
        let counter = try Counter()
        for line in ["--help", "pay --help", "--version", "help --markdown", "help --complete pa"] {
            let ended = try counter.run(counter.words(of: line), with: ["HOME": nil])
            #expect(ended.status == 0)
            #expect(ended.errors == "")
        }
        let ended = try counter.run(["help", "--complete", "pay", "--op"])
        #expect(ended.output.contains("--operation\tMakes a retry safe"))
    }

    @Test("completions for the three shells", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let counter = try Counter()
        let script = try counter.step("completions \(shell)")
        #expect(script.contains("help --complete"))
        #expect(!script.contains("PROGRAM"))
        guard shell == "bash" else { return }
        // Only bash is sure to be installed. It is asked what it would offer after "tapcard sc".
        try counter.write(
            script + """

                COMP_WORDS=("$1" sc) COMP_CWORD=1
                _tapcard
                printf '%s\\n' "${COMPREPLY[@]}"
                """, to: counter.file("complete"))
        let process = try ChildProcess(
            "/bin/bash", [counter.file("complete"), try Executable.path()],
            environment: ["PATH": "/usr/bin:/bin"], folder: counter.home)
        let ended = try process.end()
        #expect(ended.errors == "")
        #expect(ended.output == "scratch\nschema\n")
    }
}
