import Ledger
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing

/// A top-up is taken back once and never below zero, and its cash leaves the drawer.
@Suite("Reversing a top-up")
struct ReversalTests {
    /// A card of ten dollars that operation 2 topped up by five.
    private func addedWorld() async throws -> World {
        let world = try await World.withCard()
        _ = try await world.station.add(World.usd(500), id: World.id(2))
        return world
    }

    @Test("A top-up is reversed once, in full or in part", arguments: [nil, Int64(500), 200])
    func once(_ amount: Int64?) async throws {
        let world = try await addedWorld()
        let receipt = try await world.station.refund(World.id(2), amount.map(World.usd))
        #expect(receipt.amount == World.usd(-(amount ?? 500)) && !receipt.isReplayed)
        #expect(receipt.operation.kind == .reverse && receipt.operation.reverses == World.id(2))
        try await world.expectResolved()
        #expect(try await world.station.refund(World.id(2), amount.map(World.usd)).isReplayed)
        for id in [nil, World.id(9)] {
            await expectRefused(.refusal(.alreadyRefunded), exit: 4) { () throws(TapcardError) in
                try await world.station.refund(World.id(2), World.usd(100), id: id)
            }
        }
        #expect(try await world.balance() == 1_500 - (amount ?? 500))
        let cash = try await world.ledger.read { rows throws(LedgerError) in
            try rows.balance(of: .cash)
        }
        #expect(cash == -1_500 + (amount ?? 500))
    }

    @Test("A reversal of spent money is refused, but a part can still be taken back")
    func spent() async throws {
        let world = try await addedWorld()
        _ = try await world.station.pay(World.usd(1_200), id: World.id(3))
        await expectRefused(.refusal(.insufficientBalance), exit: 4) { () throws(TapcardError) in
            try await world.station.refund(World.id(2))
        }
        _ = try await world.station.refund(World.id(2), World.usd(300), id: World.id(4))
        #expect(try await world.balance() == 0)
        try await world.expectResolved()
    }

    @Test("Reversing a reversal, or more than was added, is refused")
    func notAnAddition() async throws {
        let world = try await addedWorld()
        await expectRefused(.refusal(.notRefundable), exit: 4) { () throws(TapcardError) in
            try await world.station.refund(World.id(2), World.usd(501))
        }
        let reversal = try await world.station.refund(World.id(2))
        await expectRefused(.refusal(.notRefundable), exit: 4) { () throws(TapcardError) in
            try await world.station.refund(reversal.operation.id)
        }
    }

    @Test("A torn reversal is finished by the next tap, which reports it with its amount")
    func torn() async throws {
        let world = try await addedWorld()
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.refund(World.id(2))
        }
        try await world.putBack()
        let summary = try await world.station.read()
        #expect(summary.resolved.map(\.operation.kind) == [.reverse])
        #expect(summary.resolved.map(\.amount) == [World.usd(-500)])
        #expect(summary.balance == World.usd(1_000))
        try await world.expectResolved()
    }
}
