import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A card that somebody else made is taken over.
@Suite("Adopting a card")
struct AdoptTests {
    @Test(
        "Adopting an iPhone app's card credits the accepted amount and keeps its message",
        arguments: Type2Chip.known, [nil, Int64(1_250)])
    func appCard(_ chip: Type2Chip, _ accepted: Int64?) async throws {
        let world = try await TillRequest.adopt.world(on: chip)
        let before = try await world.tag()
        let shown = try await world.station.read()
        #expect(shown.seal == .unsealed && shown.ledger == .unknown && shown.problem == nil)
        #expect(shown.balance == World.usd(1_250))
        #expect(shown.holder == (try World.holder("Amanda Gonzalez")))

        let request = CardRequest(.adopt(accepting: accepted.map(World.usd)))
        let summary = try await world.station.make(request, id: World.id(7))
        #expect(summary.balance == World.usd(accepted ?? 0))
        #expect(summary.holder == shown.holder && summary.seal == .valid)
        try await world.expectResolved()
        let card = try #require(try await world.ledger.knownCard(of: try await world.uid())).card
        let message = try #require(card.foreignMessage)
        #expect(message.starts(with: try before.image.area))
        let adopted = try await world.ledger.read { rows throws(LedgerError) in
            try rows.balance(of: .adopted)
        }
        #expect(adopted == -(accepted ?? 0))
    }

    @Test(
        "Adopting a card credits no amount other than the one on its tag",
        arguments: [0, 1_249, 1_251, -1])
    func wrongAmount(_ minorUnits: Int64) async throws {
        let world = try await TillRequest.adopt.world()
        let before = try await world.tag()
        let request = CardRequest(.adopt(accepting: World.usd(minorUnits)))
        await expectRefused(.refusal(.badAmount), exit: 2) { () throws(TapcardError) in
            try await world.station.make(request, id: World.id(7))
        }
        #expect(try await world.tag() == before)
        #expect(try await world.balance() == nil)
    }

    @Test("A message that overlaps the record slots is kept whole when its card is adopted")
    func longMessage() async throws {
        let world = World(try World.blank())
        var tag = try await world.tag()
        let json =
            #"{"firstName":"Amanda","lastName":"Gonzalez","accountValue":12.5,"id":1,"#
            + #""note":"0123456789012345678901234567890123456789"}"#
        try tag.lay(TagMemory.appRecord(json))
        try await world.put(tag)
        let request = CardRequest(.adopt(accepting: World.usd(1_250)))
        _ = try await world.station.make(request, id: World.id(7))
        let card = try #require(try await world.ledger.knownCard(of: try await world.uid())).card
        let kept = String(decoding: try #require(card.foreignMessage), as: UTF8.self)
        #expect(kept.contains(json))
        #expect(try await world.station.read().seal == .valid)
    }

    @Test("An adopted card can keep the face that the iPhone app reads", arguments: Type2Chip.known)
    func appFace(_ chip: Type2Chip) async throws {
        let world = try await TillRequest.adopt.world(on: chip)
        let request = CardRequest(.adopt(accepting: World.usd(1_250)), face: .iosApp)
        _ = try await world.station.make(request, id: World.id(7))
        try await world.expectResolved()
        let record = try await appJSON(on: world)
        #expect(
            record
                == #"{"firstName":"Amanda","lastName":"Gonzalez","accountValue":12.50    ,"id":1}"#)
        _ = try await world.station.pay(World.usd(250), id: World.id(8))
        #expect(try await appJSON(on: world).contains(#""accountValue":10.00    ,"#))
        try await world.expectResolved()
    }

    @Test("An interrupted adoption without credit is not completed with an amount")
    func otherAmountAfterInterruption() async throws {
        let world = try await TillRequest.adopt.world()
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.make(CardRequest(.adopt(accepting: nil)), id: World.id(6))
        try await world.putBack()
        await expectRefused(.refusal(.cardKnown), exit: 4) { () throws(TapcardError) in
            try await TillRequest.adopt.perform(at: world.station)
        }
        #expect(try await world.balance() == 0)
        try await world.expectResolved()
    }

    @Test(
        "An adopted card of another ledger continues its sequence numbers",
        arguments: Type2Chip.known)
    func sealedCard(_ chip: Type2Chip) async throws {
        let world = try await worldWithStranger(chip)
        let before = try await world.tag()
        let best = try #require(try await world.slots().best?.record)
        let shown = try await world.station.read()
        #expect(shown.seal == .valid && shown.ledger == .unknown)
        #expect(shown.sequence == best.sequence && shown.balance == World.usd(900))
        await expectRefused(.refusal(.cardUnknown), exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(2))
        }
        let demo = try CardRequest.demo(in: .usd, mayOverwrite: true)
        await expectRefused(.refusal(.cardKnown), exit: 4) { () throws(TapcardError) in
            try await world.station.make(demo, id: World.id(3))
        }
        #expect(try await world.tag() == before)

        let request = CardRequest(.adopt(accepting: World.usd(900)))
        let summary = try await world.station.make(request, id: World.id(7))
        #expect(summary.balance == World.usd(900) && summary.scratch == .unscratched)
        try await world.expectResolved()
        try await expectNumbers(above: best.sequence, in: world)
    }

