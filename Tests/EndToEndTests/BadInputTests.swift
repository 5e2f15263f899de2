import Testing

/// Invalid input is refused before anything is written, with words that say what to do instead.
@Suite("Bad input is refused", .ownThread)
struct BadInputTests {
    private static let unchanged = "Nothing was changed on card or ledger."

    @Test("amounts")
    func amounts() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let before = try till.step("tag dump")
        let cases: [(text: String, status: Int32, words: String)] = [
            ("-1", 2, #""-1" is negative; write it without the sign."#),
            ("-0.01", 2, #""-0.01" is negative; write it without the sign."#),
            ("0", 2, "The amount must be above 0."),
            ("0.00", 2, "The amount must be above 0."),
            ("4,5", 2, #""4,5" has a comma; write 4.5."#),
            ("1,500", 2, #""1,500" is not an amount; write it like 4.50."#),
            ("1.234", 2, #""1.234" is too precise; USD has 2 decimals."#),
            ("1.", 2, #""1." is not an amount; write it like 4.50."#),
            ("", 2, #""" is not an amount; write it like 4.50."#),
            ("NaN", 2, #""NaN" is not an amount; write it like 4.50."#),
            ("inf", 2, #""inf" is not an amount; write it like 4.50."#),
            ("1e3", 2, #""1e3" is not an amount; write it like 4.50."#),
            ("0x10", 2, #""0x10" is not an amount; write it like 4.50."#),
            ("+5", 2, #""+5" is not an amount; write it like 4.50."#),
            ("five", 2, #""five" is not an amount; write it like 4.50."#),
            ("5 0", 2, #""5 0" is not an amount; write it like 4.50."#),
            (
                "$5", 2,
                #""$5" is not an amount; write 5: no thousands separator or currency sign."#
            ),
            ("٤", 2, #""٤" is not an amount; write it like 4.50."#),
            (
                "1,234.50", 2,
                #""1,234.50" is not an amount; write 1234.50: no thousands separator or currency "#
                    + "sign."
            ),
            (
                "5\u{7}\u{1B}[2J", 2,
                "\"5\u{FFFD}\u{FFFD}[2J\" is not an amount; write it like 4.50."
            ),
            ("99999999999999999999", 2, #""99999999999999999999" is too large to be an amount."#),
        ]
        for (text, status, words) in cases {
            try till.expect(
                ["pay", text], status: status, complains: "\(words) \(BadInputTests.unchanged)")
            try till.expect(
                ["add", text], status: status, complains: "\(words) \(BadInputTests.unchanged)")
        }
        try till.expect(
            "pay 20.01", status: 4,
            complains: "Not enough on the card: $20.00 available, $20.01 needed. "
                + "\(BadInputTests.unchanged) Top up with tapcard add, or charge less.")
        try till.expect(
            "add 999980 --yes", status: 4,
            complains: "With $999980.00 the card would hold more than $999999.99, the most it can. "
                + BadInputTests.unchanged,
            with: ["TAPCARD_TOP_UP_LIMIT": "999999.99", "TAPCARD_BALANCE_LIMIT": "999999.99"])
        #expect(try till.step("tag dump") == before)
        #expect(try till.step("audit --json").contains(#""operations":1,"#))
    }

    @Test("an amount in a currency without decimals")
    func yen() throws {
        let till = try Till(["TAPCARD_CURRENCY": "JPY"])
        try till.step("issue --balance 500")
        try till.expect(
            "pay 1.5", status: 2,
            complains: #""1.5" is too precise; JPY has no decimals. \#(BadInputTests.unchanged)"#)
        #expect(try till.step("pay 450").hasPrefix("Paid ¥450, ¥50 left\n"))
    }

    @Test("names and ids")
    func names() throws {
        let till = try Till()
        try till.step("keys list")
        let before = try till.step("tag dump")
        let cases: [(words: [String], status: Int32, complaint: String)] = [
            (
                ["--name", "A name that is rather too long"], 4,
                "What phones are to read is 3 bytes too long for the tag. "
                    + "\(BadInputTests.unchanged) Use a shorter name, none at all, or a tag with "
                    + "more memory."
            ),
            (
                ["--name", String(repeating: "ë", count: 81)], 2,
                "The name is 2 bytes too long; no chip has room for more than 160. "
                    + BadInputTests.unchanged
            ),
            (
                ["--name", "Zoë\nÁlvarez"], 2,
                "The name \"Zoë\u{FFFD}Álvarez\" contains a control character. "
                    + BadInputTests.unchanged
            ),
            (
                ["--name", " "], 2,
                "A name must not be empty; leave it out instead. \(BadInputTests.unchanged)"
            ),
            (["--id", "0"], 2, "0 is not a valid id; ids begin at 1. \(BadInputTests.unchanged)"),
            (
                ["--id", "seven"], 2,
                "\"seven\" is not a valid id; write a whole number from 1 to 9223372036854775807. "
                    + BadInputTests.unchanged
            ),
            (
                ["--balance", "1000000"], 4,
                "A top-up of $1000000.00 is over this station's limit of $20000.00. "
                    + "\(BadInputTests.unchanged) Check the amount. tapcard config shows the limits."
            ),
            (
                ["--display", "huge"], 2,
                "--display cannot be \"huge\": choose one of tapcard, ios-app. "
                    + "See: tapcard issue --help"
            ),
        ]
        for (words, status, complaint) in cases {
            try till.expect(["issue"] + words, status: status, complains: complaint)
        }
        #expect(try till.step("tag dump") == before)
        #expect(try till.step("audit --json").contains(#""operations":0,"#))
        try till.step("issue --name Zoe\u{308}")
        #expect(try till.step("read").hasPrefix("Zo\u{EB}, $0.00\n"))
    }

    @Test("numbers of cards and ids of operations")
    func numbers() throws {
        let till = try Till()
        try till.step("issue --balance 5")
        let operation = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
        let advice = "tapcard history shows the ids."
        try till.expect(
            "pay 1 --operation 7", status: 2,
            complains: #""7" is not a valid operation id: write a UUID. Nothing was done. "#
                + advice)
        try till.expect(
            "refund x", status: 2,
            complains: #""x" is not a valid operation id: write a UUID. Nothing was done. "#
                + advice)
        try till.expect(
            "refund \(operation)", status: 4,
            complains: "This ledger knows no operation <uuid>. \(BadInputTests.unchanged) "
                + "tapcard history shows the operations.")
        try till.expect(
            "pay 1 --card 04", status: 2,
            complains: #""04" is not a valid card number: write 14 hexadecimal digits. "#
                + "Nothing was done.")
        try till.expect(
            "pay 1 --card 04112233445566", status: 4,
            complains: "This is card 04AC6B72BA6C80, not 04112233445566. Nothing was changed on "
                + "it. Hold card 04112233445566 to the reader.")
        try till.expect(
            "block --card 04112233445566", status: 4,
            complains: "This ledger knows no card 04112233445566. \(BadInputTests.unchanged) "
                + "tapcard history shows the cards that it knows.")
        try till.expect(
            "replace", status: 2,
            complains: "Which card was lost? Name it with --card. Nothing was done. "
                + "tapcard history shows the numbers.")
        #expect(try till.step("pay 1 --card 04:ac:6b:72:ba:6c:80").hasPrefix("Paid $1.00"))
    }

    @Test(
        "words that are not a command line",
        arguments: [
            ("pya 4.50", #"tapcard has no verb "pya": did you mean pay? See: tapcard --help"#),
            ("pay", "tapcard pay needs AMOUNT. See: tapcard pay --help"),
            ("pay 1 2", #"tapcard: Unexpected argument: "2". See: tapcard pay --help"#),
            (
                "pay 1 --crad 2",
                #"tapcard pay has no option "--crad": did you mean --card? "#
                    + "See: tapcard pay --help"
            ),
            (
                "tag inf",
                #"tapcard tag has no verb "inf": did you mean info? See: tapcard tag --help"#
            ),
            (
                "completions tcsh",
                #"tapcard: SHELL cannot be "tcsh": choose one of bash, zsh, fish. "#
                    + "See: tapcard completions --help"
            ),
            (
                "sim put NTAG999",
                #"tapcard: There is no simulated tag "NTAG999". Nothing was changed. tapcard sim "#
                    + "list shows the numbers; NTAG213, NTAG215, NTAG216 or NTAG424 makes a new "
                    + "one."
            ),
            (
                "sim tear 0 lost",
                #"tapcard: "0 lost" is not a valid fault. Nothing was changed. tapcard sim tear "#
                    + "--help lists them."
            ),
        ])
    func words(line: String, complaint: String) throws {
        let till = try Till()
        let ended = try till.run(till.words(of: line))
        #expect(ended.status == 2)
        #expect(ended.output == "")
        #expect(ended.errors == complaint + "\n")
        let document = try till.run(till.words(of: line + " --json"))
        #expect(document.status == 2)
        #expect(document.errors == "")
        #expect(document.output.hasPrefix(#"{"result":"usage","error":"usage","message":""#))
        #expect(
            document.output.hasSuffix(
                #"","uid":null,"operation":null,"resolved":[],"next":[]}"# + "\n"))
    }
}
