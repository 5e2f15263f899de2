import BlockingLane
import Glibc
import SystemClock

/// A server of HTTP/1.1, on one thread of its own. It goes on until it is stopped, or until
/// nobody holds it any more: then it gives up at once whatever is under way.
public final class WebServer: Sendable {
    public let port: UInt16
    /// How many connections have room at a time.
    public let connections: Int
    private let mailbox: ServerMailbox

    private init(port: UInt16, connections: Int, _ mailbox: ServerMailbox) {
        (self.port, self.connections, self.mailbox) = (port, connections, mailbox)
    }

    deinit { mailbox.post(.stop(by: 0, whenDown: nil)) }

    /// Begins to listen. The handler is called once a request, on the tasks' own threads, and goes
    /// on to its end when its client leaves; it is cancelled only when a stop takes too long.
    public static func start(
        _ settings: WebServerSettings = WebServerSettings(),
        handler: @escaping @Sendable (WebRequest) async -> WebResponse
    ) throws(WebServerError) -> WebServer {
        try start(settings) { request in .later { await handler(request) } }
    }

    /// Begins to listen. It is said once a request, on the server's own thread, what becomes of it:
    /// whoever has to wait for anything to say so keeps all others waiting.
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
            throw .noResources("no thread", number)
        }
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

    /// Shows new clients another certificate; those that are connected go on as they are. Throws
    /// where it is none that can be used, and goes on with the one before.
    public func renew(_ tls: WebServerSettings.TLS) async throws(WebServerError) {
        let error = await withCheckedContinuation { continuation in
            if !mailbox.post(.renew(tls, continuation)) {
                continuation.resume(
                    returning: WebServerError(.noResources, "The server is stopped."))
            }
        }
        if let error { throw error }
    }

    /// Takes no new requests, ends streams behind what is queued for them, and lets requests that
    /// run come to their end, but no longer than this. Returns when all is down; a second call
    /// returns then too, and the shorter time counts.
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
