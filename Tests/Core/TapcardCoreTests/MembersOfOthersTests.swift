import Cards
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs

/// Other programs add their own members to a card's JSON.
@Suite("Foreign members of a face")
struct MembersOfOthersTests {
    static let json =
        #"{"balance":10.00    ,"id":1,"name":"Amanda Gonzalez","state":"unscratched","#
        + #""seat":[4,"b"],"n":0}"#

    @Test("Members that others added to a face survive a payment")
    func payment() async throws {
        let world = try await world()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        #expect(try await members(of: world) == ["seat", "n"])
        #expect(try await world.tag().content.face?.balance == World.usd(750))
        #expect(try await world.station.read().display == .current)
    }

    @Test("A torn scratching keeps all members that others added, or removes all of them")
    func scratching() async throws {
        var write = 1
        while true {
            let world = try await world()
            try await world.arm(Fault(at: write, counting: .write, .torn(.mix(seed: 11))))
            _ = try? await world.station.scratch(id: World.id(2))
            guard try await !world.isArmed() else { break }
            try await world.putBack()
            _ = try await world.station.read()
            let members = try await members(of: world)
            #expect(members == ["seat", "n"] || members == [], "WRITE \(write)")
            // Pages of the message are touched only from the sixth WRITE on.
            if write < 6 { #expect(members == ["seat", "n"], "WRITE \(write)") }
            write += 1
        }
        #expect(write > 10)
    }

    @Test("A card whose foreign members leave no room for a code is not scratched but can pay")
    func noRoom() async throws {
        let world = try await World.withCard(.ntag213)
        try await world.alter { tag in
            let text = #"{"balance":10.00    ,"id":1,"name":"Amanda Gonzalez","state":"u","#
            try? tag.lay(NDEFText(language: "en", text: text + #""more":"0123456789"}"#).record)
        }
        await expectRefused(.tooLong, exit: 4) { () throws(TapcardError) in
            try await world.station.scratch(id: World.id(2))
        }
        _ = try await world.station.pay(World.usd(250), id: World.id(3))
        #expect(try await members(of: world) == ["more"])
    }

    @Test("Foreign members make room for the ticket when there is not enough for both")
    func beside() async throws {
        let world = try await World.withCard(.ntag215)
        let bought = try await world.buy(2)
        try await world.alter { tag in
            let text =
                #"{"balance":8.00     ,"id":1,"name":"Amanda Gonzalez","state":"unscratched","#
            let others = #""n":0,"\#(String(repeating: "a", count: 35))":"#
            let more = "\"\(String(repeating: "b", count: 70))\"}"
            try? tag.lay(NDEFText(language: "en", text: text + others + more).record)
        }
        #expect(try await members(of: world)?.count == 2)
        #expect(try await world.station.read().display == .repaired)
        #expect(try await world.tag().content.face?.ticket == bought.ticket)
        #expect(try await members(of: world) == ["n"])
        #expect(try await world.station.read().display == .current)
    }

    private func world() async throws -> World {
        let world = try await World.withCard(.ntag215)
        try await world.alter { tag in
            try? tag.lay(NDEFText(language: "en", text: MembersOfOthersTests.json).record)
        }
        return world
    }

    private func members(of world: World) async throws -> [String]? {
        try await world.tag().content.face?.extras.map(\.key)
    }
}
