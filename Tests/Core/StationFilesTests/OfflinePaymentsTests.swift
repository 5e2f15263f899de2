import BlockingLane
import CardCryptography
import Ledger
import OperatingSystem
import PortDoubles
import SimulatedReader
import StationFiles
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// Stations keep accepting payments while their ledger is offline and book them afterwards.
@Suite("Offline payments") struct OfflinePaymentsTests {
    @Test(
        "An offline payment changes neither tag nor ledger, and is booked from the journal",
        arguments: TestIssuer.chips)
    func payment(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.till()
        let before = try await issuer.reader.change { $0 }
        let receipt = try await till.pay(450, id: 1)
        #expect(receipt.operation.kind == .offline && !receipt.isReplayed)
        #expect(receipt.amount == .cents(-450) && receipt.balance == .cents(550))
        #expect(receipt.unbooked == UnbookedPayments(unbooked: .cents(450), limit: .cents(50_000)))
        #expect(till.mode == 0o600)
        // The same request again; another one under its id.
        #expect(try await till.pay(450, id: 1).isReplayed)
        for (cents, card) in [(451, nil), (450, CardUID.other)] as [(Int64, CardUID?)] {
            let error = await #expect(throws: TapcardError.self) {
                _ = try await till.pay(cents, id: 1, only: card)
            }
            #expect(error?.kind == .operationMismatch)
        }
        #expect(try till.status()?.unbooked == 450)
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
        #expect(try await issuer.reader.change { $0 } == before)
        #expect(try await issuer.balance() == 1_000)
        #expect(try await till.book()?.payments == 1)
        let booked = try #require(try await issuer.ledger.operation(.numbered(1)))
        #expect(booked.kind == .offline && booked.amount == 450 && booked.uid == .first)
    }

    @Test(
        "Unbooked payments are subtracted from the balance shown while the ledger is offline",
        arguments: TestIssuer.chips)
    func shown(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.till()
        let gone = TapcardError(LedgerError(.offline, "no answer"))
        let read = try await issuer.station.read()
        let alone = read.withoutLedger(gone)
        #expect(try till.shown(alone) == alone)
        _ = try await till.pay(450, id: 1)
        _ = try await till.pay(50, id: 2)
        let less = try till.shown(alone)
        #expect(less.balance == .cents(500) && less.unbooked == .cents(500))
        // The ledger's word counts as it is.
        #expect(try till.shown(read) == read)
        _ = try await till.book()
        #expect(try till.shown(alone) == alone)
    }

    @Test(
        "Offline payments are booked once, however often the journal or a copy is booked",
        arguments: TestIssuer.chips)
    func booking(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.till()
        for id in 1...3 { _ = try await till.pay(100, id: id) }
        let copy = try till.copy()
        let booked = try #require(try await till.book())
        #expect(booked.payments == 3 && booked.amount == 300 && booked.shortfall == 0)
        #expect(try await till.book() == nil)
        for _ in 0..<2 {
            let again = try await OfflinePayments.book(
                copy: copy, into: issuer.ledger, TestIssuer.keys, at: TestIssuer.now)
            #expect(again?.payments == 0)
        }
        #expect(try await issuer.balance() == 700)
        #expect(try till.status()?.unbooked == 0)
        // The numbers go on, and so does the journal.
        try await till.sync()
        _ = try await till.pay(50, id: 4)
        #expect(try await till.book()?.payments == 1)
        let journals = try await issuer.ledger.journals()
        #expect(journals.map(\.booked) == [4] && journals.map(\.missing) == [0])
        #expect(try await issuer.ledger.audit(at: TestIssuer.now).journals == [])
    }

    /// The snapshot still has the balance from before the till's own payments.
    @Test(
        "Booked money cannot be spent again when the ledger goes offline once more",
        arguments: TestIssuer.chips)
    func staleSnapshot(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.till()
        _ = try await till.pay(800, id: 1)
        _ = try await till.book()
        await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 2) }
        try await till.sync()
        await #expect(throws: TapcardError.self) { _ = try await till.pay(201, id: 3) }
        _ = try await till.pay(200, id: 4)
        #expect(try await till.book()?.shortfall == 0)
        #expect(try await issuer.balance() == 0)
    }

    @Test(
        "A payment is judged by the newest snapshot, not the one from when it was requested",
        arguments: TestIssuer.chips)
    func freshSnapshot(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.till()
        _ = try await till.pay(800, id: 1)
        let error = await #expect(throws: TapcardError.self) {
            _ = try await till.pay(500, id: 2) {
                let other = till.again()
                _ = try? await other.book()
                try? await other.sync()
            }
        }
        #expect(
            error?.what.contains(
                "last known balance, after offline payments not yet booked, is $2.00") == true,
            "\(String(describing: error))")
        #expect(try await till.pay(200, id: 3).balance == .cents(0))
    }

    @Test("A snapshot taken while payments are being booked is discarded")
    func bookedMeanwhile() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        _ = try await till.pay(800, id: 1)
        let isBooked = Guarded(false)
        let ledger = InterposedLedger(issuer.ledger) { call in
            if call == .query, isBooked.withLock({ $0 }) == false {
                isBooked.withLock { $0 = true }
                _ = try? await till.again().book()
            }
            return .passedOn
        }
        let error = await #expect(throws: TapcardError.self) { try await till.sync(at: ledger) }
        #expect(error?.kind == .refusal(.wrongState))
        #expect(try await issuer.balance() == 200)
        await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 2) }
        try await till.sync()
        _ = try await till.pay(200, id: 3)
    }

    @Test("Booking a journal keeps the payments of another one that replaced it meanwhile")
    func replacedJournal() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        for id in 1...2 { _ = try await till.pay(100, id: id) }
        let isReplaced = Guarded(false)
        let ledger = InterposedLedger(issuer.ledger) { call in
            if call == .commit, isReplaced.withLock({ $0 }) == false {
                isReplaced.withLock { $0 = true }
                let other = till.again()
                try? await other.replaceJournal()
                _ = try? await other.pay(50, id: 3)
            }
            return .passedOn
        }
        #expect(try await till.book(into: ledger)?.payments == 2)
        #expect(try till.status()?.unbooked == 50)
        #expect(try await till.book()?.amount == 50)
        #expect(try await issuer.balance() == 750)
    }

    @Test(
        "An offline payment is refused while its station has an open operation on the card",
        arguments: TestIssuer.chips
    )
    func openHere(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.tillOfIssuer("issuer")
        let number = try #require(SequenceNumber(2))
        let payment = Operation(
            id: .numbered(7), uid: .first, kind: .pay, amount: 100, beganAt: TestIssuer.now,
            sequence: number)
        try till.note(payment, in: "issuer")
        let error = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 1) }
        #expect(error?.what.contains("this card had an open operation") == true)
        try till.note(payment, in: "another")
        _ = try await till.pay(1, id: 1)
        // The snapshot has a later one of this card.
        var earlier = payment
        earlier.sequence = try #require(SequenceNumber(1))
        try till.note(earlier, in: "issuer")
        _ = try await till.pay(1, id: 2)
    }

    @Test("A journal that cannot be read counts as one that may hold payments")
    func unreadable() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        #expect(!till.mayHaveLines)
        _ = try await till.pay(1, id: 1)
        #expect(till.mayHaveLines)
        try till.makeUnreadable()
        defer { till.makeReadable() }
        #expect(till.mayHaveLines)
        let error = await #expect(throws: TapcardError.self) { _ = try await till.book() }
        #expect(error?.kind == .fileUnusable)
    }

    /// The issuer's ledger, where the commit with this number meets this fate.
    private static func ledger(
        _ issuer: TestIssuer, failing fate: InterposedLedger.Fate, at step: Int
    ) -> InterposedLedger {
        let count = Guarded(0)
        return InterposedLedger(issuer.ledger) { call in
            guard call == .commit else { return .passedOn }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == step ? fate : .passedOn
        }
    }

    @Test(
        "Booking that is interrupted at any step still books each payment once",
        arguments: TestIssuer.chips)
    func interrupted(_ chip: Chip) async throws {
        for step in 1...6 {
            for isUnanswered in [false, true] {
                let issuer = try await TestIssuer(chip)
                let till = try await issuer.till()
                for id in 1...3 { _ = try await till.pay(100, id: id) }
                let lost = LedgerError(.outcomeUnknown, "the link was cut")
                let failing = Self.ledger(
                    issuer, failing: isUnanswered ? .unanswered(lost) : .refused(lost), at: step)
                _ = try? await till.book(into: failing)
                _ = try await till.book()
                #expect(try await issuer.balance() == 700, "\(step) \(isUnanswered)")
                #expect(try await issuer.ledger.audit().violations == [])
                #expect(try await till.book() == nil)
            }
        }
    }

    @Test("A payment that cannot be booked stays unbooked while the others are booked")
    func unreadableCard() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        for id in 1...3 { _ = try await till.pay(Int64(100 * id), id: id) }
        let failing = Self.ledger(
            issuer, failing: .refused(LedgerError(.corrupt, "a row cannot be read")), at: 2)
        let error = await #expect(throws: TapcardError.self) {
            _ = try await till.book(into: failing)
        }
        #expect(error?.kind == .ledgerCorrupt)
        #expect(try await issuer.balance() == 600)
        // The journal keeps what it had from the failed payment on.
        #expect(try till.status()?.unbooked == 500)
        let none = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 4) }
        #expect(none?.what.contains("no usable snapshot") == true)
        #expect(try await till.book()?.amount == 200)
        #expect(try await issuer.balance() == 400)
    }

    @Test("Simultaneous bookings of one journal book each payment once")
    func parallel() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        for id in 1...8 { _ = try await till.pay(50, id: id) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await till.book() } }
            try await group.waitForAll()
        }
        #expect(try await issuer.balance() == 600)
        #expect(try await issuer.ledger.audit().violations == [])
    }

    @Test("Simultaneous payments of one station each get their own line in the journal")
    func twoProcesses() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        let other = till.again()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 1...10 {
                let (till, other) = (till, other)
                group.addTask { _ = try await (id % 2 == 0 ? till : other).pay(20, id: id) }
            }
            try await group.waitForAll()
        }
        #expect(try till.status()?.payments == 10)
        #expect(try await till.book()?.amount == 200)
        #expect(try await issuer.balance() == 800)
    }

    @Test(
        "A card spent at two offline stations costs the issuer at most one balance",
        arguments: TestIssuer.chips)
    func twoStations(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let tills = [try await issuer.till(), try await issuer.till()]
        for (place, till) in tills.enumerated() {
            for number in 0..<12 { _ = try? await till.pay(100, id: 100 * place + number + 1) }
            #expect(try till.status()?.unbooked == 1_000)
        }
        for till in tills { _ = try await till.book() }
        #expect(try await issuer.balance() == 0)
        let loss = try await issuer.ledger.read { rows throws(LedgerError) in
            try rows.balance(of: .shortfall)
        }
        #expect(loss == -1_000)
        #expect(try await issuer.ledger.audit().violations == [])
    }

    @Test(
        "The first tap after booking brings the card up to date and finds no fault with it",
        arguments: TestIssuer.chips)
    func nextTap(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try await issuer.till()
        _ = try await till.pay(300, id: 1)
        _ = try await till.book()
        let summary = try await issuer.station.read()
        #expect(summary.seal == .valid && summary.problem == nil)
        // Phones read no balance on a chip, but an address.
        #expect(summary.display == (chip == .ntag424 ? .current : .repaired))
        #expect(summary.balance == .cents(700) && summary.sequence?.value == 2)
        let paid = try await issuer.station.pay(.cents(700), id: .numbered(9))
        #expect(paid.balance == .cents(0))
    }

    @Test(
        "An old image of a card cannot pay offline, and a copy has only what the card has left",
        arguments: TestIssuer.chips)
    func copies(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let old = try await issuer.reader.change { $0 }
        _ = try await issuer.station.pay(.cents(200), id: .numbered(20))
        let till = try await issuer.till()
        let current = try await issuer.reader.change { $0 }
        try await issuer.reader.change { $0 = old }
        let error = await #expect(throws: TapcardError.self) { _ = try await till.pay(100, id: 1) }
        #expect(error?.what.contains("record is older than the last one confirmed") == true)
        try await issuer.reader.change { $0 = current }
        _ = try await till.pay(700, id: 2)
        // The same bytes on another tag are the same card to a station without its ledger.
        try await issuer.reader.change { $0 = current }
        let copy = await #expect(throws: TapcardError.self) { _ = try await till.pay(101, id: 3) }
        #expect(copy?.kind == .ledgerOffline && copy?.what.contains("$1.00") == true)
        #expect(try till.status()?.unbooked == 700)
    }

    @Test("Offline payments are not booked into a ledger other than the journal's")
    func otherLedger() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        _ = try await till.pay(100, id: 1)
        let other = NamedLedger(name: "another", ledger: issuer.ledger)
        let error = await #expect(throws: TapcardError.self) {
            _ = try await till.book(into: other)
        }
        #expect(error?.kind == .fileUnusable)
        #expect(try await issuer.balance() == 1_000)
        #expect(try await till.book()?.payments == 1)
    }

    @Test(
        "No offline payment is accepted without a snapshot or into an altered journal",
        arguments: TestIssuer.chips)
    func unusable(_ chip: Chip) async throws {
        let issuer = try await TestIssuer(chip)
        let till = try issuer.tillWithoutSnapshot()
        let none = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 1) }
        #expect(none?.kind == .ledgerOffline && none?.what.contains("no usable snapshot") == true)
        try await till.sync()
        _ = try await till.pay(100, id: 2)
        try till.alter()
        let altered = await #expect(throws: TapcardError.self) { _ = try await till.pay(1, id: 3) }
        #expect(altered?.kind == .fileUnusable && altered?.what.contains("line 2") == true)
        await #expect(throws: TapcardError.self) { _ = try await till.book() }
    }

    @Test("A line torn by a power failure does not stop later payments")
    func torn() async throws {
        let issuer = try await TestIssuer()
        let till = try await issuer.till()
        _ = try await till.pay(100, id: 1)
        try till.tear()
        _ = try await till.pay(200, id: 2)
        #expect(try till.status()?.unbooked == 300)
        #expect(try await till.book()?.payments == 2)
    }
}
