import Cards
import TapcardDomain
import Testing
import TextCodecs

@Suite("JSON members added by other programs")
struct ForeignMemberTests {
    static let extras = [
        JSONMember(key: "seat", value: ["row-1", [2, 16, 23], 14]),
        JSONMember(key: "note", value: "Grüße, \"Ann\""),
        JSONMember(key: "rate", value: .number("1.10e-2")),
        JSONMember(key: "", value: [:]),
        JSONMember(key: #"a "quoted\" key"#, value: ["x": nil, "y": true]),
    ]

    @Test(
        "Foreign members survive a rewrite in either form, in their order",
        arguments: FaceStyle.allCases)
    func survive(style: FaceStyle) throws {
        var face = CardFace(
            style: style, balance: Money(minorUnits: 5, .usd), holder: .nobody, scratch: .none,
            extras: Self.extras)
        let area = try face.area(in: .larger)
        let read = TagContent(decoding: area, currency: .usd).face
        #expect(read == face)
        let image = CardImage(area + [UInt8](repeating: 0, count: 32), layout: .larger)
        #expect(image?.remains(in: .usd)?.extras == Self.extras)
        face.balance = Money(minorUnits: 6, .usd)
        #expect(TagContent(decoding: try face.area(in: .larger), currency: .usd).face == face)
    }

    @Test("Foreign members never displace a card's own members", arguments: FaceStyle.allCases)
    func collisions(style: FaceStyle) throws {
        var face = try Example().face
        face.style = style
        if style == .iosApp { face.scratch = .none }
        let plain = try face.area(in: .larger)
        let keys =
            style == .tapcard
            ? ["balance", "id", "name", "code", "state", "ticket", "game"]
            : ["firstName", "lastName", "accountValue", "id", "code", "state", "balance"]
        face.extras = keys.map { JSONMember(key: $0, value: 1) }
        #expect(try face.area(in: .larger) == plain)
    }

    @Test("Foreign members are kept when a card changes to the other form")
    func otherForm() throws {
        let json = #"{"name":"x","accountValue":1,"color":"red"}"#
        var face = try CardFace(try JSONValue.parsing(Array(json.utf8)), currency: .usd)
        #expect(face.extras.map(\.key) == ["name", "color"])
        face.style = .tapcard
        face.holder = try Example().holder
        let read = TagContent(decoding: try face.area(in: .larger), currency: .usd).face
        #expect(read?.holder == face.holder)
        #expect(read?.extras == [JSONMember(key: "color", value: "red")])
    }
}
