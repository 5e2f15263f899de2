import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// An operator's decisions about a card that need not be on the reader.
@Suite("Blocked cards and forgotten cardholders")
struct CardStatusTests {
    @Test("A blocked card shows its balance and moves no money")
    func blocked() async throws {
        let world = try await World.withCard()
        let uid = try await world.uid()
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        #expect(try await world.change(uid, .block).status == .blocked)
        let before = try await world.tag()
        let station = world.station
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await station.pay(World.usd(1), id: World.id(10))
        }
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await station.refund(World.id(2))
        }
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await station.scratch(id: World.id(12))
        }
        let summary = try await world.station.read()
        #expect(summary.ledger == .blocked && summary.seal == .valid)
        #expect(summary.balance == World.usd(900))
        #expect(try await world.tag() == before)
        #expect(try await world.change(uid, .unblock).status == .active)
        _ = try await world.station.pay(World.usd(1), id: World.id(14))
        try await world.expectResolved()
    }

    @Test(
        "Forgetting a cardholder leaves no part of the name on the card's face",
        arguments: FaceStyle.allCases
    )
    func forgotten(_ style: FaceStyle) async throws {
        let world = World(try World.blank())
        try await world.issue(face: style)
        let uid = try await world.uid()
        #expect(try await world.change(uid, .forget).holder.name == nil)
        let summary = try await world.station.read()
        #expect(summary.holder.name == nil && summary.seal == .valid)
        #expect(summary.balance == World.usd(1_000))
        let text = String(decoding: try await world.tag().image.area, as: UTF8.self)
        for part in ["Ama", "anda", "Gon", "zal", "lez"] { #expect(!text.contains(part)) }
        try await world.expectResolved()
        _ = try await world.station.pay(World.usd(100), id: World.id(2))
        try await world.expectResolved()
    }

    @Test(
        "A cardholder is forgotten even if the tap that blanks the name is torn",
        arguments: FaceStyle.allCases)
    func tornForgetting(_ style: FaceStyle) async throws {
        for way: Fault.Kind in [.lost, .torn(.mix(seed: 2)), .acknowledgeLost] {
            var write = 1
            while true {
                let world = World(try World.blank())
                try await world.issue(face: style)
                _ = try await world.change(try await world.uid(), .forget)
                try await world.arm(Fault(at: write, counting: .write, way))
                _ = try? await world.station.read()
                guard try await !world.isArmed() else { break }
                try await world.putBack()
                let summary = try await world.station.read()
                #expect(summary.problem == nil && summary.holder.name == nil)
                try await world.expectResolved("\(way) at WRITE \(write)")
                write += 1
            }
            #expect(write > 10)
        }
    }

    @Test("Forgetting a cardholder also removes the message that the card was adopted with")
    func forgottenMessage() async throws {
        let world = try await TillRequest.adopt.world()
        try await TillRequest.adopt.perform(at: world.station)
        let uid = try await world.uid()
        #expect(try await world.ledger.knownCard(of: uid)?.card.foreignMessage != nil)
        _ = try await world.change(uid, .forget)
        #expect(try await world.ledger.knownCard(of: uid)?.card.foreignMessage == nil)
        _ = try await world.station.read()
        let text = String(decoding: try await world.tag().image.area, as: UTF8.self)
        #expect(!text.contains("Amanda") && !text.contains("Gonzalez"))
        try await world.expectResolved()
    }
}
