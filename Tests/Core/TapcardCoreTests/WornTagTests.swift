import Cards
import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Pages that do not keep what was written to them, at once or a day later.
@Suite("A tag that wears out")
struct WornTagTests {
    @Test(
        "is read back: a page that was acknowledged and not kept is written again", arguments: 1...8
    )
    func forgetsOnce(_ write: Int) async throws {
        let world = try await World.withCard()
        let tag = InterposedReader(
            world.reader, answer: InterposedReader.forgetful { number, _ in number == write })
        let receipt = try await world.station(reader: tag).pay(World.usd(250), id: World.id(2))
        #expect(receipt.balance == World.usd(750))
        // The first of those pages is written twice; a second try at the others waits for a tap.
        #expect((receipt.display == .outOfDate) == (write > 5))
        _ = try await world.station.read()
        try await world.expectResolved()
    }

    @Test("is never said to have paid where a page of the record keeps nothing", arguments: 0...3)
    func deadPage(_ index: Int) async throws {
        let world = try await World.withCard()
        let dead = try await world.tag().layout.recordPages[1] + UInt8(index)
        let tag = InterposedReader(
            world.reader, answer: InterposedReader.forgetful { _, page in page == dead })
        let station = world.station(reader: tag)
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await station.pay(World.usd(250), id: World.id(2))
        }
        #expect(try await world.balance() == 1_000)
        #expect(try await world.ledger.operation(World.id(2))?.state == .pending)
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await station.read()
        }
        #expect(try await world.ledger.operation(World.id(2))?.state == .voided)

        // The balance is safe, and can leave the tag.
        let lost = try await world.uid()
        try await world.put(try World.otherTag())
        let summary = try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))
        #expect(summary.balance == World.usd(1_000))
    }

    /// The first page of the message, the last to be written, tells the next tap that a refresh was
    /// broken off; of a weak one of its own only the ledger can tell.
    @Test(
        "does not rest what phones read on a page that was not acknowledged",
        arguments: [(5, true), (6, true), (7, true), (8, true), (5, false), (6, false), (7, false)])
    func weakDisplay(_ write: Int, _ isNoted: Bool) async throws {
        let world = try await World.withCard()
        let weak = InterposedReader(world.reader)
        let ledger = Disturbance(.ledgerGone, at: isNoted ? .max : 3, of: .commits)
            .ledger(world.ledger)
        try await world.arm(Fault(at: write, counting: .write, .acknowledgeLost))
        _ = try await world.station(reader: weak, ledger: ledger).pay(
            World.usd(250), id: World.id(2))
        try await world.putBack()
        let station = world.station(reader: weak)
        #expect(try await station.read().display == .repaired)
        #expect(weak.weakPages.isEmpty)
        #expect(try await station.read().display == .current)
        try await world.expectResolved()
    }
}
