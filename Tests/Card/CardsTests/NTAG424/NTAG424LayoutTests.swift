import Cards
import Tags
import TapcardDomain
import Testing

@Suite("The bytes of a card on an NTAG 424")
struct NTAG424LayoutTests {
    private let masters = NTAG424Bench.masters(1)

    @Test("A grant survives a round trip, and changed bytes or other keys give none")
    func grants() throws {
        let card = NTAG424Bench.selling(masters)
        for sum: Int64 in [0, 1, 4_999, Grant.maximum] {
            let grant = try #require(Grant(sum))
            let bytes = grant.sealed(for: card)
            #expect(bytes.count == Grant.byteCount)
            #expect(Grant(bytes, for: card) == grant)
            for place in bytes.indices {
                var changed = bytes
                changed[place] ^= 0x10
                #expect(Grant(changed, for: card) == nil)
                #expect(Grant(Array(bytes.prefix(place)), for: card) == nil)
            }
            #expect(Grant(bytes, for: NTAG424Bench.selling(NTAG424Bench.masters(2))) == nil)
            let euro = try #require(Currency(code: "EUR"))
            let euros = SellingKey(of: NTAG424Bench.uid, from: masters, euro)
            #expect(Grant(bytes, for: euros) == nil)
        }
        #expect(Grant(-1) == nil && Grant(Grant.maximum + 1) == nil)
    }

    @Test("A slot survives a round trip, and changed bytes give none")
    func slots() throws {
        let record = try NTAG424Bench.record(7, 1_234, masters)
        let slot = try #require(NTAG424Slot(record: record, spent: 99))
        #expect(slot.bytes.count == NTAG424Slot.byteCount)
        #expect(NTAG424Slot(slot.bytes) == slot)
        for place in slot.bytes.indices {
            var changed = slot.bytes
            changed[place] ^= 0x01
            #expect(NTAG424Slot(changed) == nil)
            #expect(NTAG424Slot(Array(slot.bytes.prefix(place))) == nil)
        }
        #expect(NTAG424Slot(record: record, spent: -1) == nil)
        #expect(NTAG424Slot(record: record, spent: Grant.maximum + 1) == nil)
        #expect(NTAG424Slot(record: [1], spent: 1) == nil)
    }

    @Test("Blank and torn slots have no state, and the others keep theirs")
    func file() throws {
        let record = try NTAG424Bench.record(7, 1_234, masters)
        let slot = try #require(NTAG424Slot(record: record, spent: 99))
        var bytes = [UInt8](repeating: 0, count: NTAG424Slots.byteCount)
        bytes.replaceSubrange(32..<63, with: slot.bytes)
        bytes.replaceSubrange(64..<80, with: slot.bytes.prefix(16))
        let slots = try #require(NTAG424Slots(bytes))
        #expect(slots.slots == [nil, slot, nil, nil])
        #expect(slots.records[0].allSatisfy { $0 == 0 })
        #expect(slots.records[1] == record)
        #expect(SealedRecord(slots.records[2]) == nil && !slots.records[2].allSatisfy { $0 == 0 })
        #expect(slots.spent(at: record) == 99 && slots.spent(at: nil) == 99)
        #expect(NTAG424Slots(Array(bytes.dropLast())) == nil)
    }

    @Test(
        "A page's address that is not https, has a query or is too long is refused",
        arguments: [
            "", "https://", "http://cards.example.org/c", "http://127.0.0.1", "http://localhost/c",
            "http://127.0.0.1:", "http://127.0.0.1.example:1/c", "https:///c", "https://a b/c",
            "https://cards.example.org/c?x=1", "https://cards.example.org/c#a",
            "https://cards.example.org/ä", "https://" + String(repeating: "a", count: 200),
        ])
    func badPages(page: String) {
        #expect(throws: AddressError.self) { _ = try AddressFile(page: page) }
    }

    @Test("The grant's offset follows from the length of the file, whatever the address")
    func places() throws {
        for length in 1...90 {
            let page = "https://" + String(repeating: "a", count: length) + "/c"
            let file = try AddressFile(page: page)
            let grant = [UInt8](repeating: 0xAB, count: Grant.byteCount)
            let bytes = file.bytes(grant: grant)
            #expect(bytes.count == file.byteCount && bytes.count <= AddressFile.maximumByteCount)
            #expect(Array(bytes[file.grantAt...].prefix(grant.count)) == grant)
            #expect(AddressFile.grantAt(length: Array(bytes.prefix(2))) == file.grantAt)
        }
        for bytes: [UInt8] in [
            [], [0], [0, 0], [0, 83], [1, 0], [0xFF, 0xFF], [0, 150, 0],
            [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [UInt8](repeating: 0xFF, count: 40),
        ] {
            #expect(AddressFile.grantAt(length: bytes) == nil)
        }
    }
}
