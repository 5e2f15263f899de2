import CardCryptography
import ChipCard
import FaultyWorld
import Ledger
import Ntag424
import PortDoubles
import SimulatedField
import SimulatedReader
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs
import Type2Tag

/// A card on an NTAG 424 DNA: the same verbs and the same promises as on a tag with pages.
@Suite("A card on a chip that proves itself")
struct ProvenCardTests {
    private static let rotated: KeyRing = {
        guard
            let ring = try? World.keys.rotated(
                created: "2026-02-01", random: { [UInt8](repeating: 0x33, count: $0) })
        else { preconditionFailure("a ring of one key can be rotated") }
        return ring
    }()

    /// One chip from the factory on the reader.
    private func factory() throws -> World {
        var simulation = Simulation()
        let chip = try #require(simulation.addChip { [UInt8](repeating: 1, count: $0) })
        simulation.put([chip.number])
        return World(simulation)
    }

    private func made(_ minorUnits: Int64 = 1_000) async throws -> World {
        let world = try factory()
        try await world.issue(minorUnits)
        return world
    }

    private func chip(_ world: World) async throws -> ChipMemory {
        try await world.reader.change { $0.chips[0] }
    }

    private func put(_ chip: ChipMemory, on world: World) async throws {
        try await world.reader.change { field in
            field.save(chip)
            field.put([chip.number])
        }
        await world.reader.release()
    }

    /// The card's keys from this key of the house, and no other; the ledger's balance in its newest
    /// slot and in its grant; and nothing open.
    private func expectWhole(
        _ world: World, _ balance: Int64, keyID: UInt8 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let chip = try await chip(world)
        let masters = try #require((keyID == 1 ? World.keys : Self.rotated).entry(keyID)?.masters)
        let keys = ChipCardKeys(masters, uid: chip.uid)
        for number in KeyNumber.allCases {
            #expect(chip[number].key == keys[number], sourceLocation: sourceLocation)
            #expect(chip[number].version == keyID + 1, sourceLocation: sourceLocation)
            #expect(chip[number].failures == 0, sourceLocation: sourceLocation)
        }
        let view = try #require(try await world.ledger.view(of: chip.uid))
        #expect(view.balance.minorUnits == balance, sourceLocation: sourceLocation)
        #expect(view.open == nil, sourceLocation: sourceLocation)
        let slots = try #require(ChipSlots(chip[.data].bytes))
        let issued = try #require(view.issued[view.card.confirmed])
        let slot = try #require(slots.slots.first { $0?.record == issued.bytes } ?? nil)
        let at = AddressFile.nowhere.grantAt
        let selling = SellingKey(of: chip.uid, from: masters, .usd)
        let grant = Grant(Array(chip[.ndef].bytes[at..<(at + Grant.byteCount)]), for: selling)
        #expect(grant.map { $0.granted - slot.spent } == balance, sourceLocation: sourceLocation)
        let audit = try await world.ledger.audit()
        #expect(audit.violations == [], sourceLocation: sourceLocation)
    }

    @Test("is issued, paid with, charged, refunded, scratched, closed and issued again")
    func life() async throws {
        let world = try await made()
        try await expectWhole(world, 1_000)
        let paid = try await world.station.pay(World.usd(450), id: World.id(2))
        #expect(paid.balance == World.usd(550) && paid.display == .current)
        try await expectWhole(world, 550)
        _ = try await world.station.add(World.usd(2_000), id: World.id(3))
        try await expectWhole(world, 2_550)
        _ = try await world.station.refund(World.id(2))
        try await expectWhole(world, 3_000)
        _ = try await world.station.scratch(id: World.id(4))
        #expect(try await world.station.read().scratch.code != nil)
        for number in 10..<20 {
            _ = try await world.station.pay(World.usd(1), id: World.id(UInt64(number)))
        }
        try await expectWhole(world, 2_990)
        let closed = try await world.station.close(id: World.id(5))
        #expect(closed.amount == World.usd(-2_990))
        try await expectWhole(world, 0)
        try await world.issue(300, mayReissue: true, id: 6)
        try await expectWhole(world, 300)
        #expect(try await world.station.read().holder.name?.text == "Amanda Gonzalez")
    }

    @Test("takes five commands for a balance, and six for a payment")
    func commands() async throws {
        let world = try await made()
        var count = await world.reader.frameCount
        _ = try await world.station.read()
        #expect(await world.reader.frameCount - count == 5)
        count = await world.reader.frameCount
        _ = try await world.station.pay(World.usd(1), id: World.id(2))
        #expect(await world.reader.frameCount - count == 6)
    }

