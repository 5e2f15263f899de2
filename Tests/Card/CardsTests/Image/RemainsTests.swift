import Cards
import TapcardDomain
import Testing
import TextCodecs

@Suite("The holder of a torn card")
struct RemainsTests {
    private func remains(_ area: [UInt8], _ layout: CardLayout) throws -> Holder? {
        let image = CardImage(area + [UInt8](repeating: 0, count: 32), layout: layout)
        return try #require(image).remains(in: .usd)?.holder
    }

    @Test(
        "The holder is recovered whatever page 4 holds",
        arguments: ["0300FE00", "00000000", "FFFFFFFF", "03FFD101", "7B7B7B7B"],
        [CardLayout.ntag213, .larger])
    func firstPage(digits: String, layout: CardLayout) throws {
        let example = try Example()
        for style in FaceStyle.allCases {
            var face = example.face
            face.style = style
            var area = try face.area(in: layout)
            area.replaceSubrange(0..<4, with: try bytes(digits))
            #expect(try remains(area, layout) == example.holder)
        }
    }

    @Test(
        "A holder with a name of any length is recovered", arguments: [CardLayout.ntag213, .larger])
    func lengths(layout: CardLayout) throws {
        // A message or payload of 123 bytes has a brace for its length.
        for length in 1...(layout == .ntag213 ? 50 : 154) {
            let holder = Holder(
                id: nil, name: try HolderName(String(repeating: "n", count: length)))
            for style in FaceStyle.allCases {
                let face = CardFace(
                    style: style, balance: Money(minorUnits: 0, .usd), holder: holder,
                    scratch: .none)
                #expect(try remains(try face.area(in: layout), layout) == holder, "\(length)")
            }
        }
    }

    @Test("The holder is recovered from JSON with another program's white space")
    func otherWriters() throws {
        let json = "{\n  \"firstName\" : \"Ann\",\n  \"accountValue\" : 1\n}"
        let area = try area(appRecord(json), count: 112)
        #expect(try remains(area, .ntag213) == Holder(id: nil, name: try HolderName("Ann")))
        let behindLock = try bytes("01 03 A0 0C 34") + area.dropLast(5)
        #expect(try remains(behindLock, .ntag213) == Holder(id: nil, name: try HolderName("Ann")))
    }

    @Test("Id and name are recovered independently of each other")
    func parts() throws {
        let cases: [(String, Int64?, String?)] = [
            (#"{"balance":"?","id":7,"name":"Ann"}"#, 7, "Ann"),
            (#"{"balance":1,"id":"?","name":"Ann"}"#, nil, "Ann"),
            (#"{"balance":1,"id":7,"name":5}"#, 7, nil),
            (#"{"id":7,"firstName":"Ann","lastName":5}"#, 7, nil),
            (#"{"id":7,"state":"?"}"#, 7, nil),
        ]
        for (json, id, name) in cases {
            let holder = Holder(
                id: try id.map { try HolderID($0) }, name: try name.map { try HolderName($0) })
            #expect(try remains(try area(appRecord(json), count: 112), .ntag213) == holder)
        }
    }

    @Test(
        "No holder is recovered if the JSON itself is torn",
        arguments: [CardLayout.ntag213, .larger])
    func torn(layout: CardLayout) throws {
        let area = try Example().face.area(in: layout)
        let end = try #require(area.lastIndex(of: UInt8(ascii: "}")))
        for page in 2...end / 4 {
            for content: [UInt8] in [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] {
                var torn = area
                torn.replaceSubrange(page * 4..<page * 4 + 4, with: content)
                #expect(try remains(torn, layout) == nil, "page \(page + 4)")
            }
        }
        #expect(try remains([UInt8](repeating: 0, count: area.count), layout) == nil)
        #expect(try remains([UInt8](repeating: 0x7B, count: area.count), layout) == nil)
    }
}
