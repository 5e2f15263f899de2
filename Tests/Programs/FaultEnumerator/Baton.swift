import BlockingLane

/// Lets stations take their steps one at a time, in the order that the caller chooses.
final class Baton: Sendable {
    private struct State {
        /// Stations that wait for their next step, with what resumes each of them.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var ended: Set<Int> = []
        /// The caller, while it waits for a station to finish its step.
        var onlooker: CheckedContinuation<Void, Never>?

        /// The onlooker to resume, once every station that has not ended is waiting.
        mutating func onlookerToTell(
            of stations: Int
        ) -> CheckedContinuation<Void, Never>? {
            guard waiting.count + ended.count == stations else { return nil }
            defer { onlooker = nil }
            return onlooker
        }
    }

    private let state = Guarded(State())
    private let stations: Int

    init(stations: Int) { self.stations = stations }

    /// Called by a station before each of its steps.
    func wait(_ station: Int) async {
        await withCheckedContinuation { continuation in
            let onlooker = state.withLock { state in
                state.waiting[station] = continuation
                return state.onlookerToTell(of: stations)
            }
            onlooker?.resume()
        }
    }

    func end(_ station: Int) {
        let onlooker = state.withLock { state in
            state.ended.insert(station)
            return state.onlookerToTell(of: stations)
        }
        onlooker?.resume()
    }

    /// Returns once every station waits or has ended.
    func untilAllWait() async {
        await withCheckedContinuation { continuation in
            let onlooker = state.withLock { state in
                state.onlooker = continuation
                return state.onlookerToTell(of: stations)
            }
            onlooker?.resume()
        }
    }

    /// Lets a station take one step; false if it has ended.
    func step(_ station: Int) async -> Bool {
        let waiting = state.withLock { state in state.waiting.removeValue(forKey: station) }
        guard let waiting else { return false }
        waiting.resume()
        await untilAllWait()
        return true
    }
}
