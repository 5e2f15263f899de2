import CommandLine
import Testing
import TillServer
import Verbs

@Suite("Parsing the command line")
struct CommandLineParsingTests {
    @Test("A verb takes its argument")
    func aVerbWithItsArgument() throws {
        let command = try #require(try run("pay", "4.50"))
        #expect(command.verb.words == "pay")
        #expect(command.texts == ["AMOUNT": ["4.50"]])
    }

    @Test(
        "Options may come before or after the verb",
        arguments: [
            ["--reader", "sim", "--json", "tag", "dump", "a.txt", "--format", "text"],
            ["tag", "--reader=sim", "dump", "--format=text", "a.txt", "--json"],
            ["tag", "dump", "a.txt", "-r", "sim", "--json", "--format", "text"],
            ["--json", "-r=sim", "tag", "dump", "--format", "text", "--", "a.txt"],
        ])
    func optionsStandBeforeAndAfterTheVerb(line: [String]) throws {
        guard case .run(let verb, let texts, _) = try sample.parse(line) else {
            Issue.record("not run")
            return
        }
        #expect(verb.words == "tag dump")
        #expect(
            texts == [
                "FILE": ["a.txt"], "reader": ["sim"], "format": ["text"], "json": ["true"],
            ])
    }

    @Test("A flag has a short form")
    func theShortFormOfAFlag() throws {
        #expect(try run("read", "-w")?.texts == ["watch": ["true"]])
    }

    @Test("A value may contain equals signs or be empty")
    func aValueMayContainEqualsSignsOrNothing() throws {
        #expect(try run("read", "--reader=a=b=")?.texts["reader"] == ["a=b="])
        #expect(try run("read", "--reader=")?.texts["reader"] == [""])
        #expect(try run("read", "--reader", "")?.texts["reader"] == [""])
    }

    @Test(
        "A word that looks like a number is an argument, even with a minus sign",
        arguments: ["-5", "-0.5", "-.5", "-,5", "-", "", "4,50"])
    func whatLooksLikeANumberIsAnArgument(word: String) throws {
        #expect(try run("pay", word)?.texts["AMOUNT"] == [word])
        #expect(try run("pay", "1", "--card", word)?.texts["card"] == [word])
    }

    @Test("Nothing after two dashes is an option")
    func nothingIsAnOptionAfterTwoDashes() throws {
        #expect(
            try run("forget", "--", "--json", "-x", "--")?.texts["CARD"]
                == ["--json", "-x", "--"])
        #expect(try run("--", "pay", "--card")?.texts["AMOUNT"] == ["--card"])
        #expect(try run("read", "--")?.verb.words == "read")
    }

    @Test("A repeating argument takes every word that is left")
    func theLastArgumentTakesAllThatIsLeft() throws {
        #expect(try run("forget", "04A1")?.texts["CARD"] == ["04A1"])
        #expect(try run("forget", "04A1", "--json", "04B2")?.texts["CARD"] == ["04A1", "04B2"])
    }

    @Test("An optional argument may be left out")
    func anArgumentMayBeLeftOut() throws {
        let command = try #require(try run("tag", "dump"))
        #expect(command.texts.isEmpty)
    }

    @Test("A verb can be both a command and a group")
    func aVerbCanBeACommandAndAGroup() throws {
        #expect(try run("draws")?.verb.words == "draws")
        #expect(try run("draws", "--age", "5")?.texts["age"] == ["5"])
        #expect(try run("draws", "--json", "show", "draw-1")?.texts["ID"] == ["draw-1"])
        #expect(try run("draws", "show", "show")?.texts["ID"] == ["show"])
    }

    @Test(
        "The option --version asks for the version wherever it appears",
        arguments: [
            ["--version"], ["pay", "--version"], ["--json", "--version"], ["tag", "--version"],
        ])
    func theVersion(line: [String]) throws {
        guard case .version = try sample.parse(line) else {
            Issue.record("no version")
            return
        }
    }

    @Test(
        "An unknown verb is refused, with a suggestion if one is close",
        arguments: [
            (["pya"], #"tapcard has no verb "pya"; did you mean pay? See: tapcard --help"#),
            (
                ["comp"],
                #"tapcard has no verb "comp"; did you mean completions? See: tapcard --help"#
            ),
            (["xyzzy"], #"tapcard has no verb "xyzzy". See: tapcard --help"#),
            ([""], #"tapcard has no verb "". See: tapcard --help"#),
            (["4.50"], #"tapcard has no verb "4.50". See: tapcard --help"#),
            (["\u{1B}[2J"], #"tapcard has no verb "\u{1B}[2J". See: tapcard --help"#),
            (
                ["help", "pya"],
                #"tapcard has no verb or topic "pya"; did you mean pay? See: tapcard --help"#
            ),
            (
                ["help", "info"],
                #"tapcard has no verb or topic "info"; did you mean tag info? See: tapcard --help"#
            ),
            (
                ["tag", "inof"],
                #"tapcard tag has no verb "inof"; did you mean info? See: tapcard tag --help"#
            ),
            (
                ["draws", "shwo"],
                #"tapcard draws has no verb "shwo"; did you mean show? See: tapcard draws --help"#
            ),
        ])
    func anUnknownVerb(line: [String], detail: String) {
        expect(.unknownVerb, detail, of: line)
    }

    @Test(
        "An unknown option is refused, with a suggestion if one is close",
        arguments: [
            (
                ["pay", "--opration", "x"],
                #"tapcard pay has no option "--opration"; did you mean --operation? "#
                    + "See: tapcard pay --help"
            ),
            (
                ["pay", "--oper", "x"],
                #"tapcard pay has no option "--oper"; did you mean --operation? "#
                    + "See: tapcard pay --help"
            ),
            (
                ["pay", "-card=5"],
                #"tapcard pay has no option "-card"; did you mean --card? See: tapcard pay --help"#
            ),
            (["--watch", "read"], #"tapcard has no option "--watch". See: tapcard --help"#),
            (["read", "-x"], #"tapcard read has no option "-x". See: tapcard read --help"#),
            (["read", "-wx"], #"tapcard read has no option "-wx". See: tapcard read --help"#),
            (["pay", "-inf"], #"tapcard pay has no option "-inf". See: tapcard pay --help"#),
        ])
    func anUnknownOption(line: [String], detail: String) {
        expect(.unknownOption, detail, of: line)
    }

    @Test(
        "An option that is given twice is refused",
        arguments: [
            ["pay", "1", "--card", "a", "--card", "b"], ["pay", "1", "--card=a", "-c", "b"],
        ])
    func anOptionGivenTwice(line: [String]) {
        expect(
            .repeatedOption, "tapcard pay takes --card only once. See: tapcard pay --help",
            of: line)
    }

    /// A common command is looked up without the others, so no other command may begin with its
    /// words.
    @Test("No other command begins with the words of a usual command")
    func theCommonCommandsStandAlone() {
        let (all, common) = (Command.table(adding: [.serve()]), Command.common)
        for command in common {
            let path = command.spec.path
            let found = all.filter { $0.spec.path.starts(with: path) }
            #expect(found.map(\.spec.path) == [path])
        }
        #expect(common.contains { $0.words == "read" } && common.contains { $0.words == "pay" })
    }

    @Test("The command serve takes --reader several times, and read takes it only once")
    func anOptionThatOneCommandTakesSeveralTimes() throws {
        let table = CommandTable.tapcard(Command.table(adding: [.serve()]))
        for line in [
            ["serve", "--reader", "sim:a", "--reader=sim:b"],
            ["--reader", "sim:a", "serve", "--reader", "sim:b"],
            ["--reader", "sim:a", "--reader", "sim:b", "serve"],
        ] {
            guard case .run(_, let texts, _) = try table.parse(line) else {
                Issue.record("not run: \(line)")
                continue
            }
            #expect(texts["reader"] == ["sim:a", "sim:b"], "\(line)")
        }
        for line in [
            ["read", "--reader", "sim:a", "--reader", "sim:b"],
            ["--reader", "sim:a", "--reader", "sim:b", "read"],
        ] {
            let error = #expect(throws: CommandLineError.self) { try table.parse(line) }
            #expect(
                error?.detail == "tapcard read takes --reader only once. See: tapcard read --help",
                "\(line)")
        }
    }

    @Test("A flag that is given twice is refused")
    func aFlagGivenTwice() {
        expect(
            .repeatedOption, "tapcard read takes --json only once. See: tapcard read --help",
            of: ["--json", "read", "--json"])
    }

    @Test(
        "An option without its value is refused",
        arguments: [
            ["pay", "1", "--card"], ["pay", "-c", "--json", "1"], ["pay", "-c", "--", "1"],
            ["pay", "1", "--card", "--help"],
        ])
    func aValueThatIsMissing(line: [String]) {
        expect(
            .missingValue, "--card needs a value: UID. See: tapcard pay --help", of: line)
    }

    @Test("A value for a flag is refused")
    func aValueForAFlag() {
        expect(
            .unexpectedValue,
            #"tapcard read takes no value for --watch. See: tapcard read --help"#,
            of: ["read", "--watch=yes"])
        expect(
            .unexpectedValue, #"tapcard read takes no value for -w. See: tapcard read --help"#,
            of: ["read", "-w="])
    }

    @Test("A missing argument is refused")
    func anArgumentThatIsMissing() {
        expect(
            .missingArgument, "tapcard pay needs AMOUNT. See: tapcard pay --help", of: ["pay"])
        expect(
            .missingArgument, "tapcard forget needs CARD. See: tapcard forget --help",
            of: ["forget", "--json"])
    }

    @Test(
        "One argument too many is refused",
        arguments: [
            (
                ["pay", "4.50", "5"],
                #"tapcard pay got one argument too many: "5". See: tapcard pay --help"#
            ),
            (
                ["read", "help"],
                #"tapcard read got one argument too many: "help". See: tapcard read --help"#
            ),
            (
                ["draws", "--age", "5", "show"],
                #"tapcard draws got one argument too many: "show". See: tapcard draws --help"#
            ),
        ])
    func tooManyArguments(line: [String], detail: String) {
        expect(.tooManyArguments, detail, of: line)
    }

    @Test("A word that is not among the choices is refused")
    func aWordThatIsNotAmongTheChoices() {
        expect(
            .notAmongChoices,
            #"tapcard completions does not accept "ksh" for SHELL; use one of bash, zsh, fish. "#
                + "See: tapcard completions --help",
            of: ["completions", "ksh"])
        expect(
            .notAmongChoices,
            #"tapcard tag dump does not accept "" for --format; use one of text, flipper. See: tapcard tag dump --help"#,
            of: ["tag", "dump", "--format="])
    }

    private func expect(
        _ kind: CommandLineError.Kind, _ detail: String, of line: [String],
        at location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: CommandLineError.self, sourceLocation: location) {
            try sample.parse(line)
        }
        #expect(error?.kind == kind, sourceLocation: location)
        #expect(error?.detail == detail, sourceLocation: location)
    }
}
