import CardImage
import CardStore
import FaultyWorld
import Ledger
import SimulatedField
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// The ledger fails at any of its transactions while the card is on the reader.
@Suite("A ledger that fails in the middle of a tap")
struct LedgerFaultTests {
    @Test(
        "is asked again where one answer is lost", arguments: Deed.allCases,
        [LedgerFault.answerLost, .requestLost])
    func oneAnswerLost(_ deed: Deed, _ fault: LedgerFault) async throws {
        let writes = try await eachWrite(of: deed, fault) { world, said, label in
            #expect(said.isSuccess, label)
            try await deed.expectDone(true, in: world, label)
            _ = try await world.station.read()
            try await world.expectSettled(label)
            let count = try await world.operations().count { $0.kind == deed.kind }
            #expect(count == 1, label)
        }
        #expect(writes >= 2)
    }

    @Test("is never guessed at", arguments: Deed.allCases)
    func down(_ deed: Deed) async throws {
        let writes = try await eachWrite(of: deed, .down) { world, said, label in
            let operation = try await deed.operation(in: world)
            switch operation?.state {
            case nil: #expect(said.result == .ledger, label)
            case .pending: #expect(said.result == .unknown, label)
            case .committed:
                // What a new card holds is the ledger's to say.
                #expect(said.isSuccess || (deed.before == nil && said.result == .unknown), label)
            case .voided: Issue.record("nobody voided it", sourceLocation: #_sourceLocation)
            }
            try await expectToSettle(deed, world, label)
        }
        #expect(writes >= 2)
    }

    @Test("is not believed while its answers are lost", arguments: Deed.allCases)
    func answersLost(_ deed: Deed) async throws {
        try await eachWrite(of: deed, .answersLost) { world, said, label in
            let operation = try await deed.operation(in: world)
            if said.isSuccess { #expect(operation?.state == .committed, label) }
            try await expectToSettle(deed, world, label)
        }
    }

    @Test(
        "leaves the card untouched when it is down before the first WRITE", arguments: Deed.allCases
    )
    func downBeforeTheFirstWrite(_ deed: Deed) async throws {
        let world = try await deed.world()
        let before = try await world.tag()
        let station = world.station(LedgerFault.down.atCommit(1))
        let said = await outcome { () throws(TapcardError) in try await deed.perform(at: station) }
        #expect(said.error == .ledgerUnavailable && said.result == .ledger)
        #expect(try await world.tag() == before)
        try await deed.expectDone(false, in: world, "\(deed)")
        let audit = try await world.ledger.audit()
        #expect(audit.open == 0 && audit.violations.isEmpty)
    }

    @Test("posts a payment that the tag proves, if it is asked in time", arguments: [119, 120])
    func downAtConfirmation(_ seconds: Int64) async throws {
        let world = try await World.withCard()
        await expectRefused(.outcomeUnknown, exit: 6) { () throws(TapcardError) in
            try await world.station(LedgerFault.down.atCommit(2))
                .pay(World.usd(250), id: World.id(7))
        }
        #expect(try await world.slots().best?.record.balance == 750)
        #expect(try await world.balance() == 1_000)
        world.clock.advance(seconds: seconds)
        let reading = try await world.station.read()
        #expect(reading.balance == World.usd(seconds < 120 ? 750 : 1_000))
        try await world.expectSettled()
    }

    @Test(
        "does not say that nothing was written where this very tap has written it",
        arguments: [Deed.pay, .add, .issue])
    func goneAfterTheRecord(_ deed: Deed) async throws {
        let world = try await deed.world()
        // Begun, though nobody knows; resumed; and then the ledger is gone.
        let ledger = LedgerFault.answerLost.atCommit(1).ledger(
            LedgerFault.down.atCommit(3).ledger(world.ledger))
        let said = await outcome { () throws(TapcardError) in
            try await deed.perform(at: world.station(ledger: ledger))
        }
        guard case .failure(let error) = said else {
            Issue.record("it was done without a ledger")
            return
        }
        #expect(error.kind == .outcomeUnknown)
        // A new card's record tells nothing before its holder is on the tag as well.
        if deed != .issue {
            #expect(try await world.slots().best?.record.balance == UInt32(deed.after))
        }
        #expect(!error.meaning.contains("Nothing was written"))
        _ = try await world.station.read()
        try await world.expectSettled()
        try await deed.expectDone(true, in: world, "\(deed)")
    }

    @Test("is told what is open on a card that cannot be trusted any more")
    func openOnDamagedCard() async throws {
        let world = try await World.withCard()
        try await world.arm(Fault(at: 1, counting: .write, .lost))
        _ = try? await world.station.add(World.usd(100), id: World.id(2))
        try await world.alter { tag in
            tag[0x20] = .zero
            tag[0x24] = .zero
        }
        let said = await outcome { () throws(TapcardError) in
            try await world.station.add(World.usd(100), id: World.id(2))
        }
        guard case .failure(let error) = said else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.kind == .damaged && error.result.exitStatus == 7)
        #expect(error.what.contains("\(World.id(2)) is still open"))
    }

    /// Runs the deed with the fault at each of its transactions; returns how many there were.
    @discardableResult
    private func eachWrite(
        of deed: Deed, _ fault: LedgerFault,
        _ check: (World, Result<Void, TapcardError>, Comment) async throws -> Void
    ) async throws -> Int {
        var write = 0
        while true {
            write += 1
            let world = try await deed.world()
            let disturbance = fault.atCommit(write)
            let said = await outcome { () throws(TapcardError) in
                try await deed.perform(at: world.station(disturbance))
            }
            guard disturbance.hasCome else { return write - 1 }
            try await check(world, said, "\(deed), \(fault) at transaction \(write)")
        }
    }

    /// With the ledger back, one tap brings card and ledger together.
    private func expectToSettle(_ deed: Deed, _ world: World, _ label: Comment) async throws {
        guard try await world.balance() != nil else { return }
        let reading = try await world.station.read()
        #expect(reading.problem == nil, label)
        try await world.expectSettled(label)
        let state = try await deed.operation(in: world)?.state
        try await deed.expectDone(state == .committed, in: world, label)
    }
}
