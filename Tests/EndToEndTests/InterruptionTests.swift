import Glibc
import Testing

@Suite("Signals, readers in use and ends of pipes", .ownThread)
struct InterruptionTests {
    @Test("a wait for a card can be stopped", arguments: [SIGINT, SIGTERM, SIGHUP])
    func waiting(signal: Int32) throws {
        let till = try Till()
        try till.step("demo")
        try till.step("sim take")
        let process = try till.start(["pay", "1", "--verbose"])
        try process.wait("it waits") { try process.errors.contains("waiting for a card") }
        process.signal(signal)
        let ended = try process.end()
        #expect(ended.status == 128 + signal)
        #expect(ended.output == "")
        #expect(
            ended.errors == """
                tapcard: waiting for a card
                tapcard: Stopped. Nothing was changed on card or ledger.

                """)
    }

    @Test("leaving before a code is revealed leaves the card unscratched")
    func scratching() throws {
        let till = try Till()
        try till.step("demo")
        let process = try till.start(["scratch", "--verbose"])
        try process.wait("it scratches") { try process.errors.contains("tapcard: scratching") }
        process.signal(SIGINT)
        let ended = try process.end()
        #expect(ended.status == 128 + SIGINT)
        #expect(ended.output == "")
        #expect(
            ended.errors.hasSuffix(
                "tapcard: Scratching was stopped. The card is still unscratched and there is no "
                    + "code.\n"))
        #expect(Mask.uuid.first(in: ended.errors) == nil)
        #expect(try till.step("read --json").contains(#""code":null,"state":"unscratched","#))
        #expect(try till.step("audit --json").contains(#""operations":1,"open":0,"#))
    }

    @Test("watching prints a line a tap and ends well")
    func watching() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann")
        let process = try till.start(["read", "--watch", "--verbose"])
        try watch(process, till)
        #expect(
            till.masked(try process.end().output) == """
                <time> 04AC6B72BA6C80 Ann, $20.00, unscratched
                <time> 04AC6B72BA6C80 Ann, $20.00, unscratched

                """)
        #expect(
            try process.errors.contains(
                "tapcard: The tag is blank: there is no card on it. Nothing was changed on it. "
                    + "Write the demo user with tapcard demo, or a card of your own with tapcard "
                    + "issue.\n"))
    }

    @Test("watching prints a document a line")
    func watchingDocuments() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann")
        let process = try till.start(["read", "--watch", "--json", "--verbose"])
        try watch(process, till)
        let lines = till.masked(try process.end().output).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasSuffix(#","at":"<time>"}"#) })
        #expect(lines[0].hasPrefix(#"{"result":"done","uid":"04AC6B72BA6C80","chip":"NTAG213","#))
        #expect(lines[0] == lines[1])
        #expect(lines[2].hasPrefix(#"{"result":"refused","error":"blank-tag","message":"#))
    }

    /// A card that stays, is taken and put again, and then a blank tag; then Ctrl-C.
    private func watch(_ process: ChildProcess, _ till: Till) throws {
        func waits(_ times: Int) throws {
            try process.wait("it waits, for the \(times). time") {
                try process.errors.ranges(of: "waiting for a card").count == times
            }
        }
        try process.wait("a first line") { try process.output.hasSuffix("\n") }
        try till.step("sim take")
        try waits(2)
        try till.step("sim put")
        try process.wait("a second line") {
            try process.output.split(separator: "\n").count == 2
        }
        try till.step("sim put NTAG215")
        try process.wait("the blank tag") {
            try (process.output + process.errors).contains("The tag is blank")
        }
        try till.step("sim take")
        try waits(4)
        process.signal(SIGINT)
        #expect(try process.end().status == 128 + SIGINT)
    }

    @Test("two commands at once: the second one learns who was first")
    func busy() throws {
        let till = try Till()
        try till.step("demo")
        try till.step("sim take")
        let process = try till.start(["add", "5", "--verbose"])
        try process.wait("it waits") { try process.errors.contains("waiting for a card") }
        let ended = try till.run(["pay", "1"])
        #expect(ended.status == 5)
        #expect(
            ended.errors.replacing(till.home, with: "~")
                == "tapcard: The reader is in use (another tapcard (process \(process.process)) "
                + "works with ~/.local/share/tapcard/simulated/simulation.txt). Nothing was changed on card "
                + "or ledger. Stop the other program, or wait until it has finished; tapcard "
                + "doctor says which it is.\n")
        try till.expect(
            "pay 1 --json", status: 5,
            prints: #"""
                {"result":"no-reader","error":"reader-busy","message":"The reader is in use \#
                (another tapcard (process <number>) works with \#
                ~/.local/share/tapcard/simulated/simulation.txt). Nothing was changed on card or ledger. \#
                Stop the other program, or wait until it has finished; tapcard doctor says which \#
                it is.","uid":null,"operation":null,"resolved":[],"next":[{"step":"free-reader"}]}
                """#)
        try till.step("sim put")
        #expect(try process.end().output.hasPrefix("Added $5.00, $5.00 left\n"))
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $4.00 left\n"))
    }

    @Test("a payment goes on when its output is not read")
    func closedPipe() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let writingEnd = try brokenPipe(till)
        defer { close(writingEnd) }
        let broken = ChildProcess.Stream.descriptor(writingEnd)
        for streams in [
            ChildProcess.Streams(output: broken), .init(errors: broken),
            .init(output: broken, errors: broken), .init(output: .path("/dev/full")),
        ] {
            let process = try till.start(["pay", "1", "--verbose"], streams: streams)
            #expect(try process.end().status == 0)
        }
        #expect(try till.step("read").hasPrefix("No name, $16.00\n"))
        #expect(try till.step("audit").contains("operations: 5, nothing open"))
    }

    /// The end of a pipe whose other end has gone, so that who writes to it gets SIGPIPE.
    private func brokenPipe(_ till: Till) throws -> Int32 {
        let path = till.file("pipe")
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let readingEnd = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writingEnd = unsafe open(path, O_WRONLY | O_CLOEXEC)
        close(readingEnd)
        try #require(readingEnd >= 0 && writingEnd >= 0)
        return writingEnd
    }

    @Test("a card that is pulled too soon leaves an outcome that the next tap resolves")
    func pulled() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("sim tear 3 torn mix 7")
        try till.expect(
            "pay 5", status: 6,
            complains: "The card was pulled away too soon (2 of 4 pages were written). The payment "
                + "<uuid> is still open. Whether the card has it is not known; until then it is "
                + "not done. Tap the card again to resolve it. To repeat the same request, add "
                + "--operation <uuid>: it never happens twice.")
        try till.step("sim put")
        try till.expect(
            "read",
            prints: """
                No name, $20.00
                Card 04AC6B72BA6C80, NTAG213
                Scratch card: unscratched
                Seal: valid; ledger: known
                Resolved: the interrupted payment of $5.00 did not go through.
                """)
        try till.step("sim tear 1 lost")
        let document = try till.run(["add", "5", "--json"])
        #expect(document.status == 6)
        #expect(document.output.hasPrefix(#"{"result":"unknown","error":"outcome-unknown","#))
        #expect(
            till.masked(document.output).hasSuffix(
                #","uid":"04AC6B72BA6C80","operation":"<uuid>","resolved":[],"next":["#
                    + #"{"step":"tap-to-resolve","because":"tag-lost"},"#
                    + #"{"step":"repeat-with-id","operation":"<uuid>"}]}"# + "\n"))
        #expect(document.errors == "")
        try till.step("sim put")
        #expect(
            try till.step("read").hasSuffix(
                "\nResolved: the interrupted top-up of $5.00 went through."))
    }
}
