/// Town after town, each from a seed of its own, so that any step can be played again without the
/// towns before its own.
package struct Soak: Sendable {
    /// How many things happen in one town. A ledger in memory copies its rows for every
    /// transaction: small towns are quick.
    package static let townLength = 1_000

    package let seed: UInt64
    package private(set) var tally = Tally()
    /// Counted over all towns, from 1.
    package private(set) var step = 0
    /// The history of the last card.
    package private(set) var story: [String] = []

    private let farStations: Int

    /// With `farStations` so many tills have a ledger in PostgreSQL.
    package init(seed: UInt64, farStations: Int = 0) {
        (self.seed, self.farStations) = (seed, farStations)
    }

    /// A town's seed follows from the seed of all and its number.
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

    /// Plays the town of one step, up to it.
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
