import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Somebody set lock bits on a card's tag, which can never be written again.
@Suite("A card on a permanently locked tag")
struct LockedTagTests {
    private static let locks: [@Sendable (inout TagMemory) -> Void] = [
        { $0[2] = Page($0[2][0], $0[2][1], 0xF0, 0xFF) },
        { tag in if let page = tag.chip.dynamicLockPage { tag[page] = Page(0xFF, 0xFF, 0, 0xBD) } },
    ]

    @Test(
        "A locked tag stops a switch of protection before it begins", arguments: Type2Chip.known,
        [true, false])
    func neverBegun(_ chip: Type2Chip, _ isProtected: Bool) async throws {
        for lock in Self.locks {
            let world = World(try World.blank(chip))
            try await world.issue(protects: isProtected)
            let noted = try await world.card().protection
            try await world.alter(lock)
            let before = try await world.tag()
            let said = await outcome { () throws(TapcardError) in
                isProtected
                    ? try await world.station.unprotect(id: World.id(2))
                    : try await world.station.protect(id: World.id(2))
            }
            try expectNamed(said, .lockedTag, exit: 4)
            #expect(try await world.tag() == before)
            #expect(try await world.card().protection == noted)
            #expect(try await world.operations().count == 1)
        }
    }

    @Test(
        "The error for a request on a locked tag names its lock bits and suggests a replacement",
        arguments: [true, false])
    func named(_ isProtected: Bool) async throws {
        let world = World(try World.blank())
        try await world.issue(protects: isProtected)
        try await world.alter(Self.locks[1])
        for _ in 1...2 {
            try expectNamed(
                await outcome { () throws(TapcardError) in
                    try await world.station.pay(World.usd(100), id: World.id(2))
                }, .outcomeUnknown, exit: 6)
        }
        try expectNamed(
            await outcome { () throws(TapcardError) in try await world.station.read() },
            .lockedTag, exit: 4)
        let uid = try await world.uid()
        try expectNamed(
            await outcome { () throws(TapcardError) in
                try await world.station.repair(naming: uid)
            }, .lockedTag, exit: 4)
        let closing = await outcome { () throws(TapcardError) in
            try await world.station.close(id: World.id(3))
        }
        try expectNamed(closing, .lockedTag, exit: 4)
        #expect(closing.failure?.meaning.hasPrefix("The card was not closed.") == true)

        try await world.put(try World.otherTag())
        let moved = try await world.station.make(CardRequest(.replace(uid)), id: World.id(5))
        #expect(moved.balance == World.usd(1_000))
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("A card on a locked tag is never reported as repaired", arguments: [true, false])
    func notRepaired(_ isNamed: Bool) async throws {
        let world = try await World.withCard()
        try await world.alter(Self.locks[0])
        let uid = try await world.uid()
        try expectNamed(
            await outcome { () throws(TapcardError) in
                try await world.station.repair(naming: isNamed ? uid : nil)
            }, .lockedTag, exit: 4)
        #expect(try await world.ledger.audit().open == 0)
    }

    @Test("The repair of a damaged card on a locked tag names its lock bits")
    func damaged() async throws {
        let world = try await World.withCard()
        try await world.alter { tag in
            for page: UInt8 in 0x20...0x27 { tag[page] = .zero }
        }
        try await world.alter(Self.locks[1])
        let uid = try await world.uid()
        try expectNamed(
            await outcome { () throws(TapcardError) in
                try await world.station.repair(naming: uid)
            }, .lockedTag, exit: 4)
    }

    @Test("Lock bits of pages that no card uses do not stop a switch of protection")
    func elsewhere() async throws {
        let world = try await World.withCard(.ntag216)
        try await world.alter { tag in
            if let page = tag.chip.dynamicLockPage { tag[page] = Page(0, 0x20, 0, 0xBD) }
        }
        _ = try await world.station.protect(id: World.id(2))
        #expect(try await world.card().protection == .on(keyID: 1))
    }

    private func expectNamed<Success>(
        _ said: Result<Success, TapcardError>, _ kind: TapcardError.Kind, exit status: Int32,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard case .failure(let error) = said else {
            Issue.record("it was not refused", sourceLocation: sourceLocation)
            return
        }
        #expect(error.kind == kind, sourceLocation: sourceLocation)
        #expect(error.result.exitStatus == status, sourceLocation: sourceLocation)
        #expect(error.what.contains("lock bits"), "\(error)", sourceLocation: sourceLocation)
        #expect(
            error.next.starts(with: [.trust(.replace(nil)), .tag(.show)]),
            sourceLocation: sourceLocation)
        #expect(!error.next.contains(.tag(.tapToResolve(kind))), sourceLocation: sourceLocation)
    }
}
