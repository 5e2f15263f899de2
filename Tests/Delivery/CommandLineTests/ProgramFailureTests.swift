import Ledger
import Tags
import Testing

@Suite("Failures of the program's drivers")
struct ProgramFailureTests {
    /// `refused` rejects a request of a database's owner. It is not a failure of the ledger.
    @Test(
        "Every failure of the ledger exits with status 9",
        arguments: LedgerError.Kind.allCases.filter { $0 != .refused })
    func ledger(kind: LedgerError.Kind) async throws {
        let bench = try ProgramBench()
        try bench.write("", to: "ledger.sqlite")
        let failures = ProgramBench.Failures(ledger: LedgerError(kind, "the ledger is on fire"))
        let (unchanged, unusable) = (
            "Nothing was changed, and no money moved.",
            "Payments, top-ups, and other money operations are not possible until the ledger can "
                + "be used again"
        )
        let expected =
            switch kind {
            case .locked, .full: "\(unchanged) \(unusable)."
            case .wrongCurrency: unchanged
            case .offline: "\(unusable), except for offline payments where those are turned on."
            default: "\(unusable)."
            }
        for line in ["read", "pay 1", "audit", "history", "block", "keys list"] {
            let ended = await bench.run(line + " --quiet", failing: failures)
            #expect(ended.status == 9, "\(line)")
            let meaning =
                line == "pay 1" && kind == .offline
                ? "The payment was not taken: the card was not charged. Try again once the ledger "
                    + "is back online, or take cash."
                : expected
            #expect(
                ended.text.hasSuffix("! tapcard: The ledger is on fire. \(meaning)\n"), "\(line)")
        }
        let restored = await bench.run("restore-backup /etc/passwd", failing: failures)
        #expect(restored.status == 9)
        let left =
            kind == .outcomeUnknown
            ? "The ledger may have changed; check before you try again."
            : "The ledger is unchanged."
        #expect(restored.text == "! tapcard: The ledger is on fire. \(left)\n")
        let copied = await bench.run("backup /tmp/tapcard-none", failing: failures)
        #expect(copied.status == 9)
        #expect(copied.text.hasPrefix("! tapcard: The ledger is on fire. "), "\(copied.text)")
        let document = await bench.run("read --json", failing: failures)
        #expect(document.text.hasPrefix(#"{"result":"ledger","error":"ledger-"#))
        #expect(document.text.contains(#""uid":null,"operation":null,"resolved":[],"next":["#))
    }

    @Test("A card is shown without its ledger, but not with a ledger in another currency")
    func currency() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo --quiet")
        let burned = await bench.run(
            "read", failing: ProgramBench.Failures(ledger: LedgerError(.unavailable, "it burned")))
        #expect(burned.status == 9 && burned.text.contains("Seal: valid"), "\(burned.text)")
        let other = await bench.run(
            "read",
            failing: ProgramBench.Failures(
                ledger: LedgerError(.wrongCurrency, "l is kept in JPY, not in USD")))
        #expect(other.status == 9)
        #expect(
            other.text
                == "! tapcard: L is kept in JPY, not in USD. Nothing was changed, and no money "
                + "moved.\n")
    }

    @Test(
        "A failed reader exits with status 5, and commands that need no reader still work",
        arguments: [
            (ReaderError.Kind.noReader, Int32(5), "no-reader", "no-reader"),
            (.busy, 5, "no-reader", "reader-busy"), (.readerLost, 5, "no-reader", "reader-lost"),
        ])
    func reader(
        kind: ReaderError.Kind, status: Int32, result: String, word: String
    ) async throws {
        let bench = try ProgramBench()
        let failures = ProgramBench.Failures(reader: ReaderError(kind, "on fire"))
        _ = await bench.run("keys list")
        for line in ["read", "pay 1", "tag info", "forget"] {
            let ended = await bench.run(line + " --json", failing: failures)
            #expect(ended.status == status, "\(line)")
            #expect(ended.text.hasPrefix(#"{"result":"\#(result)","error":"\#(word)","message":""#))
            let reason = kind == .noReader ? ": on fire. " : "(on fire)"
            #expect(ended.text.contains(reason), "\(line)")
        }
        // What needs no reader does not ask for one.
        for line in ["audit", "history", "config", "keys rotate", "completions zsh", "--help"] {
            #expect(await bench.run(line, failing: failures).status == 0, "\(line)")
        }
    }

    @Test("Errors are printed as JSON if an option or a variable asks for it")
    func form() async throws {
        let bench = try ProgramBench()
        let document =
            #"{"result":"usage","error":"usage","message":"tapcard pay needs AMOUNT. "#
            + "See: tapcard pay --help\",\"uid\":null,\"operation\":null,\"resolved\":[],"
            + "\"next\":[]}\n"
        #expect(await bench.run("pay --json").text == document)
        #expect(await bench.run("pay", ["TAPCARD_JSON": "1"]).text == document)
        let text = "! tapcard pay needs AMOUNT. See: tapcard pay --help\n"
        for environment in [[:], ["TAPCARD_JSON": "0"], ["TAPCARD_JSON": ""]] {
            let ended = await bench.run("pay", environment)
            #expect(ended == .init(status: 2, text: text))
        }
        #expect(await bench.run("pay -- --json").text.hasPrefix(#"! tapcard: "--json" is"#))
    }
}