    @Test("An old image that was put back is rolled back, and worth nothing")
    func oldImage() async throws {
        let world = try await made()
        let old = try await chip(world)
        _ = try await world.station.pay(World.usd(450), id: World.id(2))
        try await put(old, on: world)
        #expect(try await world.station.read().seal == .rolledBack)
        await expectRefused(.rolledBack, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        #expect(try await chip(world).files == old.files)
    }

    @Test("A clone with its number and other keys is a copy, and is not harmed")
    func clone() async throws {
        let world = try await made()
        let honest = try await chip(world)
        // Made by another house, which numbers its keys alike.
        let thief = World(
            try await factory().simulation(), keys: KeyRing.fresh(created: "2026-01-01"))
        try await thief.issue(99_999)
        try await put(try await chip(thief), on: world)
        await expectRefused(.copied, exit: 7) { () throws(TapcardError) in
            try await world.station.read()
        }
        await expectRefused(.copied, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        // One from the factory with that number, which every phone can read and write.
        try await put(try #require(ChipMemory(factory: honest.number)), on: world)
        await expectRefused(.copied, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        try await put(honest, on: world)
        _ = try await world.station.pay(World.usd(1), id: World.id(3))
        try await expectWhole(world, 999)
    }

    @Test("A tag with pages and the number of a chip is not the card, nor the other way round")
    func otherKind() async throws {
        let world = try await made()
        let uid = try await chip(world).number
        let tag = try #require(TagMemory.blank(.ntag213, uid: uid))
        try await world.reader.change { _ = $0.removeChip(uid) }
        try await world.put(tag)
        await expectRefused(.unsupportedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        let other = try await World.withCard()
        let number = try await other.tag().uid
        try await other.reader.change { field in
            _ = field.remove(number)
            if let chip = ChipMemory(factory: number) { field.save(chip) }
            field.put([number])
        }
        await expectRefused(.unsupportedTag, exit: 4) { () throws(TapcardError) in
            try await other.station.pay(World.usd(1), id: World.id(3))
        }
    }

    @Test("Ten taps at a house with other keys: each one attempt, and the card lives on")
    func wrongKeys() async throws {
        let world = try await made()
        let stranger = world.station(
            ledger: TableLedger(), keys: KeyRing.fresh(created: "2026-01-01"))
        for _ in 0..<10 {
            await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
                _ = try await stranger.pay(World.usd(1), id: World.id(3))
            }
        }
        #expect(try await chip(world)[.three].failures == 10)
        _ = try await world.station.pay(World.usd(1), id: World.id(4))
        #expect(try await chip(world)[.three].failures == 0)
    }

    @Test("Keys of a version that is not there are not tried at all")
    func unknownVersion() async throws {
        let world = World(try await factory().simulation(), keys: Self.rotated)
        try await world.issue()
        let older = world.station(keys: World.keys)
        let before = try await chip(world)
        await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
            try await older.pay(World.usd(1), id: World.id(3))
        }
        #expect(try await chip(world) == before)
    }

    @Test("New keys come with the next change, whatever is lost on the way")
    func rotation() async throws {
        let whole = try await made()
        let rotated = whole.station(keys: Self.rotated)
        let first = await whole.reader.frameCount
        _ = try await rotated.pay(World.usd(100), id: World.id(2))
        let frames = await whole.reader.frameCount - first
        try await expectWhole(whole, 900, keyID: 2)
        for place in 1...frames {
            let world = try await made()
            let station = world.station(keys: Self.rotated)
            let kind = place.isMultiple(of: 2) ? Fault.Kind.lost : .acknowledgeLost
            try await world.arm(Fault(at: place, counting: .frame, kind))
            let outcome = await outcome { () throws(TapcardError) in
                try await station.pay(World.usd(100), id: World.id(2))
            }
            try await put(try await chip(world), on: world)
            _ = try await station.read()
            let isPaid = try await world.ledger.operation(World.id(2))?.state == .committed
            #expect(isPaid || !outcome.isSuccess, "command \(place)")
            _ = try await station.pay(World.usd(50), id: World.id(3))
            try await expectWhole(world, isPaid ? 850 : 950, keyID: 2)
        }
    }

    @Test("A retired key is no proof any more; the operator's repair gives the card new keys")
    func retirement() async throws {
        let world = try await made()
        try await world.ledger.retire([1], at: world.now)
        let ring = try Self.rotated.retiring(1)
        let station = world.station(keys: ring)
        #expect(try await station.read().seal == .forged)
        await expectRefused(.forged, exit: 7) { () throws(TapcardError) in
            try await station.pay(World.usd(1), id: World.id(2))
        }
        _ = try await station.repair(naming: try await chip(world).uid)
        _ = try await station.pay(World.usd(1), id: World.id(3))
        try await expectWhole(world, 999, keyID: 2)
    }

    @Test(
        "A grant that somebody raised with the load key adds nothing, and one that is gone comes back"
    )
    func alteredGrant() async throws {
        let masters = try #require(World.keys.entry(1)?.masters)
        for sum in [99_999, nil] as [Int64?] {
            let world = try await made()
            let chip = try await chip(world)
            let card = SellingKey(of: chip.uid, from: masters, .usd)
            let before = try #require(Grant(1_000)).sealed(for: card)
            let after = sum.flatMap(Grant.init)?.sealed(for: card) ?? before.map { _ in 0 }
            let text = chip.text.replacing(
                Hexadecimal.encode(before), with: Hexadecimal.encode(after))
            let altered = try #require(ChipMemory(parsing: text))
            #expect(altered != chip)
            try await put(altered, on: world)
            #expect(try await world.station.read().balance == World.usd(1_000))
            try await expectWhole(world, 1_000)
        }
    }

    @Test("replaces a lost one, is blocked and unblocked, and adopted by another ledger")
    func otherVerbs() async throws {
        let world = try await World.withCard()
        let lost = try await world.uid()
        let memory = try await chip(try factory())
        try await put(memory, on: world)
        try await world.reader.change { $0.put([memory.number]) }
        _ = try await world.station.make(CardOrder(.replace(lost)), id: World.id(7))
        try await expectWhole(world, 1_000)
        try await world.change(memory.uid, .block)
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(8))
        }
        try await world.change(memory.uid, .unblock)
        _ = try await world.station.pay(World.usd(1), id: World.id(9))
        let other = TableLedger()
        let adopting = world.station(ledger: other)
        #expect(try await adopting.read().balance == World.usd(999))
        let order = CardOrder(.adopt(accepting: World.usd(999)))
        #expect(try await adopting.make(order, id: World.id(10)).balance == World.usd(999))
        // The first ledger is older than the card now, and pays nothing.
        await expectRefused(.ledgerBehind, exit: 9) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(11))
        }
    }

    /// The chip with another value in this line of its text.
    private func altering(
        _ chip: ChipMemory, _ values: [String: String]
    ) throws -> ChipMemory {
        let lines = chip.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let name = String(line.prefix { $0 != ":" })
            return values[name].map { "\(name): \($0)" } ?? String(line)
        }
        return try #require(ChipMemory(parsing: lines.joined(separator: "\n")))
    }

    private static let zeros = String(repeating: "00", count: 16)
    private static let strange = String(repeating: "AB", count: 16)

    @Test(
        "A chip that cannot become a card is refused before anything begins",
        arguments: [
            ["key-1": "\(strange) 2 0 0 0"], ["key-2": "\(zeros) 2 0 0 0"],
            ["key-4": "\(strange) 2 0 0 0"], ["key-1": "\(strange) 77 0 0 0"],
            ["key-0": "\(strange) 0 0 0 0"], ["settings-2": "00EFEE"], ["settings-3": "00EFEE"],
            ["key-0": "\(zeros) 0 1000 0 0"],
        ])
    func unmakeable(_ values: [String: String]) async throws {
        let world = try factory()
        let altered = try altering(try await chip(world), values)
        try await put(altered, on: world)
        let order = try CardOrder.demo(in: .usd)
        await expectRefused(.unsupportedTag, exit: 4, "\(values)") { () throws(TapcardError) in
            try await world.station.make(order, id: World.id(1))
        }
        #expect(try await world.operations().isEmpty)
        #expect(try await chip(world).files == altered.files)
    }

    @Test("Keys of the factory are not written over on a card: what claims them gets no keys")
    func claimedFactoryKeys() async throws {
        let world = try await made()
        let before = try await chip(world)
        let factory = "\(Self.zeros) 0 0 0 0"
        let altered = try altering(
            before, ["key-0": factory, "key-1": factory, "key-2": factory, "key-4": factory])
        try await put(altered, on: world)
        let station = world.station(keys: Self.rotated)
        let outcome = await outcome { () throws(TapcardError) in
            try await station.pay(World.usd(1), id: World.id(2))
        }
        #expect(!outcome.isSuccess)
        #expect(try await chip(world)[.one].key == altered[.one].key)
    }

    @Test("A making that was broken off and replaced can be made again")
    func replacedHalfMade() async throws {
        let order = try CardOrder.demo(in: .usd)
        for place in [1, 4, 9] {
            let world = try factory()
            try await world.arm(Fault(at: place, counting: .write, .acknowledgeLost))
            _ = await outcome { () throws(TapcardError) in
                try await world.station.make(order, id: World.id(1))
            }
            let half = try await chip(world)
            let other = try #require(ChipMemory(factory: World.otherUID))
            try await put(other, on: world)
            _ = try await world.station.make(CardOrder(.replace(half.uid)), id: World.id(2))
            try await put(half, on: world)
            let problem = await outcome { () throws(TapcardError) in
                try await world.station.pay(World.usd(1), id: World.id(3))
            }
            #expect(problem.result != .untrusted, "\(place)")
            try await world.reader.change { $0.put([half.number]) }
            try await world.issue(500, mayReissue: true, id: 4)
            _ = try await world.station.pay(World.usd(1), id: World.id(5))
        }
    }

    @Test("A card of another ledger under a retired key is forged, and not overwritten unasked")
    func retiredStranger() async throws {
        let world = try await made()
        let ring = try Self.rotated.retiring(1)
        let station = world.station(ledger: TableLedger(), keys: ring)
        let order = try CardOrder.demo(in: .usd)
        #expect(try await station.read().seal == .forged)
        await expectRefused(.forged, exit: 7) { () throws(TapcardError) in
            try await station.make(order, id: World.id(2))
        }
    }

    @Test("A key that somebody has killed is told, and the balance moves to another card")
    func deadKeys() async throws {
        for number in [3, 4] {
            let world = try await made()
            let before = try await chip(world)
            let line = try #require(
                before.text.split(separator: "\n").first { $0.hasPrefix("key-\(number): ") })
            let words = line.split(separator: " ")
            let dead = try altering(
                before, ["key-\(number)": "\(words[1]) \(words[2]) 1000 0 0"])
            try await put(dead, on: world)
            let outcome = await outcome { () throws(TapcardError) in
                try await world.station.add(World.usd(100), id: World.id(2))
            }
            #expect(
                outcome.failure?.description.contains("takes key \(number) no more") == true,
                "\(outcome)")
            try await put(try #require(ChipMemory(factory: World.otherUID)), on: world)
            let moved = try await world.station.make(
                CardOrder(.replace(before.uid)), id: World.id(3))
            #expect(moved.balance == World.usd(number == 3 ? 1_000 : 1_100))
        }
    }

    @Test("A station that names no page leaves the address of a card as it is")
    func keptAddress() async throws {
        let world = try await made()
        let page = try AddressFile(page: "https://cards.example.org/c")
        var settings = Station.Settings(ceilings: .unlimited(in: .usd), isConfirmed: true)
        settings.address = page
        let naming = Station(
            reader: world.reader, ledger: world.ledger, keys: world.keys, settings: settings,
            surroundings: world.clock.surroundings)
        let order = CardOrder(
            .issue(try World.holder("Zoë"), World.usd(700), hasScratchCard: false),
            mayReissue: true)
        _ = try await naming.make(order, id: World.id(2))
        let before = try await chip(world)
        _ = try await world.station(keys: Self.rotated).pay(World.usd(1), id: World.id(3))
        let after = try await chip(world)
        #expect(after[.three].version == 3)
        #expect(after[.ndef].bytes.prefix(40) == before[.ndef].bytes.prefix(40))
        #expect(after[.ndef].settings == before[.ndef].settings)
        #expect(try await world.station(keys: Self.rotated).read().balance == World.usd(699))
    }

    @Test("needs no password: to protect it is refused, and an order that wants it is content")
    func protection() async throws {
        let world = try factory()
        try await world.issue(protects: true)
        try await expectWhole(world, 1_000)
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await world.station.protect(id: World.id(2))
        }
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await world.station.unprotect(id: World.id(3))
        }
    }

    @Test("tells what it is without a key, before it is a card and after")
    func info() async throws {
        let world = try factory()
        let blank = try await world.station.tagInfo()
        #expect(blank.chip == "NTAG424" && blank.pages == nil)
        #expect(blank.keyVersions == [0, 0, 0, 0, 0])
        #expect(blank.originality == .valid && blank.ndef == "empty" && !blank.isProtected)
        await expectRefused(.blankTag, exit: 4) { () throws(TapcardError) in
            try await world.station.read()
        }
        try await world.issue()
        let card = try await world.station.tagInfo()
        #expect(card.keyVersions == [2, 2, 2, 2, 2] && card.ndef == "uri" && card.isProtected)
        #expect(try await chip(world)[.three].failures == 0)
        await expectRefused(.unsupportedTag, exit: 4) { () throws(TapcardError) in
            try await world.station.dump()
        }
    }
}

extension World {
    fileprivate func simulation() async throws -> Simulation { try await reader.change { $0 } }
}
