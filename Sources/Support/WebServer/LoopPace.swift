/// The pace of a server's loop. While a TLS handshake is waiting for its client, libmicrohttpd
/// 0.9.75 reports work on every pass, so a single silent client would keep a processor busy.
package struct LoopPace {
    /// How many consecutive passes may accomplish nothing after a request has made progress,
    /// because a long answer is sent over several passes.
    package static let freeTurns = 64
    /// How many consecutive passes may accomplish nothing after a mere event, such as a new client:
    /// each pass checks everyone who is waiting.
    package static let turnsAfterEvent = 2
    /// The pause before each further pass; an event ends it.
    package static let pauseMilliseconds: UInt64 = 20

    private var turns = LoopPace.freeTurns

    package init() {}

    package mutating func note(hasProgress: Bool, hasEvent: Bool) {
        turns =
            hasProgress
            ? LoopPace.freeTurns : max(turns - 1, hasEvent ? LoopPace.turnsAfterEvent : 0)
    }

    /// How many milliseconds to wait if libmicrohttpd wants to wait no longer than this.
    package func timeout(_ wanted: UInt64?) -> UInt64? {
        wanted.map { turns > 0 ? $0 : max($0, LoopPace.pauseMilliseconds) }
    }
}
