import CardCryptography
import Cards
import Tags
import TapcardDomain
import Testing
import TextCodecs

@Suite("Key tables for cards on an NTAG 424")
struct CardTableTests {
    private static let ring: KeyRing = {
        do {
            var drawn: UInt8 = 0
            return try KeyRing.fresh(created: "2026-11-25", random: draw)
                .rotated(created: "2026-11-26", random: draw)
            func draw(_ count: Int) -> [UInt8] {
                drawn += 1
                return (0..<count).map { drawn &+ UInt8($0) &* 7 }
            }
        } catch {
            preconditionFailure("a ring of one key has room for another")
        }
    }()
    private let uid = NTAG424Bench.uid
    private let other: CardUID

    init() throws { other = try #require(CardUID(bytes: [0x04, 1, 2, 3, 4, 5, 6])) }

    @Test("A table has the keys that seal records and take payments, per card and key id")
    func rows() throws {
        let table = try #require(Self.ring.table(of: [uid: [1, 2], other: [2]]))
        #expect(table.isTable && table.tableSize == 2 && table.sealing.id == 2)
        for entry in table.entries {
            let whole = try #require(Self.ring.entry(entry.id))
            #expect(entry.mark == whole.mark && entry.created == whole.created)
            let masters = try #require(whole.masters)
            #expect(entry.cardKey(uid: uid.bytes) == masters.cardKey(uid: uid.bytes))
            #expect(
                SellingKey(of: uid, from: entry, .usd) == SellingKey(of: uid, from: whole, .usd))
        }
        let first = try #require(table.entry(1))
        #expect(first.cardKey(uid: other.bytes) == nil)
        #expect(SellingKey(of: other, from: first, .usd) == nil)
        #expect(table.table(of: [uid: [1]]) == nil, "no table is made of a table")
    }

    @Test("A table leaves out retired, unused and unknown keys, but never the sealing key")
    func leftOut() throws {
        let retired = try Self.ring.retiring(1)
        #expect(retired.table(of: [uid: [1, 2]])?.entries.map(\.id) == [2])
        #expect(Self.ring.table(of: [uid: [2, 7]])?.entries.map(\.id) == [2])
        #expect(Self.ring.table(of: [uid: [1]])?.entries.map(\.id) == [1, 2])
        #expect(Self.ring.table(of: [:])?.tableSize == 0)
    }

    /// Whoever steals a table cannot make cards or top them up.
    @Test("A table has no master key and no key that makes cards or tops them up")
    func stolen() throws {
        let table = try #require(Self.ring.table(of: [uid: [1, 2]]))
        let text = table.json().text
        for entry in Self.ring.entries {
            let masters = try #require(entry.masters)
            let keys = NTAG424CardKeys(masters, uid: uid)
            for number in KeyNumber.allCases {
                let digits = Hexadecimal.encode(keys[number].copyOfBytes())
                #expect(text.contains(digits) == (number == .three), "key \(number)")
                let master = Hexadecimal.encode(masters.chipMaster(number.rawValue).copyOfBytes())
                #expect(!text.contains(master), "master of key \(number)")
            }
            for secret in [
                masters.macMaster, masters.passwordMaster, masters.cardKey(uid: other.bytes),
                masters.password(uid: uid.bytes).password + masters.password(uid: uid.bytes).pack,
                masters.fileKey(for: "journal"), masters.fileKey(for: "snapshot"),
            ] {
                #expect(!text.contains(Hexadecimal.encode(secret)))
            }
        }
    }

    @Test("No key of a table can top up a card")
    func wrongKeys() throws {
        let masters = try #require(Self.ring.sealing.masters)
        let address = try AddressFile(page: "https://cards.example.org/c")
        var chip = NTAG424Bench()
        let grant = try #require(Grant(5_000))
        try chip.run(
            PersonalizeNTAG424(
                PersonalizeNTAG424.Plan(
                    uid: uid, currency: .usd, address: address, from: [.factory],
                    to: NTAG424CardKeys(masters, uid: uid), grant: grant),
                random: NTAG424Bench.random(PersonalizeNTAG424.randomByteCount)))
        let table = try #require(Self.ring.table(of: [uid: [2]]))
        let selling = try #require(SellingKey(of: uid, from: table.sealing, .usd))
        let record = try NTAG424Bench.record(1, 6_000, masters)
        let change = try #require(
            UpdateNTAG424.Change(record, balance: 6_000, to: 0, granted: grant, spent: 0))
        let sealing = try #require(table.sealing.cardKey(uid: uid.bytes))
        let before = chip.memory.files
        for stolen in [selling.key, AESKey(Array(sealing.prefix(16)))] {
            let visit = try chip.run(ReadNTAG424(selling, address, random: NTAG424Bench.random(16)))
            #expect(visit.grant == grant)
            #expect(
                UpdateNTAG424(change, in: visit, loadKey: nil, random: NTAG424Bench.random(32))
                    == nil)
            let procedure = try #require(
                UpdateNTAG424(change, in: visit, loadKey: stolen, random: NTAG424Bench.random(32)))
            let error = #expect(throws: NTAG424CardError.self) {
                try chip.run(procedure, from: chip.side)
            }
            #expect(error?.kind == .chip(.refused(.authenticationFailed)))
        }
        #expect(chip.memory.files == before)
    }
}
