import Glibc
import PN532Emulator
import SimulatedReader
import Tags
import Testing
import TextCodecs

@Suite("An emulated reader on a terminal")
struct EmulatorTerminalTests {
    /// A program that uses the device.
    private final class Host {
        private static let millisecondsLimit: Int32 = 10_000
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        func send(_ bytes: [UInt8]) throws {
            try #require(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
        }

        /// Reads this many bytes, or fewer if the device hangs up.
        func receive(_ count: Int) throws -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                try #require(unsafe poll(&polled, 1, Host.millisecondsLimit) == 1)
                var chunk = [UInt8](repeating: 0, count: count - bytes.count)
                let read = unsafe Glibc.read(descriptor, &chunk, chunk.count)
                guard read > 0 else { break }
                bytes += chunk.prefix(read)
            }
            return bytes
        }

        func isHungUp() throws -> Bool {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            try #require(unsafe poll(&polled, 1, Host.millisecondsLimit) == 1)
            return Int32(polled.revents) & POLLHUP != 0
        }
    }

    private static let version = EmulatorBench.wakeUp + EmulatorBench.frame([0x02])
    private static let answered =
        EmulatorBench.acknowledge + EmulatorBench.answer([0x03, 0x32, 0x01, 0x06, 0x07])
    private static let done = #"{"result":"done"}"#

    private static func name() -> String {
        "/tmp/tapcard-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    private func started(
        link: String? = nil, control: String? = nil
    ) throws -> EmulatedReader {
        var options = EmulatedReader.Options()
        options.link = link
        options.controlPath = control
        return try EmulatedReader.start(.fresh, options)
    }

    @Test("A command is answered, also for the next program that opens the device")
    func command() throws {
        let reader = try started()
        defer { reader.stop() }
        let path = try #require(reader.devicePath)
        #expect(reader.connectionString == "pn532_uart:\(path):115200")
        for _ in 1...2 {
            let host = try Host(path)
            try host.send(Self.version)
            #expect(try host.receive(Self.answered.count) == Self.answered)
        }
        #expect(reader.counters.hostCommands == 2)
    }

    @Test("A waiting command is answered when a tag is put down")
    func waiting() throws {
        let reader = try started()
        defer { reader.stop() }
        let host = try Host(try #require(reader.devicePath))
        reader.change { $0.take() }
        try host.send(EmulatorBench.wakeUp + EmulatorBench.frame(EmulatorBench.list))
        #expect(try host.receive(EmulatorBench.acknowledge.count) == EmulatorBench.acknowledge)
        reader.change { $0.put([EmulatorBench.uid]) }
        let found = EmulatorBench.answer(
            [0x4B, 0x01, 0x01, 0x00, 0x44, 0x00, 0x07] + EmulatorBench.uid)
        #expect(try host.receive(found.count) == found)
    }

    @Test("Unplugging hangs the device up, and plugging in brings back one under its name")
    func unplugging() throws {
        let link = Self.name()
        let reader = try started(link: link)
        defer { reader.stop() }
        #expect(reader.connectionString == "pn532_uart:\(link):115200")
        let host = try Host(link)
        #expect(reader.control("unplug") == Self.done)
        #expect(try host.isHungUp())
        #expect(!Self.exists(link))
        #expect(reader.devicePath == nil)
        #expect(reader.control("unplug") == Self.done)
        #expect(reader.control("plug") == Self.done)
        let again = try Host(link)
        try again.send(Self.version)
        #expect(try again.receive(Self.answered.count) == Self.answered)
        #expect(reader.control("plug") == Self.done)
    }

    @Test("A fault unplugs the reader after the chosen command was carried out")
    func unpluggedByFault() throws {
        let reader = try started()
        defer { reader.stop() }
        let host = try Host(try #require(reader.devicePath))
        try host.send(EmulatorBench.wakeUp + EmulatorBench.frame(EmulatorBench.list))
        _ = try host.receive(EmulatorBench.acknowledge.count)
        #expect(reader.control("fault data 1 unplug") == Self.done)
        try host.send(EmulatorBench.frame([0x40, 0x01, 0xA2, 0x10, 1, 2, 3, 4]))
        while try !host.isHungUp() { _ = try host.receive(1) }
        #expect(reader.simulation.tags.first?[0x10] == Page(1, 2, 3, 4))
        #expect(reader.devicePath == nil)
    }

    @Test("A change of a tag is reported with what was written")
    func changes() throws {
        let (reading, writing) = try Self.pipe()
        defer { close(reading) }
        var options = EmulatedReader.Options()
        options.onTagsChange = { world in
            let bytes = world.tags.first?[0x10].bytes ?? []
            _ = unsafe write(writing, bytes, bytes.count)
        }
        let reader = try EmulatedReader.start(.fresh, options)
        let host = try Host(try #require(reader.devicePath))
        try host.send(EmulatorBench.wakeUp + EmulatorBench.frame(EmulatorBench.list))
        try host.send(EmulatorBench.frame([0x40, 0x01, 0xA2, 0x10, 1, 2, 3, 4]))
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(unsafe read(reading, &bytes, 4) == 4)
        #expect(bytes == [1, 2, 3, 4])
        reader.stop()
        close(writing)
    }

    @Test("Lines of a stream are obeyed until it ends")
    func input() throws {
        let (reading, writing) = try Self.pipe()
        let (answers, answering) = try Self.pipe()
        defer { for end in [reading, answers, answering] { close(end) } }
        var options = EmulatedReader.Options()
        options.input = EmulatedReader.Input(descriptor: reading) { answer in
            _ = unsafe write(answering, answer, answer.utf8.count)
        }
        let reader = try EmulatedReader.start(.fresh, options)
        defer { reader.stop() }
        for line in ["stall\n", "remove"] {
            _ = unsafe write(writing, line, line.utf8.count)
            if line == "remove" { close(writing) }
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = unsafe read(answers, &bytes, bytes.count)
            #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == Self.done)
        }
        #expect(reader.simulation.onReader.isEmpty)
    }

    @Test("The socket takes lines and is removed with the reader")
    func socket() throws {
        let path = Self.name()
        let reader = try started(control: path)
        #expect(try EmulatedReader.tell("remove", at: path) == Self.done)
        #expect(reader.simulation.onReader.isEmpty)
        let answer = try EmulatedReader.tell("jump", at: path)
        #expect(
            answer == #"{"result":"failed","message":"\"jump\" is not a control command"}"#)
        let dump = try JSONValue.parsing(Array(EmulatedReader.tell("dump", at: path).utf8))
        #expect(dump["dump"]?.string?.hasPrefix("tapcard tag 1\n") == true)
        #expect(throws: EmulatorError(.control)) {
            try EmulatedReader.tell("status\nremove", at: path)
        }
        #expect(throws: EmulatorError(.control)) {
            try EmulatedReader.tell(String(repeating: "x", count: 513), at: path)
        }
        reader.stop()
        #expect(!Self.exists(path))
        #expect(throws: EmulatorError(.system)) { try EmulatedReader.tell("status", at: path) }
    }

    @Test("A file in the way is left alone, and what a dead reader left is replaced")
    func names() throws {
        let (link, control) = (Self.name(), Self.name())
        let file = unsafe open(link, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        close(file)
        #expect(throws: EmulatorError(.occupied)) { try started(link: link) }
        #expect(throws: EmulatorError(.occupied)) { try started(control: link) }
        #expect(throws: EmulatorError(.system)) {
            try started(control: String(repeating: "x", count: 200))
        }
        unsafe unlink(link)
        try #require(unsafe symlink("/etc/passwd", link) == 0)
        #expect(throws: EmulatorError(.occupied)) { try started(link: link) }
        unsafe unlink(link)
        try #require(unsafe symlink("/dev/pts/99999", link) == 0)
        try #require(Self.deadSocket(control))
        let reader = try started(link: link, control: control)
        #expect(try EmulatedReader.tell("remove", at: control) == Self.done)
        #expect(throws: EmulatorError(.busy)) { try started(control: control) }
        reader.stop()
        reader.stop()
        #expect(!Self.exists(link))
        #expect(!Self.exists(control))
    }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    /// Leaves a socket without a listener at the path.
    private static func deadSocket(_ path: String) -> Bool {
        let isKept = (try? ControlSocket.open(path)).map { socket in
            // A second name keeps the file when the first one goes with the socket.
            withExtendedLifetime(socket) { unsafe link(path, path + ".kept") == 0 }
        }
        guard isKept == true else { return false }
        return unsafe rename(path + ".kept", path) == 0
    }
}
