import BlockingLane
import CardCryptography
import Cards
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The log's hints about a card that was torn or tampered with.
@Suite("Hints in the log")
struct EvidenceTests: ProvenCards {
    static let tears: [TornPage] = [
        .zero, .mix(seed: 1), .mix(seed: 2), .lowestOnes(3), .highestOnes(5),
        .erasedToLowestOnes(4), .erasedToHighestOnes(2),
    ]

    @Test("A torn payment is never logged as tampering", arguments: tears)
    func torn(_ tear: TornPage) async throws {
        var torn = 0
        // Four WRITEs of the record, then those of the message.
        for write in 1...7 {
            let world = try await World.withCard()
            _ = try await world.station.pay(World.usd(100), id: World.id(2))
            _ = try await world.station.add(World.usd(5_000), id: World.id(3))
            try await world.arm(Fault(at: write, counting: .write, .torn(tear)))
            _ = try? await world.station.pay(World.usd(250), id: World.id(4))
            try await world.putBack()
            let hints = try await hints(of: world)
            for hint in hints {
                #expect(!hint.contains("tampered") && !hint.contains("overwritten"), "\(hint)")
            }
            torn += hints.count { $0.contains("only partly written") }
            try await world.expectResolved()
            #expect(try await self.hints(of: world) == [], "resolved operations are not news")
        }
        #expect(torn > 0)
    }

    @Test("A card that was torn twice is never logged as tampered with")
    func tornTwice() async throws {
        for (first, second) in [(1, 2), (2, 1), (3, 2), (3, 3), (2, 4)] {
            let world = try await World.withCard()
            _ = try await world.station.pay(World.usd(100), id: World.id(2))
            for (number, write) in [first, second].enumerated() {
                try await world.arm(Fault(at: write, counting: .write, .torn(.mix(seed: 9))))
                _ = try? await world.station.pay(World.usd(250), id: World.id(UInt64(3 + number)))
                try await world.putBack()
            }
            let hints = try await hints(of: world)
            #expect(hints.allSatisfy { !$0.contains("tampered") }, "\(hints)")
        }
    }

