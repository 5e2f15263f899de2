package import Glibc

/// A socket in the file system that responds to each line it receives with one line.
package final class ControlSocket {
    package static let maximumClients = 16
    /// How long to wait for another emulator when probing its socket, in milliseconds.
    private static let probeLimit = 100
    private static let backlog: Int32 = 8
    private static let chunkInBytes = 1_024

    private struct Client {
        let descriptor: Int32
        var splitter = LineSplitter()
        /// Whether the client had sent nothing when it was last checked.
        var isIdle = false
    }

    let path: String
    private let listener: Int32
    /// The clients, with those that have been idle the longest first.
    private var clients: [Client] = []
    /// Whether the process has no descriptor left for another client and has no client to drop.
    private var cannotAccept = false

    private init(path: String, listener: Int32) {
        self.path = path
        self.listener = listener
    }

    deinit {
        for client in clients { ControlSocket.disconnect(client) }
        close(listener)
        unsafe unlink(path)
    }

    /// Opens a socket at a path. Throws an error if anything exists there except a dead emulator's
    /// socket.
    package static func open(_ path: String) throws(EmulatorError) -> ControlSocket {
        var status = stat()
        // lstat does not follow a link to someone else's socket.
        if unsafe lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFSOCK else {
                throw EmulatorError(.occupied, "\(path) exists and is not a socket")
            }
            try removeDeadSocket(path)
        }
        let descriptor = try make()
        var address = try ControlSocket.address(path)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        // The mode is set before the socket has a name, so that other users can never connect.
        // Setting the process's umask instead would affect other threads.
        fchmod(descriptor, 0o600)
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length)
            }
        }
        guard bound == 0, listen(descriptor, backlog) == 0 else {
            let error = EmulatorError.last(path)
            close(descriptor)
            throw error
        }
        setNonBlocking(descriptor)
        return ControlSocket(path: path, listener: descriptor)
    }

    /// Removes the socket of a dead emulator. An emulator that is merely suspended keeps its
    /// socket.
    private static func removeDeadSocket(_ path: String) throws(EmulatorError) {
        do {
            close(try connect(path, within: probeLimit))
        } catch {
            guard error.kind == .busy else {
                unsafe unlink(path)
                return
            }
        }
        throw EmulatorError(.busy, "another emulated reader is using \(path)")
    }

    /// Connects to another process's socket. Connecting, reading, and writing each have this time
    /// limit, in milliseconds. If connecting takes longer, the error is `.busy`.
    static func connect(_ path: String, within limit: Int) throws(EmulatorError) -> Int32 {
        let descriptor = try make()
        var time = timeval(tv_sec: limit / 1_000, tv_usec: limit % 1_000 * 1_000)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(
                descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = try ControlSocket.address(path)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, length)
            }
        }
        guard result == 0 else {
            // EAGAIN means that the queue of incoming connections stayed full.
            let error =
                errno == EAGAIN
                ? EmulatorError(.busy, "\(path) does not accept connections")
                : EmulatorError.last(path)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// The descriptors to wait for. The listener is left out if no client can be accepted, because
    /// poll() would keep returning immediately.
    package var polled: [pollfd] {
        ((cannotAccept ? [] : [listener]) + clients.map(\.descriptor)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
    }

    /// Reads the available input and responds to every line.
    package func serve(_ answer: (String) -> String) {
        // The order stays the same, but clients that have sent something move to the end.
        let served = clients
        clients = []
        var active: [Client] = []
        for var client in served {
            guard serve(&client, answer) else {
                ControlSocket.disconnect(client)
                continue
            }
            if client.isIdle { clients.append(client) } else { active.append(client) }
        }
        clients += active
        accept()
    }

    /// Accepts waiting clients. If there are too many, drops the client that has been idle the
    /// longest. A client that has just sent something is not dropped, but it may be dropped at the
    /// next call if it is idle by then.
    private func accept() {
        cannotAccept = false
        while clients.count < ControlSocket.maximumClients || hasIdleClient {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor < 0 {
                // With these errors, the client stays in the queue, and poll() would report it
                // again and again.
                guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { return }
                guard hasIdleClient else {
                    cannotAccept = clients.isEmpty
                    return
                }
                dropOldestClient()
                continue
            }
            if clients.count == ControlSocket.maximumClients { dropOldestClient() }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            ControlSocket.setNonBlocking(descriptor)
            clients.append(Client(descriptor: descriptor))
        }
    }

    /// Whether any client is idle. Idle clients come first.
    private var hasIdleClient: Bool { clients.first?.isIdle == true }

    private func dropOldestClient() { ControlSocket.disconnect(clients.removeFirst()) }

    /// Disconnects a client. The socket is shut down before it is closed: if a forked process still
    /// holds the descriptor, closing alone would leave the client waiting.
    private static func disconnect(_ client: Client) {
        shutdown(client.descriptor, Int32(SHUT_RDWR))
        close(client.descriptor)
    }

    /// Serves one client. Returns `false` if the client is gone or has to be dropped.
    private func serve(_ client: inout Client, _ answer: (String) -> String) -> Bool {
        var chunk = [UInt8](repeating: 0, count: ControlSocket.chunkInBytes)
        let count = unsafe recv(client.descriptor, &chunk, chunk.count, 0)
        client.isIdle = count < 0 && errno == EAGAIN
        if count < 0 { return client.isIdle || errno == EINTR }
        var lines = client.splitter.take(chunk.prefix(count))
        // A final line without a line ending also counts.
        if count == 0, let last = client.splitter.finish() { lines.append(last) }
        for line in lines {
            guard send(answer(line), to: client.descriptor) else { return false }
        }
        return count > 0
    }

    /// Sends a response. Returns `false` if it cannot be sent in full; responses are short, so this
    /// means that the client is gone or is not reading.
    private func send(_ line: String, to descriptor: Int32) -> Bool {
        let bytes = Array((line + "\n").utf8)
        return unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            == bytes.count
    }

    private static func make() throws(EmulatorError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .last("a socket") }
        return descriptor
    }

    private static func setNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    private static func address(_ path: String) throws(EmulatorError) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            // One byte is reserved for the terminating zero.
            guard bytes.count < buffer.count, !bytes.isEmpty else { return false }
            unsafe buffer.copyBytes(from: bytes)
            return true
        }
        guard fits else { throw EmulatorError(.system, "\(path) is too long for a socket") }
        return address
    }
}
