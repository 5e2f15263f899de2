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
import TextCodecs

/// NTAG 424 chips that are not what they claim to be, and cards that somebody has changed.
@Suite("Hostile NTAG 424 chips")
struct HostileNTAG424Tests: ProvenCards {
    @Test("An old image put back on an NTAG 424 is refused as rolled back")
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

    /// The ledger knows the card only under the new key, and the image has the old ones.
    @Test("The repair of an old image under other keys succeeds, wherever it is interrupted")
    func repairedImage() async throws {
        var places = 0
        while true {
            places += 1
            let world = try await made()
            let rotated = world.station(keys: Self.rotated)
            let old = try await chip(world)
            _ = try await rotated.pay(World.usd(100), id: World.id(2))
            try await put(old, on: world)
            let kind = places.isMultiple(of: 2) ? Fault.Kind.lost : .acknowledgeLost
            try await world.arm(Fault(at: places, counting: .frame, kind))
            _ = try? await rotated.repair(naming: old.uid)
            guard try await !world.isArmed() else { break }
            try await put(try await chip(world), on: world)
            if try await rotated.read().problem != nil {
                _ = try await rotated.repair(naming: old.uid)
            }
            // It was told which keys it has by a refused one.
            var repaired = try await chip(world)
            #expect(repaired.keys.allSatisfy { $0.failures <= 3 }, "command \(places)")
            repaired.forgetCounts()
            try await put(repaired, on: world)
            try await expectWhole(world, 900, keyID: 2)
        }
        #expect(places > 50)
    }

    @Test("A clone with the card's number but other keys is a copy, and the card still pays")
    func clone() async throws {
        let world = try await made()
        let honest = try await chip(world)
        // Made by another issuer, which numbers its keys alike.
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
        try await put(try #require(NTAG424Memory(factory: honest.number)), on: world)
        await expectRefused(.copied, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        try await put(honest, on: world)
        _ = try await world.station.pay(World.usd(1), id: World.id(3))
        try await expectWhole(world, 999)
    }

    @Test("A tag of another kind with a card's number is not taken for the card")
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
            if let chip = NTAG424Memory(factory: number) { field.save(chip) }
            field.put([number])
        }
        await expectRefused(.unsupportedTag, exit: 4) { () throws(TapcardError) in
            try await other.station.pay(World.usd(1), id: World.id(3))
        }
    }

    @Test("Ten taps at another issuer cost one key attempt each, and the card still works")
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

    @Test("Keys of a missing version are not tried on a card")
    func unknownVersion() async throws {
        let world = World(try await factory().simulation(), keys: Self.rotated)
        try await world.issue()
        let older = world.station(keys: World.keys)
        let before = try await chip(world)
        await expectRefused(.keyMissing, exit: 7) { () throws(TapcardError) in
            try await older.pay(World.usd(1), id: World.id(3))
        }
        #expect(try await chip(world) == before)
        // What would be refused as well is not advised: nothing is written over on such a chip.
        let stranger = world.station(ledger: TableLedger(), keys: World.keys)
        for mayOverwrite in [false, true] {
            let cardRequest = CardRequest(
                .issue(Holder(id: nil, name: nil), World.usd(0), hasScratchCard: false),
                mayOverwrite: mayOverwrite)
            let said = await outcome { () throws(TapcardError) in
                try await stranger.make(cardRequest, id: World.id(4))
            }
            guard case .failure(let error) = said else {
                Issue.record("a card was made of a chip with other keys")
                continue
            }
            #expect(error.kind == .keyMissing && error.next == [.file(.importKeys)])
        }
        #expect(try await chip(world).keys == before.keys)
    }

