import Cards
import Tags
import TapcardDomain
import Testing

@Suite("Reading cards of the iPhone app")
struct PhoneAppReadingTests {
    static let json = #"{"firstName":"Amanda","lastName":"Gonzalez","accountValue":0,"id":1}"#

    private func read(_ record: NDEFRecord) throws -> TagContent {
        TagContent(decoding: try area(record), currency: .usd)
    }

    private func amanda(_ units: Int64 = 0) throws -> CardFace {
        CardFace(
            style: .iosApp, balance: Money(minorUnits: units, .usd),
            holder: try Example().holder, scratch: .none)
    }

    @Test("The app's Text record is read although it lacks a language")
    func appRecord() throws {
        let tag = try bytes("03 48 D1 01 44 54") + Array(Self.json.utf8) + [0xFE]
        #expect(TagContent(decoding: tag, currency: .usd) == .foreignCard(try amanda()))
        // The app writes after the lock control block that an NTAG213 comes with, too.
        let factory = try bytes("01 03 A0 0C 34")
        #expect(TagContent(decoding: factory + tag, currency: .usd) == .foreignCard(try amanda()))
    }

    @Test("The app's keys are read in any order")
    func anyOrder() throws {
        let members = [
            #""firstName":"Amanda""#, #""lastName":"Gonzalez""#, #""accountValue":12.5"#,
            #""id":1"#,
        ]
        for order in permutations(members) {
            let json = "{\(order.joined(separator: ","))}"
            let content = try read(CardsTests.appRecord(json))
            #expect(content == .foreignCard(try amanda(1_250)), "\(json)")
            #expect(content.word == "json")
        }
    }

    private func permutations(_ items: [String]) -> [[String]] {
        guard !items.isEmpty else { return [[]] }
        return items.indices.flatMap { index in
            var rest = items
            let item = rest.remove(at: index)
            return permutations(rest).map { [item] + $0 }
        }
    }

    @Test("The app's JSON is read from a proper Text record and from a media record")
    func otherRecords() throws {
        let proper = NDEFText(language: "en", text: Self.json).record
        let utf16 = NDEFText(language: "", text: Self.json, encoding: .utf16).record
        let media = NDEFRecord(
            format: .media, type: Array("application/json".utf8), payload: Array(Self.json.utf8))
        for record in [proper, utf16, media] {
            let content = TagContent(decoding: try area(record, count: 496), currency: .usd)
            #expect(content == .foreignCard(try amanda()))
        }
    }

    @Test("Tapcard's keys in an app or media record make a foreign card")
    func ownKeys() throws {
        var face = try Example().face
        face.scratch = .none
        let json = #"{"name":"Amanda Gonzalez","id":1,"balance":1250e-2}"#
        let media = NDEFRecord(
            format: .media, type: Array("application/json".utf8), payload: Array(json.utf8))
        #expect(try read(media) == .foreignCard(face))
        #expect(try read(CardsTests.appRecord(json)) == .foreignCard(face))
        #expect(try read(NDEFText(language: "de", text: json).record) == .tapcard(face))
    }

    @Test(
        "A first or last name alone is read as the whole name",
        arguments: [
            (#""firstName":"Amanda""#, "Amanda"), (#""lastName":"Gonzalez""#, "Gonzalez"),
            (#""firstName":"Amanda","lastName":"""#, "Amanda"),
            (#""firstName":null,"lastName":"Gonzalez""#, "Gonzalez"),
            (#""firstName":"Ana María","lastName":"de la Cruz""#, "Ana María de la Cruz"),
        ])
    func names(members: String, name: String) throws {
        let content = try read(CardsTests.appRecord("{\(members),\"accountValue\":1}"))
        #expect(content.face?.holder == Holder(id: nil, name: try HolderName(name)))
    }

    @Test(
        "A bad value is refused with the reason",
        arguments: [
            (#"{"accountValue":12.345}"#, "balance is not an amount that a card can hold"),
            (#"{"accountValue":-1}"#, "balance is not an amount that a card can hold"),
            (#"{"accountValue":"1"}"#, "balance is not an amount that a card can hold"),
            (#"{"accountValue":1,"id":0}"#, "id is not a whole number of 1 or more"),
            (#"{"accountValue":1,"firstName":2}"#, "name is not text"),
        ])
    func badValues(json: String, words: String) throws {
        let content = try read(CardsTests.appRecord(json))
        #expect(content == .badCard(words))
        #expect(content.word == "json" && content.face == nil)
    }
}
