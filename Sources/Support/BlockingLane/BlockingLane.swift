import Dispatch

/// A serial executor with at most one thread, for an actor whose calls block: a reader or a
/// connection.
///
/// The cooperative pool has as many threads as the machine has cores. On a machine with two cores,
/// two calls that block in the pool stop every other task; on lanes, they stop only their own
/// actors. An actor keeps its lane in a constant and returns it as its `unownedExecutor`.
public final class BlockingLane: SerialExecutor {
    private let queue: DispatchQueue

    /// The label appears in debuggers and crash reports.
    public init(label: String) {
        queue = DispatchQueue(label: label)
    }

    public func enqueue(_ job: consuming ExecutorJob) {
        // An `ExecutorJob` cannot be copied, so the escaping closure could not capture it.
        let job = UnownedJob(job)
        queue.async {
            unsafe job.runSynchronously(on: self.asUnownedSerialExecutor())
        }
    }

    /// Stops the program if the calling code is not running on this lane.
    public func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
