import Cards
import Ledger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A lost card's balance moves to a new tag.
@Suite("Replacing a lost card")
struct ReplaceTests {
    @Test("A replacement takes over balance, cardholder, and code, and the old card is worthless")
    func moves() async throws {
        let world = World(try World.blank())
        try await world.put(try World.otherTag())
        try await world.issue()
        let code = try #require(
            try await scratchedCode(world), "the lost card has a code")
        let lost = try #require(CardUID(bytes: World.otherUID))

        try await world.putBack()
        let summary = try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))
        #expect(summary.balance == World.usd(1_000) && summary.scratch == .scratched(code))
        #expect(summary.holder == (try World.holder("Amanda Gonzalez")))
        try await world.expectResolved()
        #expect(try await world.ledger.knownCard(of: lost)?.balance == World.usd(0))

        try await world.reader.change { $0.put([World.otherUID]) }
        let old = try await world.station.read()
        #expect(old.ledger == .replaced && old.balance == World.usd(0))
        let shown = try await world.reader.change { $0.tag(World.otherUID) }
        #expect(try shown?.content.face?.balance == World.usd(0))
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(4))
        }
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await world.station.add(World.usd(1), id: World.id(5))
        }
        let audit = try await world.ledger.audit()
        #expect(audit.violations == [] && audit.open == 0)
    }

    @Test("Replacing a card voids its open payment")
    func openPayment() async throws {
        let world = World(try World.blank())
        try await world.put(try World.otherTag())
        try await world.issue()
        try await world.arm(Fault(at: 4, counting: .write, .acknowledgeLost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(2))
        try await world.putBack()
        let lost = try #require(CardUID(bytes: World.otherUID))
        let summary = try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))
        #expect(summary.balance == World.usd(1_000))
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)

        // The tag proves the payment, but it was never said to be done, and the money has moved.
        try await world.reader.change { $0.put([World.otherUID]) }
        await expectRefused(.operationVoided, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        #expect(try await world.station.read().balance == World.usd(0))
    }

    @Test("A half-made card that was replaced says so, whatever is on its tag")
    func halfMade() async throws {
        for write in 2...4 {
            let world = World(try World.blank())
            try await world.put(try World.otherTag())
            try await world.arm(Fault(at: write, counting: .write, .torn(.zero)))
            _ = try? await world.issue()
            let lost = try #require(CardUID(bytes: World.otherUID))
            try #require(
                try await world.ledger.knownCard(of: lost)?.card.confirmed == SequenceNumber.none)
            try await world.putBack()
            _ = try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))

            try await world.reader.change { $0.put([World.otherUID]) }
            let station = world.station
            for problem in [
                await outcome { () throws(TapcardError) in
                    try await station.pay(World.usd(1), id: World.id(4))
                }.failure,
                try? await station.read().problem,
            ] {
                #expect(
                    problem?.kind == .refusal(.cardBlocked), "write \(write): \(problem as Any)")
                #expect(problem?.what.contains("replaced") == true, "write \(write)")
            }
        }
    }

    @Test("A lost card can be replaced only once")
    func once() async throws {
        let world = try await TillRequest.replace.world()
        try await TillRequest.replace.perform(at: world.station)
        try await world.put(
            try #require(TagMemory.blank(.ntag215, uid: [0x04, 1, 2, 3, 4, 5, 6])))
        let lost = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.refusal(.cardClosed), exit: 4) { () throws(TapcardError) in
            try await world.station.make(CardRequest(.replace(lost)), id: World.id(9))
        }
    }

    @Test("A replacement needs a known lost card and another tag")
    func refused() async throws {
        let world = try await World.withCard()
        let uid = try await world.uid()
        let unknown = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.refusal(.cardKnown), exit: 4) { () throws(TapcardError) in
            try await world.station.make(CardRequest(.replace(unknown)), id: World.id(2))
        }
        await expectRefused(.refusal(.wrongState), exit: 4) { () throws(TapcardError) in
            try await world.station.make(
                CardRequest(.replace(uid), mayReissue: true), id: World.id(3))
        }
        try await world.put(try World.otherTag())
        await expectRefused(.refusal(.cardUnknown), exit: 4) { () throws(TapcardError) in
            try await world.station.make(CardRequest(.replace(unknown)), id: World.id(4))
        }
        #expect(try await world.balance() == 1_000)
        let written = try await world.reader.change { $0.tag(World.otherUID) }
        #expect(written == (try World.otherTag()))
    }

    @Test("A replacement on another known card closes that card's account")
    func overKnownCard() async throws {
        let world = try await TillRequest.replace.world()
        try await world.issue(300, name: "Eve", id: 2)
        let lost = try #require(CardUID(bytes: World.otherUID))
        let request = CardRequest(.replace(lost), mayReissue: true)
        #expect(try await world.station.make(request, id: World.id(3)).balance == World.usd(1_000))
        try await world.expectResolved()
        let reissued = try await world.ledger.read { rows throws(LedgerError) in
            try rows.balance(of: .reissued)
        }
        #expect(reissued == 300)
    }

    private func scratchedCode(_ world: World) async throws -> ScratchCode? {
        _ = try await world.station.scratch(id: World.id(2))
        return try await world.station.read().scratch.code
    }
}
