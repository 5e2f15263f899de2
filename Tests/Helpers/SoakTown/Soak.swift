/// Town after town, each from its own seed, so that any step can be repeated without the earlier
/// towns.
package struct Soak: Sendable {
    /// The number of events in one town. A ledger in memory copies its rows for every transaction,
    /// so small towns are fast.
    package static let townLength = 1_000

    package let seed: UInt64
    package private(set) var tally = Tally()
    /// The step, counted from 1 over all towns.
    package private(set) var step = 0
    /// The history of the last card.
    package private(set) var story: [String] = []

    private let farStations: Int

    /// `farStations` is the number of tills with a ledger in PostgreSQL.
    package init(seed: UInt64, farStations: Int = 0) {
        (self.seed, self.farStations) = (seed, farStations)
    }

    /// A town's seed is derived from the overall seed and its number.
    private func town(_ number: Int) -> Town {
        Town(
            seed: seed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03, farStations: farStations)
    }

    /// Plays whole towns while there is time.
    package mutating func play(while mayGoOn: (Soak) -> Bool) async throws(Broken) {
        while mayGoOn(self) {
            var town = town(step / Soak.townLength)
            try await play(&town, steps: Soak.townLength, ending: true)
        }
    }

    /// Plays the town that contains a step, up to that step.
    package mutating func play(until last: Int) async throws(Broken) {
        let number = max(last - 1, 0) / Soak.townLength
        step = number * Soak.townLength
        var town = town(number)
        let steps = last - step
        try await play(&town, steps: steps, ending: steps == Soak.townLength)
    }

    private mutating func play(
        _ town: inout Town, steps: Int, ending: Bool
    ) async throws(Broken) {
        defer {
            tally.add(town.tally)
            story = town.story
        }
        do throws(Broken) {
            for _ in 0..<steps {
                step += 1
                try await town.next()
            }
            if ending { try await town.close() }
        } catch {
            throw Broken(step: step, description: error.description)
        }
    }
}
