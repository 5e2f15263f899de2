import Glibc
import OperatingSystem
import PN532Emulator
import TestSupport
import Testing

@Suite("The emulate command", .ownThread)
struct EmulateTests {
    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Frames that wake the chip, list the tag and write 01020304 to its page 27h.
    private static let writing: [UInt8] =
        [0x55, 0x55, 0x00, 0x00, 0x00]
        + [0x00, 0x00, 0xFF, 0x04, 0xFC, 0xD4, 0x4A, 0x01, 0x00, 0xE1, 0x00]
        + [0x00, 0x00, 0xFF, 0x09, 0xF7, 0xD4, 0x40, 0x01, 0xA2, 0x27, 1, 2, 3, 4, 0x18, 0x00]

    private func send(_ bytes: [UInt8], to device: String) throws {
        let descriptor = unsafe open(device, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Starts an emulator and waits until it is plugged in.
    private func playing(_ till: Till, _ words: [String]) throws -> ChildProcess {
        let process = try till.start(["emulate"] + words)
        try process.wait("it is plugged in") { try process.output.hasSuffix("\n") }
        return process
    }

    @Test(
        "The emulator obeys control lines and removes its link and socket when it stops",
        arguments: [SIGINT, SIGTERM])
    func life(signal: Int32) throws {
        let till = try Till()
        let link = till.file("reader")
        let process = try playing(till, ["--tag", "ntag215", "--link", link])
        let device = "pn532_uart:\(link)"
        #expect(Self.exists(link))
        #expect(
            try process.output == """
                Emulating a PN532 at \(link)
                To use it: tapcard read --reader \(device)
                LIBNFC_DEFAULT_DEVICE=\(device):115200 nfc-list
                To control it, type control lines here, or run: tapcard emulate --link \(link) --tell status
                To stop it, press Ctrl-C

                """)
        let tell = ["emulate", "--link", link, "--tell"]
        try till.expect(tell + ["remove"], prints: #"{"result":"done"}"#)
        #expect(try till.run(tell + ["status"]).output.contains(#""chip":"NTAG215""#))
        let dump = try till.run(tell + ["dump"]).output
        #expect(dump.hasPrefix("tapcard tag 1\nchip: NTAG215\n"))
        try till.expect(
            tell + ["jump"], status: 2,
            complains: """
                The emulator refused the line: "jump" is not a control command. Nothing was changed. \
                To list the control lines, run: tapcard emulate --help
                """)
        process.signal(signal)
        let ended = try process.end()
        #expect(ended.status == (signal == SIGINT ? 128 + SIGINT : 0))
        #expect(ended.output.contains("Emulator stopped\n  hostCommands: 0\n"))
        #expect(ended.errors == "")
        #expect(!Self.exists(link))
        #expect(!Self.exists(link + ".control"))
        #expect(try till.run(tell + ["status"]).status == 1)
    }

    @Test("The emulator plays an NTAG 424 and can load it again from a dump")
    func chip() throws {
        let till = try Till()
        let link = till.file("reader")
        let first = try playing(till, ["--tag", "NTAG424", "--link", link])
        let tell = ["emulate", "--link", link, "--tell"]
        #expect(try till.run(tell + ["status"]).output.contains(#""chip":"NTAG424""#))
        let dump = try till.run(tell + ["dump"]).output
        #expect(dump.hasPrefix("tapcard chip ntag424 1\nuid: 04518DFAA96180\n"))
        first.signal(SIGINT)
        _ = try first.end()
        let file = till.file("chip.txt")
        try DurableFile(file).write(Array(dump.utf8))
        let second = try playing(till, ["--tag", file, "--link", link])
        #expect(try till.run(tell + ["dump"]).output == dump)
        second.signal(SIGINT)
        #expect(try second.end().errors == "")
        try DurableFile(file).write(Array(dump.utf8.dropLast(2)))
        let refused = try till.run(["emulate", "--tag", file])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("is incomplete: lines are missing"), "\(refused.errors)")
    }

    @Test("The emulator prints one document with --json")
    func document() throws {
        let till = try Till()
        let link = till.file("reader")
        let process = try playing(till, ["--link", link, "--json"])
        process.signal(SIGTERM)
        let output = try process.end().output
        #expect(output.hasPrefix(#"{"result":"done","device":"/dev/pts/"#))
        #expect(output.contains(#""link":"\#(link)","connection":"pn532_uart:\#(link):115200""#))
        #expect(output.hasSuffix(#""control":"\#(link).control"}"# + "\n"))
    }

    @Test("A write to the emulated tag is saved in the tag's file")
    func file() throws {
        let till = try Till()
        let (link, file) = (till.file("reader"), till.file("tag.txt"))
        try till.step("demo")
        try till.step("tag dump \(file)")
        let before = try #require(try DurableFile(file).read())
        let process = try playing(till, ["--tag", file, "--link", link])
        let dump = try till.run(["emulate", "--link", link, "--tell", "dump"]).output
        #expect(dump.contains("uid: \(Till.firstUID)"))
        // Nothing was written to the tag, so nothing is written to its file.
        #expect(try DurableFile(file).read() == before)
        try send(Self.writing, to: link)
        try process.wait("the page is in the file") {
            let text = String(decoding: try DurableFile(file).read() ?? [], as: UTF8.self)
            return text.contains("page 27: 01 02 03 04")
        }
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("An unplayable tag file or a bad option is refused, and existing files are kept")
    func refusals() throws {
        let till = try Till()
        let file = till.file("tag.txt")
        try till.expect(
            ["emulate", "--tag", file], status: 1,
            complains: """
                The file ~/tag.txt does not exist. The emulator was not started. Specify a dump or a chip: NTAG213, \
                NTAG215, NTAG216, NTAG424.
                """)
        try till.write("no dump\n", to: file)
        try till.expect(
            ["emulate", "--tag", file], status: 1,
            complains: """
                ~/tag.txt is not a complete dump: the first line is neither tapcard's "tapcard \
                tag 1" nor that of a Flipper or Proxmark3 file. The emulator was not started. To make a complete one, run: tapcard tag dump
                """)
        try till.expect(
            ["emulate", "--tag", till.home], status: 1,
            complains: """
                The tag's file cannot be read: ~: Is a directory. The emulator was not started. Specify a dump \
                that you can read and write.
                """)
        try till.expect(
            ["emulate", "--link", file], status: 1,
            complains: """
                The emulator could not be started: ~/tag.txt exists and is not a link to a \
                terminal. Choose another name with --link or --control.
                """)
        #expect(try DurableFile(file).read() == Array("no dump\n".utf8))
        #expect(try till.run(["emulate", "--pace", "fast"]).status == 2)
        #expect(try till.run(["emulate", "--tell", "status"]).status == 2)
        #expect(
            try till.run(["emulate", "--link", file, "--tag", "NTAG213", "--tell", "status"])
                .status == 2)
    }

    @Test(
        "An empty tag, link or control name is refused",
        arguments: ["--tag", "--link", "--control"])
    func emptyName(option: String) throws {
        let till = try Till()
        for more in [[], ["--tell", "status"]] {
            try till.expect(
                ["emulate", option, ""] + more, status: 2,
                complains:
                    "The option \(option) needs a value. Nothing was done. Add one, or leave "
                    + "out the option.")
        }
    }

    @Test("A link name with a colon is refused because libnfc would cut it off")
    func colon() throws {
        let till = try Till()
        try till.expect(
            ["emulate", "--link", till.file("a:b")], status: 2,
            complains: """
                The value of --link cannot contain a colon, because libnfc cuts the name off there. Nothing \
                was done. Choose a path without a colon.
                """)
        #expect(!Self.exists(till.file("a")) && !Self.exists(till.file("a:b")))
    }

    @Test("Telling an emulator fails if none runs there or the control line is too long")
    func missing() throws {
        let till = try Till()
        let link = till.file("none/reader")
        try till.expect(
            ["emulate", "--link", link, "--tell", "status"], status: 1,
            complains: """
                The emulator could not be reached: ~/none/reader.control: No such file or \
                directory. Nothing was changed. Start it first, or specify the --link or --control \
                that it was started with.
                """)
        try till.expect(
            ["emulate", "--link", link, "--tell", String(repeating: "x", count: 513)], status: 2,
            complains: """
                The control line was not sent: a control command must be a single line of \
                at most 512 bytes. Nothing was changed. To list the control lines, run: tapcard emulate --help
                """)
    }

    @Test("A control line that gets no answer is reported as possibly executed")
    func unanswered() throws {
        let till = try Till()
        let link = till.file("reader")
        var socket: ControlSocket? = try ControlSocket.open(link + ".control")
        let told = try till.start(["emulate", "--link", link, "--tell", "plug"])
        func isReady() -> Bool {
            var polled = socket?.polled ?? []
            return unsafe poll(&polled, nfds_t(polled.count), 0) > 0
        }
        try told.wait("it is connected") { isReady() }
        socket?.serve { $0 }
        try told.wait("its line is there") { isReady() }
        socket = nil
        let ended = try told.end()
        #expect(ended.status == 1)
        #expect(
            till.masked(ended.errors) == """
                tapcard: The command was sent to the emulator, but ~/reader.control did not \
                respond. The emulator may or may not have run the command. Check in a moment with: \
                --tell status

                """)
    }

