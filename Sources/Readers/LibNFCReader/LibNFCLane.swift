import BlockingLane

/// The one lane on which this process calls libnfc.
///
/// libnfc is not thread-safe, keeps its drivers in a global list, and blocks. Code with this
/// attribute runs only on this lane. The abort switch is the only code that calls libnfc from
/// elsewhere.
@globalActor
public actor LibNFCLane {
    /// The lane that all of the process's libnfc code shares.
    public static let shared = LibNFCLane()

    private nonisolated let lane = BlockingLane(label: "tapcard.libnfc")

    private init() {}

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }
}
