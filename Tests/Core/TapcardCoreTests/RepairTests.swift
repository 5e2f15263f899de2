import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// An operator names a card that cannot be trusted and has it written again.
@Suite("Repairing a card")
struct RepairTests {
    @Test("Only the tap that voids a payment says that it was voided")
    func voided() async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 4, counting: .write, .acknowledgeLost))
        _ = try? await world.station.pay(World.usd(100), id: World.id(2))
        try await world.putBack()
        try await world.alter { tag in for page in UInt8(0x20)...0x27 { tag[page] = .zero } }
        let looked = try #require(try await world.station.read(resolving: false).problem)
        #expect(looked.what.hasSuffix("Payment \(World.id(2)) is still open."))
        #expect(looked.meaning == "The full balance is safe in the ledger.")
        #expect(try await world.ledger.operation(World.id(2))?.state == .pending)
        let read = try #require(try await world.station.read().problem)
        #expect(
            read.meaning == "The open payment was voided because of this, and the full balance is "
                + "safe in the ledger.")
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        for resolves in [true, false] {
            let again = try #require(try await world.station.read(resolving: resolves).problem)
            #expect(again.meaning == "The full balance is safe in the ledger.")
            #expect(!again.what.contains("open"))
        }
    }

    /// The damage to the card.
    enum Trouble: CaseIterable, Sendable {
        case damaged, rolledBack, forged

        var kind: TapcardError.Kind {
            switch self {
            case .damaged: .damaged
            case .rolledBack: .rolledBack
            case .forged: .forged
            }
        }
    }

    @Test(
        "A repair that names the card makes an untrusted card good again",
        arguments: Trouble.allCases)
    func repairs(_ trouble: Trouble) async throws {
        let world = try await world(with: trouble)
        await expectRefused(trouble.kind, exit: 7) { () throws(TapcardError) in
            try await world.station.repair()
        }
        let summary = try await world.station.repair(naming: try await world.uid())
        #expect(summary.problem == nil && summary.balance == World.usd(750))
        try await world.expectResolved()
        _ = try await world.station.pay(World.usd(50), id: World.id(5))
        try await world.expectResolved()
    }

    @Test("A repair interrupted at any write can be started again", arguments: Trouble.allCases)
    func interrupted(_ trouble: Trouble) async throws {
        for way: Fault.Kind in [.lost, .torn(.zero), .torn(.mix(seed: 3)), .garbled] {
            var write = 1
            while true {
                let world = try await world(with: trouble)
                let uid = try await world.uid()
                try await world.arm(Fault(at: write, counting: .write, way))
                let said = await outcome { () throws(TapcardError) in
                    try await world.station.repair(naming: uid)
                }
                guard try await !world.isArmed() else { break }
                let label: Comment = "\(trouble), \(way) at WRITE \(write)"
                if way == .garbled { #expect(said.isSuccess, label) }
                try await world.putBack()
                _ = try await world.station.repair(naming: uid)
                try await world.expectResolved(label)
                #expect(try await world.balance() == 750, label)
                write += 1
            }
            #expect(write > 4)
        }
    }

    @Test("A repair voids an open payment that the card does not show")
    func voidsOpenPayment() async throws {
        let world = try await World.withCard()
        let old = try await world.tag()
        _ = try await world.station.add(World.usd(100), id: World.id(2))
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(3))
        try await world.put(old)
        let summary = try await world.station.repair(naming: try await world.uid())
        #expect(summary.balance == World.usd(1_100))
        #expect(try await world.ledger.operation(World.id(3))?.state == .voided)
        try await world.expectResolved()
    }

    @Test("A repair finishes an open top-up")
    func finishesAddition() async throws {
        let world = try await World.withCard()
        let old = try await world.tag()
        _ = try await world.station.add(World.usd(100), id: World.id(2))
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.add(World.usd(200), id: World.id(3))
        try await world.put(old)
        let summary = try await world.station.repair(naming: try await world.uid())
        #expect(summary.balance == World.usd(1_300))
        try await world.expectResolved()
    }

    @Test("A repair of a good card rewrites its whole face")
    func refreshesDisplay() async throws {
        let world = try await World.withCard()
        let good = try await world.tag()
        try await world.alter { $0.flip(0xFF, at: 50) }
        let summary = try await world.station.repair()
        #expect(summary.display == .repaired)
        #expect(try await world.tag() == good)
        let writes = await world.reader.writeCount
        _ = try await world.station.repair()
        #expect(await world.reader.writeCount > writes + 10)
    }

    @Test("A repair refuses any card other than the named one")
    func otherCard() async throws {
        let world = try await world(with: .damaged)
        let before = try await world.tag()
        let other = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.wrongCard, exit: 4) { () throws(TapcardError) in
            try await world.station.repair(naming: other)
        }
        #expect(try await world.tag() == before)
    }

    @Test("A repair does not turn a blank tag into a card")
    func stranger() async throws {
        let world = World(try World.blank())
        let uid = try await world.uid()
        await expectRefused(.blankTag, exit: 4) { () throws(TapcardError) in
            try await world.station.repair(naming: uid)
        }
    }

    /// A card of 7.50 with this damage.
    private func world(with trouble: Trouble) async throws -> World {
        let world = try await World.withCard()
        let old = try await world.tag()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        let places = try old.layout.recordPages
        switch trouble {
        case .damaged:
            try await world.alter { tag in
                for place in places { tag[place + 1] = Page(1, 2, 3, 4) }
            }
        case .rolledBack: try await world.put(old)
        case .forged:
            // Another world with the same keys has issued other records under these numbers.
            let elsewhere = World(try World.blank())
            try await elsewhere.issue(9_000)
            _ = try await elsewhere.station.add(World.usd(1), id: World.id(2))
            try await world.put(try await elsewhere.tag())
        }
        return world
    }
}
