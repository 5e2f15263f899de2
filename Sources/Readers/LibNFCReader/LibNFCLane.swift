import BlockingLane

/// The only lane in the process on which libnfc is called.
///
/// libnfc is not thread-safe, keeps its drivers in a global list, and blocks. Code with this
/// attribute cannot be called from anywhere else; the abort switch is the only exception.
@globalActor
public actor LibNFCLane {
    /// The process's only lane, because libnfc is not designed for several threads.
    public static let shared = LibNFCLane()

    private nonisolated let lane = BlockingLane(label: "tapcard.libnfc")

    private init() {}

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }
}
