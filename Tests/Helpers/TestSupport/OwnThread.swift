import Dispatch
package import Testing

/// Runs each test of a suite on its own thread.
///
/// These tests wait for the programs and servers that they start. The cooperative pool has as many
/// threads as the machine has cores: on a machine with two, two tests would block it while both
/// cores are idle.
package struct OwnThreadTrait: TestTrait, SuiteTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThread()) { try await function() }
    }
}

extension Trait where Self == OwnThreadTrait {
    package static var ownThread: Self { Self() }
}

/// A queue that occupies one thread as long as it has jobs.
private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "tapcard.test")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