    /// The maker says that a chip writes a state whole or not at all. If that is not so, the log
    /// must not accuse anybody.
    @Test("An incomplete state on an NTAG 424 is logged as torn", arguments: 0..<31)
    func tornState(byte: Int) async throws {
        let world = try await made()
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        var half = try await chip(world)
        half[.data].bytes[byte] ^= 0x10
        try await put(half, on: world)
        let hints = try await hints(of: world)
        #expect(
            hints.count == 1
                && hints[0].hasPrefix("the first record is only partly written"),
            "\(hints)")
        #expect(try await world.station.read().balance == World.usd(900))
    }

    @Test("A record with a raised balance is logged as tampering")
    func raisedBalance() async throws {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        try await world.alter { $0.flip(0x80, at: 0x25 * 4 + 2) }
        #expect(
            try await hints(of: world) == [
                "the second record was tampered with: it is complete and shows number 2 with "
                    + "$335.18, but that number was sealed with $7.50",
                "the newest record with a valid seal is number 1; the ledger has already confirmed "
                    + "number 2",
            ])
        #expect(try await world.station.read().problem?.kind == .damaged)
    }

    @Test("A made-up record is logged as tampering")
    func madeUp() async throws {
        let world = try await World.withCard()
        try await world.alter { tag in
            tag[0x24] = Page(0x45, 0x00, 0x00, 0x07)
            tag[0x25] = Page(0x00, 0x01, 0x86, 0xA0)
            tag[0x26] = Page(0xFE, 0xED, 0xF0, 0x0D)
            tag[0x27] = Page(0xFE, 0xED, 0xF0, 0x0D)
        }
        #expect(
            try await hints(of: world) == [
                "the second record was tampered with: it is complete and shows number 7 with "
                    + "$1000.00, but its seal is invalid"
            ])
        #expect(try await world.station.read().problem == nil, "the true one counts")
    }

    @Test("Records that foreign text overwrote are logged differently from a wiped tag")
    func otherWriters() async throws {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        try await world.alter { tag in
            for page: UInt8 in 0x20...0x27 { tag[page] = Page(0x2E, 0x2E, 0x2E, 0x2E) }
        }
        #expect(
            try await hints(of: world) == [
                "the first record was overwritten with something else",
                "the second record was overwritten with something else",
            ])
        try await world.alter { tag in for page: UInt8 in 4...0x27 { tag[page] = .zero } }
        #expect(
            try await hints(of: world) == [
                "both records are missing; the tag was erased, or this is another tag with the "
                    + "same number"
            ])
    }

    @Test("The log tells how a face was altered without revealing the name")
    func alteredFace() async throws {
        let world = try await World.withCard()
        try await world.alter { $0.flip(0x08, at: 0x09 * 4) }
        #expect(
            try await hints(of: world) == [
                "the NFC text for phones was altered: it shows the balance $90.00, but the ledger "
                    + "has $10.00"
            ])
        #expect(try await hints(of: world) == [], "it was repaired")
        // A capital letter of the name becomes a small one.
        try await world.alter { $0.flip(0x20, at: 0x0F * 4 + 1) }
        // Neither name is told, the altered one or the ledger's.
        #expect(
            try await hints(of: world) == [
                "the NFC text for phones was altered: its cardholder differs from the ledger's"
            ])
    }

    @Test("A face whose refresh was cut short is logged as half written")
    func brokenRefresh() async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 6, counting: .write, .lost))
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        try await world.putBack()
        #expect(
            try await hints(of: world) == [
                "the NFC text for phones is only partly written, because an earlier tap was "
                    + "interrupted"
            ])
    }

    @Test("The log tells an old image, a replaced ledger, and a leaked key apart")
    func numbers() async throws {
        let world = try await World.withCard()
        let old = try await world.tag()
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        _ = try await world.station.pay(World.usd(100), id: World.id(3))
        let new = try await world.tag()
        try await world.put(old)
        #expect(
            try await hints(of: world) == [
                "the newest record with a valid seal is number 1; the ledger has already confirmed "
                    + "number 3"
            ])
        let restored = try await World.withCard()
        try await restored.put(new)
        #expect(
            try await hints(of: restored) == [
                "the newest record with a valid seal is number 3; this ledger never issued that "
                    + "number; an older copy of the ledger is in place, or someone else has key 1"
            ])
        let problem = try #require(try await restored.station.read().problem)
        #expect(problem.kind == .ledgerBehind)
        #expect(
            problem.meaning == "No restore is recorded, so an older ledger file was copied into "
                + "place or someone else has key 1.")
        _ = try await restored.ledger.skipNumbersAfterRestore()
        #expect(
            try await restored.station.read().problem?.meaning
                == "The ledger was restored from a backup, and the operations since that backup "
                + "are missing.")
        let other = World(try World.blank())
        try await other.issue(99_000)
        try await restored.put(try await other.tag())
        #expect(
            try await hints(of: restored).first
                == "the newest record with a valid seal is number 1; this ledger issued other bytes "
                + "for that number, so someone else has key 1")
    }

    @Test("The log names the retired key that sealed a record")
    func retiredKey() async throws {
        let world = try await World.withCard()
        let keys = try KeyTrustTests.rotated.retiring(1)
        #expect(
            try await hints(of: world, keys) == [
                "the first record is sealed with key 1, which is retired"
            ])
    }

    @Test("A tap goes on if the ledger fails just when the log's hints need it")
    func ledgerGone() async throws {
        let world = try await World.withCard()
        try await world.alter { $0[0x24] = Page(0x45, 0x00, 0x00, 0x07) }
        #expect(try await hints(of: world).count == 1)
        // The first two queries are for the card. From the third the log would have its hint.
        let queries = Guarded(0)
        let ledger = InterposedLedger(world.ledger) { call in
            let number = queries.withLock { count in
                count += call == .query ? 1 : 0
                return count
            }
            return call == .query && number == 3
                ? .refused(LedgerError(.offline, "it is played")) : .passedOn
        }
        let (summary, hints) = try await reading(of: world, from: ledger)
        #expect(hints == [] && queries.withLock { $0 } >= 3)
        #expect(summary.problem == nil && summary.balance == World.usd(1_000))
    }

    /// The hints that one reading adds to the log; it resolves what can be resolved.
    private func hints(of world: World, _ keys: KeyRing? = nil) async throws -> [String] {
        try await reading(of: world, keys, from: world.ledger).hints
    }

    private func reading(
        of world: World, _ keys: KeyRing? = nil, from ledger: any LedgerStore
    ) async throws -> (summary: CardSummary, hints: [String]) {
        let heard = Guarded<[String]>([])
        let quiet = world.clock.dependencies
        let station = Station(
            reader: world.reader, ledger: ledger, keys: keys ?? world.keys,
            dependencies: Station.Dependencies(
                now: quiet.now, sleep: quiet.sleep, random: quiet.random,
                progress: { progress in
                    guard case .hint(let text) = progress else { return }
                    heard.withLock { $0.append(text) }
                }))
        let summary = try await station.read()
        return (summary, heard.withLock { $0 }.filter { $0 != summary.problem?.what })
    }
}
