import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Offline payments.
    static let offline = [
        Scenario("an offline payment is booked once, in full, as takings") { till in
            try await till.complete(.issue(), id: 1)
            let before = try await till.knownCard()
            let booked = try await till.book(450, id: 2)
            #expect(booked.isNew && booked.shortfall == 0)
            #expect(booked.operation.kind == .offline && booked.operation.state == .committed)
            #expect(booked.operation.balanceAfter == 550 && booked.operation.endedAt == .end)
            #expect(booked.operation.beganAt == .tick(2))
            #expect(booked.operation.change(in: .usd) == .cents(-450))
            #expect(try await till.balance() == 550)
            #expect(try await till.balance(of: .takings) == 450)
            // Its tag is not touched by it, and gets a fresh record at its next tap.
            let after = try await till.knownCard()
            #expect(after.card.allocated == before.card.allocated)
            #expect(after.card.confirmed == before.card.confirmed)
            // A second time, and under another number of a copied journal.
            for number in [1, 1, 7] {
                let again = try await till.book(450, id: 2, number: Int64(number))
                #expect(!again.isNew && again.operation == booked.operation)
            }
            #expect(try await till.balance() == 550)
            let retried = try await till.begin(.pay(.cents(450)), id: 2)
            #expect(retried == .known(booked.operation))
            #expect(try await till.begin(.pay(.cents(451)), id: 2) == .mismatched(booked.operation))
            try await till.complete(.pay(.cents(550)), id: 3)
        },
        Scenario("what a card cannot pay of an offline payment is the issuer's loss") { till in
            try await till.complete(.issue(300), id: 1)
            let first = try await till.book(200, id: 2)
            let second = try await till.book(250, id: 3, number: 2)
            #expect(first.shortfall == 0 && second.shortfall == 150)
            #expect(second.operation.balanceAfter == 0)
            let third = try await till.book(40, id: 4, number: 3)
            #expect(third.shortfall == 40)
            #expect(try await till.balance() == 0)
            #expect(try await till.balance(of: .takings) == 490)
            #expect(try await till.balance(of: .shortfall) == -190)
            let besides = try await till.ledger.read { rows throws(LedgerError) in
                try rows.booked(besides: second.operation)
            }
            var takings = Takings()
            takings.count(second.operation, besides)
            #expect(takings.paid == 250 && takings.shortfall == 150 && takings.payments == 1)
            // A refund gives back what the card has paid, and not what the issuer has borne.
            #expect(
                try await till.refusal(of: .refund(of: third.operation.id, nil), id: 5)
                    == .notRefundable)
            #expect(
                try await till.refusal(of: .refund(of: second.operation.id, .cents(101)), id: 6)
                    == .notRefundable)
            let refund = try await till.complete(.refund(of: second.operation.id, nil), id: 7)
            #expect(refund.amount == 100)
            let again = try await till.begin(.refund(of: second.operation.id, nil), id: 7)
            #expect(again == .known(refund))
            #expect(try await till.balance() == 100)
        },
        Scenario("an offline payment takes nothing that an open payment holds") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(700)), id: 2)
            let booked = try await till.book(500, id: 3)
            #expect(booked.shortfall == 200 && booked.operation.balanceAfter == 700)
            try await till.confirm(open)
            #expect(try await till.balance() == 0)
        },
        Scenario("an offline payment is booked on a card that is blocked or closed") { till in
            try await till.complete(.issue(), id: 1)
            _ = try await till.ledger.change(.first, .block, id: .numbered(2), at: .end)
            #expect(try await till.book(100, id: 3).shortfall == 0)
            _ = try await till.ledger.change(.first, .unblock, id: .numbered(4), at: .end)
            try await till.complete(.close, id: 5)
            let closed = try await till.book(100, id: 6, number: 2)
            #expect(closed.shortfall == 100 && closed.operation.uid == .first)
            #expect(try await till.knownCard().card.status == .closed)
        },
        Scenario("an offline payment follows its customer to the card that replaced his") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 2, on: .second)
            let booked = try await till.book(400, id: 3)
            #expect(booked.operation.uid == .second && booked.shortfall == 0)
            #expect(booked.operation.subject == .tapped(.first))
            #expect(try await till.balance(.second) == 600)
            #expect(try await !till.book(400, id: 3).isNew)
            // The tag has another holder by then, who pays for nothing.
            try await till.complete(.reissue(), id: 4)
            let later = try await till.book(100, id: 5, number: 2)
            #expect(later.operation.uid == .second)
            #expect(try await till.balance() == 500)
            try await till.complete(.reissue(), id: 6, on: .second)
            let last = try await till.book(100, id: 7, number: 3)
            #expect(last.shortfall == 100)
            #expect(try await till.balance() == 500)
            #expect(try await till.balance(.second) == 500)
        },
        Scenario("an offline payment with a card that the ledger has lost is booked as lost") {
            till in
            let booked = try await till.book(400, id: 1, sequence: 7)
            #expect(booked.shortfall == 400 && booked.operation.balanceAfter == 0)
            let known = try await till.knownCard()
            #expect(known.card.status == .closed && known.card.allocated.value == 7)
            #expect(known.isInGap(try #require(SequenceNumber(7))))
            #expect(try await till.book(1, id: 2, number: 2, sequence: 7).shortfall == 1)
            try await till.complete(.reissue(), id: 3)
            #expect(try await till.knownCard().card.confirmed.value == 8)
        },
        Scenario("an offline payment is the same payment that was cut off") {
            till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(300)), id: 2)
            let booked = try await till.book(300, id: 2)
            #expect(booked.isNew && booked.operation.id == open.operation.id)
            #expect(booked.operation.state == .committed && booked.shortfall == 0)
            #expect(try await !till.book(300, id: 2).isNew)
            guard case .committed = try await till.ledger.confirm(open, at: .end) else {
                Issue.record("the same request was answered otherwise")
                return
            }
            #expect(try await till.balance() == 700)
            let again = try await till.begin(.pay(.cents(300)), id: 2)
            #expect(again == .known(booked.operation))
            #expect(try await till.ledger.audit().violations == [])
            // Where it was confirmed, it is paid.
            let paid = try await till.complete(.pay(.cents(50)), id: 3)
            #expect(try await till.book(50, id: 3, number: 2).operation == paid)
            #expect(try await till.balance() == 650)
            // Under the id of something else, the payment has an id of its own.
            let other = try await till.book(20, id: 1, number: 3)
            #expect(other.isNew && other.operation.id != .numbered(1))
            #expect(try await till.ledger.operation(.numbered(1))?.kind == .issue)
            #expect(try await till.balance() == 630)
        },
        Scenario("an offline payment of a request that was given up answers its id") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(300)), id: 2)
            let version = CardVersion(try await till.knownCard())
            _ = try await till.ledger.voidOpenPayment(on: .first, version: version, at: .end)
            #expect(try await till.ledger.answer(to: .numbered(2))?.state == .voided)
            let booked = try await till.book(300, id: 2)
            #expect(booked.isNew && booked.operation.id != open.operation.id)
            let answer = try await till.ledger.answer(to: .numbered(2))
            #expect(answer == booked.operation)
            #expect(try await till.ledger.operation(.numbered(2))?.state == .voided)
            #expect(try await till.begin(.pay(.cents(300)), id: 2) == .known(booked.operation))
            let other = try await till.begin(.pay(.cents(301)), id: 2)
            #expect(other == .mismatched(booked.operation))
            #expect(try await !till.book(300, id: 2).isNew)
            #expect(try await till.balance() == 700)
        },
        Scenario("an offline payment is not swallowed by what has the ids of its booking") {
            till in
            try await till.complete(.issue(), id: 1)
            _ = try await till.open(.pay(.cents(300)), id: 2)
            let version = CardVersion(try await till.knownCard())
            _ = try await till.ledger.voidOpenPayment(on: .first, version: version, at: .end)
            // Somebody has computed the ids under which it would be booked.
            let payment = try LedgerTill.payment(300, id: .numbered(2))
            try await till.add(100, as: payment.bookingID(1))
            let other = try LedgerTill.payment(300, id: payment.bookingID(2), number: 2)
            try await till.book(other)
            let booked = try await till.book(payment)
            #expect(booked.isNew && booked.operation.id == payment.bookingID(3))
            #expect(try await till.balance() == 1_000 + 100 - 600)
            for number in [1, 4] {
                let copy = try LedgerTill.payment(300, id: .numbered(2), number: Int64(number))
                let again = try await till.book(copy)
                #expect(!again.isNew && again.operation == booked.operation)
            }
            #expect(try await !till.book(other).isNew)
            #expect(try await till.ledger.answer(to: .numbered(2)) == booked.operation)
            #expect(try await till.ledger.answer(to: other.id)?.id == other.id)
            #expect(try await till.ledger.audit().violations == [])
            // A booking answers the request that it is for, and no other one under its id.
            let stranger = Request(
                id: booked.operation.id, uid: .first, action: .pay(.cents(300)), at: .end)
            let now = CardVersion(try await till.knownCard())
            #expect(
                try await till.ledger.begin(stranger, version: now, sealer: till.sealer)
                    == .mismatched(booked.operation))
            let sold = try LedgerTill.payment(300, id: booked.operation.id, number: 3)
            #expect(try await till.book(sold).isNew)
            #expect(try await till.balance() == 200)
        },
        Scenario("the ledger knows whose payments may be missing") { till in
            let ledger = till.ledger
            try await till.complete(.issue(), id: 1)
            func concerns(at now: Timestamp? = nil) async throws -> [JournalConcern.Reason] {
                try await ledger.audit(at: now).journals.map(\.reason)
            }
            func report(_ written: Int64, at time: Timestamp = .tick(0)) async throws {
                try await ledger.note(
                    JournalReport(
                        id: .journal, written: written, duration: .seconds(60), limit: 50_000),
                    at: time)
            }
            try await report(0)
            let journal = try #require(try await ledger.journals().first)
            #expect(journal.id == .journal && journal.limit == 50_000 && journal.booked == 0)
            #expect(journal.until == .tick(60_000))
            #expect(try await concerns() == [])
            #expect(try await concerns(at: .tick(60_001)) == [.silent])
            try await report(2)
            #expect(try await concerns() == [.unbooked])
            _ = try await till.book(10, id: 2, number: 1)
            #expect(try await ledger.audit().journals.first?.payments == 1)
            _ = try await till.book(10, id: 3, number: 2)
            #expect(try await concerns() == [])
            // A copy that is older ends before.
            try await report(1)
            #expect(try await concerns() == [.old])
            _ = try await till.book(10, id: 4, number: 5)
            #expect(try await concerns() == [.missing])
            #expect(try await ledger.audit().journals.first?.payments == 2)
            #expect(try await ledger.writeOff(.journal, at: .end))
            #expect(try await concerns() == [])
            #expect(try await !ledger.writeOff(.numbered(5), at: .end))
            #expect(try await ledger.journals().map(\.booked) == [5])
            #expect(try await concerns(at: .later) == [])
            // What is missing afterwards counts again.
            _ = try await till.book(10, id: 5, number: 8)
            #expect(try await concerns() == [.missing])
            #expect(try await ledger.audit().journals.first?.payments == 2)
            #expect(try await ledger.writeOff(.journal, at: .end))
            try await report(9, at: .later)
            #expect(try await concerns() == [.unbooked])
            #expect(try await ledger.journals().map(\.writtenOffAt) == [.end])
        },
        Scenario("each card's standing is what a snapshot needs") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(700), id: 2, on: .second)
            _ = try await till.open(.pay(.cents(100)), id: 3, on: .second)
            _ = try await till.ledger.change(.first, .block, id: .numbered(4), at: .end)
            let standings = try await till.ledger.read { rows throws(LedgerError) in
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
            let next = try await till.ledger.read { rows throws(LedgerError) in
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

extension LedgerTill {
    /// A payment by the first card's first cardholder, from a station's journal.
    fileprivate static func payment(
        _ cents: Int64, id: OperationID, number: Int64 = 1, sequence: UInt32 = 1,
        at time: Timestamp = .tick(2)
    ) throws -> OfflinePayment {
        OfflinePayment(
            id: id, uid: .first, chip: .ntag215, account: 1,
            sequence: try #require(SequenceNumber(sequence)), amount: cents, at: time,
            journal: .journal, number: number)
    }

    @discardableResult
    fileprivate func book(_ payment: OfflinePayment) async throws -> BookedPayment {
        try await ledger.book(payment, at: .end)
    }

    fileprivate func book(
        _ cents: Int64, id: Int, number: Int64 = 1, sequence: UInt32 = 1
    ) async throws -> BookedPayment {
        try await book(
            try LedgerTill.payment(
                cents, id: .numbered(id), number: number, sequence: sequence, at: .tick(id)))
    }

    fileprivate func add(_ cents: Int64, as id: OperationID) async throws {
        let request = Request(id: id, uid: .first, action: .add(.cents(cents)), at: .end)
        let beginning = try await ledger.begin(
            request, version: CardVersion(try await knownCard()), sealer: sealer)
        guard case .begun(let open) = beginning else { throw Unexpected(answer: "\(beginning)") }
        try await confirm(open)
    }
}
