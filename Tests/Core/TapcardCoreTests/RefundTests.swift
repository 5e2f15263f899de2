import Ledger
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A payment is refunded once and never beyond its amount.
@Suite("Refunds")
struct RefundTests {
    @Test("A payment is refunded once, in full or in part", arguments: [nil, Int64(300), 100])
    func once(_ amount: Int64?) async throws {
        let world = try await paidWorld()
        let receipt = try await world.station.refund(World.id(2), amount.map(World.usd))
        #expect(receipt.amount == World.usd(amount ?? 300) && !receipt.isReplayed)
        try await world.expectResolved()
        let again = try await world.station.refund(World.id(2), amount.map(World.usd))
        #expect(again.isReplayed && again.operation == receipt.operation)
        #expect(try await world.balance() == 700 + (amount ?? 300))
        await expectRefused(.refusal(.alreadyRefunded), exit: 4) { () throws(TapcardError) in
            try await world.station.refund(World.id(2), World.usd(50))
        }
        await expectRefused(.refusal(.alreadyRefunded), exit: 4) { () throws(TapcardError) in
            try await world.station.refund(World.id(2), id: World.id(8))
        }
        #expect(try await world.balance() == 700 + (amount ?? 300))
    }

    @Test("A refund keeps the id that the caller chose and refuses another request under it")
    func chosenID() async throws {
        let world = try await paidWorld()
        let receipt = try await world.station.refund(World.id(2), World.usd(100), id: World.id(7))
        #expect(receipt.operation.id == World.id(7) && !receipt.isReplayed)
        let again = try await world.station.refund(World.id(2), World.usd(100), id: World.id(7))
        #expect(again.isReplayed)
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.refund(World.id(2), World.usd(101), id: World.id(7))
        }
        #expect(try await world.balance() == 800)
    }

    @Test("A refund never goes to another card")
    func otherCard() async throws {
        let world = try await paidWorld()
        try await world.put(try World.otherTag())
        await expectRefused(.blankTag, exit: 4) { () throws(TapcardError) in
            try await world.station.refund(World.id(2))
        }
        _ = try await world.station.make(.demo(in: .usd), id: World.id(3))
        await expectRefused(.refusal(.notRefundable), exit: 4) { () throws(TapcardError) in
            try await world.station.refund(World.id(2))
        }
        #expect(try await world.station.read().balance == World.usd(0))
        #expect(try await world.ledger.audit().violations.isEmpty)
    }

    @Test("A refund goes to the card that replaced the payer's lost one")
    func replaced() async throws {
        let world = try await paidWorld()
        let lost = try await world.uid()
        try await world.put(try World.otherTag())
        _ = try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))
        let receipt = try await world.station.refund(World.id(2))
        #expect(receipt.uid != lost && receipt.balance == World.usd(1_000))
        #expect(try await world.station.refund(World.id(2)).isReplayed)
        #expect(try await world.station.read().balance == World.usd(1_000))
        #expect(try await world.ledger.audit().violations.isEmpty)
    }

    @Test("A refund goes to the replacement even if the payer's card was empty")
    func replacedEmpty() async throws {
        let world = try await World.withCard()
        let lost = try await world.uid()
        _ = try await world.station.pay(World.usd(1_000), id: World.id(2))
        try await world.put(try World.otherTag())
        _ = try await world.station.make(CardRequest(.replace(lost)), id: World.id(3))
        let receipt = try await world.station.refund(World.id(2))
        #expect(receipt.uid != lost && receipt.balance == World.usd(1_000))
        #expect(try await world.ledger.audit().violations.isEmpty)
    }

    private func paidWorld() async throws -> World {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(300), id: World.id(2))
        return world
    }
}
