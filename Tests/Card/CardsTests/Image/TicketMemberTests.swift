import Cards
import TapcardDomain
import Testing
import TextCodecs

@Suite("Ticket and game on the face of a card")
struct TicketMemberTests {
    private let ticket: Ticket
    private let game: MastermindGameID

    init() throws {
        ticket = Ticket(
            id: try #require(TicketID("ticket-1")), draw: try #require(DrawID("draw-1")),
            balls: try #require(Balls(stored: [2, 16, 23, 44, 47, 52], bonus: 14)))
        game = try #require(MastermindGameID("0123456789ABCDEF0123456789abcdef"))
    }

    private func face(name: String = "Amanda Gonzalez") throws -> CardFace {
        var face = try Example().face
        face.holder = Holder(id: try HolderID(1), name: try HolderName(name))
        (face.ticket, face.game) = (ticket, game)
        return face
    }

    @Test("Ticket and game follow the state, precede foreign members, and are read back")
    func places() throws {
        var face = try face(name: "Al")
        face.scratch = .unscratched
        #expect(
            try json(in: try face.area(in: .larger))
                == #"{"balance":12.50    ,"id":1,"name":"Al","state":"unscratched","#
                + #""ticket":["ticket-1","draw-1",[2,16,23,44,47,52],14],"#
                + #""game":"0123456789abcdef0123456789abcdef"}"#)
        face.game = nil
        face.extras = [JSONMember(key: "seat", value: 4)]
        let area = try face.area(in: .larger)
        #expect(try json(in: area).hasSuffix(#",52],14],"seat":4}"#))
        #expect(TagContent(decoding: area, currency: .usd).face == face)
        let image = CardImage(area + [UInt8](repeating: 0, count: 32), layout: .larger)
        #expect(image?.remainingFace(in: .usd) == face)
    }

    @Test("Ticket and game shorten the spelling if they only fit that way")
    func spelling() throws {
        let area = try face().area(in: .larger)
        #expect(try json(in: area).contains(#""state":"s","ticket":["#))
        #expect(TagContent(decoding: area, currency: .usd).face == (try face()))
    }

    @Test("As a name grows, first the game and then the ticket is left out")
    func room() throws {
        var seen: [Int] = []
        for length in 1...120 {
            var face = try face(name: String(repeating: "x", count: length))
            guard let area = try? face.area(in: .larger) else { break }
            let shown = face.shown(in: .larger)
            seen.append((shown.ticket == nil ? 0 : 1) + (shown.game == nil ? 0 : 1))
            #expect(shown.ticket != nil || shown.game == nil, "the ticket stays longer")
            #expect(TagContent(decoding: area, currency: .usd).face == shown)
            // A code still to come has its room already.
            let scratched = face.scratch
            face.scratch = .unscratched
            var before = face.shown(in: .larger)
            before.scratch = scratched
            #expect(before == shown)
        }
        #expect(Set(seen) == [0, 1, 2] && seen == seen.sorted(by: >))
    }

    @Test(
        "Ticket and game stay, and foreign members without room next to them are left out",
        arguments: [true, false])
    func others(hasGame: Bool) throws {
        var face = try face(name: "Al")
        face.scratch = .unscratched
        if !hasGame { face.game = nil }
        let small = JSONMember(key: "a", value: 1)
        let large = JSONMember(
            key: "note", value: .string(String(repeating: "x", count: hasGame ? 30 : 60)))
        for extras in [[large], [small, large], [large, small]] {
            face.extras = extras
            let shown = face.shown(in: .larger)
            #expect(shown.game == face.game && shown.ticket == ticket)
            #expect(shown.extras == extras.filter { $0 == small })
            #expect(
                TagContent(decoding: try face.area(in: .larger), currency: .usd).face == shown)
        }
        // Without ticket and game there is nothing that it could take the room of.
        (face.ticket, face.game, face.extras) = (nil, nil, [large, small])
        #expect(face.shown(in: .larger) == face)
    }

    @Test("Ticket and game are not written on an NTAG213 or in the app's form")
    func elsewhere() throws {
        var face = try face(name: "Al")
        #expect(try !json(in: try face.area(in: .ntag213)).contains("ticket"))
        face.scratch = .none
        face.style = .iosApp
        #expect(try !json(in: try face.area(in: .larger)).contains("game"))
    }

    @Test(
        "An invalid ticket or game is ignored, and the card is still read",
        arguments: [
            #""ticket":1"#, #""ticket":[]"#, #""ticket":["ticket-1","draw-1",[2,2],14]"#,
            #""ticket":["ticket-1","draw-1",[2,"3"],14]"#, #""ticket":["","draw-1",[2],14]"#,
            #""ticket":["ticket-1","draw-1",[2],2]"#, #""ticket":["ticket-1","draw-1",[0],2]"#,
            #""ticket":["ticket-1","draw-1",[2.5],3]"#, #""ticket":["t","d",[1],2,3]"#,
            #""game":"0123""#, #""game":4"#, #""game":"g123456789abcdef0123456789abcdef""#,
        ])
    func senseless(member: String) throws {
        let text = #"{"balance":1.00,\#(member),"state":"u"}"#
        let face = try CardFace(try JSONValue.parsing(Array(text.utf8)), currency: .usd)
        #expect(face.ticket == nil && face.game == nil && face.extras == [])
        #expect(face.scratch == .unscratched)
    }
}
