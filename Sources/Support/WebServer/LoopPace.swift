/// The pace of a server's loop. While a TLS handshake waits for its client, libmicrohttpd 0.9.75 says
/// at every turn that there is work, so that one silent client would keep a processor busy.
package struct LoopPace {
    /// The turns in a row that may bring nothing. A long answer is sent in several of them.
    package static let freeTurns = 64
    /// The pause before each further turn; an event ends it.
    package static let pauseMilliseconds: UInt64 = 5

    private var emptyTurns = 0

    package init() {}

    package mutating func note(hasProgress: Bool) {
        emptyTurns = hasProgress ? 0 : emptyTurns + 1
    }

    /// The milliseconds to wait where libmicrohttpd wants to wait so long at most.
    package func timeout(_ wanted: UInt64?) -> UInt64? {
        wanted.map { emptyTurns < LoopPace.freeTurns ? $0 : max($0, LoopPace.pauseMilliseconds) }
    }
}
