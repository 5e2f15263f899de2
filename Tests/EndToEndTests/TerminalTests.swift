import TestSupport
import Testing

@Suite("Output on a terminal", .ownThread)
struct TerminalTests {
    private static let green = "\u{1B}[32m"
    private static let red = "\u{1B}[31m"
    private static let plain = "\u{1B}[0m"
    private static let clearLine = "\r\u{1B}[K"
    private static let complaint =
        "tapcard: The balance is too low: $20.00 available, $99.00 needed. Nothing was changed, "
        + "and no money moved. Top up with tapcard add, or charge less.\n"

    @Test("A success shows a check mark, in color unless color is turned off")
    func checkMark() throws {
        let till = try Till()
        try till.step("issue --balance 20 --no-scratch")
        let card =
            "No name, $20.00\n  Card 04AC6B72BA6C80, NTAG213\n  Seal: valid; ledger: card found\n"
        let colored = "\(TerminalTests.green)✓\(TerminalTests.plain) \(card)"
        #expect(try see(till, ["read"]).output == colored)
        #expect(try see(till, ["read"], ["NO_COLOR": ""]).output == colored)
        for (words, variables) in TerminalTests.colorless {
            #expect(try see(till, ["read"] + words, variables).output == "✓ \(card)")
        }
        #expect(try till.step("read") + "\n" == card.replacing("\n  ", with: "\n"))
    }

    @Test("An error is red unless color is turned off")
    func errors() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let errors = try see(till, ["pay", "99"]).errors
        let title = "\(TerminalTests.red)tapcard:\(TerminalTests.plain)"
        #expect(errors.hasSuffix(title + TerminalTests.complaint.dropFirst("tapcard:".count)))
        for (words, variables) in TerminalTests.colorless {
            let errors = try see(till, ["pay", "99"] + words, variables).errors
            #expect(errors.hasSuffix(TerminalTests.clearLine + TerminalTests.complaint))
            #expect(!errors.contains("\u{1B}[3"))
        }
        let usage = try see(till, ["pay"]).errors
        #expect(
            usage == "\(TerminalTests.red)tapcard\(TerminalTests.plain) pay needs AMOUNT. "
                + "See: tapcard pay --help\n")
    }

    @Test("A card that cannot be trusted gets a cross")
    func cross() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.simulation.set(["page 23": "00 00 00 00"])
        let seen = try see(till, ["read"])
        #expect(seen.status == 7)
        #expect(
            seen.output.hasPrefix("\(TerminalTests.red)✗\(TerminalTests.plain) No name, $20.00\n"))
        #expect(seen.errors.hasSuffix("tapcard repair --card 04AC6B72BA6C80\n"))
    }

    @Test("A spinner runs while a card is awaited and is gone before the result")
    func spinner() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("sim take")
        let waiting = "⠋ Tap the card"
        var errors = ""
        // A busy machine may leave the shorter waits no time for a second picture.
        for seconds in ["0.25", "2", "16"] where !errors.contains("⠙") {
            errors = try see(till, ["read", "--timeout", seconds]).errors
        }
        #expect(errors.hasPrefix(TerminalTests.clearLine + waiting))
        #expect(errors.contains("⠙ Tap the card\(TerminalTests.clearLine)"))
        let title = "\(TerminalTests.red)tapcard:"
        #expect(errors.contains(" Tap the card\(TerminalTests.clearLine)\(title)"))
        for switches in [["--json"], ["--quiet"], ["--verbose"]] {
            let errors = try see(till, ["read", "--timeout", "0"] + switches).errors
            #expect(!errors.contains("Tap the card\r"))
        }
        #expect(try till.run(["read", "--timeout", "0"]).errors.hasPrefix("tapcard: No card"))
    }

    @Test("Lists and dumps have no marks and no color")
    func lists() throws {
        let till = try Till()
        try till.step("demo")
        for line in ["history", "tag dump", "config", "keys list", "sim list", "completions bash"] {
            let seen = try see(till, till.words(of: line))
            #expect(seen.output == (try till.step(line)) + "\n", "\(line)")
        }
    }

    private static let colorless: [([String], [String: String?])] = [
        (["--no-color"], [:]), ([], ["NO_COLOR": "1"]), ([], ["TERM": "dumb"]),
        ([], ["TAPCARD_NO_COLOR": "yes"]),
    ]

    private func see(
        _ till: Till, _ words: [String], _ variables: [String: String?] = [:]
    ) throws -> Ended {
        let output = try Terminal()
        let errors = try Terminal()
        let process = try till.start(
            words, with: ["TERM": "xterm"].merging(variables) { $1 },
            streams: .init(output: .path(output.path), errors: .path(errors.path)))
        let ended = try process.end()
        return Ended(status: ended.status, output: output.read(), errors: errors.read())
    }
}