    @Test(
        "A dump from another program is only read and never written to", .timeLimit(.minutes(1)),
        arguments: ["flipper", "proxmark"])
    func foreign(format: String) throws {
        let till = try Till()
        let (link, file) = (till.file("reader"), till.file("card"))
        try till.step("demo")
        try till.step("tag dump \(file) --format \(format)")
        try till.setMode(of: file, 0o444)
        let before = try till.text(of: file)
        let process = try playing(till, ["--tag", file, "--link", link])
        try send(Self.writing, to: link)
        let tell = ["emulate", "--link", link, "--tell"]
        var dump = ""
        while !dump.contains("page 27: 01 02 03 04") {
            dump = try till.run(tell + ["dump"]).output
        }
        #expect(dump.contains("uid: \(Till.firstUID)"))
        process.signal(SIGTERM)
        let ended = try process.end()
        #expect(ended.status == 0)
        #expect(
            till.masked(ended.errors) == """
                tapcard: ~/card, a dump from another program, is treated as read-only, so changes \
                to the tag are lost when the emulator stops. To see the tag before then, use the \
                control line dump.

                """)
        #expect(try till.text(of: file) == before)
    }

    @Test(
        "The tag's file keeps its permissions when the emulator writes to it",
        arguments: [0o640, 0o600] as [mode_t])
    func permissions(mode: mode_t) throws {
        let till = try Till()
        let (link, file) = (till.file("reader"), till.file("tag.txt"))
        try till.step("demo")
        try till.step("tag dump \(file)")
        try till.setMode(of: file, mode)
        let process = try playing(till, ["--tag", file, "--link", link])
        try send(Self.writing, to: link)
        try process.wait("the page is in the file") {
            try till.text(of: file).contains("page 27: 01 02 03 04")
        }
        #expect(try DurableFile(file).permissions() == mode)
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("A read-only tag file is refused")
    func readOnly() throws {
        let till = try Till()
        let (link, file) = (till.file("reader"), till.file("tag.txt"))
        try till.step("demo")
        try till.step("tag dump \(file)")
        let before = try till.text(of: file)
        try till.setMode(of: file, 0o444)
        try till.expect(
            ["emulate", "--tag", file, "--link", link], status: 1,
            complains: """
                The file ~/tag.txt is read-only, but changes to the tag are written to it. The \
                emulator was not started. Use a copy, or make the file writable: chmod u+w ~/tag.txt
                """)
        #expect(!Self.exists(link))
        #expect(try till.text(of: file) == before)
        #expect(try DurableFile(file).permissions() == 0o444)
    }

    @Test("A second emulator cannot take the link name of one that is running")
    func busy() throws {
        let till = try Till()
        let link = till.file("reader")
        let process = try playing(till, ["--link", link])
        let ended = try till.run(["emulate", "--link", link])
        #expect(ended.status == 5)
        #expect(ended.errors.contains("another emulated reader is using \(link).control"))
        #expect(ended.errors.contains("Stop that emulator, or choose another name"))
        #expect(Self.exists(link))
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }
}
