import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A tap resolves a payment that was left open, and somebody wipes the card during that tap.
@Suite("A card wiped while its payment is resolved")
struct WipedCardTests {
    @Test("A confirmed payment counts although its card is wiped, and the next tap reports damage")
    func paid() async throws {
        let world = try await World.withCard()
        try await world.arm(try #require(Fault("write 4 acknowledge-lost")))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        try await world.putBack()

        let wiper = wiper(world, beforeSelection: 2)
        let receipt = try await world.station(reader: wiper).pay(World.usd(250), id: World.id(2))
        #expect(wiper.limits.count >= 2)
        #expect(receipt.operation.state == .committed)
        #expect(receipt.balance == World.usd(750))
        #expect(receipt.display == .outOfDate)
        #expect(try await world.balance() == 750)

        try await world.putBack()
        await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(3))
        }
        #expect(try await world.balance() == 750)
    }

    @Test("A payment that was still open when its card was wiped is refused")
    func voided() async throws {
        let world = try await World.withCard()
        try await world.arm(try #require(Fault("write 2 torn zero")))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        try await world.putBack()
        let wiper = wiper(world, beforeSelection: 1)
        await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
            try await world.station(reader: wiper).pay(World.usd(250), id: World.id(2))
        }
        #expect(wiper.limits.count >= 1)
        #expect(try await world.balance() == 1_000)
    }

    /// A reader that zeros both records right before a selection.
    private func wiper(_ world: World, beforeSelection number: Int) -> InterposedReader {
        InterposedReader(
            world.reader,
            select: InterposedReader.before(selection: number) { () throws(ReaderError) in
                try await world.reader.change { world in
                    var tag = world.tags[0]
                    for page in UInt8(0x20)...0x27 { tag[page] = .zero }
                    world.save(tag)
                }
            })
    }
}
