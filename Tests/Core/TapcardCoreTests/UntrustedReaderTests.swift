import CardCryptography
import Cards
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

@Suite("A reader that must not see the keys of new cards")
struct UntrustedReaderTests: ProvenCards {
    private func untrusted(_ world: World) -> Station {
        var settings = world.settings
        settings.isReaderTrusted = false
        return Station(
            reader: world.reader, ledger: world.ledger, keys: world.keys, settings: settings,
            dependencies: world.clock.dependencies)
    }

    @Test("No card is made there, and no password is set")
    func refused() async throws {
        let factory = try factory()
        let request = CardRequest(.issue(.nobody, World.usd(700), hasScratchCard: false))
        await #expect(throws: TapcardError(.refusal(.wrongState), "")) {
            try await untrusted(factory).make(request, id: World.id(7))
        }
        let made = try await World.withCard()
        await #expect(throws: TapcardError(.refusal(.wrongState), "")) {
            try await untrusted(made).protect(id: World.id(7))
        }
        _ = try await untrusted(made).pay(World.usd(250), id: World.id(8))
        #expect(try await made.balance() == 750)
    }

    @Test("A card whose making was cut short is not finished there, wherever it was cut")
    func cutShort() async throws {
        var met = 0
        for batch in 1... {
            let world = try factory()
            let reader = FarReader(world.reader)
            reader.lose(batch: batch, after: 1)
            _ = await outcome { () throws(TapcardError) in
                try await FarRequest.issueNTAG424.perform(reader, in: world)
            }
            guard reader.isDown else { break }
            let before = try await chip(world)
            // A card that was finished before the cut can be paid with.
            var paid: Int64 = 0
            for number: UInt64 in 20...21 {
                let receipt = try? await untrusted(world).pay(World.usd(1), id: World.id(number))
                paid += receipt == nil ? 0 : 1
            }
            // No key of the chip has changed; a failed login may have been counted.
            let after = try await chip(world)
            for number in KeyNumber.allCases {
                #expect(after[number].key == before[number].key, "batch \(batch)")
            }
            met += 1
            try await FarRequest.issueNTAG424.perform(world.reader, in: world)
            try await expectWhole(world, 700 - paid)
        }
        #expect(met > 10)
    }
}
