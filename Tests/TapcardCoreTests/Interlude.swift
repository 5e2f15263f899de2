import BlockingLane

/// Something that happens right before one of the steps of somebody else.
final class Interlude: Steps {
    private let left: Guarded<Int>
    private let event: @Sendable () async -> Void

    init(beforeStep number: Int, _ event: @escaping @Sendable () async -> Void) {
        left = Guarded(number)
        self.event = event
    }

    var hasPlayed: Bool { left.withLock { $0 <= 0 } }

    func take<Success, Failure: Error>(
        orFail failure: Failure, _ step: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let isDue = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isDue { await event() }
        return try await step()
    }
}
