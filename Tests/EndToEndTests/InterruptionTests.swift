import Glibc
import Testing

@Suite("Signals, readers in use and ends of pipes", .ownThread)
struct InterruptionTests {
    @Test("a wait for a card can be stopped", arguments: [SIGINT, SIGTERM, SIGHUP])
    func waiting(signal: Int32) throws {
        let counter = try Counter()
        try counter.step("demo")
        try counter.step("sim take")
        let process = try counter.start(["pay", "1", "--verbose"])
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
        let counter = try Counter()
        try counter.step("demo")
        let process = try counter.start(["scratch", "--verbose"])
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
        #expect(try counter.step("read --json").contains(#""code":null,"state":"unscratched","#))
        #expect(try counter.step("audit --json").contains(#""operations":1,"open":0,"#))
    }

    @Test("watching prints a line a tap and ends well")
    func watching() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20 --name Ann")
        let process = try counter.start(["read", "--watch", "--verbose"])
        try watch(process, counter)
        #expect(
            counter.masked(try process.end().output) == """
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
        let counter = try Counter()
        try counter.step("issue --balance 20 --name Ann")
        let process = try counter.start(["read", "--watch", "--json", "--verbose"])
        try watch(process, counter)
        let lines = counter.masked(try process.end().output).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasSuffix(#","at":"<time>"}"#) })
        #expect(lines[0].hasPrefix(#"{"result":"done","uid":"04AC6B72BA6C80","chip":"NTAG213","#))
        #expect(lines[0] == lines[1])
        #expect(lines[2].hasPrefix(#"{"result":"refused","error":"blank-tag","message":"#))
    }

    /// A card that stays, is taken and put again, and then a blank tag; then Ctrl-C.
    private func watch(_ process: ChildProcess, _ counter: Counter) throws {
        func waits(_ times: Int) throws {
            try process.wait("it waits, for the \(times). time") {
                try process.errors.ranges(of: "waiting for a card").count == times
            }
        }
        try process.wait("a first line") { try process.output.hasSuffix("\n") }
        try counter.step("sim take")
        try waits(2)
        try counter.step("sim put")
        try process.wait("a second line") {
            try process.output.split(separator: "\n").count == 2
        }
        try counter.step("sim put NTAG215")
        try process.wait("the blank tag") {
            try (process.output + process.errors).contains("The tag is blank")
        }
        try counter.step("sim take")
        try waits(4)
        process.signal(SIGINT)
        #expect(try process.end().status == 128 + SIGINT)
    }

    @Test("two commands at once: the second one learns who was first")
    func busy() throws {
        let counter = try Counter()
        try counter.step("demo")
        try counter.step("sim take")
        let process = try counter.start(["add", "5", "--verbose"])
        try process.wait("it waits") { try process.errors.contains("waiting for a card") }
        let ended = try counter.run(["pay", "1"])
        #expect(ended.status == 5)
        #expect(
            ended.errors.replacing(counter.home, with: "~")
                == "tapcard: The reader is in use (another tapcard (process \(process.process)) "
                + "works with ~/.local/share/tapcard/simulated/simulation.txt). Nothing was changed on card "
                + "or ledger. Stop the other program, or wait until it has finished; tapcard "
                + "doctor says which it is.\n")
        try counter.expect(
            "pay 1 --json", status: 5,
            prints: #"""
                {"result":"no-reader","error":"reader-busy","message":"The reader is in use \#
                (another tapcard (process <number>) works with \#
                ~/.local/share/tapcard/simulated/simulation.txt). Nothing was changed on card or ledger. \#
                Stop the other program, or wait until it has finished; tapcard doctor says which \#
                it is.","uid":null,"operation":null,"settled":[],"next":[{"step":"free-reader"}]}
                """#)
        try counter.step("sim put")
        #expect(try process.end().output.hasPrefix("Added $5.00, $5.00 left\n"))
        #expect(try counter.step("pay 1").hasPrefix("Paid $1.00, $4.00 left\n"))
    }

    @Test("a payment goes on when its output is not read")
    func closedPipe() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        let writingEnd = try brokenPipe(counter)
        defer { close(writingEnd) }
        let broken = ChildProcess.Stream.descriptor(writingEnd)
        for streams in [
            ChildProcess.Streams(output: broken), .init(errors: broken),
            .init(output: broken, errors: broken), .init(output: .path("/dev/full")),
        ] {
            let process = try counter.start(["pay", "1", "--verbose"], streams: streams)
            #expect(try process.end().status == 0)
        }
        #expect(try counter.step("read").hasPrefix("No name, $16.00\n"))
        #expect(try counter.step("audit").contains("operations: 5, nothing open"))
    }

    /// The end of a pipe whose other end has gone, so that who writes to it gets SIGPIPE.
    private func brokenPipe(_ counter: Counter) throws -> Int32 {
        let path = counter.file("pipe")
        try #require(unsafe mkfifo(path, 0o600) == 0)
        let readingEnd = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writingEnd = unsafe open(path, O_WRONLY | O_CLOEXEC)
        close(readingEnd)
        try #require(readingEnd >= 0 && writingEnd >= 0)
        return writingEnd
    }

    @Test("a card that is pulled too soon leaves an outcome that the next tap settles")
    func pulled() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        try counter.step("sim tear 3 torn mix 7")
        try counter.expect(
            "pay 5", status: 6,
            complains: "The card was pulled away too soon (2 of 4 pages were written). The payment "
                + "<uuid> is still open. Whether the card has it is not known; until then it is "
                + "not done. Tap the card again to settle it. To repeat the same request, add "
                + "--operation <uuid>: it never happens twice.")
        try counter.step("sim put")
        try counter.expect(
            "read",
            prints: """
                No name, $20.00
                Card 04AC6B72BA6C80, NTAG213
                Scratch card: unscratched
                Seal: valid; ledger: known
                Settled: the interrupted payment of $5.00 did not go through.
                """)
        try counter.step("sim tear 1 lost")
        let document = try counter.run(["add", "5", "--json"])
        #expect(document.status == 6)
        #expect(document.output.hasPrefix(#"{"result":"unknown","error":"outcome-unknown","#))
        #expect(
            counter.masked(document.output).hasSuffix(
                #","uid":"04AC6B72BA6C80","operation":"<uuid>","settled":[],"next":["#
                    + #"{"step":"tap-to-settle","because":"tag-lost"},"#
                    + #"{"step":"repeat-with-id","operation":"<uuid>"}]}"# + "\n"))
        #expect(document.errors == "")
        try counter.step("sim put")
        #expect(
            try counter.step("read").hasSuffix(
                "\nSettled: the interrupted top-up of $5.00 went through."))
    }
}
