import BlockingLane
import CLinux
import Glibc

/// Messages from other threads to the server's thread, and its count of connections for them.
/// Messages wake it through a descriptor, which is closed when nothing refers to the mailbox any
/// longer.
final class ServerMailbox: Sendable {
    enum Message: Sendable {
        /// From a handler that has released a body with this many bytes.
        case answer(connection: UInt64, WebResponse, bodyBytes: Int)
        case streamHasChanged(connection: UInt64)
        /// The continuation receives the error, or `nil` on success.
        case renew(WebServerSettings.TLS, CheckedContinuation<WebServerError?, Never>)
        /// Stops no later than this time on `SystemClock.uptimeMilliseconds`; the continuation
        /// resumes when the server is down.
        case stop(by: UInt64, whenDown: CheckedContinuation<Void, Never>?)
    }

    private struct State {
        var messages: [Message] = []
        var isClosed = false
    }

    let descriptor: CInt
    /// The number of open connections.
    let openConnections = Guarded(0)
    private let state = Guarded(State())

    init() throws(WebServerError) {
        descriptor = linux_eventfd()
        guard descriptor >= 0 else { throw .noResources("an eventfd", errno) }
    }

    deinit { close(descriptor) }

    /// Queues a message. Returns `false` if the server is already down.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let wasEmpty = state.withLock { state -> Bool? in
            guard !state.isClosed else { return nil }
            state.messages.append(message)
            // Only the first message has to wake the thread, which then takes all of them.
            return state.messages.count == 1
        }
        guard let wasEmpty else { return false }
        // A write can fail only if the counter is full, and then the thread will wake up anyway.
        var one: UInt64 = 1
        // An eventfd is written to and read from eight bytes at a time.
        if wasEmpty { unsafe write(descriptor, &one, 8) }
        return true
    }

    func takeAll() -> [Message] {
        var count: UInt64 = 0
        // A failed read only means that there is no new message.
        unsafe read(descriptor, &count, 8)
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Closes the mailbox and returns the messages that were never taken.
    func closeAndTakeAll() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }
}
