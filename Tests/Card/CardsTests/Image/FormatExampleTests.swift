import CardCryptography
import Cards
import TapcardDomain
import Testing
import TextCodecs

/// The example that docs/CARDS.md names, byte for byte.
@Suite("Examples of the card format")
struct FormatExampleTests {
    @Test("The example card on a larger chip has the documented pages")
    func largerPages() throws {
        let area = try Example().face.area(in: .larger)
        let head = try bytes(
            """
            03 7E D1 01  7A 54 02 65  6E 7B 22 62  61 6C 61 6E  63 65 22 3A
            31 32 2E 35  30 20 20 20  20 2C 22 69
            """)
        #expect(Array(area.prefix(head.count)) == head)
        let text = Array(Example.json.utf8)
        #expect(Array(area[9..<9 + text.count]) == text)
        #expect(area[9 + text.count] == 0xFE)
        #expect(area.count == 216 && area[(10 + text.count)...].allSatisfy { $0 == 0 })
    }

    @Test("The example card on an NTAG213 has the documented pages, in the short spelling")
    func smallPages() throws {
        let area = try Example().face.area(in: .ntag213)
        let pages = try bytes(
            """
            03 68 D1 01  64 54 02 65  6E 7B 22 62  61 6C 61 6E  63 65 22 3A  31 32 2E 35
            30 20 20 20  20 2C 22 69  64 22 3A 31  2C 22 6E 61  6D 65 22 3A  22 41 6D 61
            6E 64 61 20  47 6F 6E 7A  61 6C 65 7A  22 2C 22 63  6F 64 65 22  3A 22 43 35
            39 76 48 47  38 4F 53 67  79 64 55 6D  70 50 44 68  74 36 45 51  22 2C 22 73
            74 61 74 65  22 3A 22 73  22 7D FE 00  00 00 00 00
            """)
        #expect(area == pages)
    }

    @Test("The digest of holder and currency has its documented value")
    func digest() throws {
        let example = try Example()
        let digest = "f841d3cf7470f0d1ec78724989433b905feb829e7578eaeb8468b2a51fe6925c"
        #expect(SealedRecord.digest(of: example.holder, in: .usd) == (try bytes(digest)))
        let nobody = SHA256.digest([UInt8](repeating: 0, count: 8) + Array("USD".utf8))
        #expect(SealedRecord.digest(of: .nobody, in: .usd) == nobody)
    }

    @Test(
        "The example records have their documented bytes and seals",
        arguments: [(12, 1_250, Example.record), (11, 1_500, Example.olderRecord)])
    func record(number: UInt32, units: Int64, digits: String) throws {
        let example = try Example()
        let sequence = try #require(SequenceNumber(number))
        let record = try #require(
            SealedRecord(
                uid: example.uid, sequence: sequence,
                balance: Money(minorUnits: units, .usd), state: .scratched,
                holder: example.holder, keyID: 1, cardKey: example.cardKey))
        #expect(record.bytes == (try bytes(digits)))
        let read = try #require(SealedRecord(try bytes(digits)))
        #expect(read == record)
        #expect(read.keyID == 1 && read.state == .scratched)
        #expect(read.sequence.value == number && read.balance == UInt32(units))
        #expect(
            read.isSealed(
                uid: example.uid, holder: example.holder, currency: .usd, cardKey: example.cardKey))
    }

    @Test(
        "The example card is read from either layout and from its JSON",
        arguments: [CardLayout.ntag213, .larger])
    func reads(layout: CardLayout) throws {
        let example = try Example()
        #expect(try example.image(layout).content(in: .usd) == .tapcard(example.face))
        let json = try JSONValue.parsing(Array(Example.json.utf8))
        #expect(try CardFace(json, currency: .usd) == example.face)
    }
}
