import CMicroHTTPD
import Glibc

/// A libmicrohttpd daemon. It has no thread: its owner runs it when its descriptor is readable or
/// its timeout has expired.
@safe final class MicroHTTPDDaemon {
    /// The part of a connection's memory that is reserved for the response's headers and one chunk
    /// of its body.
    private static let responseBytes = 8 << 10

    private let library: MicroHTTPDLibrary
    private let handle: OpaquePointer
    private let memory: Memory

    /// Memory that libmicrohttpd keeps pointers to.
    @safe private final class Memory {
        let log: UnsafeMutablePointer<tapcard_microhttpd_log>
        let certificate: UnsafeMutablePointer<CChar>?
        let key: UnsafeMutablePointer<CChar>?

        init(_ tls: WebServerSettings.TLS?) {
            unsafe log = .allocate(capacity: 1)
            unsafe log.initialize(to: tapcard_microhttpd_log())
            unsafe certificate = tls.flatMap { unsafe strdup($0.certificatePEM) }
            unsafe key = tls.flatMap { unsafe strdup($0.keyPEM) }
        }

        deinit {
            unsafe log.deallocate()
            unsafe free(certificate)
            unsafe free(key)
        }
    }

    /// The context is passed to the callbacks and has to outlive the daemon.
    init(
        _ library: MicroHTTPDLibrary, _ settings: WebServerSettings,
        _ listening: consuming ListeningSocket, context: UnsafeMutableRawPointer
    ) throws(WebServerError) {
        self.library = library
        memory = Memory(settings.tls)
        var options = unsafe tapcard_microhttpd_settings()
        unsafe options.listening_socket = listening.transferOwnership()
        unsafe options.connections = UInt32(clamping: settings.connections)
        unsafe options.idle_seconds = UInt32(clamping: settings.idleSeconds)
        unsafe options.connection_bytes = settings.headerBytes + Self.responseBytes
        unsafe options.certificate = UnsafePointer(memory.certificate)
        unsafe options.key = UnsafePointer(memory.key)
        unsafe options.context = context
        unsafe options.target = ServerLoop.targetSeen
        unsafe options.request = ServerLoop.requestSeen
        unsafe options.completed = ServerLoop.requestCompleted
        unsafe options.connection = ServerLoop.connectionChanged
        unsafe options.log = memory.log
        // If the start fails, libmicrohttpd closes the socket, so it is not closed here.
        let started = unsafe library.withFunctions { functions in
            unsafe tapcard_microhttpd_start(functions, &options)
        }
        guard let started = unsafe started else {
            // The text may be several log lines, of which only the first is used.
            let message = unsafe withUnsafeBytes(of: memory.log.pointee.text) {
                unsafe String(decoding: $0.prefix { $0 != 0 && $0 != 0x0A }, as: UTF8.self)
            }
            throw settings.tls == nil
                ? WebServerError(.noResources, "libmicrohttpd could not start: \(message).")
                : WebServerError(
                    .badCertificate,
                    "The certificate and key cannot be used; the key may belong to a different "
                        + "certificate. libmicrohttpd says: \(message)")
        }
        unsafe handle = started
    }

    var descriptor: CInt {
        unsafe library.withFunctions { unsafe tapcard_microhttpd_descriptor($0, handle) }
    }

    /// Whether the daemon has any connections.
    var isInUse: Bool {
        unsafe library.withFunctions { unsafe tapcard_microhttpd_connections($0, handle) } > 0
    }

    /// The number of milliseconds until the daemon has to run again. `nil` while it is waiting only
    /// for its descriptor.
    var timeout: UInt64? {
        let milliseconds = unsafe library.withFunctions {
            unsafe tapcard_microhttpd_timeout($0, handle)
        }
        return milliseconds < 0 ? nil : UInt64(milliseconds)
    }

    func run() {
        _ = unsafe library.functions.run(handle)
    }

    /// Closes the port. Must be called only once.
    func quiesce() {
        // libmicrohttpd gives the socket back instead of closing it.
        let socket = unsafe library.functions.quiesce_daemon(handle)
        if socket >= 0 { close(socket) }
    }

    /// Closes all connections. Must be called only once, after `quiesce`. If a connection is still
    /// suspended, libmicrohttpd terminates the process.
    func stop() {
        unsafe library.functions.stop_daemon(handle)
    }
}
