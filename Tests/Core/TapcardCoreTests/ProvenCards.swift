import CardCryptography
import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Helpers for tests of cards on an NTAG 424.
protocol ProvenCards {}

extension ProvenCards {
    static var rotated: KeyRing {
        guard
            let ring = try? World.keys.rotated(
                created: "2026-02-01", random: { [UInt8](repeating: 0x33, count: $0) })
        else { preconditionFailure("a ring of one key can be rotated") }
        return ring
    }

    /// A world with one factory chip on the reader.
    func factory() throws -> World {
        var simulation = Simulation()
        let chip = try #require(simulation.addChip { [UInt8](repeating: 1, count: $0) })
        simulation.put([chip.number])
        return World(simulation)
    }

    func made(_ minorUnits: Int64 = 1_000) async throws -> World {
        let world = try factory()
        try await world.issue(minorUnits)
        return world
    }

    func chip(_ world: World) async throws -> NTAG424Memory {
        try await world.reader.change { $0.chips[0] }
    }

    func put(_ chip: NTAG424Memory, on world: World) async throws {
        try await world.reader.change { field in
            field.save(chip)
            field.put([chip.number])
        }
        await world.reader.release()
    }

    /// Expects the card to have only keys of this issuer key, the ledger's balance in its newest
    /// slot and its grant, and nothing open.
    func expectWhole(
        _ world: World, _ balance: Int64, keyID: UInt8 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let chip = try await chip(world)
        let masters = try #require((keyID == 1 ? World.keys : Self.rotated).entry(keyID)?.masters)
        let keys = NTAG424CardKeys(masters, uid: chip.uid)
        for number in KeyNumber.allCases {
            #expect(chip[number].key == keys[number], sourceLocation: sourceLocation)
            #expect(chip[number].version == keyID + 1, sourceLocation: sourceLocation)
            #expect(chip[number].failures == 0, sourceLocation: sourceLocation)
        }
        let known = try #require(try await world.ledger.knownCard(of: chip.uid))
        #expect(known.balance.minorUnits == balance, sourceLocation: sourceLocation)
        #expect(known.open == nil, sourceLocation: sourceLocation)
        let slots = try #require(NTAG424Slots(chip[.data].bytes))
        let issued = try #require(known.issued[known.card.confirmed])
        let slot = try #require(slots.slots.first { $0?.record == issued.bytes } ?? nil)
        let at = AddressFile.placeholder.grantAt
        let selling = SellingKey(of: chip.uid, from: masters, .usd)
        let grant = Grant(Array(chip[.ndef].bytes[at..<(at + Grant.byteCount)]), for: selling)
        #expect(grant.map { $0.granted - slot.spent } == balance, sourceLocation: sourceLocation)
        let audit = try await world.ledger.audit()
        #expect(audit.violations == [], sourceLocation: sourceLocation)
    }

    /// Replaces the card on the reader and expects its balance on a new one and nothing open.
    func expectReplaced(_ world: World, _ balance: Int64) async throws {
        let lost = try await chip(world).uid
        try await put(try #require(NTAG424Memory(factory: World.otherUID)), on: world)
        let moved = try await world.station.make(CardRequest(.replace(lost)), id: World.id(9))
        #expect(moved.balance == World.usd(balance))
        let audit = try await world.ledger.audit()
        #expect(audit.violations == [] && audit.open == 0)
    }

    /// The chip with these values in the lines of its text.
    func altering(
        _ chip: NTAG424Memory, _ values: [String: String]
    ) throws -> NTAG424Memory {
        let lines = chip.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let name = String(line.prefix { $0 != ":" })
            return values[name].map { "\(name): \($0)" } ?? String(line)
        }
        return try #require(NTAG424Memory(parsing: lines.joined(separator: "\n")))
    }

    static var zeros: String { String(repeating: "00", count: 16) }
    static var strange: String { String(repeating: "AB", count: 16) }
}

extension World {
    func simulation() async throws -> Simulation { try await reader.change { $0 } }
}
