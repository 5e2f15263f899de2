import CommandLine
import Testing
import Verbs

@Suite("Help topics and manual pages")
struct ManualTests {
    private let table = CommandTable(
        program: "tapcard", summary: "Keeps cards.", globals: [],
        commands: [
            CommandSpec(
                path: ["pay"], summary: "Record a payment",
                discussion: ".5 is an amount; 'a \\ too",
                parameters: [
                    CommandParameter("AMOUNT", .argument, help: "Such as 4.50", isRequired: true),
                    CommandParameter("card", .option("UID"), short: "c", help: "Insist on it"),
                ],
                example: "tapcard pay 4.50 # Zoë", group: "Money"),
            CommandSpec(
                path: ["keys", "list"], summary: "Show the keys", example: "tapcard keys list",
                group: "Keys"),
            CommandSpec(
                path: ["keys", "rotate"], summary: "Make a new key", example: "tapcard keys rotate",
                group: "Keys"),
            CommandSpec(
                path: ["sim", "put"], summary: "Put a tag on", example: "tapcard sim put",
                group: "Keys"),
            CommandSpec(
                path: ["sim", "take"], summary: "Take it off", example: "tapcard sim take",
                group: "Keys"),
        ].map(row),
        topics: [
            Topic("files", "where things are", "The ledger is in `ledger.sqlite`.\n\nSo it is."),
            Topic("keys", "what seals", "Keys seal cards."),
        ], date: "2026-11-25")

    private func help(_ line: String...) throws(CommandLineError) -> String? {
        switch try table.parse(line) {
        case .help(let text), .page(let text): text
        default: nil
        }
    }

    @Test("A topic is explained and listed in the overview")
    func aTopicIsExplained() throws {
        let text = """
            files: where things are

            The ledger is in ledger.sqlite.

            So it is.

            """
        #expect(try help("help", "files") == text)
        #expect(try #require(try help("help")).contains("\n  files    where things are\n"))
    }

    @Test("A topic introduces the verbs of the group with its name")
    func aTopicIntroducesTheVerbsOfItsName() throws {
        for line in [["help", "keys"], ["keys"], ["keys", "--help"]] {
            guard case .help(let text) = try table.parse(line) else {
                Issue.record("\(line) prints no help")
                continue
            }
            #expect(text.contains("Keys seal cards.\n\nVerbs:\n  keys list"))
            #expect(!text.contains("Keeps cards."))
        }
    }

    @Test("An unknown topic is refused with the nearest one")
    func unknown() {
        let near = refusal("help", "filse")
        #expect(near?.kind == .unknownVerb)
        #expect(near?.detail.contains("did you mean files?") == true)
        // Without "help" in front of it, a topic is an unknown verb.
        #expect(refusal("files")?.kind == .unknownVerb)
        #expect(refusal("help", "files", "more")?.kind == .tooManyArguments)
        #expect(refusal("help", "pay", "files") == nil)
    }

    private func refusal(_ line: String...) -> CommandLineError? {
        do throws(CommandLineError) {
            _ = try table.parse(line)
            return nil
        } catch {
            return error
        }
    }

    @Test("Topics are completed after the word help and nowhere else")
    func shellsCompleteTopics() throws {
        #expect(try #require(try help("help", "--complete", "help", "f")).contains("files\twhere"))
        #expect(try help("help", "--complete", "help", "files", "") == "")
        #expect(try #require(try help("help", "--complete", "f")).contains("files") == false)
    }

    @Test("Every group of verbs, the settings and the topics have a manual page")
    func pages() throws {
        let titles = try #require(try help("help", "--man")).split(separator: "\n")
            .filter { $0.hasPrefix(".TH ") }.map { $0.dropFirst(4).prefix { $0 != "\"" } }
        #expect(
            titles == [
                "TAPCARD 1 2026-11-25 ", "TAPCARD-PAY 1 2026-11-25 ",
                "TAPCARD-KEYS 1 2026-11-25 ", "TAPCARD-SIM 1 2026-11-25 ",
                "TAPCARD-SETTINGS 5 2026-11-25 ", "TAPCARD 7 2026-11-25 ",
            ])
    }

    @Test("The manual page of a verb has its synopsis, description, options and example")
    func aVerbWithAPageOfItsOwn() throws {
        let manual = try #require(try help("help", "--man"))
        let start = try #require(manual.firstRange(of: ".TH TAPCARD-PAY"))
        let page = String(manual[start.lowerBound...].prefix { $0 != "#" })
        #expect(
            page == """
                .TH TAPCARD-PAY 1 2026-11-25 "tapcard \(Release.version)" "tapcard manual"
                .SH NAME
                tapcard\\-pay \\- Record a payment
                .SH "SYNOPSIS"
                .nf
                \\fBtapcard\\fR \\fBpay\\fR \\fI[OPTIONS]\\fR \\fIAMOUNT\\fR
                .fi
                .SH "DESCRIPTION"
                Record a payment.
                .PP
                \\&.5 is an amount; \\(aqa \\(rs too
                .TP
                \\fIAMOUNT\\fR
                Such as 4.50
                .TP
                \\fB\\-c,\\fR \\fB\\-\\-card\\fR \\fIUID\\fR
                Insist on it
                .PP
                Example:
                .nf
                .RS
                tapcard pay 4.50 \

                """)
        #expect(manual.contains("# Zo\\[u00EB]\n"))
    }

    @Test("Verbs with one first word share a manual page")
    func verbsOfOneWordShareAPage() throws {
        let manual = try #require(try help("help", "--man"))
        #expect(manual.contains(#"tapcard\-keys \- what seals"#))
        #expect(manual.contains(#"tapcard\-sim \- the verbs tapcard sim put and take"#))
        #expect(manual.contains(".SS \"tapcard keys rotate\"\nMake a new key.\n"))
    }

    @Test("Words to type are bold in the manual")
    func fonts() throws {
        let manual = try #require(try help("help", "--man"))
        #expect(manual.contains(#"The ledger is in \fBledger.sqlite\fR."#))
    }

    @Test("A manual page leaves out a date that is not known")
    func noDate() throws {
        guard case .page(let manual) = try sample.parse(["help", "--man"]) else {
            Issue.record("no page")
            return
        }
        #expect(manual.hasPrefix(".TH TAPCARD 1 \"\" \"tapcard "))
    }
}
