import BlockingLane
import TapcardCore
import TapcardDomain

/// A clock that stands still until it is told otherwise, and a repeatable source of chance.
final class TestClock: Sendable {
    private let state = Guarded(
        (now: Int64(1_700_000_000_000), uptime: Int64(1_000_000), boot: 1, seed: UInt64(1)))

    func advance(seconds: Int64) {
        state.withLock { state in
            state.now += seconds * 1_000
            state.uptime += seconds * 1_000
        }
    }

    /// The machine is started again.
    func restart() { state.withLock { $0.boot += 1 } }

    /// Somebody sets the time of day; no time passes.
    func set(aheadBy seconds: Int64) { state.withLock { $0.now += seconds * 1_000 } }

    var surroundings: Station.Surroundings {
        Station.Surroundings(
            now: { Timestamp(milliseconds: self.state.withLock { $0.now }) },
            uptime: {
                self.state.withLock { Uptime(boot: "\($0.boot)", milliseconds: $0.uptime) }
            },
            sleep: { duration in
                try Task.checkCancellation()
                self.advance(seconds: duration.components.seconds)
            },
            random: { count in
                self.state.withLock { state in
                    (0..<count).map { _ in
                        state.seed = state.seed &* 6_364_136_223_846_793_005 &+ 1
                        return UInt8(truncatingIfNeeded: state.seed >> 33)
                    }
                }
            })
    }
}
