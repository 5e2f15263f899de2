/// Runs blocking calls on a lane before an actor owns the lane.
package actor Doorway {
    private nonisolated let lane: BlockingLane

    package init(_ lane: BlockingLane) { self.lane = lane }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    package func run<Success, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> sending Success
    ) throws(Failure) -> sending Success {
        try work()
    }
}
