import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Purchases that were accepted while the ledger was out of reach.
    static let deferred = [
        Scenario("a deferred purchase is booked once, in full, as a sale") { desk in
            try await desk.complete(.issue(), id: 1)
            let before = try await desk.view()
            let booked = try await desk.settle(450, id: 2)
            #expect(booked.isNew && booked.shortfall == 0)
            #expect(booked.operation.kind == .deferred && booked.operation.state == .committed)
            #expect(booked.operation.balanceAfter == 550 && booked.operation.endedAt == .end)
            #expect(booked.operation.begunAt == .tick(2))
            #expect(booked.operation.change(in: .usd) == .cents(-450))
            #expect(try await desk.balance() == 550)
            #expect(try await desk.balance(of: .takings) == 450)
            // Its tag is not touched by it, and gets a fresh record at its next tap.
            let after = try await desk.view()
            #expect(after.card.allocated == before.card.allocated)
            #expect(after.card.confirmed == before.card.confirmed)
            // A second time, and under another number of a copied journal.
            for number in [1, 1, 7] {
                let again = try await desk.settle(450, id: 2, number: Int64(number))
                #expect(!again.isNew && again.operation == booked.operation)
            }
            #expect(try await desk.balance() == 550)
            let retried = try await desk.begin(.pay(.cents(450)), id: 2)
            #expect(retried == .known(booked.operation))
            #expect(try await desk.begin(.pay(.cents(451)), id: 2) == .mismatched(booked.operation))
            try await desk.complete(.pay(.cents(550)), id: 3)
        },
        Scenario("what a card cannot pay of a deferred purchase is the house's loss") { desk in
            try await desk.complete(.issue(300), id: 1)
            let first = try await desk.settle(200, id: 2)
            let second = try await desk.settle(250, id: 3, number: 2)
            #expect(first.shortfall == 0 && second.shortfall == 150)
            #expect(second.operation.balanceAfter == 0)
            let third = try await desk.settle(40, id: 4, number: 3)
            #expect(third.shortfall == 40)
            #expect(try await desk.balance() == 0)
            #expect(try await desk.balance(of: .takings) == 490)
            #expect(try await desk.balance(of: .shortfall) == -190)
            let besides = try await desk.ledger.read { rows throws(LedgerError) in
                try rows.booked(besides: second.operation)
            }
            var takings = Takings()
            takings.count(second.operation, besides)
            #expect(takings.paid == 250 && takings.shortfall == 150 && takings.payments == 1)
            // A refund gives back what the card has paid, and not what the house has borne.
            #expect(
                try await desk.refusal(of: .refund(of: third.operation.id, nil), id: 5)
                    == .notRefundable)
            #expect(
                try await desk.refusal(of: .refund(of: second.operation.id, .cents(101)), id: 6)
                    == .notRefundable)
            let refund = try await desk.complete(.refund(of: second.operation.id, nil), id: 7)
            #expect(refund.amount == 100)
            let again = try await desk.begin(.refund(of: second.operation.id, nil), id: 7)
            #expect(again == .known(refund))
            #expect(try await desk.balance() == 100)
        },
        Scenario("a deferred purchase takes nothing that an open payment holds") { desk in
            try await desk.complete(.issue(), id: 1)
            let open = try await desk.work(.pay(.cents(700)), id: 2)
            let booked = try await desk.settle(500, id: 3)
            #expect(booked.shortfall == 200 && booked.operation.balanceAfter == 700)
            try await desk.confirm(open)
            #expect(try await desk.balance() == 0)
        },
        Scenario("a deferred purchase is booked on a card that is blocked or closed") { desk in
            try await desk.complete(.issue(), id: 1)
            _ = try await desk.ledger.change(.first, .block, id: .numbered(2), at: .end)
            #expect(try await desk.settle(100, id: 3).shortfall == 0)
            _ = try await desk.ledger.change(.first, .unblock, id: .numbered(4), at: .end)
            try await desk.complete(.close, id: 5)
            let closed = try await desk.settle(100, id: 6, number: 2)
            #expect(closed.shortfall == 100 && closed.operation.uid == .first)
            #expect(try await desk.view().card.status == .closed)
        },
        Scenario("a deferred purchase follows its customer to the card that replaced his") { desk in
            try await desk.complete(.issue(), id: 1)
            try await desk.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 2, on: .second)
            let booked = try await desk.settle(400, id: 3)
            #expect(booked.operation.uid == .second && booked.shortfall == 0)
            #expect(booked.operation.subject == .tapped(.first))
            #expect(try await desk.balance(.second) == 600)
            #expect(try await !desk.settle(400, id: 3).isNew)
            // The tag has another holder by then, who pays for nothing.
            try await desk.complete(.reissue(), id: 4)
            let later = try await desk.settle(100, id: 5, number: 2)
            #expect(later.operation.uid == .second)
            #expect(try await desk.balance() == 500)
            try await desk.complete(.reissue(), id: 6, on: .second)
            let last = try await desk.settle(100, id: 7, number: 3)
            #expect(last.shortfall == 100)
            #expect(try await desk.balance() == 500)
            #expect(try await desk.balance(.second) == 500)
        },
        Scenario("a deferred purchase with a card that the ledger has lost is booked as lost") {
            desk in
            let booked = try await desk.settle(400, id: 1, sequence: 7)
            #expect(booked.shortfall == 400 && booked.operation.balanceAfter == 0)
            let view = try await desk.view()
            #expect(view.card.status == .closed && view.card.allocated.value == 7)
            #expect(view.isInGap(try #require(SequenceNumber(7))))
            #expect(try await desk.settle(1, id: 2, number: 2, sequence: 7).shortfall == 1)
            try await desk.complete(.reissue(), id: 3)
            #expect(try await desk.view().card.confirmed.value == 8)
        },
        Scenario("a deferred purchase is the same payment that was cut off") {
            desk in
            try await desk.complete(.issue(), id: 1)
            let open = try await desk.work(.pay(.cents(300)), id: 2)
            let booked = try await desk.settle(300, id: 2)
            #expect(booked.isNew && booked.operation.id == open.operation.id)
            #expect(booked.operation.state == .committed && booked.shortfall == 0)
            #expect(try await !desk.settle(300, id: 2).isNew)
            guard case .committed = try await desk.ledger.confirm(open, at: .end) else {
                Issue.record("the same request was answered otherwise")
                return
            }
            #expect(try await desk.balance() == 700)
            let again = try await desk.begin(.pay(.cents(300)), id: 2)
            #expect(again == .known(booked.operation))
            #expect(try await desk.ledger.audit().violations == [])
            // Where it was confirmed, it is paid.
            let paid = try await desk.complete(.pay(.cents(50)), id: 3)
            #expect(try await desk.settle(50, id: 3, number: 2).operation == paid)
            #expect(try await desk.balance() == 650)
            // Under the id of something else, the purchase has an id of its own.
            let other = try await desk.settle(20, id: 1, number: 3)
            #expect(other.isNew && other.operation.id != .numbered(1))
            #expect(try await desk.ledger.operation(.numbered(1))?.kind == .issue)
            #expect(try await desk.balance() == 630)
        },
        Scenario("a purchase whose payment was given up is what answers its id") { desk in
            try await desk.complete(.issue(), id: 1)
            let open = try await desk.work(.pay(.cents(300)), id: 2)
            let seen = Seen(try await desk.view())
            _ = try await desk.ledger.voidOpenPayment(on: .first, seen: seen, at: .end)
            #expect(try await desk.ledger.answer(to: .numbered(2))?.state == .voided)
            let booked = try await desk.settle(300, id: 2)
            #expect(booked.isNew && booked.operation.id != open.operation.id)
            let answer = try await desk.ledger.answer(to: .numbered(2))
            #expect(answer == booked.operation)
            #expect(try await desk.ledger.operation(.numbered(2))?.state == .voided)
            #expect(try await desk.begin(.pay(.cents(300)), id: 2) == .known(booked.operation))
            let other = try await desk.begin(.pay(.cents(301)), id: 2)
            #expect(other == .mismatched(booked.operation))
            #expect(try await !desk.settle(300, id: 2).isNew)
            #expect(try await desk.balance() == 700)
        },
        Scenario("a deferred purchase is not swallowed by what has the ids of its booking") {
            desk in
            try await desk.complete(.issue(), id: 1)
            _ = try await desk.work(.pay(.cents(300)), id: 2)
            let seen = Seen(try await desk.view())
            _ = try await desk.ledger.voidOpenPayment(on: .first, seen: seen, at: .end)
            // Somebody has computed the ids under which it would be booked.
            let purchase = try Desk.purchase(300, id: .numbered(2))
            try await desk.add(100, as: purchase.bookingID(1))
            let other = try Desk.purchase(300, id: purchase.bookingID(2), number: 2)
            try await desk.settle(other)
            let booked = try await desk.settle(purchase)
            #expect(booked.isNew && booked.operation.id == purchase.bookingID(3))
            #expect(try await desk.balance() == 1_000 + 100 - 600)
            for number in [1, 4] {
                let copy = try Desk.purchase(300, id: .numbered(2), number: Int64(number))
                let again = try await desk.settle(copy)
                #expect(!again.isNew && again.operation == booked.operation)
            }
            #expect(try await !desk.settle(other).isNew)
            #expect(try await desk.ledger.answer(to: .numbered(2)) == booked.operation)
            #expect(try await desk.ledger.answer(to: other.id)?.id == other.id)
            #expect(try await desk.ledger.audit().violations == [])
            // A booking answers the request that it is for, and no other one under its id.
            let stranger = Request(
                id: booked.operation.id, uid: .first, intent: .pay(.cents(300)), at: .end)
            let now = Seen(try await desk.view())
            #expect(
                try await desk.ledger.begin(stranger, seen: now, sealer: desk.sealer)
                    == .mismatched(booked.operation))
            let sold = try Desk.purchase(300, id: booked.operation.id, number: 3)
            #expect(try await desk.settle(sold).isNew)
            #expect(try await desk.balance() == 200)
        },
        Scenario("the ledger knows whose purchases may be missing") { desk in
            let ledger = desk.ledger
            try await desk.complete(.issue(), id: 1)
            func concerns(at now: Timestamp? = nil) async throws -> [JournalConcern.Reason] {
                try await ledger.audit(at: now).journals.map(\.reason)
            }
            func report(_ written: Int64, at time: Timestamp = .tick(0)) async throws {
                try await ledger.note(
                    JournalReport(
                        id: .journal, written: written, lasting: .seconds(60), limit: 50_000),
                    at: time)
            }
            try await report(0)
            let journal = try #require(try await ledger.journals().first)
            #expect(journal.id == .journal && journal.limit == 50_000 && journal.settled == 0)
            #expect(journal.until == .tick(60_000))
            #expect(try await concerns() == [])
            #expect(try await concerns(at: .tick(60_001)) == [.silent])
            try await report(2)
            #expect(try await concerns() == [.unbooked])
            _ = try await desk.settle(10, id: 2, number: 1)
            #expect(try await ledger.audit().journals.first?.purchases == 1)
            _ = try await desk.settle(10, id: 3, number: 2)
            #expect(try await concerns() == [])
            // A copy that is older ends before.
            try await report(1)
            #expect(try await concerns() == [.old])
            _ = try await desk.settle(10, id: 4, number: 5)
            #expect(try await concerns() == [.missing])
            #expect(try await ledger.audit().journals.first?.purchases == 2)
            #expect(try await ledger.writeOff(.journal, at: .end))
            #expect(try await concerns() == [])
            #expect(try await !ledger.writeOff(.numbered(5), at: .end))
            #expect(try await ledger.journals().map(\.settled) == [5])
            #expect(try await concerns(at: .later) == [])
            // What is missing afterwards counts again.
            _ = try await desk.settle(10, id: 5, number: 8)
            #expect(try await concerns() == [.missing])
            #expect(try await ledger.audit().journals.first?.purchases == 2)
            #expect(try await ledger.writeOff(.journal, at: .end))
            try await report(9, at: .later)
            #expect(try await concerns() == [.unbooked])
            #expect(try await ledger.journals().map(\.writtenOffAt) == [.end])
        },
        Scenario("each card's standing is what a snapshot needs") { desk in
            try await desk.complete(.issue(), id: 1)
            try await desk.complete(.issue(700), id: 2, on: .second)
            _ = try await desk.work(.pay(.cents(100)), id: 3, on: .second)
            _ = try await desk.ledger.change(.first, .block, id: .numbered(4), at: .end)
            let standings = try await desk.ledger.read { rows throws(LedgerError) in
                try rows.standings(after: nil, atMost: 10)
            }
            let number = try #require(SequenceNumber(1))
            #expect(
                standings == [
                    CardStanding(
                        uid: .first, status: .blocked, account: 1, confirmed: number,
                        balance: 1000, isOpen: false),
                    CardStanding(
                        uid: .second, status: .active, account: 1, confirmed: number,
                        balance: 700, isOpen: true),
                ])
            let next = try await desk.ledger.read { rows throws(LedgerError) in
                try rows.standings(after: .first, atMost: 1).map(\.uid)
            }
            #expect(next == [.second])
        },
    ]
}

