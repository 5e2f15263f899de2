import BlockingLane
import CardCryptography
import DurableFile
import Ledger
import PortDoubles
import SimulatedField
import SimulatedReader
import StationFiles
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// Stations that go on selling while their ledger is out of reach, and book it afterwards.
@Suite("Deferred purchases") struct DeferredSalesTests {
    @Test(
        "are in the journal before they are told, and leave the tag as it was",
        arguments: House.chips)
    func purchase(_ chip: Chip) async throws {
        let house = try await House(chip)
        let till = try await house.till()
        let before = try await house.reader.change { $0 }
        let receipt = try await till.pay(450, id: 1)
        #expect(receipt.operation.kind == .deferred && !receipt.isReplayed)
        #expect(receipt.amount == .cents(-450) && receipt.balance == .cents(550))
        #expect(receipt.deferral == Deferral(unsettled: .cents(450), limit: .cents(50_000)))
        #expect(try await house.reader.change { $0 } == before)
        #expect(till.mode == 0o600)
        // The same request again; another one under its id.
        let again = try await till.pay(450, id: 1)
        #expect(again.isReplayed && again.balance == .cents(550))
        for (cents, card) in [(451, nil), (450, CardUID.other)] as [(Int64, CardUID?)] {
            let error = await #expect(throws: TapcardError.self) {
                _ = try await till.pay(cents, id: 1, only: card)
            }
            #expect(error?.kind == .operationMismatch)
        }
        #expect(try till.status()?.unsettled == 450)
        let refused = await #expect(throws: TapcardError.self) {
            _ = try await till.pay(551, id: 2)
        }
        #expect(refused?.what.contains("$5.50") == true)
        for cents: Int64 in [0, -1] {
            let senseless = await #expect(throws: TapcardError.self) {
                _ = try await till.pay(cents, id: 3)
            }
            #expect(senseless?.kind == .refusal(.badAmount))
        }
        #expect(try till.status()?.purchases == 1)
    }

    @Test("are taken off what the card shows, until they are booked", arguments: House.chips)
    func shown(_ chip: Chip) async throws {
        let house = try await House(chip)
        let till = try await house.till()
        let gone = TapcardError(LedgerError(.unreachable, "no answer"))
        let read = try await house.station.read()
        let alone = read.withoutLedger(gone)
        #expect(try till.shown(alone) == alone)
        _ = try await till.pay(450, id: 1)
        _ = try await till.pay(50, id: 2)
        let less = try till.shown(alone)
        #expect(less.balance == .cents(500) && less.unbooked == .cents(500))
        // The ledger's word counts as it is.
        #expect(try till.shown(read) == read)
        _ = try await till.settle()
        #expect(try till.shown(alone) == alone)
    }

    @Test("are booked once, however often and from wherever", arguments: House.chips)
    func settling(_ chip: Chip) async throws {
        let house = try await House(chip)
        let till = try await house.till()
        for id in 1...3 { _ = try await till.pay(100, id: id) }
        let copy = try till.copy()
        let settled = try #require(try await till.settle())
        #expect(settled.purchases == 3 && settled.amount == 300 && settled.shortfall == 0)
        #expect(try await till.settle() == nil)
        for _ in 0..<2 {
            let again = try await DeferredSales.settle(
                copy: copy, into: house.ledger, House.keys, at: House.now)
            #expect(again?.purchases == 0)
        }
        #expect(try await house.balance() == 700)
        #expect(try till.status()?.unsettled == 0)
        // The numbers go on, and so does the journal.
        try await till.look()
        _ = try await till.pay(50, id: 4)
        #expect(try await till.settle()?.purchases == 1)
        let journals = try await house.ledger.journals()
        #expect(journals.map(\.settled) == [4] && journals.map(\.missing) == [0])
        #expect(try await house.ledger.audit(at: House.now).journals == [])
    }

    /// Its snapshot has the balance from before its own purchases.
    @Test(
        "are not accepted again from money that was booked, when the till is cut off once more",
        arguments: House.chips)
    func staleSnapshot(_ chip: Chip) async throws {
        let house = try await House(chip)
        let till = try await house.till()
        _ = try await till.pay(800, id: 1)
        _ = try await till.settle()
        await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 2) }
        try await till.look()
        await #expect(throws: TapcardError.self) { _ = try await till.pay(201, id: 3) }
        _ = try await till.pay(200, id: 4)
        #expect(try await till.settle()?.shortfall == 0)
        #expect(try await house.balance() == 0)
    }

    @Test(
        "are judged by the snapshot of the moment, and not of when the cashier began",
        arguments: House.chips)
    func freshSnapshot(_ chip: Chip) async throws {
        let house = try await House(chip)
        let till = try await house.till()
        _ = try await till.pay(800, id: 1)
        let error = await #expect(throws: TapcardError.self) {
            _ = try await till.pay(500, id: 2) {
                let other = till.again()
                _ = try? await other.settle()
                try? await other.look()
            }
        }
        #expect(error?.what.contains("only $2.00") == true, "\(String(describing: error))")
        #expect(try await till.pay(200, id: 3).balance == .cents(0))
    }

    @Test("leave no snapshot in which they may be or not")
    func bookedMeanwhile() async throws {
        let house = try await House()
        let till = try await house.till()
        _ = try await till.pay(800, id: 1)
        let isBooked = Guarded(false)
        let ledger = InterposedLedger(house.ledger) { call in
            if call == .query, isBooked.withLock({ $0 }) == false {
                isBooked.withLock { $0 = true }
                _ = try? await till.again().settle()
            }
            return .passedOn
        }
        let error = await #expect(throws: TapcardError.self) { try await till.look(at: ledger) }
        #expect(error?.kind == .refusal(.wrongState))
        #expect(try await house.balance() == 200)
        await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 2) }
        try await till.look()
        _ = try await till.pay(200, id: 3)
    }

    @Test("stay in a journal that took the place of the one that was booked")
    func replacedJournal() async throws {
        let house = try await House()
        let till = try await house.till()
        for id in 1...2 { _ = try await till.pay(100, id: id) }
        let isReplaced = Guarded(false)
        let ledger = InterposedLedger(house.ledger) { call in
            if call == .commit, isReplaced.withLock({ $0 }) == false {
                isReplaced.withLock { $0 = true }
                let other = till.again()
                try? await other.replaceJournal()
                _ = try? await other.pay(50, id: 3)
            }
            return .passedOn
        }
        #expect(try await till.settle(into: ledger)?.purchases == 2)
        #expect(try till.status()?.unsettled == 50)
        #expect(try await till.settle()?.amount == 50)
        #expect(try await house.balance() == 750)
    }

    @Test("are refused while this station has something open on the card", arguments: House.chips)
    func openHere(_ chip: Chip) async throws {
        let house = try await House(chip)
        let till = try await house.tillOfHouse("house")
        let number = try #require(SequenceNumber(2))
        let payment = Operation(
            id: .numbered(7), uid: .first, kind: .pay, amount: 100, begunAt: House.now,
            sequence: number)
        try till.note(payment, in: "house")
        let error = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 1) }
        #expect(error?.what.contains("an operation was open") == true)
        try till.note(payment, in: "another")
        _ = try await till.pay(1, id: 1)
        // The snapshot has a later one of this card.
        var earlier = payment
        earlier.sequence = try #require(SequenceNumber(1))
        try till.note(earlier, in: "house")
        _ = try await till.pay(1, id: 2)
    }

    @Test("are asked for where the journal cannot be read")
    func unreadable() async throws {
        let house = try await House()
        let till = try await house.till()
        #expect(!till.mayHaveLines)
        _ = try await till.pay(1, id: 1)
        #expect(till.mayHaveLines)
        try till.makeUnreadable()
        defer { till.makeReadable() }
        #expect(till.mayHaveLines)
        let error = await #expect(throws: TapcardError.self) { _ = try await till.settle() }
        #expect(error?.kind == .fileUnusable)
    }

    /// The ledger of a house, in which one commit meets this fate.
    private static func ledger(
        _ house: House, failing fate: InterposedLedger.Fate, at step: Int
    ) -> InterposedLedger {
        let count = Guarded(0)
        return InterposedLedger(house.ledger) { call in
            guard call == .commit else { return .passedOn }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == step ? fate : .passedOn
        }
    }

    @Test("are booked once where booking is interrupted at any step", arguments: House.chips)
    func interrupted(_ chip: Chip) async throws {
        for step in 1...6 {
            for isUnanswered in [false, true] {
                let house = try await House(chip)
                let till = try await house.till()
                for id in 1...3 { _ = try await till.pay(100, id: id) }
                let lost = LedgerError(.outcomeUnknown, "the link was cut")
                let failing = Self.ledger(
                    house, failing: isUnanswered ? .unanswered(lost) : .refused(lost), at: step)
                _ = try? await till.settle(into: failing)
                _ = try await till.settle()
                #expect(try await house.balance() == 700, "\(step) \(isUnanswered)")
                #expect(try await house.ledger.audit().violations == [])
                #expect(try await till.settle() == nil)
            }
        }
    }

    @Test("are booked where the row of another card cannot be read")
    func unreadableCard() async throws {
        let house = try await House()
        let till = try await house.till()
        for id in 1...3 { _ = try await till.pay(100, id: id) }
        let failing = Self.ledger(
            house, failing: .refused(LedgerError(.corrupt, "a row cannot be read")), at: 2)
        let error = await #expect(throws: TapcardError.self) {
            _ = try await till.settle(into: failing)
        }
        #expect(error?.kind == .ledgerCorrupt)
        #expect(try await house.balance() == 800)
        #expect(try till.status()?.purchases == 2)
        await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 4) }
        #expect(try await till.settle()?.purchases == 1)
        #expect(try await house.balance() == 700)
    }

    @Test("are booked once by two processes at the same time")
    func parallel() async throws {
        let house = try await House()
        let till = try await house.till()
        for id in 1...8 { _ = try await till.pay(50, id: id) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await till.settle() } }
            try await group.waitForAll()
        }
        #expect(try await house.balance() == 600)
        #expect(try await house.ledger.audit().violations == [])
    }

    @Test("of two processes at the same time have lines of their own")
    func twoProcesses() async throws {
        let house = try await House()
        let till = try await house.till()
        let other = till.again()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...10 {
                let (till, other) = (till, other)
                group.addTask { _ = try await (id % 2 == 0 ? till : other).pay(20, id: id) }
            }
            try await group.waitForAll()
        }
        #expect(try till.status()?.purchases == 10)
        #expect(try await till.settle()?.amount == 200)
        #expect(try await house.balance() == 800)
    }

    @Test("at two stations with one card cost the house at most the limits", arguments: House.chips)
    func twoStations(_ chip: Chip) async throws {
        let house = try await House(chip)
        let tills = [try await house.till(), try await house.till()]
        for (place, till) in tills.enumerated() {
            for number in 0..<12 { _ = try? await till.pay(100, id: 100 * place + number + 1) }
            #expect(try till.status()?.unsettled == 1_000)
        }
        for till in tills { _ = try await till.settle() }
        #expect(try await house.balance() == 0)
        let loss = try await house.ledger.read { rows throws(LedgerError) in
            try rows.balance(of: .shortfall)
        }
        #expect(loss == -1_000)
        #expect(try await house.ledger.audit().violations == [])
    }

    @Test("leave a card that its next tap repairs and never accuses", arguments: House.chips)
    func nextTap(_ chip: Chip) async throws {
        let house = try await House(chip)
        let till = try await house.till()
        _ = try await till.pay(300, id: 1)
        _ = try await till.settle()
        let reading = try await house.station.read()
        #expect(reading.seal == .valid && reading.problem == nil)
        // Phones read no balance on a chip, but an address.
        #expect(reading.display == (chip == .ntag424 ? .current : .repaired))
        #expect(reading.balance == .cents(700) && reading.sequence?.value == 2)
        let paid = try await house.station.pay(.cents(700), id: .numbered(9))
        #expect(paid.balance == .cents(0))
    }

    @Test(
        "are refused with an old image of a card, and cost one limit with a copy of it",
        arguments: House.chips)
    func copies(_ chip: Chip) async throws {
        let house = try await House(chip)
        let old = try await house.reader.change { $0 }
        _ = try await house.station.pay(.cents(200), id: .numbered(20))
        let till = try await house.till()
        let current = try await house.reader.change { $0 }
        try await house.reader.change { $0 = old }
        let error = await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 1) }
        #expect(error?.what.contains("older state") == true)
        try await house.reader.change { $0 = current }
        _ = try await till.pay(800, id: 2)
        // The same bytes on another tag are the same card to a station without its ledger.
        let copy = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 3) }
        #expect(copy?.kind == .ledgerUnreachable)
    }

    @Test("are not booked on another ledger than that of the journal")
    func otherLedger() async throws {
        let house = try await House()
        let till = try await house.till()
        _ = try await till.pay(100, id: 1)
        let other = NamedLedger(name: "another", ledger: house.ledger)
        let error = await #expect(throws: TapcardError.self) {
            _ = try await till.settle(into: other)
        }
        #expect(error?.kind == .fileUnusable)
        #expect(try await house.balance() == 1_000)
        #expect(try await till.settle()?.purchases == 1)
    }

    @Test(
        "are not accepted without a snapshot, nor into a journal that was altered",
        arguments: House.chips)
    func unusable(_ chip: Chip) async throws {
        let house = try await House(chip)
        let till = try house.tillWithoutSnapshot()
        let none = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 1) }
        #expect(none?.kind == .ledgerUnreachable && none?.what.contains("no snapshot") == true)
        try await till.look()
        _ = try await till.pay(100, id: 2)
        try till.alter()
        let altered = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 3) }
        #expect(altered?.kind == .fileUnusable && altered?.what.contains("line 2") == true)
        await #expect(throws: TapcardError.self) { _ = try await till.settle() }
    }

    @Test("go on after a line that was torn when the power failed")
    func torn() async throws {
        let house = try await House()
        let till = try await house.till()
        _ = try await till.pay(100, id: 1)
        try till.tear()
        _ = try await till.pay(200, id: 2)
        #expect(try till.status()?.unsettled == 300)
        #expect(try await till.settle()?.purchases == 2)
    }
}
