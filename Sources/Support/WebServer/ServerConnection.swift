import CLinux
import CMicroHTTPD
import Glibc

/// One connection and its current request. Used only on the server's thread.
///
/// libmicrohttpd calls its handler several times for each request. A response in the first call
/// would close the connection, so the first call responds only to refuse a request whose body is
/// not wanted. All other requests get a response after they have arrived completely.
@safe final class ServerConnection {
    enum Phase {
        /// Between two requests, or before the first one.
        case idle
        /// The first line has arrived, with its target at this address.
        case begun(target: [UInt8], address: UInt)
        /// The headers have arrived, and the body is being received.
        case receiving(RequestHead)
        /// The handler is running; the connection is suspended.
        case handling(Task<Void, Never>)
        /// The handler has returned a response, which libmicrohttpd will request next.
        case handled(WebResponse)
        /// The response is being sent.
        case answering
        case streaming(WebStream)
        /// The request was refused before it was complete; libmicrohttpd closes the connection.
        case refused
    }

    let number: UInt64
    let handle: OpaquePointer
    let socket: CInt
    let library: MicroHTTPDLibrary
    let mailbox: ServerMailbox
    /// The client's address in numeric form. Empty if it is not known.
    let client: String
    let commonHeaders: [WebField]
    var phase = Phase.idle
    var isHead = false
    var body: [UInt8] = []
    /// The reason the body was refused. The rest of it is discarded as it arrives.
    var refusal: RequestHead.Refusal?
    var discardedBytes = 0
    /// The deadline of the current transfer, in `SystemClock.uptimeMilliseconds`.
    var deadline: UInt64?
    /// Whether the last response was for a client that has authenticated.
    var isOfKnownClient = false
    /// When the server started waiting for the next complete request.
    var waitingSince: UInt64
    private(set) var isSuspended = false
    /// Called when libmicrohttpd takes part of the response's body.
    let noteProgress: () -> Void

    init(
        _ number: UInt64, _ handle: OpaquePointer, _ library: MicroHTTPDLibrary,
        _ mailbox: ServerMailbox, saying commonHeaders: [WebField], openedAt now: UInt64,
        noteProgress: @escaping () -> Void
    ) {
        self.noteProgress = noteProgress
        self.number = number
        waitingSince = now
        unsafe self.handle = handle
        self.library = library
        self.mailbox = mailbox
        self.commonHeaders = commonHeaders
        socket = unsafe library.withFunctions { unsafe tapcard_microhttpd_socket($0, handle) }
        client = ListeningSocket.client(of: socket)
    }

    /// Whether the server is waiting for the client's request.
    var isWithoutRequest: Bool {
        switch phase {
        case .idle, .begun, .receiving: true
        case .handling, .handled, .answering, .streaming, .refused: false
        }
    }

    /// Resets the state for the next request.
    func reset() {
        phase = .idle
        refusal = nil
        discardedBytes = 0
    }

    /// Suspends the connection. Must be called only in libmicrohttpd's callbacks.
    func suspend() {
        guard !isSuspended else { return }
        isSuspended = true
        unsafe library.functions.suspend_connection(handle)
    }

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        unsafe library.functions.resume_connection(handle)
    }

    /// Ends the connection in any phase: libmicrohttpd notices that the socket is shut down. It
    /// would not check a flag while the client is not reading.
    func cut() {
        shutdown(socket, CInt(SHUT_RDWR))
        // libmicrohttpd does not watch a suspended connection, so it would not notice.
        resume()
    }

    enum Input {
        case waiting
        case none
        case ended
    }

    /// Whether the client has sent bytes that are still unread, or has closed its sending side.
    var input: Input {
        var byte: UInt8 = 0
        // The byte is only peeked at, so that libmicrohttpd still receives it.
        let count = unsafe recv(socket, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT))
        if count < 0, errno == EAGAIN { return .none }
        return count > 0 ? .waiting : .ended
    }

    /// Whether a client whose connection is being closed has unread bytes waiting, or may still
    /// send some.
    var canStillSend: Bool {
        switch (input, phase) {
        // In these three phases, the request has not arrived completely.
        case (.waiting, _), (.none, .begun), (.none, .receiving), (.none, .refused): true
        default: false
        }
    }

    /// The number of bytes in the first line and the headers.
    var headBytes: Int {
        unsafe library.withFunctions { unsafe tapcard_microhttpd_head_bytes($0, handle) }
    }

    /// Passes each header to `reading`, in order of arrival.
    func readHeaders(into reading: inout HeadReading) {
        unsafe withUnsafeMutablePointer(to: &reading) {
            _ = unsafe library.functions.get_connection_values(
                handle, .HEADER_KIND, Self.readHeader, $0)
        }
    }

    private static let readHeader: MHD_KeyValueIteratorN = {
        context, _, name, nameBytes, value, valueBytes in
        guard let context = unsafe context, let name = unsafe name, let value = unsafe value else {
            return .NO
        }
        let reading = unsafe context.assumingMemoryBound(to: HeadReading.self)
        unsafe reading.pointee.note(
            UnsafeRawBufferPointer(start: name, count: nameBytes),
            UnsafeRawBufferPointer(start: value, count: valueBytes))
        return .YES
    }
}
