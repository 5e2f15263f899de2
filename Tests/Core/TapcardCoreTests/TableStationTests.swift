import CardCryptography
import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A station with a table of card keys works next to one with the keys of the issuer.
@Suite("A station with a table of card keys")
struct TableStationTests {
    private static let number: [UInt8] = [0x04, 0x42, 0x4D, 0x4E, 0x41, 0x00, 0x01]
    private static let otherNumber: [UInt8] = [0x04, 0x42, 0x4D, 0x4E, 0x41, 0x00, 0x02]
    private static let rotated: KeyRing = {
        do {
            return try World.keys.rotated(created: "2026-02-01") { count in
                [UInt8](repeating: 0x33, count: count)
            }
        } catch {
            preconditionFailure("a ring of one key has room for another")
        }
    }()

    /// A card with ten dollars, and a second chip in the drawer.
    private static func world(_ keys: KeyRing = World.keys) async throws -> World {
        let chips = try [number, otherNumber].map { number in
            NTAG424Memory(factory: try #require(CardUID(bytes: number)))
        }
        let world = World(Simulation([], chips: chips, onReader: [number]), keys: keys)
        _ = try await world.station.make(request, id: World.id(1))
        return world
    }

    private static let request = CardRequest(
        .issue(Holder(id: nil, name: nil), World.usd(1_000), hasScratchCard: true),
        acceptsAnyChip: true)

    private static func table(
        _ world: World, _ keys: KeyRing? = nil, next: UInt8? = nil
    ) async throws -> KeyRing {
        try #require(try await CardTable(keys ?? world.keys, next: next, of: world.ledger)).keys
    }

    /// The chip's files, without its counters of attempts and reads.
    private static func files(_ world: World) async throws -> [[UInt8]] {
        let chip = try #require(try await world.reader.change { $0.chip(number) })
        return chip.files.map(\.bytes)
    }

    private static func put(_ number: [UInt8], in world: World) async throws {
        try await world.reader.change { world in
            world.fault = nil
            world.put([number])
        }
        await world.reader.release()
    }

    @Test(
        "A station with a table takes a payment in six commands, and all stations accept the card")
    func sells() async throws {
        let world = try await Self.world()
        let table = try await Self.table(world)
        #expect(table.isTable && table.tableSize == 1)
        let till = world.station(keys: table)
        let start = await world.reader.frameCount
        let receipt = try await till.pay(World.usd(250), id: World.id(2))
        #expect(await world.reader.frameCount - start == 6)
        #expect(receipt.balance == World.usd(750))
        #expect(try await world.station.read().problem == nil)
        _ = try await world.station.pay(World.usd(50), id: World.id(3))
        _ = try await world.station.add(World.usd(300), id: World.id(4))
        let summary = try await till.read()
        #expect(summary.problem == nil && summary.balance == World.usd(1_000))
        _ = try await till.scratch(id: World.id(5))
        // What takes money off a card needs no more than a payment.
        _ = try await till.refund(World.id(4))
        let closed = try await till.close(id: World.id(7))
        #expect(closed.amount == World.usd(-700))
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("A station with a table resolves a payment interrupted at any frame")
    func resolves() async throws {
        for frame in 1...6 {
            for kind in [Fault.Kind.lost, .acknowledgeLost, .garbled] {
                let world = try await Self.world()
                let till = world.station(keys: try await Self.table(world))
                try await world.arm(Fault(at: frame, counting: .frame, kind))
                let said = await outcome { () throws(TapcardError) in
                    try await till.pay(World.usd(250), id: World.id(2))
                }
                try await Self.put(Self.number, in: world)
                let summary = try await till.read()
                let isPaid = try await world.ledger.operation(World.id(2))?.state == .committed
                #expect(summary.problem == nil, "\(kind) at \(frame)")
                #expect(summary.balance == World.usd(isPaid ? 750 : 1_000))
                #expect(!said.isSuccess || isPaid, "\(kind) at \(frame): \(said)")
                #expect(try await world.station.read().problem == nil)
                _ = try await till.pay(World.usd(100), id: World.id(3))
                #expect(try await world.ledger.audit().violations == [])
            }
        }
    }

    /// The requests that need a key that is in no table.
    private enum CreditRequest: CaseIterable {
        case add, refund, issue, replace, adopt, claim

        func attempt(at till: Station, _ prize: Prize) async throws(TapcardError) {
            switch self {
            case .add: _ = try await till.add(World.usd(100), id: World.id(3))
            case .refund: _ = try await till.refund(World.id(2))
            case .issue: _ = try await till.make(TableStationTests.request, id: World.id(4))
            case .replace:
                _ = try await till.make(CardRequest(.replace(prize.card)), id: World.id(5))
            case .adopt:
                _ = try await till.make(CardRequest(.adopt(accepting: nil)), id: World.id(6))
            case .claim:
                _ = try await till.claimTickets(
                    drawn: prize.drawn, prizes: prize.prizes, topPrizeUnit: .whole)
            }
        }
    }

    /// A card with a ticket that has won.
    private struct Prize {
        let card: CardUID
        let drawn: DrawList
        let prizes: PrizeTable
    }

    @Test("A station with a table refuses to add money or make cards before it reads one")
    func refusesCredit() async throws {
        let world = try await Self.world()
        let till = world.station(keys: try await Self.table(world))
        _ = try await till.pay(World.usd(250), id: World.id(2))
        let ticket = try await till.buy(World.id(9)).ticket
        let prize = Prize(
            card: try #require(CardUID(bytes: Self.number)),
            drawn: try DrawList([try world.draw(like: ticket, top: 5)]),
            prizes: try PrizeTable(parsing: "6=top", .usd))
        let (frames, tables) = (await world.reader.frameCount, world.tables)
        for request in CreditRequest.allCases {
            let said = await outcome { () throws(TapcardError) in
                try await request.attempt(at: till, prize)
            }
            #expect(said.failure?.kind == .refusal(.wrongState), "\(request): \(said)")
            #expect(said.failure?.result.exitStatus == 4)
            #expect(said.failure?.next == [.trust(.useAtIssuerStation)])
        }
        #expect(await world.reader.frameCount == frames && world.tables == tables)
        // What has happened elsewhere is told.
        _ = try await world.station.add(World.usd(100), id: World.id(3))
        #expect(try await till.add(World.usd(100), id: World.id(3)).isReplayed)
    }

    @Test("A station with a table leaves a card with an open top-up alone")
    func openCredit() async throws {
        let world = try await Self.world()
        let till = world.station(keys: try await Self.table(world))
        try await world.arm(Fault(at: 1, counting: .write, .lost))
        _ = try? await world.station.add(World.usd(100), id: World.id(2))
        #expect(try await world.ledger.operation(World.id(2))?.state == .pending)
        try await Self.put(Self.number, in: world)
        let (files, tables) = (try await Self.files(world), world.tables)
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await till.pay(World.usd(100), id: World.id(3))
        }
        #expect(try await Self.files(world) == files && world.tables == tables)
        #expect(try await world.station.read().balance == World.usd(1_100))
        #expect(try await till.pay(World.usd(100), id: World.id(3)).balance == World.usd(1_000))
    }

    @Test("A station tries nothing on a card that is missing from its table")
    func notInTable() async throws {
        let world = try await Self.world()
        let till = world.station(keys: try await Self.table(world))
        try await Self.put(Self.otherNumber, in: world)
        _ = try await world.station.make(Self.request, id: World.id(2))
        let (frames, tables) = (await world.reader.frameCount, world.tables)
        let error = await #expect(throws: TapcardError.self) {
            try await till.pay(World.usd(100), id: World.id(3))
        }
        #expect(error?.kind == .keyMissing && error?.result.exitStatus == 7)
        #expect(error?.next == [.file(.importTable)])
        #expect(await world.reader.frameCount == frames && world.tables == tables)
        let newer = world.station(keys: try await Self.table(world))
        #expect(try await newer.pay(World.usd(100), id: World.id(3)).balance == World.usd(900))
    }

