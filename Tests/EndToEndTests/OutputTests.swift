import Glibc
import OperatingSystem
import Tags
import TestSupport
import Testing

@Suite("Unwritable output, and a dash for a file", .ownThread)
struct OutputTests {
    private static let full = ChildProcess.Streams(output: .path("/dev/full"))
    private static let complaint =
        "tapcard: Standard output could not be written: No space left on device. The output is "
        + "incomplete.\n"

    private func ended(
        _ till: Till, _ line: String, _ streams: ChildProcess.Streams = full
    ) throws -> Ended {
        try till.start(till.words(of: line), streams: streams).end()
    }

    @Test("A command that only prints exits with 1 when its output cannot be written")
    func everyVerb() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("keys export ~/keys")
        for line in [
            "", "--help", "--version", "pay --help", "help --markdown", "help --complete pa",
            "read", "read --json", "watch", "watch --json", "history", "history --json", "takings",
            "audit", "init", "config", "config get reader", "schema pay", "completions bash",
            "readers",
            "doctor", "tag info", "tag dump", "tag dump -",
            "sim list", "sim phone", "keys list", "keys export -", "keys customers -", "backup -",
            "cashiers list", "tokens list",
            "mastermind show",
        ] {
            let ended = try ended(till, line)
            #expect(ended.status == 1, "\(line): \(ended.errors)")
            #expect(ended.errors == OutputTests.complaint, "\(line)")
        }
    }

    @Test("A change to a card is reported on standard error when standard output is full")
    func requests() throws {
        let till = try Till()
        try till.step("keys list")
        for (line, words) in [
            ("issue --balance 20", "Issued: No name, $20.00. Card 04AC6B72BA6C80, NTAG213."),
            ("pay 4.50", "Paid $4.50, $15.50 left. Card 04AC6B72BA6C80, operation <uuid>."),
            ("pay 1 --json", "Paid $1.00, $14.50 left. Card 04AC6B72BA6C80, operation <uuid>."),
            ("block", "Blocked card 04AC6B72BA6C80."),
            ("unblock", "Unblocked card 04AC6B72BA6C80."),
            (
                "close",
                "Paid out $14.50, $0.00 left. Give the customer $14.50 now. Card 04AC6B72BA6C80, "
                    + "operation <uuid>."
            ),
        ] {
            let ended = try ended(till, line)
            let errors = till.masked(ended.errors)
            #expect(ended.status == 0, "\(line): \(errors)")
            #expect(
                errors.hasPrefix(
                    "tapcard: Standard output could not be written: No space left on device. The "
                        + "command itself succeeded: \(words) "), "\(line): \(errors)")
            #expect(errors.hasSuffix(" Do not run it again.\n"), "\(line): \(errors)")
        }
    }

    /// Commands of every verb that changes something, ordered so that each has something to do.
    private static let changes = [
        "init --currency USD", "config set timeout 20", "cashiers add Zed", "cashiers remove Zed",
        "tokens add shelf --may tags", "tokens revoke shelf",
        "keys rotate", "keys retire 1 --for-ever", "keys export ~/keys", "keys import ~/keys",
        "keys customers ~/customer-keys",
        "issue --balance 20", "add 5", "pay 4.50 --operation \(payment)", "refund \(payment)",
        "scratch", "activate", "ticket buy", "mastermind login amanda", "mastermind start --keep",
        "mastermind guess 111111", "mastermind resume", "block", "unblock", "repair", "forget",
        "tag protect", "tag unprotect", "tag dump ~/dump", "tag restore ~/dump --overwrite",
        "close", "backup ~/copy", "restore-backup ~/copy",
        "repair --card \(Till.firstUID)", "tag format --overwrite", "sim take", "sim put",
        "sim tear none", "sim put NTAG216", "demo",
        "sim take", "sim put NTAG424", "issue --balance 20",
    ]
    private static let payment = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    @Test("Every verb that changes something succeeds and says so when standard output is full")
    func changes() throws {
        let till = try Till()
        let services = try PlayedServices(till)
        let secrets: [String: String?] = [
            "TAPCARD_CASHIER_PASSWORD": "sesame-open", "TAPCARD_MASTERMIND_PASSWORD": "sandbox",
        ]
        let variables = services.addresses.merging(secrets) { $1 }
        for line in OutputTests.changes {
            let ended = try till.start(
                till.words(of: line), with: variables, streams: OutputTests.full
            ).end()
            #expect(ended.status == 0, "\(line): \(ended.errors)")
            #expect(
                ended.errors.contains("The command itself succeeded: "), "\(line): \(ended.errors)")
            #expect(ended.errors.hasSuffix(" Do not run it again.\n"), "\(line): \(ended.errors)")
        }
        try services.stop()
    }

    @Test(
        "A server whose address cannot be printed ends at once",
        arguments: ["serve", "serve --json", "sandbox", "sandbox --json", "emulate"])
    func addresses(line: String) throws {
        let ended = try ended(try Till(), line)
        #expect(ended.status == 1, "\(ended.errors)")
        #expect(ended.errors.hasSuffix(OutputTests.complaint), "\(ended.errors)")
    }

    @Test("A refusal keeps its own exit status when standard output is full")
    func failures() throws {
        let till = try Till()
        try till.step("issue --balance 5")
        let refused = try ended(till, "pay 9 --json")
        #expect(refused.status == 4)
        #expect(
            refused.errors
                == "tapcard: The balance is too low: $5.00 available, $9.00 needed. Nothing was "
                + "changed, and no money moved. Top up with tapcard add, or charge less.\n"
                + OutputTests.complaint)
        #expect(try ended(till, "pya --json").status == 2)
        let silent = try ended(till, "pay 1 --quiet")
        #expect(silent.status == 0 && silent.errors == "")
    }

    /// A file that the program opens could get the number of the closed output, and its text.
    @Test("With standard output closed a list fails, a payment succeeds, and no file gets the text")
    func closed() throws {
        let till = try Till()
        try till.step("issue --balance 5")
        for (line, status, words) in [
            ("history", 1, "The output is incomplete."),
            ("pay 1", 0, "The command itself succeeded: Paid $1.00, $4.00 left. "),
        ] {
            let shell = try ChildProcess(
                "/bin/sh", ["-c", "\"$0\" \(line) >&-; echo $?", try Executable.path()],
                environment: ["HOME": till.home, "TAPCARD_READER": "sim"], folder: till.home)
            let ended = try shell.end()
            #expect(ended.output == "\(status)\n")
            let complaint = "tapcard: Standard output could not be written: Bad file descriptor. "
            #expect(ended.errors.hasPrefix(complaint + words), "\(ended.errors)")
        }
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $3.00 left\n"))
        #expect(try till.step("audit").contains("rules: all hold"))
        for file in [till.keys, till.ledger, "\(till.data)/simulation.txt"] {
            #expect(try DurableFile(file).read().map { !$0.contains(Array("Paid $".utf8)) } == true)
        }
    }

    @Test("A dash stands for standard input or output wherever a file may be named")
    func dashes() throws {
        let (till, other) = (try Till(), try Till())
        try till.step("issue --balance 5 --name Ann")
        let script = """
            "$0" keys export - | HOME=$1 "$0" keys import - &&
            "$0" backup - | HOME=$1 "$0" restore-backup - &&
            "$0" tag dump - | HOME=$1 "$0" tag restore - --overwrite
            """
        let shell = try ChildProcess(
            "/bin/sh", ["-c", script, try Executable.path(), other.home],
            environment: [
                "HOME": till.home, "TAPCARD_READER": "sim", "TMPDIR": till.home,
                "PATH": "/usr/bin:/bin",
            ], folder: till.home)
        let ended = try shell.end()
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("Ledger restored from standard input\n"))
        #expect(ended.output.contains("Restored standard input onto tag 04AC6B72BA6C80\n"))
        // No temporary copy is left, and none is named like a dash.
        #expect(!KernelFile.names(in: till.home).contains { $0.hasPrefix("tapcard-") })
        #expect(!KernelFile.names(in: other.home).contains("-"))
        #expect(
            try other.step("read --no-resolve --json").contains(#""name":"Ann","balance":"5.00""#))
        for line in [
            "backup - --json", "keys export - --json", "--ledger - history", "--reader sim:- read",
        ] {
            let refused = try till.run(till.words(of: line))
            #expect(refused.status == 2, "\(line): \(refused.output)\(refused.errors)")
        }
        #expect(!KernelFile.names(in: ".").contains { $0.hasPrefix("-") })
        let authorities = try till.run(["config"], with: ["TAPCARD_CA_FILE": "-"])
        #expect(
            authorities.errors.contains(
                "(TAPCARD_CA_FILE) cannot be used: it names standard input. "))
        // What comes there is empty, and is named as what it was.
        for line in ["restore-backup -", "emulate --tag -"] {
            let refused = try till.run(till.words(of: line))
            #expect(refused.status != 0 && refused.errors.lowercased().contains("standard input"))
            #expect(!refused.errors.contains("/file"), "\(line): \(refused.errors)")
        }
        #expect(try till.step("tag dump - --json").contains(#""dump":"tapcard tag 1\n"#))
    }

    @Test("A raw dump from nfc-mfultralight can be restored if it is complete")
    func rawDump() throws {
        let (till, other) = (try Till(), try Till())
        try till.step("issue --balance 5 --name Ann")
        let dump = try TagDump.reading(Array(try till.step("tag dump").utf8 + [0x0A])).dump
        let bytes = dump.pages.flatMap { $0?.bytes ?? [] }
        #expect(bytes.count == 180)
        try DurableFile(other.file("card.mfd")).write(bytes)
        #expect(try other.step("tag restore ~/card.mfd").hasSuffix("tag 04AC6B72BA6C80"))
        let again = try TagDump.reading(Array(try other.step("tag dump").utf8 + [0x0A])).dump
        #expect(again.pages[4..<40] == dump.pages[4..<40])
        try DurableFile(other.file("short.mfd")).write(Array(bytes.dropLast(4)))
        let refused = try other.run(["tag", "restore", other.file("short.mfd")])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("must have the chip's size (180 for an NTAG213"))
    }

    @Test("The emulator can take its tag from standard input")
    func emulated() throws {
        let till = try Till()
        try till.step("issue --balance 5")
        try till.step("tag dump ~/dump")
        let script = #""$0" emulate --tag - --link "$1" < "$2""#
        let link = till.file("reader")
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "exec \(script)", try Executable.path(), link, till.file("dump")],
            environment: ["HOME": till.home], folder: till.home)
        try shell.wait("it is plugged in") { try shell.output.hasSuffix("\n") }
        let told = try till.run(["emulate", "--link", link, "--tell", "status"])
        #expect(told.output.contains("04AC6B72BA6C80"), "\(told.output)\(told.errors)")
        shell.signal(SIGTERM)
        #expect(try shell.end().errors.contains("Standard input is read-only, so changes"))
    }

    @Test("Ctrl-C at a waiting payment also stops the shell loop around it")
    func loop() throws {
        let till = try Till()
        try till.step("demo")
        try till.step("sim take")
        let terminal = try Terminal()
        let shell = try ChildProcess(
            "/bin/bash",
            ["-c", "while true; do \"$0\" pay 1 --verbose; done", try Executable.path()],
            environment: ["HOME": till.home, "TAPCARD_READER": "sim", "PATH": "/usr/bin:/bin"],
            folder: till.home, streams: .init(terminal: terminal.path))
        var seen = ""
        try shell.wait("it waits") {
            seen += terminal.read()
            return seen.contains("waiting for a card")
        }
        terminal.type("\u{03}")
        let hasEnded = ChildProcess.poll {
            seen += terminal.read()
            return shell.hasEnded()
        }
        try #require(hasEnded, "it did not end, and showed: \(seen)")
        #expect(try shell.end().status == 128 + SIGINT)
        seen += terminal.read()
        #expect(seen.ranges(of: "waiting for a card").count == 1)
        #expect(seen.contains(" Canceled. Nothing was changed, and no money moved.\n"))
    }
}
