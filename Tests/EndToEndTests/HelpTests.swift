import Testing

@Suite("Help and completions of the program", .ownThread)
struct HelpTests {
    @Test("every verb has help with an example of itself, and the overview leads to it")
    func everyVerb() throws {
        let till = try Till()
        let overview = try till.step("--help")
        for line in ["", "help", "-h"] { #expect(try till.step(line) == overview) }
        let page = try till.step("help --markdown")
        let verbs = page.matches(of: /\n## tapcard (.+)\n/).map { String($0.output.1) }
        #expect(verbs.count == 75)
        for verb in verbs {
            let help = try till.step("\(verb) --help")
            #expect(help.hasPrefix("Usage:\n  tapcard \(verb) [OPTIONS]"))
            let example = try #require(help.firstRange(of: "\n\nExample:\n  tapcard "), "\(verb)")
            #expect(help[example.upperBound...].contains(verb))
            #expect(help.hasSuffix("  tapcard help options, tapcard help exit-status"))
            #expect(try till.step("help \(verb)") == help)
            let first = String(verb.prefix { $0 != " " })
            #expect(overview.contains("\n  \(first) "), "\(verb)")
            guard first != verb else { continue }
            #expect(try till.step("\(first) --help").contains("\n  \(verb) "), "\(verb)")
        }
        #expect(try till.step("tag") == till.step("tag --help"))
    }

    @Test("--version names version, commit and toolchain, each in a line")
    func version() throws {
        let text = try Till().step("--version")
        let form = /tapcard \d+\.\d+\.\d+\nCommit: \S.*\nToolchain: (?:unknown|Swift \d.* for \S+)/
        #expect(text.wholeMatch(of: form) != nil, "\(text)")
    }

    @Test("each topic of the overview is explained")
    func topics() throws {
        let till = try Till()
        let overview = try till.step("--help")
        let list = try #require(overview.firstRange(of: "\n\nTopics:\n"))
        let rows = overview[list.upperBound...].split(separator: "\n").prefix { $0.hasPrefix("  ") }
        let names = rows.compactMap { $0.split(separator: " ").first }
        #expect(names.count == 11)
        for name in names {
            let help = try till.step("help \(name)")
            #expect(help.count > 300 && !help.contains("`"), "\(name)")
        }
        let settings = try till.step("help settings")
        #expect(settings.contains("TAPCARD_TIMEOUT, --timeout; built in: 30\n"))
        #expect(try till.step("help keys").hasPrefix("Usage:\n  tapcard keys VERB [OPTIONS]"))
    }

    @Test("the manual has every verb, setting and topic")
    func manual() throws {
        let till = try Till()
        let manual = try till.run(["help", "--man"])
        #expect(manual.status == 0 && manual.errors == "")
        let pages = manual.output.matches(of: /(?m)^\.TH (\S+) (\d)/).map { "\($0.1).\($0.2)" }
        #expect(Set(pages).count == pages.count)
        let verbs = try till.step("help --complete ").split(separator: "\n")
            .compactMap { $0.split(separator: "\t").first }
        #expect(verbs.count > 30)
        for verb in verbs {
            #expect(pages.contains("TAPCARD-\(verb.uppercased()).1"), "\(verb)")
        }
        #expect(pages.first == "TAPCARD.1")
        #expect(pages.suffix(2) == ["TAPCARD-SETTINGS.5", "TAPCARD.7"])
        for heading in ["EXIT STATUS", "FILES", "ERRORS", "READER", "SIMULATION", "AMOUNTS", "IDS"]
        {
            #expect(manual.output.contains(".SH \"\(heading)\""), "\(heading)")
        }
    }

    @Test("help asks for no reader, no ledger and no folder")
    func nothingNeeded() throws {
        let till = try Till()
        for line in [
            "--help", "pay --help", "--version", "help --man", "help files", "help --complete pa",
        ] {
            let ended = try till.run(till.words(of: line), with: ["HOME": nil])
            #expect(ended.status == 0)
            #expect(ended.errors == "")
        }
        let ended = try till.run(["help", "--complete", "pay", "--op"])
        #expect(ended.output.contains("--operation\tMakes a retry safe"))
    }

    @Test("completions for the three shells", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) throws {
        let till = try Till()
        let script = try till.step("completions \(shell)")
        #expect(script.contains("help --complete"))
        #expect(!script.contains("PROGRAM"))
        guard shell == "bash" else { return }
        // Only bash is sure to be installed. It is asked what it would offer after "tapcard sc".
        try till.write(
            script + """

                COMP_WORDS=("$1" sc) COMP_CWORD=1
                _tapcard
                printf '%s\\n' "${COMPREPLY[@]}"
                """, to: till.file("complete"))
        let process = try ChildProcess(
            "/bin/bash", [till.file("complete"), try Executable.path()],
            environment: ["PATH": "/usr/bin:/bin"], folder: till.home)
        let ended = try process.end()
        #expect(ended.errors == "")
        #expect(ended.output == "scratch\nschema\n")
    }
}