    @Test("A station with a table refuses a card that its ledger or its table does not know")
    func stranger() async throws {
        let elsewhere = try await Self.world()
        let chip = try #require(try await elsewhere.reader.change { $0.chip(Self.number) })
        let world = try await Self.world()
        let table = try await Self.table(world)
        let empty = World(Simulation([], chips: [chip], onReader: [Self.number]), keys: table)
        // The row is there, but not this ledger's card.
        await expectRefused(.refusal(.cardUnknown), exit: 4) { () throws(TapcardError) in
            try await empty.station.pay(World.usd(100), id: World.id(3))
        }
        let blank = World(
            Simulation([], chips: [chip], onReader: [Self.number]),
            keys: try #require(World.keys.tableOfNothing))
        await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
            try await blank.station.pay(World.usd(100), id: World.id(3))
        }
    }

    @Test("A station with a table says where a blank chip can become a card")
    func blank() async throws {
        let chip = try #require(NTAG424Memory(factory: Self.number))
        let table = try await Self.table(try await Self.world())
        let world = World(Simulation([], chips: [chip], onReader: [Self.number]), keys: table)
        let said = await outcome { () throws(TapcardError) in try await world.station.read() }
        guard case .failure(let error) = said else {
            Issue.record("a blank chip is a card")
            return
        }
        #expect(error.kind == .blankTag && error.next == [.trust(.useAtIssuerStation)])
    }

