import BlockingLane
import Glibc
import OperatingSystem

/// An HTTP/1.1 server on its own thread. It runs until it is stopped, or until the last reference
/// to it is gone: in that case, it drops all connections immediately.
public final class WebServer: Sendable {
    public let port: UInt16
    /// The maximum number of simultaneous connections.
    public let connections: Int
    /// The number of open connections.
    public var openConnections: Int { mailbox.openConnections.withLock { $0 } }
    private let mailbox: ServerMailbox

    private init(port: UInt16, connections: Int, _ mailbox: ServerMailbox) {
        (self.port, self.connections, self.mailbox) = (port, connections, mailbox)
    }

    // The time is in the past, so the loop does not wait for running requests.
    deinit { mailbox.post(.stop(by: 0, whenDown: nil)) }

    /// Starts listening. The handler is called once per request, on the threads used by tasks, and
    /// runs to completion even if its client disconnects; it is canceled only if stopping the
    /// server takes too long.
    public static func start(
        _ settings: WebServerSettings = WebServerSettings(),
        handler: @escaping @Sendable (WebRequest) async -> WebResponse
    ) throws(WebServerError) -> WebServer {
        try start(settings) { request in .later { await handler(request) } }
    }

    /// Starts listening. `reply` is called once per request, on the server's own thread: if it
    /// blocks, all other clients have to wait.
    public static func start(
        _ settings: WebServerSettings, reply: @escaping @Sendable (WebRequest) -> WebReply
    ) throws(WebServerError) -> WebServer {
        try start(settings, library: MicroHTTPDLibrary.defaultFile, reply: reply)
    }

    package static func start(
        _ settings: WebServerSettings, library file: String,
        reply: @escaping @Sendable (WebRequest) -> WebReply
    ) throws(WebServerError) -> WebServer {
        let library = try MicroHTTPDLibrary.load(file)
        var settings = settings
        settings.connections = try DescriptorLimit.connections(settings)
        let listening = try ListeningSocket.open(settings)
        let port = listening.port
        let loop = try ServerLoop(settings, library, listening, reply)
        let mailbox = loop.mailbox
        // The thread owns the loop until it ends.
        let owned = unsafe Unmanaged.passRetained(loop)
        var thread = pthread_t()
        let number = unsafe pthread_create(&thread, nil, runLoop, owned.toOpaque())
        guard number == 0 else {
            unsafe owned.release()
            throw .noResources("a thread", number)
        }
        // Nobody joins the thread; the mailbox reports when the server is down.
        pthread_detach(thread)
        return WebServer(port: port, connections: settings.connections, mailbox)
    }

    private static let runLoop:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
            { pointer in
                guard let pointer = unsafe pointer else { return nil }
                unsafe Unmanaged<ServerLoop>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }

    /// Uses a different certificate for new clients; existing connections continue. If the
    /// certificate is unusable, throws and keeps the previous one.
    public func renew(_ tls: WebServerSettings.TLS) async throws(WebServerError) {
        let error = await withCheckedContinuation { continuation in
            if !mailbox.post(.renew(tls, continuation)) {
                continuation.resume(
                    returning: WebServerError(.noResources, "The server has stopped."))
            }
        }
        if let error { throw error }
    }

    /// Stops accepting requests, ends streams after the bytes already queued, and lets running
    /// requests finish within this limit. Returns when the server is down. A second call also waits
    /// until then, and the shorter limit applies.
    public func stop(within limit: Duration) async {
        let (seconds, attoseconds) = limit.components
        let milliseconds =
            // The seconds are clamped, so that a very long limit does not overflow.
            UInt64(UInt32(clamping: seconds)) * 1000
            + UInt64(max(attoseconds, 0)) / 1_000_000_000_000_000
        await withCheckedContinuation { continuation in
            let time = SystemClock.uptimeMilliseconds + milliseconds
            if !mailbox.post(.stop(by: time, whenDown: continuation)) { continuation.resume() }
        }
    }
}
