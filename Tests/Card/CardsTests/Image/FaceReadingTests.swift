import Cards
import TapcardDomain
import Testing
import TextCodecs

@Suite("Reading the JSON of a face")
struct FaceReadingTests {
    private func face(_ json: String) throws -> CardFace {
        try CardFace(try JSONValue.parsing(Array(json.utf8)), currency: .usd)
    }

    @Test("Both spellings of code and state are read, even mixed")
    func spellings() throws {
        let code = try Example().code
        let codes = [
            "0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11", "0B9F6F1C-6F0E-4A0C-9D52-6A4F0E1B7A11",
        ]
        for text in codes + ["C59vHG8OSgydUmpPDht6EQ"] {
            for (word, card) in [
                ("scratched", ScratchCard.scratched(code)), ("s", .scratched(code)),
                ("activated", .activated(code)), ("a", .activated(code)),
            ] {
                #expect(
                    try face(#"{"balance":1,"code":"\#(text)","state":"\#(word)"}"#).scratch == card
                )
            }
        }
        #expect(try face(#"{"balance":1,"state":"unscratched"}"#).scratch == .unscratched)
        #expect(try face(#"{"balance":1,"state":"u"}"#).scratch == .unscratched)
        #expect(try face(#"{"balance":1}"#).scratch == .none)
    }

    @Test(
        "A code and a state that do not go together are refused",
        arguments: [
            #""state":"scratched""#, #""state":"a""#, #""state":"x""#, #""state":"""#,
            #""state":null"#, #""state":1"#, #""state":"Scratched""#, #""code":"x","state":"s""#,
            #""code":"x","state":"u""#, #""code":7,"state":"u""#, #""code":null,"state":"s""#,
            #""code":"C59vHG8OSgydUmpPDht6EQ""#, #""code":"C59vHG8OSgydUmpPDht6EQ","state":"u""#,
            #""code":"C59vHG8OSgydUmpPDht6ER","state":"s""#,
            #""code":"C59vHG8OSgydUmpPDht6EQ==","state":"s""#,
            #""code":"0b9f6f1c6f0e4a0c9d526a4f0e1b7a11","state":"s""#,
        ])
    func mismatch(members: String) {
        #expect(throws: CardImageError(.badValue, "")) { try face("{\"balance\":1,\(members)}") }
    }

    @Test(
        "An invalid id or name is refused",
        arguments: [
            #""id":0"#, #""id":-1"#, #""id":1.5"#, #""id":"1""#, #""id":1e1"#, #""id":[]"#,
            #""id":9223372036854775808"#, #""name":1"#, #""name":" ""#, #""name":"a\nb""#,
            #""name":"a\u202Eb""#, #""name":["a"]"#, #""name":true"#,
        ])
    func badHolder(members: String) {
        #expect(throws: CardImageError(.badValue, "")) { try face("{\"balance\":1,\(members)}") }
    }

    @Test("A missing, null or empty name and a missing or null id are read as absent")
    func nobody() throws {
        #expect(try face(#"{"balance":1}"#).holder == .nobody)
        #expect(try face(#"{"balance":1,"id":null,"name":null}"#).holder == .nobody)
        #expect(try face(#"{"name":"","balance":1}"#).holder == .nobody)
    }

    @Test("A decomposed name is read in its composed form")
    func composed() throws {
        let name = try face(#"{"balance":1,"name":"Jose\u0301"}"#).holder.name
        #expect(name == (try HolderName("José")))
    }

    @Test(
        "JSON that is not a card is refused as such",
        arguments: ["1", "[]", "{}", "null", #""balance""#, #"{"Balance":1}"#, #"{"id":1}"#])
    func noCard(json: String) {
        #expect(throws: CardImageError(.notACard, "")) { try face(json) }
    }

    @Test("The balance of tapcard's own form counts even if the app's is there, too")
    func both() throws {
        let face = try face(#"{"accountValue":5,"balance":1,"firstName":"Ann"}"#)
        #expect(face.style == .tapcard && face.balance.minorUnits == 100)
        #expect(face.holder == .nobody)
        #expect(face.extras.map(\.key) == ["accountValue", "firstName"])
    }
}
