import Glibc
import TestSupport
import Testing

@Suite("Signals, busy readers and closed pipes", .ownThread)
struct InterruptionTests {
    @Test(
        "A command that waits for a card can be stopped by a signal",
        arguments: [SIGINT, SIGTERM, SIGHUP])
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
                tapcard: Canceled. Nothing was changed, and no money moved.

                """)
    }

    @Test("Ctrl-C before the code is revealed leaves the card unscratched")
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
                "tapcard: Scratching was canceled. The card is still unscratched and has no "
                    + "code.\n"))
        #expect(Mask.uuid.first(in: ended.errors) == nil)
        #expect(try till.step("read --json").contains(#""code":null,"state":"unscratched","#))
        #expect(try till.step("audit --json").contains(#""operations":1,"open":0,"#))
    }

    @Test("A watch prints one line when a tag arrives and one when it leaves, until Ctrl-C")
    func watching() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann")
        let process = try till.start(["watch"])
        func lines(_ count: Int) throws {
            try process.wait("line \(count)") {
                try process.output.split(separator: "\n").count == count
                    && process.output.hasSuffix("\n")
            }
        }
        try lines(1)
        try till.step("sim take")
        try lines(2)
        try till.step("sim put")
        try lines(3)
        try till.step("sim put NTAG215")
        let blank = try till.simulation.uidOnReader()
        try lines(5)
        try till.step("sim take")
        try lines(6)
        process.signal(SIGINT)
        let ended = try process.end()
        #expect(ended.status == 128 + SIGINT)
        #expect(
            till.masked(ended.output) == """
                <time> \(Till.firstUID) NTAG213 (sealed)
                <time> \(Till.firstUID) is gone
                <time> \(Till.firstUID) NTAG213 (sealed)
                <time> \(Till.firstUID) is gone
                <time> \(blank) NTAG215
                <time> \(blank) is gone

                """)
        #expect(ended.errors == "")
    }

    @Test("A second command on a busy reader is refused and names the process that has it")
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
                == "tapcard: The NFC reader is busy with another program (the "
                + "simulation file ~/.local/share/tapcard/simulated/simulation.txt is in use by "
                + "another tapcard (process \(process.process))). Nothing was changed, and no "
                + "money moved. Close the program that is using the reader, or wait for it to "
                + "finish; to find out which one it is, run: tapcard doctor\n")
        let document = try till.run(["pay", "1", "--json"]).output
        #expect(document.hasSuffix(#""next":[{"step":"free-reader"}]}"# + "\n"), "\(document)")
        try till.step("sim put")
        #expect(try process.end().output.hasPrefix("Added $5.00, $5.00 left\n"))
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $4.00 left\n"))
    }

    @Test("A payment completes even if its output cannot be written")
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
        #expect(try till.step("audit").contains("operations: 5; unfinished: none;"))
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
}
