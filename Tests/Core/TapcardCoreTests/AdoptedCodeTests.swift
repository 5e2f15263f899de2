import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The code on a tag without a seal proves nothing.
@Suite("Codes on adopted tags")
struct AdoptedCodeTests {
    private static let code = "11111111-2222-4333-8444-555555555555"

    private func tag(state: String) throws -> TagMemory {
        let json =
            #"{"balance":99.00    ,"id":6,"name":"Eve","code":"\#(Self.code)","state":"\#(state)"}"#
        var tag = try World.otherTag(.ntag215)
        try tag.lay(NDEFText(language: "en", text: json).record)
        return tag
    }

    @Test("A code copied to another tag stays with its own card, which can be activated")
    func copied() async throws {
        let world = World(try World.blank(.ntag215))
        try await world.issue()
        _ = try await world.station.scratch(id: World.id(2))
        let original = try await world.tag()
        var copy = try World.otherTag(.ntag215)
        for page in try original.layout.ndefPages { copy[page] = original[page] }
        try await world.put(copy)
        let owner = try #require(CardUID(bytes: World.uids["NTAG215"] ?? []))
        let request = CardRequest(.adopt(accepting: nil))
        for _ in 1...2 {
            let adopted = try await world.station.make(request, id: World.id(3))
            #expect(adopted.scratch == .none && adopted.codeOwner == owner)
        }
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await world.station.activate(id: World.id(5), through: PlayedActivation.willing)
        }
        try await world.put(original)
        _ = try await world.station.activate(id: World.id(4), through: PlayedActivation.willing)
        #expect(try await world.station.read().scratch.word == "activated")
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test(
        "A code on an unsealed card is adopted as scratched until the service activates it",
        arguments: ["scratched", "activated"])
    func unsealed(state: String) async throws {
        let world = World(try World.blank())
        try await world.put(try tag(state: state))
        let found = try await world.station.read()
        try #require(found.seal == .unsealed && found.scratch.word == state)
        let request = CardRequest(.adopt(accepting: nil))
        let summary = try await world.station.make(request, id: World.id(2))
        #expect(summary.scratch.word == "scratched")
        _ = try await world.station.activate(id: World.id(3), through: PlayedActivation.willing)
        let activated = try await world.station.read().scratch
        #expect(activated.word == "activated" && activated.code?.description == Self.code)
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("An activated code stays activated when its adopted card has a valid seal")
    func sealed() async throws {
        let elsewhere = World(try World.blank(.ntag215))
        try await elsewhere.issue()
        _ = try await elsewhere.station.scratch(id: World.id(2))
        _ = try await elsewhere.station.activate(id: World.id(3), through: PlayedActivation.willing)
        let world = World(try World.blank(.ntag215))
        try await world.put(try await elsewhere.tag())
        let request = CardRequest(.adopt(accepting: nil))
        #expect(try await world.station.make(request, id: World.id(4)).scratch.word == "activated")
        #expect(try await world.ledger.audit().violations == [])
    }
}
