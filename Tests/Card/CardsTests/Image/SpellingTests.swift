import Cards
import TapcardDomain
import Testing

@Suite("The two spellings of a card")
struct SpellingTests {
    /// A face with id 1 and a name of this many letters.
    private func face(_ nameLength: Int, _ scratch: ScratchCard) throws -> CardFace {
        let name = try HolderName(String(repeating: "n", count: nameLength))
        return CardFace(
            style: .tapcard, balance: Money(minorUnits: 1_250, .usd),
            holder: Holder(id: try HolderID(1), name: name), scratch: scratch)
    }

    /// The longest name in the readable spelling and in any; without a code only the state differs.
    @Test(
        "The readable spelling is used while it fits, then the short one, then none",
        arguments: [
            (CardLayout.ntag213, false, 42, 52), (.ntag213, true, 0, 20),
            (.larger, false, 146, 156), (.larger, true, 102, 124),
        ])
    func chooses(layout: CardLayout, hasCode: Bool, readable: Int, short: Int) throws {
        let code = try Example().code
        let words = hasCode ? ("\"activated\"}", "\"a\"}") : ("\"unscratched\"}", "\"u\"}")
        for length in 1...HolderName.maximumBytes {
            let face = try face(length, hasCode ? .activated(code) : .unscratched)
            guard length <= short else {
                let error = #expect(throws: CardImageError(.tooLong(by: length - short), "")) {
                    try face.area(in: layout)
                }
                #expect(error?.detail.contains("\(length - short) byte") == true)
                continue
            }
            let area = try face.area(in: layout)
            let json = try json(in: area)
            #expect(json.hasSuffix(length <= readable ? words.0 : words.1))
            #expect(json.contains(code.description) == (hasCode && length <= readable))
            #expect(json.contains("C59vHG8OSgydUmpPDht6EQ") == (hasCode && length > readable))
            #expect(area.count == layout.ndefByteCount)
            #expect(TagContent(decoding: area, currency: .usd).face == face)
        }
    }

    @Test(
        "A full area ends with the terminator in its last byte",
        arguments: [CardLayout.ntag213, .larger])
    func full(layout: CardLayout) throws {
        let length = layout == .ntag213 ? 20 : 124
        let area = try face(length, .activated(try Example().code)).area(in: layout)
        #expect(area.suffix(2) == [UInt8(ascii: "}"), 0xFE])
        #expect(try json(in: area).utf8.count == layout.jsonCapacity)
    }

    @Test(
        "A missing id or name is left out of the JSON",
        arguments: [
            (nil, nil, #"{"balance":12.50    }"#), (7, nil, #"{"balance":12.50    ,"id":7}"#),
            (nil, "Ann", #"{"balance":12.50    ,"name":"Ann"}"#),
            (.max, #"A"\B"#, #"{"balance":12.50    ,"id":9223372036854775807,"name":"A\"\\B"}"#),
        ] as [(Int64?, String?, String)])
    func absent(id: Int64?, name: String?, text: String) throws {
        let holder = Holder(
            id: try id.map { try HolderID($0) }, name: try name.map { try HolderName($0) })
        let face = CardFace(
            style: .tapcard, balance: Money(minorUnits: 1_250, .usd), holder: holder,
            scratch: .none)
        let area = try face.area(in: .ntag213)
        #expect(try json(in: area) == text)
        #expect(TagContent(decoding: area, currency: .usd) == .tapcard(face))
    }

    @Test(
        "A balance has its currency's number of decimals",
        arguments: [("JPY", "1250     "), ("KWD", "1.250    ")])
    func currencies(code: String, text: String) throws {
        let currency = try #require(Currency(code: code))
        var face = try face(3, .none)
        face.balance = Money(minorUnits: 1_250, currency)
        let area = try face.area(in: .ntag213)
        #expect(try json(in: area).hasPrefix("{\"balance\":\(text),"))
        #expect(TagContent(decoding: area, currency: currency) == .tapcard(face))
    }
}
