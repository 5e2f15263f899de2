import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A request or its id comes again, or the request must be refused.
@Suite("Repeated and refused requests")
struct ReplayTests {
    @Test("A repeated payment happens once and is answered from the ledger without a card")
    func replayed() async throws {
        let world = try await World.withCard()
        let first = try await world.station.pay(World.usd(250), id: World.id(2))
        #expect(!first.isReplayed && first.display == .current)
        #expect(first.amount == World.usd(-250) && first.balance == World.usd(750))
        _ = try await world.station.add(World.usd(100), id: World.id(3))
        let before = try await world.tag()
        try await world.reader.change { $0.take() }
        let again = try await world.station.pay(World.usd(250), id: World.id(2))
        #expect(again.isReplayed && again.balance == World.usd(750), "the balance of that time")
        #expect(again.operation == first.operation)
        #expect(try await world.tag() == before)
        #expect(try await world.balance() == 850)
    }

    @Test("Repeating an id with another amount, kind, or card is refused")
    func mismatched() async throws {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        let other = try #require(CardUID(bytes: World.otherUID))
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.pay(World.usd(251), id: World.id(2))
        }
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.add(World.usd(250), id: World.id(2))
        }
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.close(id: World.id(2))
        }
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.scratch(id: World.id(2))
        }
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2), only: other)
        }
        #expect(try await world.balance() == 750)
    }

    @Test(
        "An id that another station used while the card was awaited is refused"
    )
    func mismatchedMeanwhile() async throws {
        for fault in [
            Fault(at: 1, counting: .write, .lost), Fault(at: 4, counting: .write, .pulledAfter),
        ] {
            for step in 1...2 {
                let world = try await World.withCard()
                // The other station's operation is open on the card when it comes.
                let interlude = Disturbance(before: step) {
                    try? await world.arm(fault)
                    _ = try? await world.station.add(World.usd(700), id: World.id(2))
                    try? await world.putBack()
                }
                let reader = interlude.reader(world.reader)
                await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
                    try await world.station(reader: reader).pay(World.usd(100), id: World.id(2))
                }
                #expect(interlude.hasCome)
                #expect(try await world.operations().map(\.kind).contains(.pay) == false)
                _ = try await world.station.read()
                #expect(try await world.balance() == 1_700)
                try await world.expectResolved()
            }
        }
    }

    @Test("Making a card under the id of a payment is refused and leaves its own request open")
    func mismatchedMaking() async throws {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        try await world.put(try World.otherTag())
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.issueOrRefuse(id: 3)
        }
        try await world.put(
            try #require(try await world.reader.change { $0.tag(World.otherUID) }))
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.issueOrRefuse(id: 2)
        }
        // A mistake is told before the card is looked at; asking with its own id finishes it.
        #expect(try await state(of: 3, in: world) == .pending)
        _ = try await world.issueOrRefuse(id: 3)
        #expect(try await state(of: 3, in: world) == .committed)
    }

    private func state(of id: UInt64, in world: World) async throws -> Operation.State? {
        try await world.ledger.read { rows throws(LedgerError) in
            try rows.operation(World.id(id))
        }?.state
    }

    @Test("An open payment continues only on its own card", arguments: [true, false])
    func otherCardWhileOpen(_ isKnown: Bool) async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 2, counting: .write, .lost))
        _ = try? await world.station.pay(World.usd(250), id: World.id(2))
        try await world.put(try World.otherTag())
        if isKnown { try await world.issue(5_000, id: 3) }
        let other = try await world.reader.change { $0.tag(World.otherUID) }
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2))
        }
        #expect(try await world.reader.change { $0.tag(World.otherUID) } == other)
        try await world.putBack()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        #expect(try await world.balance() == 750)
    }

    @Test("A payment that names its card refuses every other card")
    func insisting() async throws {
        let world = try await World.withCard()
        let other = try #require(CardUID(bytes: World.otherUID))
        let before = try await world.tag()
        await expectRefused(.wrongCard, exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(2), only: other)
        }
        #expect(try await world.tag() == before)
        _ = try await world.station.pay(
            World.usd(250), id: World.id(2), only: try await world.uid())
        #expect(try await world.balance() == 750)
    }

    @Test("An amount of zero or less is refused", arguments: [0, -1, Int64.min])
    func badAmounts(_ minorUnits: Int64) async throws {
        let world = try await World.withCard()
        _ = try await world.station.pay(World.usd(250), id: World.id(2))
        let amount = World.usd(minorUnits)
        await expectRefused(.refusal(.badAmount), exit: 2) { () throws(TapcardError) in
            try await world.station.pay(amount, id: World.id(3))
        }
        await expectRefused(.refusal(.badAmount), exit: 2) { () throws(TapcardError) in
            try await world.station.add(amount, id: World.id(4))
        }
        await expectRefused(.refusal(.badAmount), exit: 2) { () throws(TapcardError) in
            try await world.station.refund(World.id(2), amount)
        }
        #expect(try await world.operations().count == 2)
    }

    @Test("No request takes more than the balance or adds more than a card can hold")
    func limits() async throws {
        let world = try await World.withCard()
        let before = try await world.tag()
        for amount in [1_001, Currency.largestBalance] {
            await expectRefused(.refusal(.insufficientBalance), exit: 4) {
                () throws(TapcardError) in
                try await world.station.pay(World.usd(amount), id: World.id(2))
            }
        }
        await expectRefused(.refusal(.limitExceeded), exit: 4) { () throws(TapcardError) in
            try await world.station.pay(World.usd(.max), id: World.id(2))
        }
        for amount in [Currency.largestBalance - 999, Int64.max] {
            await expectRefused(.refusal(.limitExceeded), exit: 4) { () throws(TapcardError) in
                try await world.station.add(World.usd(amount), id: World.id(3))
            }
        }
        #expect(try await world.tag() == before)
        _ = try await world.station.pay(World.usd(1_000), id: World.id(4))
        #expect(try await world.balance() == 0)
        try await world.expectResolved()
    }

    @Test("Scratching that is canceled leaves no code")
    func stoppedScratching() async throws {
        let world = try await World.withCard()
        let before = try await world.tag()
        let dependencies = world.clock.dependencies
        let station = Station(
            reader: world.reader, ledger: world.ledger, keys: world.keys,
            dependencies: Station.Dependencies(
                now: dependencies.now, sleep: { _ in throw CancellationError() },
                random: dependencies.random))
        await expectRefused(.cancelled, exit: 1) { () throws(TapcardError) in
            try await station.scratch(id: World.id(2))
        }
        #expect(try await world.tag() == before)
        #expect(try await world.operations().count == 1)
        _ = try await world.station.scratch(id: World.id(2))
        try await world.expectResolved()
    }
}

extension World {
    /// Ten dollars for Amanda Gonzalez.
    fileprivate func issueOrRefuse(id: UInt64) async throws(TapcardError) {
        guard let holder = try? World.holder("Amanda Gonzalez") else {
            preconditionFailure("a name that people have")
        }
        let request = CardRequest(.issue(holder, World.usd(1_000), hasScratchCard: true))
        _ = try await station.make(request, id: World.id(id))
    }
}
