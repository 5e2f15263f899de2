import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs

/// Chips that prove to be the card but can no longer be used, because they are worn out or have
/// other settings than a card.
@Suite("An unusable NTAG 424")
struct UnusableNTAG424Tests: ProvenCards {
    private static let memoryFailure: [UInt8] = [0x91, 0xEE]

    /// A reader whose chip reports a memory failure for each write; with `isObeying`, it writes
    /// anyway.
    private func worn(_ world: World, isObeying: Bool = false) -> InterposedReader {
        InterposedReader(
            world.reader,
            command: { command, reader throws(ReaderError) in
                guard NTAG424Side.isWrite(command) else {
                    return try await reader.exchange(command: command)
                }
                if isObeying { _ = try await reader.exchange(command: command) }
                return Self.memoryFailure
            })
    }

    @Test("A payment on a worn chip is voided, and the error suggests a replacement")
    func payment() async throws {
        let world = try await made()
        let before = try await chip(world)
        let station = world.station(reader: worn(world))
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await station.pay(World.usd(250), id: World.id(2))
            }.failure)
        #expect(error.kind == .unusableTag && error.result.exitStatus == 4)
        #expect(
            error.what.contains("worn out")
                && error.meaning.contains("The payment was not taken.")
        )
        #expect(error.next == [.trust(.replace(before.uid))])
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        #expect(try await chip(world).files == before.files)
        // The card can still be read, and the id never pays.
        #expect(try await station.read().balance == World.usd(1_000))
        await expectRefused(.operationVoided, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        try await expectReplaced(world, 1_000)
    }

    @Test("A top-up that a worn chip does not take is in the ledger and can move to another card")
    func topUp() async throws {
        let world = try await made()
        let uid = try await chip(world).uid
        let station = world.station(reader: worn(world))
        for _ in 1...2 {
            let error = try #require(
                await outcome { () throws(TapcardError) in
                    try await station.add(World.usd(250), id: World.id(2))
                }.failure)
            #expect(error.kind == .outcomeUnknown && error.result.exitStatus == 6)
            #expect(error.what.contains("worn out"), "\(error)")
            #expect(error.meaning.contains("this tag can no longer be updated"), "\(error)")
            #expect(error.next.first == .trust(.replace(uid)))
        }
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await station.repair(naming: uid)
        }
        try await expectReplaced(world, 1_250)
    }

    @Test("A card that a worn chip does not take can be moved to another tag")
    func making() async throws {
        let world = try factory()
        let station = world.station(reader: worn(world))
        let request = try CardRequest.demo(in: .usd)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await station.make(request, id: World.id(1))
            }.failure)
        #expect(error.kind == .outcomeUnknown && error.what.contains("worn out"))
        let balance = try #require(try await world.balance(of: try await chip(world).uid))
        try await expectReplaced(world, balance)
    }

    @Test("A single refusal is not taken for wear, and a worn chip voids an earlier payment")
    func others() async throws {
        let world = try await made()
        try await world.arm(Fault(at: 1, counting: .write, .refused(0)))
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        try await expectWhole(world, 900)
        try await world.arm(Fault(at: 1, counting: .write, .lost))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(50), id: World.id(3))
        }
        try await put(try await chip(world), on: world)
        // The same request is tried again, twice, and then given up.
        await expectRefused(.unusableTag, exit: 4) { () throws(TapcardError) in
            try await world.station(reader: worn(world)).pay(World.usd(50), id: World.id(3))
        }
        #expect(try await world.ledger.operation(World.id(3))?.state == .voided)
        #expect(try await world.station.read().balance == World.usd(900))
    }

    @Test("What the chip has written is done, even if it reports a memory failure")
    func untrue() async throws {
        let world = try await made()
        let station = world.station(reader: worn(world, isObeying: true))
        let receipt = try await station.pay(World.usd(250), id: World.id(2))
        #expect(receipt.balance == World.usd(750) && !receipt.isReplayed)
        _ = try await world.station.read()
        try await expectWhole(world, 750)
    }

    /// The settings are in the form that ChangeFileSettings takes: a mode and two bytes of rights.
    @Test(
        "Changed settings that prevent reading are reported before anything begins",
        arguments: [
            // The states in plain, with a code alone, for everybody, and for key 0.
            ["settings-3": "003033"], ["settings-3": "013033"], ["settings-3": "03E0EE"],
            ["settings-3": "030000"],
        ])
    func unreadable(_ values: [String: String]) async throws {
        let world = try await made()
        try await put(try altering(try await chip(world), values), on: world)
        let uid = try await chip(world).uid
        for _ in 1...2 {
            let error = try #require(
                await outcome { () throws(TapcardError) in
                    try await world.station.pay(World.usd(250), id: World.id(2))
                }.failure, "\(values)")
            #expect(error.kind == .unusableTag && error.result.exitStatus == 4, "\(values)")
            #expect(error.what.contains("altered the card's file settings"), "\(values): \(error)")
            #expect(error.next == [.trust(.replace(uid))])
        }
        await expectRefused(.unusableTag, exit: 4) { () throws(TapcardError) in
            try await world.station.read()
        }
        #expect(try await world.operations().count == 1)
        #expect(try await chip(world).keys.allSatisfy { $0.failures == 0 })
        try await expectReplaced(world, 1_000)
    }

    @Test("A card whose grant stations may not read is refused as unusable")
    func hiddenGrant() async throws {
        let world = try await made()
        let settings = Hexadecimal.encode(try await chip(world)[.ndef].settings.change)
        // Mode, the rights to do both and to change, and that to read instead of that of everybody.
        let hidden = settings.prefix(4) + "0" + settings.dropFirst(5)
        try await put(
            try altering(try await chip(world), ["settings-2": String(hidden)]), on: world)
        await expectRefused(.unusableTag, exit: 4) { () throws(TapcardError) in
            try await world.station.read()
        }
    }

    @Test("A payment on a card that stations may not write is voided")
    func unwritable() async throws {
        let world = try await made()
        try await put(
            try altering(try await chip(world), ["settings-3": "03F03F"]), on: world)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await world.station.pay(World.usd(250), id: World.id(2))
            }.failure)
        #expect(error.kind == .unusableTag)
        #expect(error.meaning.contains("The card was not charged."), "\(error)")
        #expect(error.what.contains("altered the card's file settings"))
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        #expect(try await world.station.read().balance == World.usd(1_000))
        try await expectReplaced(world, 1_000)
    }

    @Test("A payment that changes keys is voided if the chip's settings are fixed")
    func fixedSettings() async throws {
        let world = try await made()
        let settings = Hexadecimal.encode(try await chip(world)[.ndef].settings.change)
        // No key may change them any more.
        let fixed = settings.prefix(3) + "F" + settings.dropFirst(4)
        try await put(
            try altering(try await chip(world), ["settings-2": String(fixed)]), on: world)
        let before = try await chip(world)
        let station = world.station(keys: Self.rotated)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await station.pay(World.usd(250), id: World.id(2))
            }.failure)
        #expect(error.kind == .unusableTag && error.result.exitStatus == 4)
        #expect(
            error.what.contains("settings")
                && error.meaning.contains("The payment was not taken.")
        )
        #expect(error.next == [.trust(.replace(nil))])
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)
        #expect(try await chip(world) == before)
        #expect(try await station.read().balance == World.usd(1_000))
    }

    @Test("A top-up of a card with a read-only grant is recorded in the ledger and reported")
    func fixedGrant() async throws {
        let world = try await made()
        let settings = Hexadecimal.encode(try await chip(world)[.ndef].settings.change)
        // Only key 0 may do both and write now.
        let fixed = settings.prefix(2) + "00E0" + settings.dropFirst(6)
        try await put(
            try altering(try await chip(world), ["settings-2": String(fixed)]), on: world)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await world.station.add(World.usd(250), id: World.id(2))
            }.failure)
        #expect(
            error.kind == .outcomeUnknown
                && error.what.contains("altered the card's file settings")
        )
        try await expectReplaced(world, 1_250)
    }

    @Test("A second request on a card with a read-only grant is refused before it begins")
    func secondRequest() async throws {
        let world = try await made()
        let settings = Hexadecimal.encode(try await chip(world)[.ndef].settings.change)
        let fixed = settings.prefix(2) + "00E0" + settings.dropFirst(6)
        try await put(
            try altering(try await chip(world), ["settings-2": String(fixed)]), on: world)
        let station = world.station
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await station.add(World.usd(250), id: World.id(2))
        }
        let requests: [(words: String, request: () async throws(TapcardError) -> Void)] = [
            (
                "The top-up was not made.",
                { () throws(TapcardError) in
                    _ = try await station.add(World.usd(250), id: World.id(3))
                }
            ),
            (
                "The payment was not taken.",
                { () throws(TapcardError) in
                    _ = try await station.pay(World.usd(100), id: World.id(4))
                }
            ),
            (
                "The card was not closed.",
                { () throws(TapcardError) in
                    _ = try await station.close(id: World.id(5))
                }
            ),
        ]
        for (words, request) in requests {
            let error = try #require(await outcome(request).failure)
            #expect(error.kind == .unusableTag && error.result.exitStatus == 4, "\(error)")
            #expect(error.operation == nil && error.meaning.hasPrefix(words), "\(error)")
            // The older one is named, too.
            #expect(error.meaning.contains("\(World.id(2))"), "\(error)")
            #expect(error.meaning.contains("The ledger has recorded the"), "\(error)")
        }
        #expect(try await world.operations().count == 2)
        try await expectReplaced(world, 1_250)
    }

    @Test("A fresh record that a worn chip does not take does not hide the balance")
    func leftoverReseal() async throws {
        let world = try await made()
        let uid = try await chip(world).uid
        try await world.arm(Fault(at: 1, counting: .write, .lost))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(50), id: World.id(2))
        }
        try await put(try await chip(world), on: world)
        // The next request voids it, and begins a fresh record.
        let station = world.station(reader: worn(world))
        for id: UInt64 in 3...4 {
            let error = try #require(
                await outcome { () throws(TapcardError) in
                    try await station.pay(World.usd(100), id: World.id(id))
                }.failure)
            #expect(error.kind == .unusableTag && error.result.exitStatus == 4, "\(error)")
            #expect(error.meaning.hasPrefix("The payment was not taken."), "\(error)")
        }
        #expect(try await world.ledger.knownCard(of: uid)?.open?.kind == .reseal)
        let summary = try await station.read()
        #expect(summary.balance == World.usd(1_000) && summary.problem == nil)
        await expectRefused(.unusableTag, exit: 4) { () throws(TapcardError) in
            try await station.close(id: World.id(5))
        }
        await expectRefused(.unusableTag, exit: 4) { () throws(TapcardError) in
            try await station.repair(naming: uid)
        }
        try await expectReplaced(world, 1_000)
    }
}

extension World {
    fileprivate func balance(of uid: CardUID) async throws -> Int64? {
        try await ledger.knownCard(of: uid)?.balance.minorUnits
    }
}
