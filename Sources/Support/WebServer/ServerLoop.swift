import BlockingLane
import CLinux
import CMicroHTTPD
import Glibc
import OperatingSystem

/// A server's thread. libmicrohttpd has no thread of its own and runs on this one, so that a
/// connection is never used by two threads, and only the mailbox and the streams need a lock.
final class ServerLoop {
    /// The numbers of watched descriptors; the numbers of connections start at `first`.
    private enum Watched {
        static let mailbox: UInt64 = 0
        static let daemon: UInt64 = 1
        static let first: UInt64 = 2
    }

    /// The precision of transfer timeouts.
    private static let tickMilliseconds: UInt64 = 500
    /// The time that every client is given for its request, even if many others are waiting for a
    /// connection.
    private static let guaranteedMilliseconds: UInt64 = 1_000

    let settings: WebServerSettings
    let reply: @Sendable (WebRequest) -> WebReply
    let mailbox: ServerMailbox
    let library: MicroHTTPDLibrary
    /// The daemon that accepts new connections. `nil` if the server is down.
    private var daemon: MicroHTTPDDaemon?
    /// The daemons with previous certificates, kept as long as they have connections.
    private var retiring: [MicroHTTPDDaemon] = []
    private var listening: CInt
    private let epoll: CInt
    private var lingering: LingeringSockets
    private var connections: [UInt64: ServerConnection] = [:] {
        didSet { mailbox.openConnections.withLock { $0 = connections.count } }
    }
    /// The number of bytes in bodies that are being received or that a handler owns. A handler may
    /// outlive its connection.
    var heldBodyBytes = 0
    /// Connections whose clients have stopped sending.
    private var halfClosed: Set<UInt64> = []
    private var nextNumber = Watched.first
    /// The value of `nextNumber` when waiting clients were last checked.
    private var numberAtTick = Watched.first
    private var hasClosed = false
    private var pace = LoopPace()
    /// Whether a request has made progress during this pass through the loop.
    var hasProgressed = false
    private var nextTick: UInt64?
    /// The deadline for stopping. `nil` until a stop is requested.
    private var end: UInt64?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(
        _ settings: WebServerSettings, _ library: MicroHTTPDLibrary,
        _ listening: consuming ListeningSocket,
        _ reply: @escaping @Sendable (WebRequest) -> WebReply
    ) throws(WebServerError) {
        self.settings = settings
        self.library = library
        self.reply = reply
        mailbox = try ServerMailbox()
        epoll = linux_epoll()
        lingering = LingeringSockets(epoll)
        guard epoll >= 0 else { throw .noResources("an epoll instance", errno) }
        // The descriptor is still used after the daemon owns the socket: to duplicate it, and to
        // count waiting clients.
        self.listening = listening.descriptor
        let daemon = try unsafe MicroHTTPDDaemon(
            library, settings, listening, context: Unmanaged.passUnretained(self).toOpaque())
        self.daemon = daemon
        guard
            linux_watch(epoll, mailbox.descriptor, UInt32(linux_readable), Watched.mailbox) == 0,
            linux_watch(epoll, daemon.descriptor, UInt32(linux_readable), Watched.daemon) == 0
        else { throw .noResources("memory", errno) }
    }

    deinit {
        // The daemons are already down, unless the thread could not be created.
        daemon?.quiesce()
        for daemon in daemons { daemon.stop() }
        if epoll >= 0 { close(epoll) }
    }

    func run() {
        while !isOver {
            let hasMessages = wait()
            if hasMessages { for message in mailbox.takeAll() { receive(message) } }
            // At the maximum number of connections, libmicrohttpd stops accepting new ones. It
            // resumes only in the run after the one in which connections closed, and its descriptor
            // does not report that such a run is needed.
            repeat {
                hasClosed = false
                for daemon in daemons { daemon.run() }
            } while hasClosed
            stopUnused()
            for number in halfClosed { endIfClientIsGone(number) }
            tick()
        }
        shutDown()
    }

    private var daemons: [MicroHTTPDDaemon] { retiring + (daemon.map { [$0] } ?? []) }

    var isStopping: Bool { end != nil }

    private var isOver: Bool {
        guard let end else { return false }
        return connections.isEmpty || SystemClock.uptimeMilliseconds >= end
    }

