import Dispatch

/// Queries several sources with blocking calls and takes the first result.
///
/// Each source has its own thread and starts a moment after the previous one, or immediately if the
/// previous one has failed. A call whose result is no longer needed keeps running on its thread.
package enum FirstAnswer<Value: Sendable, Failure: Error> {
    case found(Value)
    /// The failure of each source; `nil` for a source that has not returned yet.
    case none([Failure?])

    private struct State: Sendable {
        var value: Value?
        var failures: [Failure?]
        var isOver = false
    }

    /// `abandon` receives the values that arrive too late.
    package init(
        of count: Int, headStart: Duration, within limit: Duration?,
        abandon: @escaping @Sendable (Value) -> Void,
        ask: @escaping @Sendable (Int) -> Result<Value, Failure>
    ) {
        let state = Guarded(State(failures: Array(repeating: nil, count: count)))
        let change = DispatchSemaphore(value: 0)
        func start(_ source: Int) {
            // This is not a task, because a blocking call would occupy a thread of the cooperative
            // pool.
            DispatchQueue(label: "tapcard.asking").async {
                let answer = ask(source)
                let late: Value? = state.withLock { state in
                    switch answer {
                    case .failure(let failure): state.failures[source] = failure
                    // This value is too late, but `abandon` has to close whatever the source
                    // opened.
                    case .success(let value) where state.isOver: return value
                    case .success(let value): (state.value, state.isOver) = (value, true)
                    }
                    return nil
                }
                if let late { abandon(late) }
                change.signal()
            }
        }
        let end = limit.map { DispatchTime.now() + .nanoseconds(Self.nanoseconds($0)) }
        var startedCount = 0
        while true {
            if startedCount < count {
                start(startedCount)
                startedCount += 1
            }
            let isLast = startedCount == count
            let next = DispatchTime.now() + .nanoseconds(Self.nanoseconds(headStart))
            // A failure also signals, so the next source starts before the head start is over.
            _ = change.wait(timeout: min(end ?? .distantFuture, isLast ? .distantFuture : next))
            let now = state.withLock { state in
                let isLate = end.map { DispatchTime.now() >= $0 } ?? false
                state.isOver =
                    state.isOver || isLate || (isLast && !state.failures.contains { $0 == nil })
                return state
            }
            if let value = now.value {
                self = .found(value)
                return
            }
            if now.isOver {
                self = .none(now.failures)
                return
            }
        }
    }

    private static func nanoseconds(_ duration: Duration) -> Int {
        let parts = duration.components
        return Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
    }
}