extension UniqueID {
    fileprivate static let journal = numbered(9_000_000)
}

extension Timestamp {
    fileprivate static let later = Timestamp.end.adding(milliseconds: 1)
}

extension Desk {
    /// A purchase of the first card's first holder, from a station's journal.
    fileprivate static func purchase(
        _ cents: Int64, id: OperationID, number: Int64 = 1, sequence: UInt32 = 1,
        at time: Timestamp = .tick(2)
    ) throws -> DeferredPurchase {
        DeferredPurchase(
            id: id, uid: .first, chip: .ntag215, account: 1,
            sequence: try #require(SequenceNumber(sequence)), amount: cents, at: time,
            journal: .journal, number: number)
    }

    @discardableResult
    fileprivate func settle(_ purchase: DeferredPurchase) async throws -> SettledPurchase {
        try await ledger.settle(purchase, at: .end)
    }

    fileprivate func settle(
        _ cents: Int64, id: Int, number: Int64 = 1, sequence: UInt32 = 1
    ) async throws -> SettledPurchase {
        try await settle(
            try Desk.purchase(
                cents, id: .numbered(id), number: number, sequence: sequence, at: .tick(id)))
    }

    fileprivate func add(_ cents: Int64, as id: OperationID) async throws {
        let request = Request(id: id, uid: .first, intent: .add(.cents(cents)), at: .end)
        let beginning = try await ledger.begin(
            request, seen: Seen(try await view()), sealer: sealer)
        guard case .begun(let work) = beginning else { throw Unexpected(answer: "\(beginning)") }
        try await confirm(work)
    }
}