    @Test(
        "A forged or erased grant changes no balance and is restored"
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
            let altered = try #require(NTAG424Memory(parsing: text))
            #expect(altered != chip)
            try await put(altered, on: world)
            #expect(try await world.station.read().balance == World.usd(1_000))
            try await expectWhole(world, 1_000)
        }
    }

    @Test(
        "A chip that cannot become a card is refused before anything begins",
        arguments: [
            ["key-1": "\(strange) 2 0 0 0"], ["key-2": "\(zeros) 2 0 0 0"],
            ["key-4": "\(strange) 2 0 0 0"], ["key-1": "\(strange) 77 0 0 0"],
            ["key-0": "\(strange) 0 0 0 0"], ["settings-2": "00EFEE"], ["settings-3": "00EFEE"],
            ["key-0": "\(zeros) 0 1000 0 0"],
        ])
    func cannotBecomeCard(_ values: [String: String]) async throws {
        let world = try factory()
        let altered = try altering(try await chip(world), values)
        try await put(altered, on: world)
        let cardRequest = try CardRequest.demo(in: .usd)
        await expectRefused(.unsupportedTag, exit: 4, "\(values)") { () throws(TapcardError) in
            try await world.station.make(cardRequest, id: World.id(1))
        }
        #expect(try await world.operations().isEmpty)
        #expect(try await chip(world).files == altered.files)
    }

    @Test("A known card that claims to have factory keys gets no new keys")
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

    @Test("A factory chip that holds a link is not blank and is overwritten only when asked")
    func somebodysLink() async throws {
        let world = try factory()
        var chip = try await chip(world)
        let message = try NDEFMessage([NDEFURI("https://example.org").record]).encoded()
        let file = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
        chip[.ndef].bytes.replaceSubrange(0..<file.count, with: file)
        try await put(chip, on: world)
        let cardRequest = try CardRequest.demo(in: .usd)
        await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
            try await world.station.read()
        }
        await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(1))
        }
        await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
            try await world.station.make(cardRequest, id: World.id(2))
        }
        let willing = try CardRequest.demo(in: .usd, mayOverwrite: true)
        _ = try await world.station.make(willing, id: World.id(3))
    }

    @Test("The error after a refused key does not claim that nothing was tried")
    func triedKey() async throws {
        let world = try await made()
        let honest = try await chip(world)
        let other = "\(Self.strange) 7 0 0 0"
        try await put(try altering(honest, ["key-0": other, "key-3": other]), on: world)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await world.station.pay(World.usd(1), id: World.id(2))
            }.failure)
        #expect(error.kind == .keyMissing && error.result.exitStatus == 7)
        #expect(try await chip(world)[.three].failures == 2)
        #expect(
            error.meaning.contains(
                "The card rejected the key that the ledger has for it"), "\(error)")
        #expect(!error.meaning.contains("no key was tried") && !error.meaning.contains("No key"))
    }

    @Test("A card that was left half made and then replaced can be issued again")
    func replacedHalfMade() async throws {
        let cardRequest = try CardRequest.demo(in: .usd)
        for place in [1, 4, 9] {
            let world = try factory()
            try await world.arm(Fault(at: place, counting: .write, .acknowledgeLost))
            _ = await outcome { () throws(TapcardError) in
                try await world.station.make(cardRequest, id: World.id(1))
            }
            let half = try await chip(world)
            let other = try #require(NTAG424Memory(factory: World.otherUID))
            try await put(other, on: world)
            _ = try await world.station.make(CardRequest(.replace(half.uid)), id: World.id(2))
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

    @Test("A card of another ledger under a retired key is forged and not overwritten")
    func retiredStranger() async throws {
        let world = try await made()
        let ring = try Self.rotated.retiring(1)
        let station = world.station(ledger: TableLedger(), keys: ring)
        let cardRequest = try CardRequest.demo(in: .usd)
        #expect(try await station.read().seal == .forged)
        await expectRefused(.forged, exit: 7) { () throws(TapcardError) in
            try await station.make(cardRequest, id: World.id(2))
        }
    }

    @Test("A chip that was switched to LRP is reported, and no key is tried on it")
    func lrpMode() async throws {
        func switched(_ chip: NTAG424Memory) throws -> NTAG424Memory {
            let line = try #require(chip.text.firstMatch(of: /chained-writing: .*\n/)).output
            return try #require(
                NTAG424Memory(parsing: chip.text.replacing(line, with: line + "protocol: lrp\n")))
        }
        let world = try await made()
        let honest = try await chip(world)
        let other = try switched(honest)
        try await put(other, on: world)
        let station = world.station
        let requests: [() async throws -> Void] = [
            { _ = try await station.read() },
            { _ = try await station.pay(World.usd(1), id: World.id(2)) },
            { _ = try await station.add(World.usd(1), id: World.id(3)) },
        ]
        for request in requests {
            let error = await #expect(throws: TapcardError.self) { try await request() }
            #expect(error?.kind == .unsupportedTag && error?.result.exitStatus == 4)
            #expect(error?.what.contains("switched to LRP mode") == true)
            #expect(error?.meaning.hasPrefix("No key was tried.") == true)
        }
        #expect(try await chip(world) == other)
        // The money moves to another card.
        try await put(try #require(NTAG424Memory(factory: World.otherUID)), on: world)
        let moved = try await world.station.make(CardRequest(.replace(honest.uid)), id: World.id(4))
        #expect(moved.balance == World.usd(1_000))

        // One from the factory is no card, and cannot become one.
        let blank = try factory()
        let fresh = try switched(try await chip(blank))
        try await put(fresh, on: blank)
        await expectRefused(.blankTag, exit: 4) { () throws(TapcardError) in
            try await blank.station.read()
        }
        let cardRequest = try CardRequest.demo(in: .usd)
        let refused = await #expect(throws: TapcardError.self) {
            _ = try await blank.station.make(cardRequest, id: World.id(5))
        }
        #expect(refused?.kind == .unsupportedTag && refused?.what.contains("LRP") == true)
        #expect(try await chip(blank) == fresh)
        #expect(try await blank.ledger.operation(World.id(5)) == nil)
    }

    @Test("A chip or phone that hides its number gets no command", arguments: [0x20, 0x00])
    func hiddenNumber(acknowledge: UInt8) async throws {
        let world = try await made()
        let frames = await world.reader.frameCount
        let reader = InterposedReader(
            world.reader,
            select: { _, _ throws(ReaderError) in
                TagIdentity(
                    uid: [0x08, 0x12, 0x34, 0x56], answerToRequest: 0x0304,
                    selectAcknowledge: acknowledge)
            })
        let station = world.station(reader: reader)
        let cardRequest = try CardRequest.demo(in: .usd)
        let requests: [() async throws -> Void] = [
            { _ = try await station.read() },
            { _ = try await station.pay(World.usd(1), id: World.id(2)) },
            { _ = try await station.make(cardRequest, id: World.id(3)) },
        ]
        for request in requests {
            let error = await #expect(throws: TapcardError.self) { try await request() }
            #expect(error?.kind == .unsupportedTag)
            #expect(error?.what.contains("a random UID that changes with every tap") == true)
        }
        #expect(await world.reader.frameCount == frames)
    }

    @Test("A dead key is named in the error, and the balance can move to another card")
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
                outcome.failure?.description.contains(
                    "Key \(number) of the card is permanently blocked") == true,
                "\(outcome)")
            try await put(try #require(NTAG424Memory(factory: World.otherUID)), on: world)
            let moved = try await world.station.make(
                CardRequest(.replace(before.uid)), id: World.id(3))
            #expect(moved.balance == World.usd(number == 3 ? 1_000 : 1_100))
        }
    }
}
