/// The pace of a server's loop. While a TLS handshake is waiting for its client, libmicrohttpd
/// 0.9.75 reports work on every pass, so a single silent client would keep a processor busy.
package struct LoopPace {
    /// After a request has made progress, this many passes without progress run without a pause. A
    /// long response is sent over several passes.
    package static let freePasses = 64
    /// After an event without progress, such as a new client, this many passes run without a pause.
    /// The number is small, because each pass checks all clients that are waiting.
    package static let passesAfterEvent = 2
    /// The pause before each further pass; an event ends the pause early.
    package static let pauseMilliseconds: UInt64 = 20

    private var passesLeft = LoopPace.freePasses

    package init() {}

    package mutating func note(hasProgress: Bool, hasEvent: Bool) {
        passesLeft =
            hasProgress
            ? LoopPace.freePasses : max(passesLeft - 1, hasEvent ? LoopPace.passesAfterEvent : 0)
    }

    /// The number of milliseconds to wait if libmicrohttpd asks to wait at most `wanted`.
    package func timeout(_ wanted: UInt64?) -> UInt64? {
        // `nil` means that only an event ends the wait, so no pause is needed.
        wanted.map { passesLeft > 0 ? $0 : max($0, LoopPace.pauseMilliseconds) }
    }
}
