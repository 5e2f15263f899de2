import BlockingLane
import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// The answer of the service is late, is lost, or comes after the card has changed.
@Suite("Activation attempts")
struct ActivationAttemptTests {
    private static let silence = Result<ActivationAnswer, ServiceError>.failure(
        ServiceError(.timedOut, "no answer in 15 s"))

    private func scratched(_ chip: Type2Chip = .ntag213) async throws -> World {
        let world = World(try World.blank(chip))
        try await world.issue()
        _ = try await world.station.scratch(id: World.id(2))
        return world
    }

    private func attempts(in world: World) async throws -> [ActivationAttempt] {
        try await world.ledger.read { rows throws(LedgerError) in try rows.activations() }
    }

    private func expectWhole(_ world: World) async throws {
        #expect(try await world.ledger.audit().violations == [])
    }

    @Test("A retried activation keeps the id of the attempt that got no answer")
    func again() async throws {
        let world = try await scratched()
        let service = PlayedActivation(Self.silence, Self.silence, .success(.active))
        for id in [3, 4] as [UInt64] {
            await expectRefused(.service(.timedOut), exit: 8) { () throws(TapcardError) in
                try await world.station.activate(id: World.id(id), through: service)
            }
            let summary = try await world.station.read()
            #expect(summary.stateWord == "activating" && summary.scratch.word == "scratched")
        }
        let receipt = try await world.station.activate(id: World.id(5), through: service)
        #expect(receipt.operation.id == World.id(3))
        #expect(Set(service.codes).count == 1 && service.codes.count == 3)
        let attempts = try await attempts(in: world)
        #expect(attempts.map(\.id) == [World.id(3)] && attempts[0].state == .active)
        #expect(try await world.station.read().stateWord == "activated")
        for id in [3, 4, 5] as [UInt64] {
            let replayed = try await world.station.activate(id: World.id(id), through: service)
            #expect(replayed.isReplayed && replayed.operation == receipt.operation, "\(id)")
        }
        #expect(service.codes.count == 3)
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.pay(World.usd(1), id: World.id(4))
        }
        try await expectWhole(world)
    }

    @Test("A request that joined an earlier attempt gets its result, even a refusal")
    func joined() async throws {
        let world = try await scratched()
        let service = PlayedActivation(
            Self.silence, .success(.refused(version: "6.1")), .success(.active))
        await expectRefused(.service(.timedOut), exit: 8) { () throws(TapcardError) in
            try await world.station.activate(id: World.id(3), through: service)
        }
        for _ in 1...2 {
            await expectRefused(.activationRefused, exit: 4) { () throws(TapcardError) in
                try await world.station.activate(id: World.id(4), through: service)
            }
        }
        #expect(service.codes.count == 2, "the refusal is told again from the ledger")
        let receipt = try await world.station.activate(id: World.id(5), through: service)
        #expect(receipt.operation.id == World.id(5))
        await expectRefused(.activationRefused, exit: 4) { () throws(TapcardError) in
            try await world.station.activate(id: World.id(4), through: service)
        }
        try await expectWhole(world)
    }

    @Test("An id that joined an attempt on one card is refused on another")
    func joinedElsewhere() async throws {
        let world = try await scratched()
        let service = PlayedActivation(Self.silence)
        for id in [3, 4] as [UInt64] {
            await expectRefused(.service(.timedOut), exit: 8) { () throws(TapcardError) in
                try await world.station.activate(id: World.id(id), through: service)
            }
        }
        try await world.put(try World.otherTag())
        try await world.issue(id: 5)
        _ = try await world.station.scratch(id: World.id(6))
        await expectRefused(.operationMismatch, exit: 2) { () throws(TapcardError) in
            try await world.station.activate(id: World.id(4), through: service)
        }
        #expect(service.codes.count == 2)
        try await expectWhole(world)
    }

    @Test("A rejected activation is over, and another one may follow")
    func rejected() async throws {
        let world = try await scratched()
        let service = PlayedActivation(.success(.refused(version: "6.1")), .success(.active))
        for _ in 1...2 {
            await expectRefused(.activationRefused, exit: 4) { () throws(TapcardError) in
                try await world.station.activate(id: World.id(3), through: service)
            }
        }
        #expect(service.codes.count == 1, "the same id is answered from the ledger")
        #expect(try await world.station.read().stateWord == "scratched")
        let receipt = try await world.station.activate(id: World.id(4), through: service)
        #expect(receipt.operation.id == World.id(4))
        #expect(try await attempts(in: world).map(\.state) == [.rejected, .active])
        try await expectWhole(world)
    }

    @Test("An answered activation is finished by any later tap, even under another id")
    func finished() async throws {
        for isAskedAgain in [false, true] {
            let world = try await scratched()
            let service = PlayedActivation(.success(.active)) {
                _ = try? await world.reader.change { $0.take() }
            }
            let said = await outcome { () throws(TapcardError) in
                try await world.station.activate(id: World.id(3), through: service)
            }
            guard case .failure(let error) = said else {
                Issue.record("a card that has gone was written")
                return
            }
            #expect(error.kind == .outcomeUnknown && error.next == [.tag(.tapToWrite)])
            #expect(try await world.ledger.operation(World.id(3)) == nil)
            try await world.putBack()
            #expect(try await world.station.read(resolving: false).stateWord == "activating")
            if isAskedAgain {
                let receipt = try await world.station.activate(id: World.id(4), through: service)
                #expect(receipt.operation.id == World.id(3))
                let again = try await world.station.activate(id: World.id(4), through: service)
                #expect(again.isReplayed && again.operation == receipt.operation)
            } else {
                let paid = try await world.station.pay(World.usd(100), id: World.id(4))
                #expect(paid.balance == World.usd(900))
            }
            #expect(service.codes.count == 1)
            let summary = try await world.station.read()
            #expect(summary.stateWord == "activated" && summary.resolved == [])
            try await expectWhole(world)
        }
    }

    @Test("A card blocked during its activation is still activated, but not while it is blocked")
    func blocked() async throws {
        let world = try await scratched()
        let uid = try await world.uid()
        let service = PlayedActivation(Self.silence, .success(.active)) {
            _ = try? await world.change(uid, .block)
        }
        _ = await outcome { () throws(TapcardError) in
            try await world.station.activate(id: World.id(3), through: service)
        }
        await expectRefused(.refusal(.cardBlocked), exit: 4) { () throws(TapcardError) in
            try await world.station.activate(id: World.id(4), through: service)
        }
        #expect(try await world.station.read().stateWord == "activating")
        try await world.change(uid, .unblock)
        let receipt = try await world.station.activate(id: World.id(4), through: service)
        #expect(receipt.operation.id == World.id(3))
        let summary = try await world.station.read()
        #expect(summary.stateWord == "activated" && summary.ledger == .blocked)
        try await expectWhole(world)
    }

    @Test("The answer for a card closed during its activation is recorded and reported")
    func closed() async throws {
        let world = try await scratched()
        let service = PlayedActivation(.success(.active)) {
            _ = try? await world.station.close(id: World.id(9))
        }
        let said = await outcome { () throws(TapcardError) in
            try await world.station.activate(id: World.id(3), through: service)
        }
        guard case .failure(let error) = said else {
            Issue.record("a closed card was activated")
            return
        }
        #expect(error.kind == .refusal(.cardClosed))
        #expect(error.what.contains("The service activated the code"), "\(error)")
        #expect(try await attempts(in: world).map(\.state) == [.active])
        #expect(try await world.balance() == 0)
        #expect(try await world.station.read().stateWord == nil)
        try await expectWhole(world)
    }

    @Test("An activation that a restored backup does not know is asked for again")
    func restored() async throws {
        let kept = TableLedger()
        let world = World(try World.blank(), ledger: kept)
        try await world.issue()
        _ = try await world.station.scratch(id: World.id(2))
        let tables = kept.tables
        let service = PlayedActivation(.success(.active)) { kept.putBack(tables) }
        await expectRefused(.ledgerUnavailable, exit: 9) { () throws(TapcardError) in
            try await world.station.activate(id: World.id(3), through: service)
        }
        _ = try await kept.skipNumbersAfterRestore()
        #expect(try await world.station.read().stateWord == "scratched")
        let again = PlayedActivation.willing
        _ = try await world.station.activate(id: World.id(4), through: again)
        #expect(again.codes == service.codes)
        #expect(try await world.station.read().stateWord == "activated")
        try await expectWhole(world)
    }

    @Test("An activation left open in a restored backup continues after a repair")
    func restoredOpen() async throws {
        let kept = TableLedger()
        let world = World(try World.blank(), ledger: kept)
        try await world.issue()
        _ = try await world.station.scratch(id: World.id(2))
        let tables = Guarded<LedgerTables?>(nil)
        let service = PlayedActivation(.success(.active)) {
            tables.withLock { $0 = kept.tables }
        }
        _ = try await world.station.activate(id: World.id(3), through: service)
        kept.putBack(try #require(tables.withLock { $0 }))
        _ = try await kept.skipNumbersAfterRestore()
        // The tag was not overwritten: it holds the yes, the ledger does not: an operator decides.
        await expectRefused(.ledgerBehind, exit: 9) { () throws(TapcardError) in
            try await world.station.activate(id: World.id(4), through: service)
        }
        let repaired = try await world.station.repair(naming: try await world.uid())
        #expect(repaired.stateWord == "activating")
        let receipt = try await world.station.activate(id: World.id(5), through: service)
        #expect(receipt.operation.id == World.id(3))
        #expect(try await world.station.read().stateWord == "activated")
        try await expectWhole(world)
    }

    @Test("Two stations that activate a card at once share one id and the first answer")
    func twoStations() async throws {
        let world = try await scratched()
        let other = PlayedActivation(.success(.refused(version: "1.0")))
        let service = PlayedActivation(.success(.active)) {
            _ = await outcome { () throws(TapcardError) in
                try await world.station.activate(id: World.id(9), through: other)
            }
        }
        await expectRefused(.activationRefused, exit: 4) { () throws(TapcardError) in
            try await world.station.activate(id: World.id(3), through: service)
        }
        #expect(try await attempts(in: world).map(\.id) == [World.id(3)])
        _ = try await world.station.activate(
            id: World.id(4), through: PlayedActivation.willing)
        #expect(try await attempts(in: world).map(\.state) == [.rejected, .active])
        try await expectWhole(world)
    }

    @Test("A retry completes an activation whose answer the ledger could not record")
    func unrecorded() async throws {
        for fault in LedgerFault.allCases {
            let world = try await scratched()
            // The first transaction is the attempt, the second its answer.
            let disturbance = fault.atCommit(2)
            let service = PlayedActivation.willing
            let said = await outcome { () throws(TapcardError) in
                try await world.station(disturbance).activate(id: World.id(3), through: service)
            }
            #expect(disturbance.hasCome && service.codes.count == 1, "\(fault)")
            switch (fault, said) {
            // It is recorded at the second try.
            case (.answerLost, .success), (.requestLost, .success): break
            case (.answersLost, .failure(let error)), (.down, .failure(let error)):
                #expect(error.result.exitStatus == 9, "\(fault): \(error)")
                #expect(error.meaning.contains("still activating"), "\(fault): \(error)")
            default: Issue.record("\(fault): \(said)")
            }
            _ = await outcome { () throws(TapcardError) in
                try await world.station.activate(id: World.id(4), through: service)
            }
            #expect(try await world.station.read().stateWord == "activated", "\(fault)")
            #expect(try await attempts(in: world).map(\.id) == [World.id(3)], "\(fault)")
            try await expectWhole(world)
        }
    }
}