    /// Waits for an event. Returns `true` if the mailbox has a message.
    private func wait() -> Bool {
        let now = SystemClock.uptimeMilliseconds
        let times = [nextTick, end].compactMap { $0.map { $0 > now ? $0 - now : 0 } }
        let timeout = (times + daemons.compactMap { pace.timeout($0.timeout) }).min()
        var hasMessages = false
        unsafe withUnsafeTemporaryAllocation(
            of: linux_event.self, capacity: Int(linux_events_at_once)
        ) { events in
            let count = unsafe linux_wait(
                epoll, events.baseAddress, timeout.map { CInt(clamping: $0) } ?? -1)
            pace.note(hasProgress: hasProgressed, hasEvent: count > 0)
            hasProgressed = false
            for index in 0..<max(0, Int(count)) {
                let event = unsafe events[index]
                switch event.number {
                case Watched.mailbox: hasMessages = true
                case Watched.daemon: break
                default:
                    // A closed connection's number continues to be used for its lingering socket.
                    if connections[event.number] == nil {
                        lingering.drain(event.number)
                    } else {
                        halfClosed.insert(event.number)
                    }
                }
            }
        }
        return hasMessages
    }

    private func receive(_ message: ServerMailbox.Message) {
        switch message {
        case .answer(let number, let response, let bodyBytes):
            heldBodyBytes -= bodyBytes
            // The client may have disconnected while the handler was running.
            guard let connection = connections[number], case .handling = connection.phase else {
                response.abandon()
                return
            }
            connection.phase = .handled(response)
            connection.resume()
        case .streamHasChanged(let number):
            guard let connection = connections[number],
                case .streaming(let stream) = connection.phase
            else { return }
            if stream.isGone { connection.cut() } else { connection.resume() }
        case .renew(let tls, let done):
            do throws(WebServerError) {
                try renew(tls)
                done.resume(returning: nil)
            } catch {
                done.resume(returning: error)
            }
        case .stop(let time, let continuation):
            if let continuation { waiting.append(continuation) }
            beginStop(by: time)
        }
    }

    // MARK: A new certificate

    /// Uses a different certificate for new connections. A libmicrohttpd daemon cannot change its
    /// certificate, so a new daemon takes over the port, and existing connections continue on the
    /// old one.
    private func renew(_ tls: WebServerSettings.TLS) throws(WebServerError) {
        guard let old = daemon, !isStopping else {
            throw WebServerError(.noResources, "The server is stopping.")
        }
        var settings = settings
        settings.tls = tls
        let socket = try ListeningSocket.duplicate(listening)
        let number = socket.descriptor
        let new = try unsafe MicroHTTPDDaemon(
            library, settings, socket, context: Unmanaged.passUnretained(self).toOpaque())
        guard linux_watch(epoll, new.descriptor, UInt32(linux_readable), Watched.daemon) == 0 else {
            let error = WebServerError.noResources("memory", errno)
            new.quiesce()
            new.stop()
            throw error
        }
        // The old daemon stops listening but keeps its connections.
        old.quiesce()
        retiring.append(old)
        (daemon, listening) = (new, number)
    }

    private func stopUnused() {
        let unused = retiring.filter { !$0.isInUse }
        guard !unused.isEmpty else { return }
        retiring.removeAll { daemon in unused.contains { $0 === daemon } }
        for daemon in unused { daemon.stop() }
    }

    // MARK: Time limits

    /// Sets the deadline for the current transfer on the connection.
    private func limit(_ connection: ServerConnection, seconds: Int) {
        let now = SystemClock.uptimeMilliseconds
        connection.deadline = now + UInt64(UInt32(clamping: seconds)) * 1_000
        if nextTick == nil { nextTick = now + Self.tickMilliseconds }
    }

    /// Sets the deadline for a body or a response.
    func limitTransfer(_ connection: ServerConnection) {
        limit(connection, seconds: settings.transferSeconds)
    }

    /// Sets the deadline for the next request. libmicrohttpd does not report when a request starts,
    /// so the time for its headers is added to the idle time.
    func limitWait(_ connection: ServerConnection) {
        connection.waitingSince = SystemClock.uptimeMilliseconds
        if settings.idleSeconds > 0 {
            limit(connection, seconds: settings.idleSeconds + settings.headSeconds)
        } else {
            connection.deadline = nil
        }
    }

    private func tick() {
        let now = SystemClock.uptimeMilliseconds
        guard let planned = nextTick, planned <= now else { return }
        // The server may be full even below its own limit: if the system is out of descriptors or
        // memory, it does not accept new clients.
        let isFull =
            connections.count >= settings.connections
            || (nextNumber == numberAtTick && linux_waiting_connections(listening) > 0)
        numberAtTick = nextNumber
        var isNeeded = isFull
        for connection in connections.values {
            guard let deadline = connection.deadline else { continue }
            isNeeded = true
            if deadline <= now { connection.cut() }
        }
        if isFull, !isStopping { makeRoom(now) }
        lingering.expire(now)
        nextTick = isNeeded || !lingering.isEmpty ? now + Self.tickMilliseconds : nil
    }

