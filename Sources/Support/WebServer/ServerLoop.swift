import BlockingLane
import CLinux
import CMicroHTTPD
import Glibc
import SystemClock

/// The thread on which a server runs. libmicrohttpd has none of its own and is run here, so that
/// nothing of a connection is touched by two threads, and only the mailbox and the streams have a
/// lock.
final class ServerLoop {
    /// Under which numbers descriptors are watched; connections have those from `first` on.
    private enum Watched {
        static let mailbox: UInt64 = 0
        static let daemon: UInt64 = 1
        static let first: UInt64 = 2
    }

    /// How exactly transfers are held to their time.
    private static let tickMilliseconds: UInt64 = 500
    /// How long a client has for its request, however many others wait for its place.
    private static let courtesyMilliseconds: UInt64 = 1_000

    let settings: WebServerSettings
    let reply: @Sendable (WebRequest) -> WebReply
    let mailbox: ServerMailbox
    let library: MicroHTTPDLibrary
    /// The one that takes new connections; nil when all is down.
    private var daemon: MicroHTTPDDaemon?
    /// Those that had another certificate, for as long as they have connections.
    private var retiring: [MicroHTTPDDaemon] = []
    private var listening: CInt
    private let epoll: CInt
    private var lingering: LingeringSockets
    private var connections: [UInt64: ServerConnection] = [:]
    /// Of bodies that are received or with a handler, which may outlive its connection.
    var heldBodyBytes = 0
    /// Connections whose clients send no more.
    private var left: Set<UInt64> = []
    private var nextNumber = Watched.first
    /// The next number when was looked last for those that wait.
    private var numberAtTick = Watched.first
    private var hasClosed = false
    private var nextTick: UInt64?
    /// When all has to be down; nil while nobody has asked for it.
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
        guard epoll >= 0 else { throw .noResources("no epoll", errno) }
        self.listening = listening.descriptor
        let daemon = try unsafe MicroHTTPDDaemon(
            library, settings, listening, context: Unmanaged.passUnretained(self).toOpaque())
        self.daemon = daemon
        guard
            linux_watch(epoll, mailbox.descriptor, UInt32(linux_readable), Watched.mailbox) == 0,
            linux_watch(epoll, daemon.descriptor, UInt32(linux_readable), Watched.daemon) == 0
        else { throw .noResources("no memory", errno) }
    }

    deinit {
        // Down already, unless no thread could be made for it.
        daemon?.quiesce()
        for daemon in daemons { daemon.stop() }
        if epoll >= 0 { close(epoll) }
    }

    func run() {
        while !isOver {
            let isMailThere = wait()
            if isMailThere { for message in mailbox.takeAll() { receive(message) } }
            // Where there were too many connections, it looks for new ones only in the run after
            // the one in which some have gone, and its descriptor does not tell.
            repeat {
                hasClosed = false
                for daemon in daemons { daemon.run() }
            } while hasClosed
            dismissUnused()
            for number in left { endWhereNothingIsAhead(number) }
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

    /// Waits until there is something to do; whether that is in the mailbox.
    private func wait() -> Bool {
        let now = SystemClock.uptimeMilliseconds
        let times = [nextTick, end].compactMap { $0.map { $0 > now ? $0 - now : 0 } }
        let timeout = (times + daemons.compactMap(\.timeout)).min()
        var isMailThere = false
        unsafe withUnsafeTemporaryAllocation(
            of: linux_event.self, capacity: Int(linux_events_at_once)
        ) { events in
            let count = unsafe linux_wait(
                epoll, events.baseAddress, timeout.map { CInt(clamping: $0) } ?? -1)
            for index in 0..<max(0, Int(count)) {
                let event = unsafe events[index]
                switch event.number {
                case Watched.mailbox: isMailThere = true
                case Watched.daemon: break
                default:
                    if connections[event.number] == nil {
                        lingering.drain(event.number)
                    } else {
                        left.insert(event.number)
                    }
                }
            }
        }
        return isMailThere
    }

    private func receive(_ message: ServerMailbox.Message) {
        switch message {
        case .answer(let number, let response, let bodyBytes):
            heldBodyBytes -= bodyBytes
            guard let connection = connections[number], case .handling = connection.phase else {
                response.abandon()
                return
            }
            connection.phase = .handled(response)
            connection.resume()
        case .streamHasNews(let number):
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

    // MARK: Another certificate

    /// Takes new connections with another certificate. libmicrohttpd has one for good: so another
    /// daemon takes its place at the port, and those that are connected go on as they are.
    private func renew(_ tls: WebServerSettings.TLS) throws(WebServerError) {
        guard let old = daemon, !isStopping else {
            throw WebServerError(.noResources, "The server is being stopped.")
        }
        var settings = settings
        settings.tls = tls
        let socket = try ListeningSocket.again(listening)
        let number = socket.descriptor
        let new = try unsafe MicroHTTPDDaemon(
            library, settings, socket, context: Unmanaged.passUnretained(self).toOpaque())
        guard linux_watch(epoll, new.descriptor, UInt32(linux_readable), Watched.daemon) == 0 else {
            let error = WebServerError.noResources("no memory", errno)
            new.quiesce()
            new.stop()
            throw error
        }
        old.quiesce()
        retiring.append(old)
        (daemon, listening) = (new, number)
    }

    private func dismissUnused() {
        let unused = retiring.filter { !$0.isInUse }
        guard !unused.isEmpty else { return }
        retiring.removeAll { daemon in unused.contains { $0 === daemon } }
        for daemon in unused { daemon.stop() }
    }

    // MARK: Limits of time

    /// What is under way on the connection has to come to its end within so long.
    private func limit(_ connection: ServerConnection, seconds: Int) {
        let now = SystemClock.uptimeMilliseconds
        connection.deadline = now + UInt64(UInt32(clamping: seconds)) * 1_000
        if nextTick == nil { nextTick = now + Self.tickMilliseconds }
    }

    /// A body or an answer is under way.
    func limitTransfer(_ connection: ServerConnection) {
        limit(connection, seconds: settings.transferSeconds)
    }

    /// The next request is waited for. Nobody tells when it begins, so it has the time together
    /// with what it may be idle.
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
        // Places may run out before they are all taken: where the system has no descriptor left, or
        // no memory, nobody new is let in, either.
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

    /// Makes those go that have been without a whole request for longest, as many as others wait.
    private func makeRoom(_ now: UInt64) {
        let count = Int(linux_waiting_connections(listening))
        guard count > 0 else { return }
        let longest = connections.values
            .filter { $0.isWithoutRequest && $0.waitingSince + Self.courtesyMilliseconds <= now }
            .sorted { ($0.waitingSince, $0.number) < ($1.waitingSince, $1.number) }
        for connection in longest.prefix(count) { connection.cut() }
    }

    // MARK: Connections

    func opened(_ handle: OpaquePointer) -> ServerConnection {
        let connection = unsafe ServerConnection(
            nextNumber, handle, library, mailbox, saying: settings.headers,
            openedAt: SystemClock.uptimeMilliseconds)
        connections[nextNumber] = connection
        // Each daemon counts its own.
        if !retiring.isEmpty, connections.count > settings.connections { connection.cut() }
        limit(connection, seconds: settings.headSeconds)
        if linux_watch(epoll, connection.socket, UInt32(linux_left), nextNumber) != 0 {
            connection.cut()
        }
        nextNumber += 1
        return connection
    }

    func closed(_ connection: ServerConnection) {
        connections[connection.number] = nil
        dropBody(of: connection)
        left.remove(connection.number)
        hasClosed = true
        // Nothing to be done where it fails: then it is watched no longer, which is what is wanted.
        _ = linux_unwatch(epoll, connection.socket)
        guard !isStopping, connection.mayBeSending else { return }
        lingering.add(connection.socket, connection.number)
        if nextTick == nil { nextTick = SystemClock.uptimeMilliseconds + Self.tickMilliseconds }
    }

    func dropBody(of connection: ServerConnection) {
        heldBodyBytes -= connection.body.count
        connection.body = []
    }

    /// libmicrohttpd does not look at a suspended connection, so it does not see that a listener
    /// has left; nor does it see the end of a request that is cut off right behind its last bytes.
    /// A client that waits for its answer may well have ended its own side.
    private func endWhereNothingIsAhead(_ number: UInt64) {
        guard let connection = connections[number] else { return }
        switch connection.phase {
        case .handling, .handled, .answering: return
        case .idle, .begun, .receiving:
            // Behind TLS bytes may be waiting that the socket knows nothing of.
            guard settings.tls == nil, connection.input == .ended else { return }
        case .streaming(let stream): stream.leave()
        case .refused:
            // The refusal is still to be read, and libmicrohttpd closes behind it.
            left.remove(number)
            return
        }
        left.remove(number)
        connection.cut()
    }

    // MARK: The end

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
            if case .handling(let task) = connection.phase { task.cancel() }
            connection.cut()
        }
        for daemon in daemons { daemon.stop() }
        (daemon, retiring) = (nil, [])
        for message in mailbox.shut() {
            switch message {
            case .answer(_, let response, _): response.abandon()
            case .streamHasNews: break
            case .renew(_, let done):
                done.resume(
                    returning: WebServerError(.noResources, "The server is being stopped."))
            case .stop(_, let continuation):
                if let continuation { waiting.append(continuation) }
            }
        }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
