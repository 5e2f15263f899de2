import TestSupport
import Testing

/// Invalid input is refused before anything is written, with words that say what to do instead.
@Suite("Bad input", .ownThread)
struct BadInputTests {
    private static let unchanged = "Nothing was changed, and no money moved."

    @Test("An invalid or excessive amount is refused and changes nothing")
    func amounts() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let before = try till.step("tag dump")
        let cases = [
            ("4,5", #""4,5" has a comma; enter 4.5."#),
            (
                "1,234.50",
                #""1,234.50" is not an amount; enter 1234.50: no thousands separator or currency "#
                    + "sign."
            ),
            (
                "5\u{7}\u{1B}[2J",
                "\"5\u{FFFD}\u{FFFD}[2J\" is not an amount; enter an amount such as 4.50."
            ),
            ("99999999999999999999", #""99999999999999999999" is too large to be an amount."#),
        ]
        for (text, words) in cases {
            try till.expect(
                ["add", text], status: 2, complains: "\(words) \(BadInputTests.unchanged)")
        }
        try till.expect(
            "add 999980 --yes", status: 4,
            complains: "$999980.00 more would exceed the card's maximum of $999999.99. "
                + BadInputTests.unchanged,
            with: ["TAPCARD_TOP_UP_LIMIT": "999999.99", "TAPCARD_BALANCE_LIMIT": "999999.99"])
        #expect(try till.step("tag dump") == before)
        #expect(try till.step("audit --json").contains(#""operations":1,"#))
    }

    @Test("Decimals are refused in a currency that has none")
    func yen() throws {
        let till = try Till(["TAPCARD_CURRENCY": "JPY"])
        try till.step("issue --balance 500")
        try till.expect(
            "pay 1.5", status: 2,
            complains: #""1.5" has too many decimal places; JPY has none. "#
                + BadInputTests.unchanged)
        #expect(try till.step("pay 450").hasPrefix("Paid ¥450, ¥50 left\n"))
    }

    @Test("A name with a control character is refused, and a decomposed accent is composed")
    func names() throws {
        let till = try Till()
        try till.step("keys list")
        try till.expect(
            ["issue", "--name", "Zoë\nÁlvarez"], status: 2,
            complains: "The name \"Zoë\u{FFFD}Álvarez\" contains a control character. "
                + BadInputTests.unchanged)
        #expect(try till.step("audit --json").contains(#""operations":0,"#))
        try till.step("issue --name Zoe\u{308}")
        #expect(try till.step("read").hasPrefix("Zo\u{EB}, $0.00\n"))
    }

    @Test("The replace command requires --card, and --card accepts a UID with colons")
    func numbers() throws {
        let till = try Till()
        try till.step("issue --balance 5")
        try till.expect(
            "replace", status: 2,
            complains:
                "The UID of the lost card is missing; specify it with --card. Nothing was done. To "
                + "find the UID of the lost card, run: tapcard history")
        #expect(try till.step("pay 1 --card 04:ac:6b:72:ba:6c:80").hasPrefix("Paid $1.00"))
    }
}
