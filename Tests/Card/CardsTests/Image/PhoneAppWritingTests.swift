import Cards
import TapcardDomain
import Testing
import TextCodecs

@Suite("Writing cards for the iPhone app")
struct PhoneAppWritingTests {
    private func face(_ name: String?, units: Int64 = 1_250) throws -> CardFace {
        CardFace(
            style: .iosApp, balance: Money(minorUnits: units, .usd),
            holder: Holder(id: try HolderID(1), name: try name.map { try HolderName($0) }),
            scratch: .none)
    }

    @Test(
        "A name is split at its last space, and reads back whole",
        arguments: [
            ("Amanda Gonzalez", "Amanda", "Gonzalez"),
            ("Ana María de la Cruz", "Ana María de la", "Cruz"),
            ("山田太郎", "山田太郎", ""), ("A B", "A", "B"), ("A  B", "A ", "B"),
            ("Amanda ", "Amanda ", ""), (" Amanda", " Amanda", ""), ("A B ", "A", "B "),
            (nil, "", ""),
        ] as [(String?, String, String)])
    func splits(name: String?, first: String, last: String) throws {
        let face = try face(name)
        let area = try face.area(in: .ntag213)
        let names = #""firstName":"\#(first)","lastName":"\#(last)""#
        #expect(try json(in: area) == #"{\#(names),"accountValue":12.50    ,"id":1}"#)
        #expect(TagContent(decoding: area, currency: .usd) == .foreignCard(face))
    }

    @Test(
        "A card in the app's form reads back whatever its name",
        arguments: NameRoomTests.names.map(\.0),
        [CardLayout.ntag213, .larger])
    func readsBack(name: String, layout: CardLayout) throws {
        let face = try face(name, units: 99_999_999)
        let area = try face.area(in: layout)
        #expect(area.count == layout.ndefByteCount)
        #expect(TagContent(decoding: area, currency: .usd) == .foreignCard(face))
    }

    @Test("Code and state are not written in the app's form")
    func noScratchCard() throws {
        var face = try face("Amanda Gonzalez")
        let plain = try face.area(in: .ntag213)
        for scratch in [ScratchCard.unscratched, .activated(try Example().code)] {
            face.scratch = scratch
            #expect(try face.area(in: .ntag213) == plain)
        }
    }

    @Test(
        "The app's form has three more bytes for JSON, as it has no language",
        arguments: [CardLayout.ntag213, .larger])
    func room(layout: CardLayout) throws {
        let fixed = try json(in: face(nil).area(in: layout)).utf8.count
        let room = layout.jsonCapacity + 3 - fixed
        let longest = min(room, HolderName.maximumBytes)
        let area = try face(String(repeating: "n", count: longest)).area(in: layout)
        #expect(area.count == layout.ndefByteCount)
        guard room < HolderName.maximumBytes else { return }
        #expect(area.last == 0xFE)
        #expect(throws: CardImageError(.tooLong(by: 1), "")) {
            try face(String(repeating: "n", count: room + 1)).area(in: layout)
        }
    }
}
