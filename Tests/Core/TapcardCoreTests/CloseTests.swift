import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs

/// A card is paid out, and its tag becomes blank again.
@Suite("Closing a card")
struct CloseTests {
    @Test("Closing a card removes the members that others added to its face")
    func membersOfOthers() async throws {
        let world = try await World.withCard()
        let json =
            #"{"balance":10.00    ,"id":1,"name":"Amanda Gonzalez","state":"u","seat":4}"#
        try await world.alter { tag in
            try? tag.lay(NDEFText(language: "en", text: json).record)
        }
        _ = try await world.station.close(id: World.id(2))
        #expect(try await world.tag().content.face?.extras.map(\.key) == [])
        try await world.expectResolved()
    }

    @Test("A closed card can be formatted and is still known as a closed card")
    func formatted() async throws {
        let world = try await World.withCard()
        await expectRefused(.refusal(.cardHasMoney), exit: 4) { () throws(TapcardError) in
            try await world.station.format(overwriting: true)
        }
        _ = try await world.station.close(id: World.id(2))
        #expect(try await world.station.format(overwriting: false) == (try await world.uid()))
        #expect(try await world.tag().content == .empty)
        await expectRefused(.refusal(.cardClosed), exit: 4) { () throws(TapcardError) in
            try await world.station.read()
        }
        let request = try CardRequest.demo(in: .usd)
        await expectRefused(.refusal(.cardClosed), exit: 4) { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(3))
        }
        try await world.issue(200, mayReissue: true, id: 4)
        #expect(try await world.station.read().balance == World.usd(200))
        try await world.expectResolved()
    }

    @Test("Text written on a closed card's tag is not overwritten without permission")
    func writtenBySomebody() async throws {
        let world = try await World.withCard()
        _ = try await world.station.close(id: World.id(2))
        let closed = try await world.tag()
        for isFormatted in [true, false] {
            try await world.put(closed)
            if isFormatted { _ = try await world.station.format(overwriting: false) }
            try await world.alter { try? $0.lay(NDEFText(language: "en", text: "hi").record) }
            let before = try await world.tag()
            let dump = TagDump(try World.blank().tags[0])
            await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
                try await world.station.format(overwriting: false)
            }
            await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
                try await world.station.restore(dump, overwriting: false)
            }
            #expect(try await world.tag() == before)
            guard isFormatted else { continue }
            let said = await outcome { () throws(TapcardError) in try await world.station.read() }
            #expect(said.error == .refusal(.cardClosed))
            do {
                _ = try await world.station.read()
            } catch {
                #expect(error.what.hasPrefix("The card on this tag was "))
            }
            let request = CardRequest(
                .issue(try World.holder("Bob"), World.usd(200), hasScratchCard: true),
                mayReissue: true)
            await expectRefused(.notACard, exit: 4) { () throws(TapcardError) in
                try await world.station.make(request, id: World.id(3))
            }
            #expect(try await world.tag() == before)
        }
        _ = try await world.station.format(overwriting: true)
        try await world.alter { try? $0.lay(NDEFText(language: "en", text: "hi").record) }
        let request = CardRequest(
            .issue(try World.holder("Bob"), World.usd(200), hasScratchCard: true),
            mayReissue: true, mayOverwrite: true)
        _ = try await world.station.make(request, id: World.id(4))
        try await world.expectResolved()
    }

    @Test("Formatting a closed card whose last tap is unresolved does not damage it")
    func formattedUnresolved() async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 4, counting: .write, .acknowledgeLost))
        _ = try? await world.station.close(id: World.id(2))
        try await world.putBack()
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.read()
        try await world.putBack()
        let uid = try await world.uid()
        #expect(try await world.ledger.knownCard(of: uid)?.card.status == .closed)
        _ = try await world.station.format(overwriting: true)
        await expectRefused(.refusal(.cardClosed), exit: 4) { () throws(TapcardError) in
            try await world.station.read()
        }
        try await world.issue(200, mayReissue: true, id: 4)
        try await world.expectResolved()
    }

    @Test("An empty card can be closed")
    func empty() async throws {
        let world = World(try World.blank())
        try await world.issue(0)
        let receipt = try await world.station.close(id: World.id(2))
        #expect(receipt.amount == World.usd(0))
        try await world.expectResolved()
    }
}
