import Ledger
import SimulatedField
import SimulatedReader
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// The ledger has a payment that an earlier tap had left open, and before the same tap can look at
/// the card again somebody wipes it.
@Suite("A card that is wiped when its payment is settled")
struct WipedCardTests {
    @Test("is paid with, since the ledger has it; the next tap tells that it is damaged")
    func paid() async throws {
        let world = try await World.withCard()
        try await world.arm(try #require(Fault("write 4 acknowledge-lost")))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        try await world.putBack()

        let wiper = Wiper(world, beforeSelection: 2)
        let receipt = try await world.station(reader: wiper).pay(World.usd(250), id: World.id(2))
        #expect(await wiper.hasWiped)
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

    @Test("is not paid with where the payment was still open")
    func voided() async throws {
        let world = try await World.withCard()
        try await world.arm(try #require(Fault("write 2 torn zero")))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        try await world.putBack()
        let wiper = Wiper(world, beforeSelection: 1)
        await expectRefused(.damaged, exit: 7) { () throws(TapcardError) in
            try await world.station(reader: wiper).pay(World.usd(250), id: World.id(2))
        }
        #expect(await wiper.hasWiped)
        #expect(try await world.balance() == 1_000)
    }
}

/// Zeros both records right before a selection.
private actor Wiper: TagReader {
    nonisolated let name = "reader on which a card is wiped"
    nonisolated let longestAnswer: Int
    private let world: World
    private var left: Int

    init(_ world: World, beforeSelection number: Int) {
        self.world = world
        left = number
        longestAnswer = world.reader.longestAnswer
    }

    var hasWiped: Bool { left <= 0 }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        left -= 1
        if left == 0 {
            try await world.reader.change { world in
                var tag = world.tags[0]
                for page in UInt8(0x20)...0x27 { tag[page] = .zero }
                world.save(tag)
            }
        }
        return try await world.reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await world.reader.exchange(frame)
    }

    func release() async { await world.reader.release() }
}
