import CLinux
import CMicroHTTPD
import Glibc

/// One connection, and the request that is under way on it. Touched on the server's thread alone.
///
/// A request is answered in the second call of libmicrohttpd's handler, when all of it is there:
/// an answer to the first call costs the connection. So that is done only to refuse a request
/// whose body is not wanted.
@safe final class ServerConnection {
    enum Phase {
        /// Between two requests, or before the first.
        case idle
        /// The first line is there, with its target at this address.
        case begun(target: [UInt8], address: UInt)
        /// The headers are there, and the body is coming.
        case receiving(RequestHead)
        /// The handler works; the connection is suspended.
        case handling(Task<Void, Never>)
        /// The handler has answered, and libmicrohttpd asks for it next.
        case handled(WebResponse)
        /// The answer is on its way.
        case answering
        case streaming(WebStream)
        /// Answered before the request was there; libmicrohttpd closes the connection.
        case refused
    }

    let number: UInt64
    let handle: OpaquePointer
    let socket: CInt
    let library: MicroHTTPDLibrary
    let mailbox: ServerMailbox
    /// The client's address in digits; empty where it is not known.
    let client: String
    let commonHeaders: [WebField]
    var phase = Phase.idle
    var isHead = false
    var body: [UInt8] = []
    /// Why the body is not taken; what comes of it is thrown away.
    var refusal: RequestHead.Refusal?
    var discardedBytes = 0
    /// When the transfer that is under way has to be over, in `SystemClock.uptimeMilliseconds`.
    var deadline: UInt64?
    /// Since when it has been without a whole request.
    var waitingSince: UInt64
    private(set) var isSuspended = false

    init(
        _ number: UInt64, _ handle: OpaquePointer, _ library: MicroHTTPDLibrary,
        _ mailbox: ServerMailbox, saying commonHeaders: [WebField], openedAt now: UInt64
    ) {
        self.number = number
        waitingSince = now
        unsafe self.handle = handle
        self.library = library
        self.mailbox = mailbox
        self.commonHeaders = commonHeaders
        socket = unsafe library.withFunctions { unsafe tapcard_microhttpd_socket($0, handle) }
        client = ListeningSocket.client(of: socket)
    }

    /// Whether what is waited for is the client's request.
    var isWithoutRequest: Bool {
        switch phase {
        case .idle, .begun, .receiving: true
        case .handling, .handled, .answering, .streaming, .refused: false
        }
    }

    /// Ready for the next request.
    func reset() {
        phase = .idle
        refusal = nil
        discardedBytes = 0
    }

    /// To be called in libmicrohttpd's callbacks only.
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

    /// Ends it, whatever is under way: libmicrohttpd sees that the socket is closed. A flag alone
    /// would not be looked at before the client has read what it does not read.
    func cut() {
        shutdown(socket, CInt(SHUT_RDWR))
        resume()
    }

    enum Input {
        case waiting
        case none
        case ended
    }

    /// What there is of the client's that has not been read.
    var input: Input {
        var byte: UInt8 = 0
        let count = unsafe recv(socket, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT))
        if count < 0, errno == EAGAIN { return .none }
        return count > 0 ? .waiting : .ended
    }

    /// Whether a client whose connection is being closed has sent more than was read, or may be
    /// about to.
    var mayBeSending: Bool {
        switch (input, phase) {
        case (.waiting, _), (.none, .begun), (.none, .receiving), (.none, .refused): true
        default: false
        }
    }

    /// The bytes of the first line and the headers.
    var headBytes: Int {
        unsafe library.withFunctions { unsafe tapcard_microhttpd_head_bytes($0, handle) }
    }

    /// Shows each header, in the order in which they came.
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
