import CardCryptography
import Cards
import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The tag's protection was set by somebody else or by another ledger, or is missing on a copy.
@Suite("Protection that the ledger does not know")
struct ForeignProtectionTests {
    @Test("A tag that somebody else protected is left untouched", arguments: [0, 1, 7] as [UInt8])
    func others(_ limit: UInt8) async throws {
        let world = World(try World.blank())
        try await world.alter { tag in
            tag[0x2A][0] = limit
            tag.setPasswordOfAnother(from: 0x04)
        }
        let before = try await world.tag()
        let reader = InterposedReader(world.reader)
        let station = world.station(reader: reader)
        let request = try CardRequest.demo(in: .usd, mayOverwrite: true, protects: true)
        await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
            try await station.make(request, id: World.id(1))
        }
        await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
            try await station.unprotect(id: World.id(2))
        }
        await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
            try await station.format(overwriting: true)
        }
        #expect(try await world.tag() == before)
        // A tag that counts wrong passwords is never tried.
        #expect(reader.passwords.count == (limit == 0 ? 3 : 0))
    }

    @Test("A foreign password on a known card is left alone, and the card can be read")
    func vandal() async throws {
        let world = try await World.withCard()
        try await world.alter { $0.setPasswordOfAnother() }
        let before = try await world.tag()
        for line in [1, 2] {
            await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
                line == 1
                    ? try await world.station.protect(id: World.id(2))
                    : try await world.station.unprotect(id: World.id(3))
            }
        }
        #expect(try await world.tag() == before)
        #expect(try await world.station.read().balance == World.usd(1_000))
    }

    @Test("Protection from another ledger is removed with its key or adopted with the card")
    func otherLedger() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let tag = try await world.tag()
        let rotated = try world.keys.rotated(created: "2026-02-01") { count in
            [UInt8](repeating: 0x44, count: count)
        }
        let stranger = World(Simulation([tag], onReader: [tag.uid]), keys: rotated)
        let change = try await stranger.station.unprotect(id: World.id(2))
        #expect(!change.isProtected && change.operation == nil)
        try await stranger.expectProtected(as: .off)
        #expect(try await stranger.tag()[0x20] == tag[0x20])
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await stranger.station.unprotect(id: World.id(3))
        }
        await expectRefused(.refusal(.cardUnknown), exit: 4) { () throws(TapcardError) in
            try await stranger.station.protect(id: World.id(4))
        }

        let heir = World(Simulation([tag], onReader: [tag.uid]), keys: rotated)
        _ = try await heir.station.make(
            CardRequest(.adopt(accepting: World.usd(1_000))), id: World.id(5))
        try await heir.expectProtected(as: try await heir.card().protection)
        let summary = try await heir.station.read()
        #expect(summary.protection == .on(keyID: 1) && summary.seal == .valid)
        #expect(summary.problem == nil && summary.display == .current)
        #expect(heir.tables.rowsBroken == [])
    }

    @Test("Protection can be removed from a card that was closed and formatted")
    func formatted() async throws {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        _ = try await world.station.close(id: World.id(2))
        _ = try await world.station.format(overwriting: false)
        let change = try await world.station.unprotect(id: World.id(3))
        #expect(!change.isProtected)
        #expect(try await world.card().protection == .off)
        try await world.expectProtected(as: .off)
    }

    /// The backup is from before the card was protected, or from before it was unprotected.
    @Test(
        "Repairing a card after its ledger was restored learns its actual protection",
        arguments: [true, false])
    func restored(_ isProtected: Bool) async throws {
        let world = World(try World.blank())
        try await world.issue(protects: isProtected)
        let uid = try await world.uid()
        // What the older ledger says.
        let older = isProtected ? CardProtection.off : .on(keyID: 1)
        #expect(
            try await world.ledger.recordProtection(
                of: uid, older, insteadOf: isProtected ? .on(keyID: 1) : .off))
        _ = try await world.ledger.skipNumbersAfterRestore()
        try await world.alter { $0[0x20] = .zero }
        try await world.alter { $0[0x24] = .zero }
        let summary = try await world.station.repair(naming: uid)
        #expect(summary.protection == (isProtected ? .on(keyID: 1) : .off))
        try await world.expectResolved()
    }

    /// A protected card, and a copy of its readable pages on the reader.
    private func copied() async throws -> (World, honest: TagMemory, copy: TagMemory) {
        let world = World(try World.blank())
        try await world.issue(protects: true)
        let honest = try await world.tag()
        var copy = try #require(TagMemory.blank(.ntag213, uid: honest.uid))
        copy.copy(honest)
        try await world.put(copy)
        return (world, honest, copy)
    }

    @Test("No money moves to or from an unprotected copy of a protected card")
    func copy() async throws {
        let (world, honest, copy) = try await copied()
        await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.repair()
        }
        #expect(try await world.tag() == copy)
        #expect(try await world.ledger.audit().open == 0)
        try await world.put(honest)
        #expect(try await world.station.read().balance == World.usd(1_000))
        try await world.expectResolved()
    }

    @Test("A copy that accepts any password is refused because its answer is wrong")
    func copyThatTakesAny() async throws {
        let (world, honest, copy) = try await copied()
        let station = world.station(
            reader: InterposedReader(world.reader, answer: InterposedReader.takingAnyPassword))
        await expectRefused(.protectedTag, exit: 4) { () throws(TapcardError) in
            try await station.pay(World.usd(250), id: World.id(2))
        }
        #expect(try await world.tag() == copy)
        #expect(try await world.ledger.audit().open == 0)

        // What is open already is not finished on it, either.
        try await world.put(honest)
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.add(World.usd(250), id: World.id(3))
        try await world.put(copy)
        _ = try? await station.read()
        #expect(try await world.tag() == copy)
        #expect(try await world.ledger.audit().open == 1)
        try await world.put(honest)
        #expect(try await world.station.read().balance == World.usd(1_250))
        try await world.expectResolved()
    }

    @Test("Protection that needs a power cycle to take effect is reported as unknown")
    func ignored() async throws {
        let world = try await World.withCard()
        let station = world.station(reader: alwaysPowered(world))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await station.protect(id: World.id(2))
        }
        try await world.tag().expectAlive(by: world.keys)
        try await world.putBack()
        #expect(try await world.station.read().protection == .on(keyID: 1))
        try await world.expectResolved()
    }

    @Test("A card that cannot be protected can still be replaced with its full balance")
    func replaced() async throws {
        let world = try await World.withCard()
        let station = world.station(reader: alwaysPowered(world))
        _ = try? await station.protect(id: World.id(2))
        let uid = try await world.uid()
        try await world.put(try World.otherTag())
        let summary = try await world.station.make(CardRequest(.replace(uid)), id: World.id(3))
        #expect(summary.balance == World.usd(1_000))
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("A chip with a false signature is accepted only on request")
    func falseSignature() async throws {
        let signature: [UInt8] = [UInt8](repeating: 0x5A, count: 32)
        let tag = try #require(
            TagMemory.blank(.ntag213, uid: World.uids["NTAG213"] ?? [], signature: signature))
        let world = World(Simulation([tag], onReader: [tag.uid]))
        await expectRefused(.unsupportedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.make(try .demo(), id: World.id(1))
        }
        #expect(try await world.tag() == tag)
        #expect(try await world.balance() == nil)
        var request = try CardRequest.demo()
        request.acceptsAnyChip = true
        let summary = try await world.station.make(request, id: World.id(2))
        #expect(summary.originality == .invalid)
        #expect(try await world.card().isGenuineChip == false)
        #expect(try await world.station.read().originality == .invalid)
    }
}

extension CardRequest {
    fileprivate static func demo() throws(TapcardError) -> CardRequest {
        do {
            return try demo(in: .usd)
        } catch {
            throw TapcardError(error)
        }
    }
}

/// The world's reader, which never switches its field off.
private func alwaysPowered(_ world: World) -> InterposedReader {
    InterposedReader(world.reader, release: { _ in })
}