    @Test("A station with a table refuses cards on chips without keys of their own")
    func otherChip() async throws {
        let chips = try await Self.world()
        let table = try await Self.table(chips)
        let world = try await World.withCard()
        let till = world.station(keys: table)
        let (frames, tables) = (await world.reader.frameCount, world.tables)
        await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
            try await till.pay(World.usd(1), id: World.id(3))
        }
        await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
            try await till.read()
        }
        #expect(await world.reader.frameCount == frames && world.tables == tables)
    }

    @Test("A station with a table accepts a card before and after its keys are changed")
    func olderKey() async throws {
        let world = try await Self.world()
        let till = world.station(keys: try await Self.table(world, Self.rotated))
        #expect(try await till.pay(World.usd(100), id: World.id(2)).balance == World.usd(900))
        let issuer = world.station(keys: Self.rotated)
        #expect(try await issuer.pay(World.usd(100), id: World.id(3)).balance == World.usd(800))
        let chip = try #require(try await world.reader.change { $0.chip(Self.number) })
        #expect(chip.keys.allSatisfy { $0.version == 3 })
        #expect(try await till.pay(World.usd(100), id: World.id(4)).balance == World.usd(700))
        #expect(try await world.station(keys: Self.rotated).read().problem == nil)
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("A station with a table refuses a card until it has the keys that the ledger orders")
    func orderedKey() async throws {
        let world = try await Self.world()
        let prepared = try World.keys.preparing(created: "2026-02-01", avoiding: []) { count in
            [UInt8](repeating: 0x33, count: count)
        }
        let table = try await Self.table(world, prepared, next: 2)
        #expect(table.entries.map(\.id) == [1, 2] && table.sealing.id == 1)
        let older = world.station(keys: try await Self.table(world))
        let till = world.station(keys: table)
        world.rows.seal(with: 2)
        let (files, tables) = (try await Self.files(world), world.tables)
        #expect(try await till.read().problem == nil)
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await till.pay(World.usd(100), id: World.id(2))
        }
        let refusal = await #expect(throws: TapcardError.self) {
            try await older.pay(World.usd(100), id: World.id(2))
        }
        #expect(refusal?.kind == .keysBehind && refusal?.next == [.file(.importTable)])
        #expect(try await Self.files(world) == files && world.tables == tables)
        let issuer = world.station(keys: prepared)
        _ = try await issuer.pay(World.usd(100), id: World.id(3))
        #expect(try await till.pay(World.usd(100), id: World.id(4)).balance == World.usd(800))
    }

    @Test("A station with a table stops once its key is retired")
    func givenUp() async throws {
        let world = try await Self.world()
        let till = world.station(keys: try await Self.table(world))
        try await world.ledger.retire([1], at: world.now)
        let error = await #expect(throws: TapcardError.self) {
            try await till.pay(World.usd(100), id: World.id(2))
        }
        #expect(error?.kind == .keysUnusable && error?.next == [.file(.importTable)])
        let table = try await CardTable(Self.rotated.retiring(1), next: nil, of: world.ledger)
        #expect(table?.keys.entries.map(\.id) == [2])
    }

    @Test("A table names the card keys that the issuer lacks, and no table is made from a table")
    func lacking() async throws {
        let world = try await Self.world(Self.rotated)
        let table = try #require(
            try await CardTable(World.keys, next: nil, of: world.ledger))
        #expect(table.lacking == [2] && table.cards == 1)
        #expect(
            try await CardTable(table.keys, next: nil, of: world.ledger) == nil,
            "no table is made of a table")
    }

    @Test("A table has no row for a closed card or for a card on another chip")
    func others() async throws {
        let world = try await World.withCard()
        let table = try #require(try await CardTable(world.keys, next: nil, of: world.ledger))
        #expect(table.cards == 0 && table.keys.tableSize == 0)
        let chips = try await Self.world()
        _ = try await chips.station.close(id: World.id(2))
        #expect(try await Self.table(chips).tableSize == 0)
    }
}

extension KeyRing {
    /// A table without cards.
    fileprivate var tableOfNothing: KeyRing? {
        CardKeyRows([]).flatMap { rows in
            KeyRing(
                entries: [
                    KeyEntry(
                        id: 1, mark: sealing.mark, rows: rows, files: sealing.tableKey,
                        status: .active, created: "")
                ])
        }
    }
}
