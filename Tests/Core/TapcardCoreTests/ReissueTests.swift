import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A known card becomes a new one.
@Suite("Reissuing a card")
struct ReissueTests {
    @Test(
        "A reissue closes the old account and replaces its records with higher numbers",
        arguments: Type2Chip.known, 0...3)
    func reissue(_ chip: Type2Chip, _ payments: Int) async throws {
        let world = try await World.withCard(chip)
        for number in 0..<payments {
            _ = try await world.station.pay(World.usd(100), id: World.id(UInt64(10 + number)))
        }
        let uid = try await world.uid()
        let old = try #require(try await world.ledger.knownCard(of: uid))
        try await world.issue(500, name: "Eve", mayReissue: true, id: 2)

        let new = try #require(try await world.ledger.knownCard(of: uid))
        #expect(new.card.account == old.card.account + 1)
        #expect(new.card.holder.name?.text == "Eve")
        #expect(try await booked(on: .reissued, in: world) == old.balance.minorUnits)
        #expect(try await booked(on: old.card.purse, in: world) == 0)
        let numbers = try await world.tag().image.records.compactMap(SealedRecord.init)
            .map(\.sequence)
        #expect(numbers.count == 2)
        #expect(numbers.allSatisfy { $0 > old.card.allocated }, "no record of the old life")
        try await world.expectResolved()
    }

    @Test("A reissue interrupted at any write is finished by the next try")
    func interrupted() async throws {
        for way: Fault.Kind in [.lost, .torn(.zero), .torn(.new), .torn(.mix(seed: 9)), .garbled] {
            var write = 1
            while true {
                let world = try await World.withCard()
                let old = try #require(try await world.ledger.knownCard(of: try await world.uid()))
                try await world.arm(Fault(at: write, counting: .write, way))
                _ = try? await world.issue(500, name: "Eve", mayReissue: true, id: 2)
                guard try await !world.isArmed() else { break }
                try await world.putBack()
                let label: Comment = "\(way) at WRITE \(write)"
                try await world.issue(500, name: "Eve", mayReissue: true, id: 2)
                try await world.expectResolved(label)
                #expect(try await world.balance() == 500, label)
                let numbers = try await world.tag().image.records.compactMap(SealedRecord.init)
                    .map(\.sequence)
                #expect(numbers.allSatisfy { $0 > old.card.allocated }, label)
                #expect(try await booked(on: .reissued, in: world) == 1_000, label)
                write += 1
            }
            #expect(write > 12)
        }
    }

    @Test("A card that cannot be trusted can be reissued")
    func untrusted() async throws {
        let world = try await World.withCard()
        let old = try await world.tag()
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        let elsewhere = World(try World.blank())
        try await elsewhere.issue(77_700)
        var damaged = old
        for page in 0x20...0x27 { damaged[UInt8(page)] = Page(0xAA, 0xBB, 0xCC, 0xDD) }
        let tags: [(TagMemory, TapcardError.Kind)] = [
            (old, .rolledBack), (damaged, .damaged), (try await elsewhere.tag(), .forged),
            (try World.blank().tags[0], .damaged),
        ]
        for (number, (tag, kind)) in tags.enumerated() {
            try await world.put(tag)
            #expect(try await world.station.read().problem?.kind == kind)
            try await world.issue(100, mayReissue: true, id: UInt64(20 + number))
            #expect(try await world.station.read().balance == World.usd(100))
            try await world.expectResolved()
        }
    }

    private func booked(on account: Account, in world: World) async throws -> Int64 {
        try await world.ledger.read { rows throws(LedgerError) in
            try rows.balance(of: account)
        }
    }
}
