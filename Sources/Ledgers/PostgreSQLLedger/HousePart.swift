import BlockingLane

/// The part of a station's rows in the house's accounts to which one connection adds.
///
/// A commit holds its row until disk and replica have it. So each connection of a process has rows
/// of its own: the counters of one server, which are one station, do not wait for each other.
final class HousePart: Sendable {
    private static let taken = Guarded<Set<Int64>>([])

    let number: Int64

    /// Takes the lowest number that no connection of this process has.
    init() {
        number = HousePart.taken.withLock { taken in
            var number: Int64 = 0
            while taken.contains(number) { number += 1 }
            taken.insert(number)
            return number
        }
    }

    deinit {
        let number = number
        HousePart.taken.withLock { _ = $0.remove(number) }
    }
}
