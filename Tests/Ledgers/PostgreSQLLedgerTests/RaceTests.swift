import Ledger
import LedgerConformance
import PortDoubles
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// Two stations whose transactions have both read before either writes.
@Suite("Races of two stations on a PostgreSQL ledger", .serialized) struct RaceTests {
    /// Asks whether a transaction waits for another one.
    private static let waiting = """
        SELECT count(*) > 0 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'
        """

    @Test("Of two cards that pay under one id at once, only one pays", arguments: [1, 2])
    func giveOneIDToTwoCards(run: Int) async throws {
        try await RaceTests.meeting(run, cards: [1, 2]) { till, number in
            try await till.begin(.pay(.cents(100)), id: 10, on: .numbered(UInt8(number))).isBegun
        } judge: { begun, ledger, _ in
            #expect(begun == 1)
            let views = [
                try await LedgerTill(ledger).knownCard(.first),
                try await LedgerTill(ledger).knownCard(.second),
            ]
            #expect(views.count { $0.open != nil } == 1)
        }
    }

    @Test("Of two cards that are adopted with one code at once, only one keeps it")
    func adoptOneCodeTwice() async throws {
        try await RaceTests.meeting(1, cards: []) { till, number in
            let plan = CardPlan.sample(
                .adopt(message: [UInt8(number)]), scratch: .scratched(.numbered(7)))
            return try await till.begin(
                .make(plan), id: 10 + number, on: .numbered(UInt8(number)), version: nil
            ).isBegun
        } judge: { begun, _, database in
            #expect(begun == 2)
            let owners = try database.answer(
                to: "SELECT count(*) FROM card WHERE scratch_code IS NOT NULL")
            #expect(owners == "1")
        }
    }

    @Test("A lost card that two stations replace at once is replaced once")
    func replaceOneCardTwice() async throws {
        try await RaceTests.meeting(1, cards: [1]) { till, number in
            let plan = CardPlan.sample(.replace(lost: .first), balance: 0)
            return try await till.begin(
                .make(plan), id: 10 + number, on: .numbered(UInt8(number + 1)), version: nil
            ).isBegun
        } judge: { begun, ledger, _ in
            #expect(begun == 1)
            let status = try await LedgerTill(ledger).knownCard(.first).card.status
            #expect(status == .replaced)
        }
    }

    @Test("A new tag that two stations issue at once becomes one card")
    func makeOneTagTwice() async throws {
        try await RaceTests.meeting(1, cards: []) { till, number in
            try await till.begin(.issue(500), id: 10 + number, on: .first, version: nil).isBegun
        } judge: { begun, ledger, _ in
            #expect(begun == 1)
            let balance = try await LedgerTill(ledger).balance()
            #expect(balance == 500)
        }
    }

    @Test(
        "A card that pays its whole balance at two stations at once pays once", arguments: [1, 2])
    func moveMoneyOnce(run: Int) async throws {
        try await RaceTests.meeting(run, cards: [1]) { till, number in
            try await till.begin(.pay(.cents(1000)), id: 10 + number).isBegun
        } judge: { begun, ledger, _ in
            #expect(begun == 1)
            guard let open = try await LedgerTill(ledger).knownCard().open else {
                Issue.record("nothing is open")
                return
            }
            #expect(open.amount == 1000)
        }
    }

    @Test("A prize that two stations pay out at once is booked once")
    func bookOnePrizeOnce() async throws {
        try await RaceTests.meeting(1, cards: [1], ticket: .sample()) { till, number in
            let paid = try await till.payOut(50, id: 10 + number)
            if case .booked = paid { return true }
            return false
        } judge: { booked, ledger, _ in
            #expect(booked == 1)
            let prizes = try await LedgerTill(ledger).balance(of: .prizes)
            #expect(prizes == -50)
        }
    }

    /// The block waits for the card's row, and PostgreSQL then reads only that row again.
    @Test("A card that one station blocks while another sells it a ticket keeps the ticket")
    func blockACardThatBuysATicket() async throws {
        try await TestDatabase.temporary { database in
            let maker = LedgerTill(try await database.open())
            try await maker.complete(.issue(), id: 1)
            let open = try await maker.open(.ticket(.sample(), .cents(100)), id: 2)
            let seller = try await database.open(station: 1)
            let (isHeld, hold) = AsyncStream.makeStream(of: Void.self)
            let rendezvous = Rendezvous {
                hold.finish()
                return (try? database.answer(to: RaceTests.waiting)) == "t"
            }
            async let sold = LedgerTill(MetLedger(seller, 0, at: rendezvous)).confirm(open)
            for await _ in isHeld {}
            let blocked = try await database.open(station: 2).change(
                .first, .block, id: .numbered(3), at: .tick(3))
            #expect(try await sold.ticketID == Ticket.sample().id)
            #expect(try blocked.get().ticket == .sample())
            #expect(try await maker.knownCard().card.ticket == .sample())
            #expect(try await seller.audit().violations == [])
        }
    }

    @Test("A top-up that races the close of its shift is in the closed sum, or in no shift")
    func closeAShiftDuringATopUp() async throws {
        try await TestDatabase.temporary { database in
            let one = try await database.open(station: 1)
            // The server of a till and a command line, for example.
            let other = try await database.open(station: 1)
            let till = LedgerTill(one)
            try await till.complete(.issue(), id: 1)
            for round in 1...10 {
                let (id, amount) = (round * 10, Int64(100 * round))
                let shift = try await till.openShift(id)
                async let added = till.begin(.add(.cents(amount)), id: id + 1)
                async let closed = other.count(shift.id, 0, by: nil, at: .tick(id + 2))
                guard case .begun(let open) = try await added,
                    case .done(let end) = try await closed
                else {
                    Issue.record("the top-up or the close was refused")
                    return
                }
                try await till.confirm(open)
                let entries = try await one.read { rows throws(LedgerError) in
                    try rows.entries(of: .numbered(id + 1))
                }
                let isInside = entries.contains { $0.shift == shift.id }
                #expect(end.closing?.expected == shift.float + (isInside ? amount : 0))
                #expect(try await other.audit().violations == [])
            }
        }
    }

    /// Stations 1 and 2 meet at the end of the first or second run of their bodies.
    private static func meeting(
        _ run: Int, cards: [UInt8], ticket: Ticket? = nil,
        _ ask: @escaping @Sendable (LedgerTill, Int) async throws -> Bool,
        judge: (Int, PostgreSQLLedger, TestDatabase) async throws -> Void
    ) async throws {
        try await TestDatabase.temporary { database in
            let ledgers = [
                try await database.open(station: 1), try await database.open(station: 2),
            ]
            // Each station knows the cards that it has made.
            for (place, card) in cards.enumerated() {
                try await LedgerTill(ledgers[place]).complete(
                    .issue(), id: place + 1, on: .numbered(card))
            }
            if let ticket {
                try await LedgerTill(ledgers[0]).complete(.ticket(ticket, .cents(100)), id: 9)
            }
            let rendezvous = Rendezvous(afterRuns: run) {
                (try? database.answer(to: RaceTests.waiting)) == "t"
            }
            let done = try await withThrowingTaskGroup(of: Bool.self) { group in
                for (place, ledger) in ledgers.enumerated() {
                    let till = LedgerTill(MetLedger(ledger, place, at: rendezvous))
                    group.addTask { try await ask(till, place + 1) }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try await judge(done, ledgers[0], database)
            #expect(try await ledgers[1].audit().violations == [])
        }
    }
}

extension BeginOutcome {
    fileprivate var isBegun: Bool { if case .begun = self { true } else { false } }
}
