import CardCryptography
import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A card on an NTAG 424 has the same verbs and promises as one on a tag with pages.
@Suite("NTAG 424 cards at a station")
struct ProvenCardTests: ProvenCards {
    @Test("An NTAG 424 card stays consistent through its life, from issue to reissue")
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

    /// Otherwise, anyone who kept an address would see the next cardholder's balance.
    @Test("Addresses that phones have read expire when the card is reissued")
    func readAddresses() async throws {
        let world = try await made()
        let (uid, number) = (try await chip(world).uid, try await chip(world).number)
        func readByPhone() async throws {
            try await world.reader.change { field in
                _ = field.showToPhone(number) { [UInt8](repeating: 9, count: $0) }
            }
            await world.reader.release()
        }
        func noted() async throws -> ReadCounter? {
            try await world.ledger.read { rows throws(LedgerError) in
                try rows.readCounter(of: uid)
            }
        }
        for _ in 1...3 { try await readByPhone() }
        let kept = try await chip(world).reads
        #expect(try await noted() == nil)
        try await world.issue(500, mayReissue: true, id: 2)
        let ended = try #require(try await noted()).value
        #expect(kept >= 3 && ended >= kept)
        try await expectWhole(world, 500)
        try await readByPhone()
        #expect(try await chip(world).reads > ended)
    }

    /// The ledger is as new after a loss: the card has the issuer's keys but no row.
    @Test("Addresses that phones have read expire even if the ledger does not know the card")
    func readAddressesOfAnotherLedger() async throws {
        let world = try await made()
        let number = try await chip(world).number
        for _ in 1...3 {
            try await world.reader.change { field in
                _ = field.showToPhone(number) { [UInt8](repeating: 9, count: $0) }
            }
            await world.reader.release()
        }
        let (uid, kept) = (try await chip(world).uid, try await chip(world).reads)
        let ledger = TableLedger()
        _ = try await world.station(ledger: ledger).make(
            CardRequest(
                .issue(try World.holder("Bob"), World.usd(700), hasScratchCard: false),
                mayReissue: true), id: World.id(2))
        let noted = try await ledger.read { rows throws(LedgerError) in
            try rows.readCounter(of: uid)
        }
        #expect(kept >= 3 && noted.map { $0.value >= kept } == true)
    }

    @Test("Reading an NTAG 424 card takes five commands, and a payment takes six")
    func commands() async throws {
        let world = try await made()
        var count = await world.reader.frameCount
        _ = try await world.station.read()
        #expect(await world.reader.frameCount - count == 5)
        count = await world.reader.frameCount
        _ = try await world.station.pay(World.usd(1), id: World.id(2))
        #expect(await world.reader.frameCount - count == 6)
    }

    @Test("A retired key is not trusted on an NTAG 424 until a repair gives it new keys")
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

    @Test("An NTAG 424 card can replace a lost one, be blocked, and be adopted elsewhere")
    func otherVerbs() async throws {
        let world = try await World.withCard()
        let lost = try await world.uid()
        let memory = try await chip(try factory())
        try await put(memory, on: world)
        try await world.reader.change { $0.put([memory.number]) }
        _ = try await world.station.make(CardRequest(.replace(lost)), id: World.id(7))
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
        let request = CardRequest(.adopt(accepting: World.usd(999)))
        #expect(try await adopting.make(request, id: World.id(10)).balance == World.usd(999))
        // The first ledger is older than the card now, and pays nothing.
        await expectRefused(.ledgerBehind, exit: 9) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(11))
        }
    }

    @Test("A station without a page of its own keeps the address on the card")
    func keptAddress() async throws {
        let world = try await made()
        let page = try AddressFile(page: "https://cards.example.org/c")
        var settings = Station.Settings(ceilings: .unlimited(in: .usd), isConfirmed: true)
        settings.address = page
        let naming = Station(
            reader: world.reader, ledger: world.ledger, keys: world.keys, settings: settings,
            dependencies: world.clock.dependencies)
        let request = CardRequest(
            .issue(try World.holder("Zoë"), World.usd(700), hasScratchCard: false),
            mayReissue: true)
        _ = try await naming.make(request, id: World.id(2))
        let before = try await chip(world)
        _ = try await world.station(keys: Self.rotated).pay(World.usd(1), id: World.id(3))
        let after = try await chip(world)
        #expect(after[.three].version == 3)
        #expect(after[.ndef].bytes.prefix(40) == before[.ndef].bytes.prefix(40))
        #expect(after[.ndef].settings == before[.ndef].settings)
        #expect(try await world.station(keys: Self.rotated).read().balance == World.usd(699))
    }

    @Test("An NTAG 424 card needs no password, and switching its protection is refused")
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

    @Test("An NTAG 424's details can be read without a key, before and after it is issued")
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

    @Test("An NTAG 424's details include its issuer key and whether it is half made")
    func infoAsACard() async throws {
        let world = try factory()
        func info(_ keys: KeyRing = World.keys) async throws -> NTAG424CardInfo {
            try #require(try await world.station(keys: keys).tagInfo().ntag424Card)
        }
        let blank = try await info()
        #expect(
            blank.issuerKey == nil && !blank.isPartlyMade && blank.host == nil && !blank.usesLRP)
        // A station that was never set up has no key that a card could name.
        #expect(try await info(.none).issuerKey == nil)
        try await world.issue()
        let card = try await info()
        #expect(card.issuerKey == 1 && !card.isRetired && !card.isPartlyMade)
        // It was made without a page.
        #expect(card.host == nil && !card.usesLRP)
        let retired = try await info(try Self.rotated.retiring(1))
        #expect(retired.issuerKey == 1 && retired.isRetired)
        #expect(try await info(.none).issuerKey == nil)
        let whole = try await chip(world)
        // Power was lost before key 0 was written, or before key 3 was.
        for numbers in [[.application], [.application, .three, .four]] as [[KeyNumber]] {
            var half = whole
            for number in numbers { half[number].version = 0 }
            try await put(half, on: world)
            let told = try await info()
            #expect(told.isPartlyMade && told.issuerKey == 1, "\(numbers)")
        }
        var changing = whole
        changing[.application].version = 7
        try await put(changing, on: world)
        #expect(try await info().isPartlyMade)
    }

    /// With LRP, the chip writes 48 digits where the address has room for 32.
    @Test("An NTAG 424 switched to LRP is recognized by its address alone")
    func switchedToLRP() async throws {
        let world = try await made()
        var chip = try await chip(world)
        let at = AddressFile.placeholder.identityAt + 2 * TapIdentity.encryptedSize
        chip[.ndef].bytes.replaceSubrange(at..<(at + 3), with: Array("0AF".utf8))
        try await put(chip, on: world)
        #expect(try await world.station.tagInfo().ntag424Card?.usesLRP == true)
        // A link of somebody else's is no sign of it, whatever its digits.
        let digits = String(repeating: "A", count: 120)
        let link = NDEFMessage([NDEFURI("https://a.example/?p=\(digits)").record])
        let message = try link.encoded()
        chip = try #require(NTAG424Memory(factory: chip.number))
        chip[.ndef].bytes.replaceSubrange(
            0..<(2 + message.count), with: [0, UInt8(message.count)] + message)
        let other = World(Simulation(chips: [chip], onReader: [chip.number]))
        let card = try #require(try await other.station.tagInfo().ntag424Card)
        #expect(card.host == "a.example" && !card.usesLRP)
    }
}
