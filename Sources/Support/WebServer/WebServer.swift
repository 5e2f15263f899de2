import BlockingLane
import Glibc
import OperatingSystem

/// An HTTP/1.1 server on one thread of its own. It runs until it is stopped, or until its last
/// reference is gone: then it drops everything at once.
public final class WebServer: Sendable {
    public let port: UInt16
    /// The most connections at a time.
    public let connections: Int
    private let mailbox: ServerMailbox

    private init(port: UInt16, connections: Int, _ mailbox: ServerMailbox) {
        (self.port, self.connections, self.mailbox) = (port, connections, mailbox)
    }

    deinit { mailbox.post(.stop(by: 0, whenDown: nil)) }

    /// Starts listening. The handler is called once per request, on the threads of tasks, and runs
    /// to its end even if its client leaves; it is cancelled only when a stop takes too long.
    public static func start(
        _ settings: WebServerSettings = WebServerSettings(),
        handler: @escaping @Sendable (WebRequest) async -> WebResponse
    ) throws(WebServerError) -> WebServer {
        try start(settings) { request in .later { await handler(request) } }
    }

    /// Starts listening. The handler decides once per request, on the server's own thread, how to
    /// reply: if it blocks, all other clients wait.
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
            throw .noResources("thread", number)
        }
        // Nobody joins it: the mailbox tells when the server is down.
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

    /// Shows another certificate to new clients; existing connections continue. Throws if it is
    /// unusable, and keeps the previous one.
    public func renew(_ tls: WebServerSettings.TLS) async throws(WebServerError) {
        let error = await withCheckedContinuation { continuation in
            if !mailbox.post(.renew(tls, continuation)) {
                continuation.resume(
                    returning: WebServerError(.noResources, "The server has stopped."))
            }
        }
        if let error { throw error }
    }

    /// Accepts no new requests, ends streams after their queued bytes, and lets running requests
    /// finish within this limit. Returns when the server is down; a second call also waits for
    /// that, and the shorter limit counts.
    public func stop(within limit: Duration) async {
        let (seconds, attoseconds) = limit.components
        let milliseconds =
            UInt64(UInt32(clamping: seconds)) * 1000
            + UInt64(max(attoseconds, 0)) / 1_000_000_000_000_000
        await withCheckedContinuation { continuation in
            let time = SystemClock.uptimeMilliseconds + milliseconds
            if !mailbox.post(.stop(by: time, whenDown: continuation)) { continuation.resume() }
        }
    }
}
