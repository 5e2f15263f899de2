import BlockingLane
import Ledger

/// Runs blocking calls on a ledger's lane before the ledger is open.
actor Doorway {
    private nonisolated let lane: BlockingLane

    init(_ lane: BlockingLane) { self.lane = lane }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe lane.asUnownedSerialExecutor() }

    func run<Success>(
        _ work: @Sendable () throws(LedgerError) -> sending Success
    ) throws(LedgerError) -> sending Success {
        try work()
    }
}
