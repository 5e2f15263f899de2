import Glibc
import PN532Emulator
import SimulatedReader
import Testing

@Suite("The control socket of an emulated reader")
struct ControlSocketTests {
    /// Connections to one control socket.
    private final class Callers {
        private let path: String
        private(set) var descriptors: [Int32] = []

        init(_ path: String) { self.path = path }

        deinit { for descriptor in descriptors { close(descriptor) } }

        /// Connects once more; false if the queue has no room. A patient caller waits for room.
        func call(isPatient: Bool = false) throws -> Bool {
            let patience = isPatient ? 0 : SOCK_NONBLOCK.rawValue
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | patience)
            let descriptor = socket(AF_UNIX, kind, 0)
            try #require(descriptor >= 0)
            descriptors.append(descriptor)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) {
                unsafe $0.copyBytes(from: path.utf8)
            }
            let length = socklen_t(MemoryLayout<sockaddr_un>.size)
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(descriptor, $0, length) == 0
                }
            }
        }

        func send(_ text: String, by number: Int) throws {
            let count = unsafe Glibc.send(descriptors[number], text, text.utf8.count, 0)
            try #require(count == text.utf8.count)
        }

        /// The bytes that have arrived: nil if there are none, empty if the other end has closed.
        func heard(by number: Int) -> String? {
            var bytes = [UInt8](repeating: 0, count: 100)
            let count = unsafe recv(descriptors[number], &bytes, bytes.count, 0)
            return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    /// How long to wait, in milliseconds, for an answer that never comes.
    private static let limit = 50
    /// More connections than the queue of a control socket holds.
    private static let many = 100

    private static func name() -> String {
        "/tmp/tapcard-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    }

    private static func isReady(_ socket: ControlSocket) -> Bool {
        var polled = socket.polled
        return unsafe poll(&polled, nfds_t(polled.count), 0) > 0
    }

    /// A socket with as many silent clients as it takes.
    private func crowded() throws -> (socket: ControlSocket, callers: Callers) {
        let path = Self.name()
        let socket = try ControlSocket.open(path)
        let callers = Callers(path)
        for _ in 0..<ControlSocket.maximumClients {
            #expect(try callers.call())
            socket.serve { $0 }
        }
        socket.serve { $0 }
        return (socket, callers)
    }

    @Test("As many silent clients as the socket takes cost no work")
    func silence() throws {
        let (socket, callers) = try crowded()
        #expect(!Self.isReady(socket))
        #expect(socket.polled.count == ControlSocket.maximumClients + 1)
        withExtendedLifetime(callers) {}
    }

    @Test("A client over the limit is answered, and the one that was silent longest is closed")
    func oneMore() throws {
        let (socket, callers) = try crowded()
        // The first one is no longer the oldest when it has said something.
        try callers.send("a\n", by: 0)
        socket.serve { $0 + "!" }
        #expect(callers.heard(by: 0) == "a!\n")
        #expect(try callers.call())
        let last = ControlSocket.maximumClients
        try callers.send("b\n", by: last)
        for _ in 1...2 { socket.serve { $0 + "!" } }
        #expect(callers.heard(by: last) == "b!\n")
        #expect(callers.heard(by: 1) == "")
        for other in [0] + Array(2..<last) { #expect(callers.heard(by: other) == nil) }
        socket.serve { $0 }
        #expect(!Self.isReady(socket))
        #expect(socket.polled.count == ControlSocket.maximumClients + 1)
    }

    @Test("A line that has arrived is answered before its client is closed")
    func busy() throws {
        let (socket, callers) = try crowded()
        for number in 0..<ControlSocket.maximumClients { try callers.send("a\n", by: number) }
        #expect(try callers.call())
        socket.serve { $0 + "!" }
        for number in 0..<ControlSocket.maximumClients {
            #expect(callers.heard(by: number) == "a!\n")
        }
        // Now they are silent, and there is room for the one that waits.
        #expect(Self.isReady(socket))
        socket.serve { $0 }
        #expect(callers.heard(by: 0) == "")
        #expect(!Self.isReady(socket))
    }

    @Test("A client learns that it was closed even if another process holds its descriptor")
    func copied() throws {
        let (socket, callers) = try crowded()
        // As a process has them between its fork and its program.
        let copies = socket.polled.map { dup($0.fd) }
        defer { for copy in copies { close(copy) } }
        #expect(try callers.call())
        socket.serve { $0 }
        #expect(callers.heard(by: 0) == "")
    }

    @Test("A crowded reader still takes lines")
    func reader() throws {
        let path = Self.name()
        var options = EmulatedReader.Options()
        options.controlPath = path
        let reader = try EmulatedReader.start(.fresh, options)
        defer { reader.stop() }
        let callers = Callers(path)
        for _ in 0...ControlSocket.maximumClients { #expect(try callers.call(isPatient: true)) }
        #expect(try EmulatedReader.tell("remove", at: path) == #"{"result":"done"}"#)
        #expect(reader.simulation.onReader.isEmpty)
    }

    @Test("A line that is not answered in time may still be carried out")
    func unanswered() throws {
        let path = Self.name()
        let socket = try ControlSocket.open(path)
        #expect(throws: EmulatorError(.unanswered)) {
            try ControlClient.tell("remove", path, within: Self.limit)
        }
        var heard: [String] = []
        for _ in 1...2 {
            socket.serve { line in
                heard.append(line)
                return ""
            }
        }
        #expect(heard == ["remove"])
    }

    @Test("If nobody accepts connections, no line is sent and the socket stays in use")
    func stopped() throws {
        let path = Self.name()
        let socket = try ControlSocket.open(path)
        let callers = Callers(path)
        var waiting = 0
        while try waiting < Self.many && callers.call() { waiting += 1 }
        #expect(waiting < Self.many)
        #expect(throws: EmulatorError(.system)) {
            try ControlClient.tell("remove", path, within: Self.limit)
        }
        #expect(throws: EmulatorError(.busy)) { try ControlSocket.open(path) }
        #expect(unsafe access(path, F_OK) == 0)
        withExtendedLifetime(socket) {}
    }
}
