import Cards
import TapcardDomain
import Testing
import TextCodecs

@Suite("Room for a name on an NTAG213")
struct NameRoomTests {
    /// Names with their length in bytes. With a one-digit id and a code to come there is room for
    /// 20.
    static let names = [
        ("Amanda Gonzalez", 15), ("José Núñez", 13), ("Jürgen Müller", 15), ("Zoë Lefèvre", 13),
        ("Łukasz Żółć-Lis", 20), ("Łukasz Żółć Duda", 21), ("Amanda Gonzalez Ruiz", 20),
        ("Amanda Gonzalez Perez", 21), ("Nguyễn Thị Ánh", 19), ("Björk Guðmundsdóttir", 23),
        ("Şükrü Öztürk", 17), ("Дмитрий Иванов", 27), ("Олена Коваль", 23),
        ("Γιώργος Παπάς", 25), ("محمد علي", 15), ("שרה כהן", 13), ("山田太郎", 12),
        ("佐藤さくら", 15), ("김민준", 9), ("अमित शर्मा", 28),
    ]

    private func face(_ name: String, _ style: FaceStyle = .tapcard) throws -> CardFace {
        CardFace(
            style: style, balance: Money(minorUnits: 99_999_999, .usd),
            holder: Holder(id: try HolderID(9), name: try HolderName(name)), scratch: .unscratched)
    }

    @Test(
        "A name of up to 20 bytes fits next to a code, and a longer one does not", arguments: names)
    func room(name: String, length: Int) throws {
        try #require(name.utf8.count == length)
        let face = try face(name)
        // Without the code every one of them fits, which is what makes the question necessary.
        let area = try face.area(in: .ntag213)
        #expect(TagContent(decoding: area, currency: .usd) == .tapcard(face))
        #expect(throws: Never.self) { try face.requireRoomForCode(in: .larger) }
        if length <= 20 {
            #expect(throws: Never.self) { try face.requireRoomForCode(in: .ntag213) }
        } else {
            let error = CardImageError(.tooLong(by: length - 20), "")
            #expect(throws: error) { try face.requireRoomForCode(in: .ntag213) }
        }
    }

    @Test(
        "A name of 20 bytes still fits when the code arrives",
        arguments: ["Łukasz Żółć-Lis", "Amanda Gonzalez Ruiz"])
    func kept(name: String) throws {
        var face = try face(name)
        for scratch in [ScratchCard.scratched(try Example().code), .activated(try Example().code)] {
            face.scratch = scratch
            let area = try face.area(in: .ntag213)
            #expect(TagContent(decoding: area, currency: .usd) == .tapcard(face))
            #expect(try json(in: area).utf8.count == 102)
        }
    }

    @Test("Characters that JSON escapes count against the room for a name")
    func escaped() throws {
        let name = #"Amanda "Gonzalez" R."#
        try #require(name.utf8.count == 20)
        #expect(throws: CardImageError(.tooLong(by: 2), "")) {
            try face(name).requireRoomForCode(in: .ntag213)
        }
    }

    @Test("Room for a code is required only of cards that will have one")
    func noCode() throws {
        var face = try face("Amanda Gonzalez Perez")
        face.scratch = .none
        #expect(throws: Never.self) { try face.requireRoomForCode(in: .ntag213) }
        // The iPhone app's record has no code.
        let app = try self.face("Amanda Gonzalez Perez", .iosApp)
        #expect(throws: Never.self) { try app.requireRoomForCode(in: .ntag213) }
    }

    @Test("A refusal mentions foreign members if they take up the room")
    func extras() throws {
        var face = try face("Ann")
        face.extras = [.init(key: "note", value: .string(String(repeating: "x", count: 99)))]
        let error = #expect(throws: CardImageError.self) { try face.area(in: .ntag213) }
        #expect(error?.detail.contains("other programs' members") == true)
    }
}
