import Ledger
import LedgerConformance
import TapcardDomain
import Testing

/// Rows that break an invariant, written past the rules.
@Suite("The audit") struct AuditTests {
    /// One violation: what is planted, and the invariant that the audit must name.
    struct Planted: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let invariant: String
        let plant: @Sendable (any LedgerRows) throws(LedgerError) -> Void

        init(
            _ what: String, breaks invariant: String,
            _ plant: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Void
        ) {
            testDescription = what
            self.invariant = invariant
            self.plant = plant
        }
    }

    static let planted = [
        Planted("half a booking", breaks: "I1: all accounts sum to 5, not to 0") {
            rows throws(LedgerError) in try rows.append(.sample(1, .takings, 5))
        },
        Planted(
            "an operation that does not add up",
            breaks: "I1: entries of operation \(OperationID.numbered(1)) do not sum to 0"
        ) { rows throws(LedgerError) in
            try rows.append(.sample(1, .takings, 5))
            try rows.append(.sample(2, .cash, -5))
        },
        Planted(
            "more held than there is",
            breaks: "I1: card \(CardUID.first): reserved amount 2000 is above balance 550"
        ) {
            rows throws(LedgerError) in try rows.insert(.payment(7, 2000, .pending))
        },
        Planted(
            "an end at no time", breaks: "I2: operation \(OperationID.numbered(7)): state committed"
        ) { rows throws(LedgerError) in
            try rows.insert(.payment(7, 0, .committed, endedAt: nil))
        },
        Planted("a payment that was not booked", breaks: "I6") { rows throws(LedgerError) in
            try rows.insert(.payment(7, 100, .committed))
        },
        Planted("a voided payment that was booked", breaks: "I6") { rows throws(LedgerError) in
            try rows.insert(.payment(7, 100, .voided))
            try rows.append(.sample(7, .takings, 100))
            try rows.append(.sample(7, .purse(.first, 1), -100))
        },
        Planted("a number that was confirmed before it was given out", breaks: "I5") {
            rows throws(LedgerError) in
            try rows.change { $0.confirmed = .highest }
        },
        Planted("a record above the last number", breaks: "I5") { rows throws(LedgerError) in
            try rows.insert(.sample(.highest))
        },
        Planted("a record in a gap", breaks: "I4") { rows throws(LedgerError) in
            try rows.change { $0.allocated = .highest }
            try rows.insert(.sample(.highest))
            try rows.insert(SequenceGap(uid: .first, numbers: .highest ... .highest))
        },
        Planted("a confirmed number without a record", breaks: "I4") { rows throws(LedgerError) in
            try rows.change {
                $0.allocated = .highest
                $0.confirmed = .highest
            }
        },
    ]

    @Test("The audit names the invariant that a planted row breaks", arguments: planted)
    func finds(_ planted: Planted) async throws {
        let ledger = InMemoryLedger()
        let till = LedgerTill(ledger)
        try await till.complete(.issue(), id: 1)
        try await till.complete(.pay(.cents(450)), id: 2)
        #expect(try await ledger.audit().violations == [])
        try await ledger.write(planted.plant)
        let violations = try await ledger.audit().violations
        #expect(violations.contains { $0.hasPrefix(planted.invariant) }, "\(violations)")
    }

    @Test(
        "The audit finds a prize that did not go to the buyer of the ticket",
        arguments: [false, true])
    func foundPrizeOfOthers(isOfAnotherCard: Bool) async throws {
        let ledger = InMemoryLedger()
        let till = LedgerTill(ledger)
        try await till.complete(.issue(), id: 1)
        try await till.complete(.ticket(.sample(), .cents(200)), id: 2)
        if isOfAnotherCard {
            try await till.complete(.issue(), id: 3, on: .second)
        } else {
            try await till.complete(.reissue(), id: 3)
        }
        try await ledger.write { rows throws(LedgerError) in
            let uid: CardUID = isOfAnotherCard ? .second : .first
            guard let card = try rows.card(uid) else { return }
            try rows.insert(
                Operation(
                    id: .numbered(7), uid: uid, kind: .claim, amount: 30,
                    subject: .prize(Ticket.sample().id), beganAt: .tick(7), state: .committed,
                    endedAt: .end))
            try rows.append(.sample(7, .prizes, -30))
            try rows.append(.sample(7, card.purse, 30))
        }
        #expect(
            try await ledger.audit().violations == [
                "I12: prize for ticket ticket-1 went to a card other than the buyer's"
            ])
    }

    @Test("The audit counts cards, operations and open operations")
    func countsWhatThereIs() async throws {
        let till = LedgerTill(InMemoryLedger())
        try await till.complete(.issue(), id: 1)
        try await till.complete(.issue(), id: 2, on: .second)
        _ = try await till.open(.pay(.cents(1)), id: 3)
        let report = try await till.ledger.audit()
        #expect(report.cards == 2)
        #expect(report.operations == 3)
        #expect(report.open == 1)
    }

    @Test("The audit finds sums that overflow, and a write to such a sum is refused")
    func sumsBeyondAllNumbersAreFoundToo() async throws {
        let ledger = InMemoryLedger()
        try await LedgerTill(ledger).complete(.issue(), id: 1)
        try await ledger.write { rows throws(LedgerError) in
            try rows.append(.sample(1, .cash, .max))
            try rows.append(.sample(1, .takings, .max))
        }
        #expect(try await ledger.audit().violations != [])
        await #expect(throws: LedgerError(.corrupt, "")) {
            try await ledger.write { rows throws(LedgerError) in
                try rows.append(.sample(1, .takings, 1))
            }
        }
    }
}

extension LedgerRows {
    fileprivate func change(_ edit: (inout LedgerCard) -> Void) throws(LedgerError) {
        guard var card = try card(.first) else { return }
        edit(&card)
        try save(card)
    }
}

extension Operation {
    fileprivate static func payment(
        _ number: Int, _ amount: Int64, _ state: State, endedAt: Timestamp? = .end
    ) -> Operation {
        Operation(
            id: .numbered(number), uid: .first, kind: .pay, amount: amount,
            beganAt: .tick(number), state: state, endedAt: state == .pending ? nil : endedAt)
    }
}

extension IssuedRecord {
    fileprivate static func sample(_ sequence: SequenceNumber) -> IssuedRecord {
        IssuedRecord(
            uid: .first, sequence: sequence, bytes: [UInt8](repeating: 1, count: 16),
            operation: .numbered(1), keyID: 1)
    }
}
