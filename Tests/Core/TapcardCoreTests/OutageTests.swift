import BlockingLane
import Ledger
import PortDoubles
import SimulatedReader
import TapcardCore
import TapcardDomain
import Testing

/// The ledger's server stops answering at any step of a tap.
@Suite("A ledger that goes offline") struct OutageTests {
    /// The error matters because a payment reported as offline may be taken as an offline payment.
    @Test("A payment is reported as offline only if it was not begun")
    func duringAPayment() async throws {
        var told: Set<TapcardError.Kind> = []
        for step in 1...8 {
            for isUnanswered in [false, true] {
                let world = try await World.withCard()
                let calls = Guarded(0)
                let ledger = InterposedLedger(world.ledger) { call in
                    let number = calls.withLock { calls in
                        calls += 1
                        return calls
                    }
                    guard number >= step else { return .passedOn }
                    let gone = LedgerError(.offline, "no answer")
                    let isLost = call == .commit && isUnanswered && number == step
                    return isLost
                        ? .unanswered(LedgerError(.outcomeUnknown, "no answer")) : .refused(gone)
                }
                let id = World.id(5)
                let station = world.station(ledger: ledger)
                do throws(TapcardError) {
                    _ = try await station.pay(World.usd(100), id: id)
                    #expect(world.tables.operations[id]?.state == .committed)
                } catch {
                    told.insert(error.kind)
                    let begun = world.tables.operations[id]
                    let words: Comment = "step \(step) \(isUnanswered): \(error.kind)"
                    #expect(begun == nil || error.kind == .outcomeUnknown, words)
                    if error.kind == .ledgerOffline { #expect(begun == nil, words) }
                }
                // The next tap of the same request pays once, after every answer.
                _ = try await world.station.pay(World.usd(100), id: id)
                #expect(world.tables.operations.values.filter { $0.kind == .pay }.count == 1)
            }
        }
        #expect(told == [.ledgerOffline, .outcomeUnknown])
    }

    @Test("Every change is refused with exit status 9 while the ledger is offline")
    func otherChanges() async throws {
        let world = try await World.withCard()
        let ledger = InterposedLedger(world.ledger) { _ in
            .refused(LedgerError(.offline, "no answer"))
        }
        let station = world.station(ledger: ledger)
        let before = try await world.reader.change { $0 }
        let id = World.id(9)
        let changes: [() async throws -> Void] = [
            { _ = try await station.pay(World.usd(1), id: id) },
            { _ = try await station.add(World.usd(1), id: id) },
            { _ = try await station.refund(World.id(1), id: id) },
            { _ = try await station.close(id: id) },
            { _ = try await station.scratch(id: id) },
        ]
        for change in changes {
            let error = await #expect(throws: TapcardError.self) { try await change() }
            #expect(error?.kind == .ledgerOffline && error?.result.exitStatus == 9)
        }
        #expect(try await world.reader.change { $0 } == before)
    }

    @Test("The error for a payment or top-up that was not begun says that no money moved")
    func words() {
        let gone = TapcardError(LedgerError(.offline, "no answer"))
        let paid = gone.beforeBeginning(.pay)
        #expect(paid.what == gone.what)
        #expect(paid.meaning == "The payment was not taken: the card was not charged.")
        #expect(paid.next == [.ledger(.waitForLedger(nil))])
        let added = gone.beforeBeginning(.add)
        #expect(added.meaning == "The top-up was not made: the balance is unchanged.")
        #expect(added.next == [.ledger(.addWhenBack)])
        // Of an outcome that is not known, nothing is claimed.
        let unknown = TapcardError(.outcomeUnknown, "No answer.", meaning: "It may have happened.")
        #expect(unknown.beforeBeginning(.pay).meaning == unknown.meaning)
    }

    @Test("A card read while the ledger is offline shows its own, unconfirmed balance")
    func summary() async throws {
        let world = try await World.withCard()
        let ledger = InterposedLedger(world.ledger) { _ in
            .refused(LedgerError(.offline, "no answer"))
        }
        let summary = try await world.station(ledger: ledger).read()
        #expect(summary.ledger == .offline && summary.seal == .valid)
        #expect(summary.balance == World.usd(1_000))
        #expect(summary.holder.name?.text == "Amanda Gonzalez")
        #expect(summary.problem?.kind == .ledgerOffline)
    }
}
