import BlockingLane
import Glibc
package import Ledger
package import TapcardDomain

/// Makes two transactions meet: each has read what it needs before either writes.
package final class Rendezvous: Sendable {
    private struct State {
        var runs: [Int: Int] = [:]
        var arrived: Set<Int> = []
        var isOver = false
    }

    private let state = Guarded(State())
    private let run: Int
    private let isHeldUp: @Sendable () -> Bool

    /// They meet when a body has run this many times. If a ledger makes one wait for the other
    /// before that, `isHeldUp` tells.
    package init(afterRuns run: Int = 1, orWhere isHeldUp: @escaping @Sendable () -> Bool) {
        (self.run, self.isHeldUp) = (run, isHeldUp)
    }

    /// Waits for the other transaction to arrive or to end.
    package func arrive(_ station: Int) {
        let isDue = state.withLock { state in
            state.runs[station, default: 0] += 1
            guard state.runs[station] == run else { return false }
            state.arrived.insert(station)
            return true
        }
        while isDue {
            let isOver = state.withLock { state in
                state.isOver = state.isOver || state.arrived.count > 1
                return state.isOver
            }
            if isOver { return }
            if isHeldUp() { return state.withLock { $0.isOver = true } }
            usleep(2_000)
        }
    }

    fileprivate func leave(_ station: Int) {
        state.withLock { _ = $0.arrived.insert(station) }
    }
}

/// A station's ledger whose changes meet those of another station.
package struct MetLedger: LedgerStore {
    private let ledger: any LedgerStore
    private let station: Int
    private let rendezvous: Rendezvous

    package init(_ ledger: any LedgerStore, _ station: Int, at rendezvous: Rendezvous) {
        (self.ledger, self.station, self.rendezvous) = (ledger, station, rendezvous)
    }

    package var currency: Currency { ledger.currency }

    package func time(at stationTime: Timestamp) -> Timestamp { ledger.time(at: stationTime) }

    package func read<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await ledger.read(touching: footprint, body)
    }

    package func write<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        defer { rendezvous.leave(station) }
        let (station, rendezvous) = (station, rendezvous)
        return try await ledger.write(touching: footprint) { rows throws(LedgerError) in
            let success = try body(rows)
            rendezvous.arrive(station)
            return success
        }
    }
}
