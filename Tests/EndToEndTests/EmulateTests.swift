import DurableFile
import Glibc
import Testing

@Suite("Playing a reader")
struct EmulateTests {
    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// What wakes the chip, lists the tag and writes 01020304 into its page 27h.
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

    /// A reader that is plugged in.
    private func playing(_ counter: Counter, _ words: [String]) throws -> ChildProcess {
        let process = try counter.start(["emulate"] + words)
        try process.wait("it is plugged in") { try process.output.hasSuffix("\n") }
        return process
    }

    @Test("it takes lines, and goes with its name and socket", arguments: [SIGINT, SIGTERM])
    func life(signal: Int32) throws {
        let counter = try Counter()
        let link = counter.file("reader")
        let process = try playing(counter, ["--tag", "ntag215", "--link", link])
        let device = "pn532_uart:\(link)"
        #expect(Self.exists(link))
        #expect(
            try process.output == """
                A PN532 answers at \(link)
                tapcard read --reader \(device)
                LIBNFC_DEFAULT_DEVICE=\(device):115200 nfc-list
                Control lines here, or: tapcard emulate --link \(link) --tell status
                Ctrl-C ends it

                """)
        let tell = ["emulate", "--link", link, "--tell"]
        try counter.expect(tell + ["remove"], prints: #"{"result":"done"}"#)
        #expect(try counter.run(tell + ["status"]).output.contains(#""chip":"NTAG215""#))
        let dump = try counter.run(tell + ["dump"]).output
        #expect(dump.hasPrefix("tapcard tag 1\nchip: NTAG215\n"))
        try counter.expect(
            tell + ["jump"], status: 2,
            complains: """
                The reader refused: "jump" is no control line. Nothing was changed. \
                tapcard emulate --help shows the lines.
                """)
        process.signal(signal)
        let ended = try process.end()
        #expect(ended.status == 0)
        #expect(ended.output.contains("The reader is gone. It counted:\n  hostCommands: 0\n"))
        #expect(ended.errors == "")
        #expect(!Self.exists(link))
        #expect(!Self.exists(link + ".control"))
        #expect(try counter.run(tell + ["status"]).status == 1)
    }

    @Test("as JSON it is one document")
    func document() throws {
        let counter = try Counter()
        let link = counter.file("reader")
        let process = try playing(counter, ["--link", link, "--json"])
        process.signal(SIGTERM)
        let output = try process.end().output
        #expect(output.hasPrefix(#"{"result":"done","device":"/dev/pts/"#))
        #expect(output.contains(#""link":"\#(link)","connection":"pn532_uart:\#(link):115200""#))
        #expect(output.hasSuffix(#""control":"\#(link).control"}"# + "\n"))
    }

    @Test("the tag lives in its file")
    func file() throws {
        let counter = try Counter()
        let (link, file) = (counter.file("reader"), counter.file("tag.txt"))
        try counter.step("demo")
        try counter.step("tag dump \(file)")
        let before = try #require(try DurableFile(file).read())
        let process = try playing(counter, ["--tag", file, "--link", link])
        let dump = try counter.run(["emulate", "--link", link, "--tell", "dump"]).output
        #expect(dump.contains("uid: \(Counter.firstUID)"))
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

    @Test("what cannot be played is refused, and what is in the way stays")
    func refusals() throws {
        let counter = try Counter()
        let file = counter.file("tag.txt")
        try counter.expect(
            ["emulate", "--tag", file], status: 1,
            complains: """
                There is no file ~/tag.txt. Nothing is played. Name a dump, or a chip: NTAG213, \
                NTAG215, NTAG216.
                """)
        try counter.write("no dump\n", to: file)
        let ended = try counter.run(["emulate", "--tag", file])
        #expect(ended.status == 1)
        #expect(ended.errors.contains("is no dump of a tag"))
        try counter.expect(
            ["emulate", "--link", file], status: 1,
            complains: """
                The emulated reader is not to be had: ~/tag.txt is there and is no link \
                to a terminal. Nothing was done.
                """)
        #expect(try DurableFile(file).read() == Array("no dump\n".utf8))
        #expect(try counter.run(["emulate", "--pace", "fast"]).status == 2)
        #expect(try counter.run(["emulate", "--tell", "status"]).status == 2)
        #expect(
            try counter.run(["emulate", "--link", file, "--tag", "NTAG213", "--tell", "status"])
                .status == 2)
    }

    @Test("a second one cannot take the first one's name")
    func busy() throws {
        let counter = try Counter()
        let link = counter.file("reader")
        let process = try playing(counter, ["--link", link])
        let ended = try counter.run(["emulate", "--link", link])
        #expect(ended.status == 5)
        #expect(ended.errors.contains("another emulated reader listens at \(link).control"))
        #expect(Self.exists(link))
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }
}