    @Test(
        "Adopting a card takes over neither the ticket nor the game on its tag",
        arguments: [true, false])
    func ticket(isSealed: Bool) async throws {
        let game = MastermindGameID("0123456789abcdef0123456789abcdef").map {
            MastermindGame(id: $0, slots: 4)
        }
        let world: World
        if isSealed {
            let other = try await World.withCard(.ntag215)
            _ = try await other.buy(2)
            _ = try await other.station.saveGame(game, id: World.id(3))
            world = World(try World.blank(.ntag215))
            try await world.put(try await other.tag())
        } else {
            world = World(try World.blank(.ntag215))
            let json =
                #"{"balance":8.00     ,"id":1,"name":"Al","state":"u","ticket":["ticket-1","#
                + #""draw-1",[2,16,23,44,47,52],14],"game":"0123456789abcdef0123456789abcdef"}"#
            try await world.alter { tag in
                try? tag.lay(NDEFText(language: "en", text: json).record)
            }
        }
        let shown = try await world.station.read()
        #expect(shown.ticket != nil && shown.ledger == .unknown)
        let request = CardRequest(.adopt(accepting: World.usd(800)))
        let summary = try await world.station.make(request, id: World.id(7))
        #expect(summary.ticket == nil && summary.game == nil)
        let face = try #require(try await world.tag().content.face)
        #expect(face.ticket == nil && face.game == nil && face.extras == [])
        #expect(try await world.station.checkTickets().tickets == [])
        let won = try #require(shown.ticket)
        let drawn = try DrawList([try world.draw(like: won, top: 5)])
        let prizes = try PrizeTable(parsing: "6=top", .usd)
        await expectRefused(.refusal(.nothingWon), exit: 4) { () throws(TapcardError) in
            try await world.station.claimTickets(
                drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
        }
        try await world.expectResolved()
    }

    @Test("A sealed card of another ledger can be reissued with higher sequence numbers")
    func reissuedStranger() async throws {
        let world = try await worldWithStranger(.ntag213)
        let best = try #require(try await world.slots().best?.record)
        try await world.issue(100, mayReissue: true, id: 4)
        try await world.expectResolved()
        try await expectNumbers(above: best.sequence, in: world)
    }

    @Test("The former ledger of an adopted card reports that it is behind")
    func formerLedger() async throws {
        let former = try await World.withCard()
        let world = World(try World.blank())
        try await world.put(try await former.tag())
        _ = try await world.station.make(CardRequest(.adopt(accepting: nil)), id: World.id(7))
        try await former.put(try await world.tag())
        #expect(try await former.station.read().problem?.kind == .ledgerBehind)
    }

    @Test(
        "Adopting a torn sealed card takes over its sealed state and the code on its tag",
        arguments: [SealedRecord.State.scratched, .activated])
    func tornStranger(_ state: SealedRecord.State) async throws {
        var states: Set<String> = []
        for write in 1... {
            let elsewhere = try await World.withCard(.ntag215)
            if state == .activated { _ = try await elsewhere.station.scratch(id: World.id(2)) }
            try await elsewhere.arm(Fault(at: write, counting: .write, .pulledAfter))
            _ = await outcome { () throws(TapcardError) in
                if state == .scratched {
                    _ = try await elsewhere.station.scratch(id: World.id(3))
                } else {
                    _ = try await elsewhere.station.activate(
                        id: World.id(3), through: PlayedActivation.willing)
                }
            }
            if try await elsewhere.isArmed() { break }
            let world = World(try World.blank(.ntag215))
            try await world.put(try await elsewhere.tag())
            // Whose it is stands in what phones read; while that is written, no seal can be
            // checked.
            guard let record = try await world.slots().best?.record else { continue }
            let code = try await world.tag().content.face?.scratch.code
            let found = try await world.station.read().scratch
            let request = CardRequest(.adopt(accepting: nil))
            let adopted = try await world.station.make(request, id: World.id(7)).scratch
            let isCodeLost = code == nil && [.scratched, .activated].contains(record.state)
            #expect(adopted == found && adopted.code == (found == .unscratched ? nil : code))
            #expect(SealedRecord.State(adopted) == (isCodeLost ? .noScratchCard : record.state))
            states.insert("\(record.state) \(code != nil)")
        }
        #expect(states.count > 1 && states.contains("\(state) true"))
    }

    private func worldWithStranger(_ chip: Type2Chip) async throws -> World {
        let elsewhere = try await World.withCard(chip)
        _ = try await elsewhere.station.pay(World.usd(100), id: World.id(2))
        let world = World(try World.blank(chip))
        try await world.put(try await elsewhere.tag())
        return world
    }

    /// Expects records in both slots with numbers above this one, the former ledger's last.
    private func expectNumbers(above number: SequenceNumber, in world: World) async throws {
        let numbers = try await world.tag().image.records.compactMap(SealedRecord.init)
            .map(\.sequence)
        #expect(numbers.count == 2 && numbers.allSatisfy { $0 > number })
    }

    /// The text that the iPhone app would read.
    private func appJSON(on world: World) async throws -> String {
        let area = try await world.tag().image.area
        let block = try #require(try TLVArea(decoding: area).message)
        let record = try #require(
            try NDEFMessage(decoding: block.value, .lenient).records.first)
        return String(decoding: record.payload, as: UTF8.self)
    }
}
