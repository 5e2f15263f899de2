import CardImage
import CardStore
import Ledger
import PortDoubles
import SimulatedField
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// A payment that is torn at any WRITE, and then the tap that was to settle it, torn at any WRITE
/// as well. Pages that were not acknowledged may lose their bits at any later moment.
@Suite("Two cards pulled in a row")
struct TwoFaultsTests {
    static let ways: [Fault.Kind] = [
        .lost, .acknowledgeLost, .torn(.zero), .torn(.mix(seed: 7)), .torn(.lowestOnes(3)),
        .torn(.erasedToHighestOnes(3)),
    ]

    /// What follows the torn payment: the same request again, or just a look at the card.
    enum Retry: CaseIterable, Sendable {
        case sameRequest, read
    }

    @Test("settle at the third tap", arguments: TwoFaultsTests.ways, Retry.allCases)
    func settle(_ first: Fault.Kind, _ retry: Retry) async throws {
        var (firstWrite, schedules) = (1, 0)
        var faults = 2
        while faults > 0 {
            for second in TwoFaultsTests.ways {
                var secondWrite = 1
                repeat {
                    faults = try await play(
                        Fault(at: firstWrite, counting: .write, first), retry,
                        Fault(at: secondWrite, counting: .write, second))
                    secondWrite += 1
                    schedules += faults / 2
                } while faults == 2
            }
            firstWrite += 1
        }
        #expect(firstWrite == 10, "not every WRITE of a payment was torn")
        // The same request does not come to the tag again once the payment has happened.
        #expect(schedules > (retry == .read ? 300 : 150), "too few schedules were played")
    }

    /// How many of the two faults were due.
    private func play(_ first: Fault, _ retry: Retry, _ second: Fault) async throws -> Int {
        let world = try await World.withCard()
        let weak = InterposedReader(world.reader)
        let station = world.station(reader: weak)
        let label: Comment = "\(first), then \(retry) with \(second)"
        func pay() async -> Result<Receipt, TapcardError> {
            await outcome { () throws(TapcardError) in
                try await station.pay(World.usd(250), id: World.id(7))
            }
        }

        try await world.arm(first)
        var isSaid = await pay().isSuccess
        guard try await !world.isArmed() else { return 0 }
        try await expectGoodRecord(world, weak, label)

        try await world.putBack()
        try await world.arm(second)
        switch retry {
        case .sameRequest: isSaid = await pay().isSuccess || isSaid
        case .read: _ = try? await station.read()
        }
        guard try await !world.isArmed() else { return 1 }
        try await expectGoodRecord(world, weak, label)
        if isSaid {
            #expect(try await state(in: world) == .committed, label)
        }

        try await world.putBack()
        let reading = try await station.read()
        #expect(reading.problem == nil, label)
        try await world.expectSettled(label)
        try await expectGoodRecord(world, weak, label)

        // Now the weak bits are gone, and nothing that counts was resting on them.
        try await world.put(try await world.tag().decayed(weak.weakPages))
        #expect(try await station.read().problem == nil, label)
        try await world.expectSettled(label)

        let isCommitted = try await state(in: world) == .committed
        if isSaid { #expect(isCommitted, label) }
        #expect(await pay().error == (isCommitted ? nil : .operationVoided), label)
        #expect(try await world.balance() == (isCommitted ? 750 : 1_000), label)
        return 2
    }

    /// I11: on the tag is a record that is valid and not below the last confirmed one, even if
    /// every weak page lost its bits now.
    private func expectGoodRecord(
        _ world: World, _ weak: InterposedReader, _ label: Comment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let uid = try await world.uid()
        let card = try #require(try await world.ledger.view(of: uid)).card
        let memory = try await world.tag()
        for tag in [memory, memory.decayed(weak.weakPages)] {
            let slots = RecordSlots(
                try tag.image, uid: uid, holders: [card.holder], currency: .usd, keys: world.keys)
            let best = slots.best?.record.sequence ?? .none
            #expect(best >= card.confirmed, label, sourceLocation: sourceLocation)
        }
    }

    private func state(in world: World) async throws -> Ledger.Operation.State? {
        try await world.ledger.operation(World.id(7))?.state
    }
}
