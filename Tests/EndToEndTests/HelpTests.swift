import TestSupport
import Testing

@Suite("Help, manual and completions", .ownThread)
struct HelpTests {
    @Test("The overview lists the first word of every verb, and each group lists its verbs")
    func everyVerb() throws {
        let till = try Till()
        let overview = try till.step("--help")
        let page = try till.step("help --markdown")
        let verbs = page.matches(of: /\n## tapcard (.+)\n/).map { String($0.output.1) }
        #expect(verbs.count > 70)
        for verb in verbs {
            let first = String(verb.prefix { $0 != " " })
            #expect(overview.contains("\n  \(first) "), "\(verb)")
        }
        for first in Set(verbs.filter { $0.contains(" ") }.map { $0.prefix { $0 != " " } }) {
            let help = try till.step("\(first) --help")
            for verb in verbs where verb.hasPrefix("\(first) ") {
                #expect(help.contains("\n  \(verb) "), "\(verb)")
            }
        }
    }

    @Test("Every topic in the overview has a help text")
    func topics() throws {
        let till = try Till()
        let overview = try till.step("--help")
        let list = try #require(overview.firstRange(of: "\n\nTopics:\n"))
        let rows = overview[list.upperBound...].split(separator: "\n").prefix { $0.hasPrefix("  ") }
        let names = rows.compactMap { $0.split(separator: " ").first }
        #expect(names.count > 10)
        for name in names {
            let help = try till.step("help \(name)")
            #expect(help.count > 300 && !help.contains("`"), "\(name)")
        }
        let settings = try till.step("help settings")
        let unbroken = settings.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(unbroken.contains("TAPCARD_TIMEOUT, --timeout; default: 30 cashier "))
        #expect(try till.step("help keys").hasPrefix("Usage:\n  tapcard keys VERB [OPTIONS]"))
    }

    @Test("The manual covers every verb, the settings and the topics")
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

    @Test("Help needs no reader, no ledger and no home folder")
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
        #expect(ended.output.contains("--operation\tID that makes it safe"))
        let options = try till.run(["help", "--complete", "pay", "--"])
        #expect(options.output.contains("--reader\tReader to use, as listed by tapcard readers\n"))
    }

    @Test("The bash completion script completes verbs")
    func completions() throws {
        let till = try Till()
        let script = try till.step("completions bash")
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
