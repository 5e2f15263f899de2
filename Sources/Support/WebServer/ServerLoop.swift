import BlockingLane
import CLinux
import CMicroHTTPD
import Glibc

/// The thread on which a server runs. libmicrohttpd has none of its own and is run here, so that
/// nothing of a connection is touched by two threads, and only the mailbox and the streams have a
/// lock.
final class ServerLoop {
    typealias Handler = @Sendable (WebRequest) async -> WebResponse

    /// Under which numbers descriptors are watched; connections have those from `first` on.
    private enum Watched {
        static let mailbox: UInt64 = 0
        static let daemon: UInt64 = 1
        static let first: UInt64 = 2
    }

    /// How exactly transfers are held to their time.
    private static let tickMilliseconds: UInt64 = 500

    let settings: WebServerSettings
    let handler: Handler
    let mailbox: ServerMailbox
    let library: MicroHTTPDLibrary
    private var listening: ListeningSocket?
    private var daemon: MicroHTTPDDaemon?
    private let epoll: CInt
    private var lingering: LingeringSockets
    private var connections: [UInt64: ServerConnection] = [:]
    private var nextNumber = Watched.first
    private var nextTick: UInt64?
    /// When all has to be down; nil while nobody has asked for it.
    private var end: UInt64?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(
        _ settings: WebServerSettings, _ library: MicroHTTPDLibrary,
        _ listening: consuming ListeningSocket, _ handler: @escaping Handler
    ) throws(WebServerError) {
        self.settings = settings
        self.library = library
        self.handler = handler
        mailbox = try ServerMailbox()
        let socket = listening.descriptor
        self.listening = consume listening
        epoll = linux_epoll()
        lingering = LingeringSockets(epoll)
        guard epoll >= 0 else { throw .noResources("no epoll", errno) }
        let daemon = try unsafe MicroHTTPDDaemon(
            library, settings, listening: socket,
            context: Unmanaged.passUnretained(self).toOpaque())
        self.daemon = daemon
        guard
            linux_watch(epoll, mailbox.descriptor, UInt32(linux_readable), Watched.mailbox) == 0,
            linux_watch(epoll, daemon.descriptor, UInt32(linux_readable), Watched.daemon) == 0
        else { throw .noResources("no memory", errno) }
    }

    deinit {
        // Down already, unless no thread could be made for it.
        if let daemon {
            daemon.quiesce()
            daemon.stop()
        }
        if epoll >= 0 { close(epoll) }
    }

    func run() {
        guard let daemon else { return }
        while !isOver {
            let isMailThere = wait(daemon)
            if isMailThere { for message in mailbox.takeAll() { receive(message) } }
            daemon.run()
            tick()
        }
        shutDown(daemon)
    }

    var isStopping: Bool { end != nil }

    private var isOver: Bool {
        guard let end else { return false }
        return connections.isEmpty || MonotonicClock.now >= end
    }

    /// Waits until there is something to do; whether that is in the mailbox.
    private func wait(_ daemon: MicroHTTPDDaemon) -> Bool {
        let now = MonotonicClock.now
        let times = [nextTick, end].compactMap { $0.map { $0 > now ? $0 - now : 0 } }
        let timeout = (times + [daemon.timeout].compactMap { $0 }).min()
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
                    if let connection = connections[event.number] {
                        listenerLeft(connection)
                    } else {
                        lingering.drain(event.number)
                    }
                }
            }
        }
        return isMailThere
    }

    private func receive(_ message: ServerMailbox.Message) {
        switch message {
        case .answer(let number, let response):
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
        case .stop(let time, let continuation):
            if let continuation { waiting.append(continuation) }
            beginStop(by: time)
        }
    }

    // MARK: Limits of time

    /// A request or an answer is under way, and has to come to its end.
    func limitTransfer(_ connection: ServerConnection) {
        let now = MonotonicClock.now
        connection.deadline = now + UInt64(max(settings.transferSeconds, 0)) * 1000
        if nextTick == nil { nextTick = now + Self.tickMilliseconds }
    }

    private func tick() {
        let now = MonotonicClock.now
        guard let planned = nextTick, planned <= now else { return }
        var isNeeded = false
        for connection in connections.values {
            guard let deadline = connection.deadline else { continue }
            isNeeded = true
            if deadline <= now { connection.cut() }
        }
        lingering.expire(now)
        nextTick = isNeeded || !lingering.isEmpty ? now + Self.tickMilliseconds : nil
    }

    // MARK: Connections

    func opened(_ handle: OpaquePointer) -> ServerConnection {
        let connection = unsafe ServerConnection(nextNumber, handle, library, mailbox)
        connections[nextNumber] = connection
        nextNumber += 1
        limitTransfer(connection)
        return connection
    }

    func closed(_ connection: ServerConnection) {
        connections[connection.number] = nil
        guard !isStopping, connection.hasInputAhead else { return }
        lingering.add(connection.socket, connection.number)
        if nextTick == nil { nextTick = MonotonicClock.now + Self.tickMilliseconds }
    }

    /// libmicrohttpd does not look at a suspended connection, so nobody else would notice that
    /// its listener has left.
    func watchListener(_ connection: ServerConnection) {
        guard linux_watch(epoll, connection.socket, UInt32(linux_left), connection.number) == 0
        else {
            connection.cut()
            return
        }
    }

    func forgetListener(_ connection: ServerConnection) {
        // It is watched no longer where its listener has left.
        _ = linux_unwatch(epoll, connection.socket)
    }

    private func listenerLeft(_ connection: ServerConnection) {
        forgetListener(connection)
        guard case .streaming(let stream) = connection.phase else { return }
        stream.leave()
        connection.cut()
    }

    // MARK: The end

    private func beginStop(by time: UInt64) {
        end = min(end ?? time, time)
        guard let daemon, listening != nil else { return }
        daemon.quiesce()
        listening = nil
        for connection in connections.values {
            switch connection.phase {
            case .idle, .begun, .receiving: connection.cut()
            case .streaming(let stream): stream.finish()
            case .handling, .handled, .answering, .refused: break
            }
        }
    }

    private func shutDown(_ daemon: MicroHTTPDDaemon) {
        for connection in connections.values {
            if case .handling(let task) = connection.phase { task.cancel() }
            connection.cut()
        }
        daemon.stop()
        self.daemon = nil
        for message in mailbox.shut() {
            switch message {
            case .answer(_, let response): response.abandon()
            case .streamHasNews: break
            case .stop(_, let continuation):
                if let continuation { waiting.append(continuation) }
            }
        }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
