import Cards
import Ledger
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// All parameters of a request to make a card belong to its id.
@Suite("The id of a request to make a card")
struct RequestedAgainTests {
    private static func issue(
        _ name: String? = "Ann", id: Int64? = 7, scratch: Bool = true, face: FaceStyle = .tapcard,
        protects: Bool = false, overwrites: Bool = false
    ) throws -> CardRequest {
        let holder = Holder(
            id: try id.map { try HolderID($0) }, name: try name.map { try HolderName($0) })
        return CardRequest(
            .issue(holder, World.usd(500), hasScratchCard: scratch), face: face,
            mayOverwrite: overwrites, protects: protects)
    }

    /// Requests that differ from the first one in more than another name.
    private static func others() throws -> [CardRequest] {
        [
            try issue(nil), try issue(id: 8), try issue(id: nil), try issue(scratch: false),
            try issue(face: .iosApp), try issue(protects: true),
        ]
    }

    @Test("The id of an issue stands for its cardholder, scratch card, face, and protection")
    func issue() async throws {
        let world = World(try World.blank())
        let made = try await world.station.make(try Self.issue(), id: World.id(1))
        for other in [try Self.issue("Bob")] + (try Self.others()) {
            await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
                try await world.station.make(other, id: World.id(1))
            }
        }
        // The same request; what it permits is not part of it.
        for same in [try Self.issue(), try Self.issue(overwrites: true)] {
            #expect(try await world.station.make(same, id: World.id(1)).uid == made.uid)
        }
        #expect(try await world.operations().count == 1)
    }

    @Test("A forgotten name is no longer compared when an issue is repeated, but the rest is")
    func forgotten() async throws {
        let world = World(try World.blank())
        _ = try await world.station.make(try Self.issue(), id: World.id(1))
        try await world.change(try await world.uid(), .forget)
        let kept = try #require(try await world.operations().first { $0.id == World.id(1) })
        #expect(kept.parameters?.contains("Ann") == false)
        // The ledger can no longer tell whether it was this name or another one.
        for same in [try Self.issue(), try Self.issue("Bob")] {
            _ = try await world.station.make(same, id: World.id(1))
        }
        for other in try Self.others() {
            await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
                try await world.station.make(other, id: World.id(1))
            }
        }
    }

    @Test("The id of a replacement stands for the lost card, even once a name is forgotten")
    func forgottenReplacement() async throws {
        let world = try await World.withCard()
        let first = try await world.uid()
        try await world.put(try World.otherTag())
        let second = try #require(CardUID(bytes: World.otherUID))
        _ = try await world.station.make(.demo(in: .usd), id: World.id(2))
        let third: [UInt8] = [0x04, 0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x02]
        try await world.put(try #require(TagMemory.blank(.ntag213, uid: third)))
        _ = try await world.station.make(CardRequest(.replace(first)), id: World.id(3))
        try await world.change(try #require(CardUID(bytes: third)), .forget)
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.make(CardRequest(.replace(second)), id: World.id(3))
        }
        #expect(try await world.ledger.knownCard(of: second)?.card.status == .active)
    }
}
