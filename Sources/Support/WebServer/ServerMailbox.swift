import BlockingLane
import CLinux
import Glibc

/// What other threads tell the server's thread. It wakes up by a descriptor, which is closed with
/// the last one who might write to it.
final class ServerMailbox: Sendable {
    enum Message: Sendable {
        /// From a handler, which holds a body of so many bytes no longer.
        case answer(connection: UInt64, WebResponse, bodyBytes: Int)
        case streamHasNews(connection: UInt64)
        /// The continuation is told why that cannot be; nil is success.
        case renew(WebServerSettings.TLS, CheckedContinuation<WebServerError?, Never>)
        /// Until a time of `SystemClock.uptimeMilliseconds`; the continuation goes on when all is
        /// down.
        case stop(by: UInt64, whenDown: CheckedContinuation<Void, Never>?)
    }

    private struct State {
        var messages: [Message] = []
        var isClosed = false
    }

    let descriptor: CInt
    private let state = Guarded(State())

    init() throws(WebServerError) {
        descriptor = linux_eventfd()
        guard descriptor >= 0 else { throw .noResources("no eventfd", errno) }
    }

    deinit { close(descriptor) }

    /// False where the server is down already.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let wasEmpty = state.withLock { state -> Bool? in
            guard !state.isClosed else { return nil }
            state.messages.append(message)
            return state.messages.count == 1
        }
        guard let wasEmpty else { return false }
        // A write can only fail because the counter is full, and then the thread wakes up anyway.
        var one: UInt64 = 1
        if wasEmpty { unsafe write(descriptor, &one, 8) }
        return true
    }

    func takeAll() -> [Message] {
        var count: UInt64 = 0
        // Nothing to read only means that nobody has written since the last time.
        unsafe read(descriptor, &count, 8)
        return state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Nothing can be posted from now on; what has not been taken is returned.
    func shut() -> [Message] {
        state.withLock { state in
            state.isClosed = true
            defer { state.messages = [] }
            return state.messages
        }
    }
}
