/// The pace of a server's loop. While a TLS handshake waits for its client, libmicrohttpd 0.9.75
/// reports work at every turn, so one silent client would keep a processor busy.
package struct LoopPace {
    /// The turns in a row that may bring nothing after a request has made progress, because a long
    /// answer is sent in several.
    package static let freeTurns = 64
    /// The turns in a row that may bring nothing after an event alone, such as a new client: each
    /// turn asks everyone who waits.
    package static let turnsAfterEvent = 2
    /// The pause before each further turn; an event ends it.
    package static let pauseMilliseconds: UInt64 = 20

    private var turns = LoopPace.freeTurns

    package init() {}

    package mutating func note(hasProgress: Bool, hasEvent: Bool) {
        turns =
            hasProgress
            ? LoopPace.freeTurns : max(turns - 1, hasEvent ? LoopPace.turnsAfterEvent : 0)
    }

    /// The milliseconds to wait when libmicrohttpd wants to wait at most this long.
    package func timeout(_ wanted: UInt64?) -> UInt64? {
        wanted.map { turns > 0 ? $0 : max($0, LoopPace.pauseMilliseconds) }
    }
}