    /// Closes up to one connection for each waiting client.
    private func makeRoom(_ now: UInt64) {
        let count = Int(linux_waiting_connections(listening))
        guard count > 0 else { return }
        let toClose = Crowd(
            connections.values.map { connection in
                let hasWaited = connection.waitingSince + Self.guaranteedMilliseconds <= now
                return Crowd.Member(
                    number: connection.number, client: connection.client,
                    isKnown: connection.isOfKnownClient,
                    canBeClosed: connection.isWithoutRequest && hasWaited,
                    canBeClosedSoon: connection.isWithoutRequest && !hasWaited,
                    waitingSince: connection.waitingSince)
            }
        ).connectionsToClose
        // The other connections stay open, because no more clients are waiting.
        for number in toClose.prefix(count) { connections[number]?.cut() }
    }

    // MARK: Connections

    func opened(_ handle: OpaquePointer) -> ServerConnection {
        let connection = unsafe ServerConnection(
            nextNumber, handle, library, mailbox, saying: settings.headers,
            openedAt: SystemClock.uptimeMilliseconds,
            noteProgress: { [unowned self] in hasProgressed = true })
        connections[nextNumber] = connection
        // Each daemon counts only its own connections, so the limit for all of them is checked
        // here.
        if !retiring.isEmpty, connections.count > settings.connections { connection.cut() }
        limit(connection, seconds: settings.headSeconds)
        // Without this, the loop would not notice when the client of a suspended connection
        // disconnects.
        if linux_watch(epoll, connection.socket, UInt32(linux_left), nextNumber) != 0 {
            connection.cut()
        }
        nextNumber += 1
        return connection
    }

    func closed(_ connection: ServerConnection) {
        connections[connection.number] = nil
        dropBody(of: connection)
        halfClosed.remove(connection.number)
        hasClosed = true
        // A failure means that the socket is no longer being watched, which is what we want.
        _ = linux_unwatch(epoll, connection.socket)
        guard !isStopping, connection.canStillSend else { return }
        lingering.add(connection.socket, connection.number)
        if nextTick == nil { nextTick = SystemClock.uptimeMilliseconds + Self.tickMilliseconds }
    }

    func dropBody(of connection: ServerConnection) {
        heldBodyBytes -= connection.body.count
        connection.body = []
    }

    /// Ends a connection whose client is gone. libmicrohttpd does not watch a suspended connection,
    /// so it does not notice that a stream's listener has disconnected, or that a request breaks
    /// off right after its latest bytes. A client that is waiting for its response is left alone,
    /// because it may have closed only its sending side.
    private func endIfClientIsGone(_ number: UInt64) {
        guard let connection = connections[number] else { return }
        switch connection.phase {
        case .handling, .handled, .answering: return
        case .idle, .begun, .receiving:
            // With TLS, bytes may be waiting that the socket does not show.
            guard settings.tls == nil, connection.input == .ended else { return }
        case .streaming(let stream): stream.leave()
        case .refused:
            // The client has not read the refusal yet; libmicrohttpd closes the connection
            // afterward.
            halfClosed.remove(number)
            return
        }
        halfClosed.remove(number)
        connection.cut()
    }

    // MARK: Stopping

    private func beginStop(by time: UInt64) {
        let isFirst = end == nil
        end = min(end ?? time, time)
        guard isFirst else { return }
        daemon?.quiesce()
        for connection in connections.values {
            switch connection.phase {
            case .idle, .begun, .receiving: connection.cut()
            case .streaming(let stream): stream.finish()
            case .handling, .handled, .answering, .refused: break
            }
        }
    }

    private func shutDown() {
        for connection in connections.values {
            // Running requests have used up the time they had to finish.
            if case .handling(let task) = connection.phase { task.cancel() }
            connection.cut()
        }
        // All connections have been resumed by now; if one were suspended, libmicrohttpd would
        // terminate the process.
        for daemon in daemons { daemon.stop() }
        (daemon, retiring) = (nil, [])
        for message in mailbox.closeAndTakeAll() {
            switch message {
            case .answer(_, let response, _): response.abandon()
            case .streamHasChanged: break
            case .renew(_, let done):
                done.resume(
                    returning: WebServerError(.noResources, "The server is stopping."))
            case .stop(_, let continuation):
                if let continuation { waiting.append(continuation) }
            }
        }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
