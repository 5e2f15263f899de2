import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The promises of the storage itself.
    static let transactions = [
        Scenario("a write that throws leaves nothing behind") { till in
            try await till.complete(.issue(), id: 1)
            let before = try await Snapshot(of: till.ledger)
            await #expect(throws: LedgerError(.unavailable, "")) {
                try await till.ledger.write { rows throws(LedgerError) in
                    guard var card = try rows.card(.first) else { return }
                    card.status = .blocked
                    try rows.save(card)
                    try rows.insert(.sample(7))
                    try rows.append(.sample(7, .takings, 5))
                    throw LedgerError(.unavailable, "the scenario says so")
                }
            }
            #expect(try await Snapshot(of: till.ledger) == before)
        },
        breaking("an operation id twice") { rows throws(LedgerError) in
            try rows.insert(.sample(1))
        },
        breaking("a second open operation") { rows throws(LedgerError) in
            try rows.insert(.sample(7, .pending))
            try rows.insert(.sample(8, .pending))
        },
        breaking("two refunds of one payment") { rows throws(LedgerError) in
            try rows.insert(.sample(7, reverses: 1))
            try rows.insert(.sample(8, reverses: 1))
        },
        breaking("a number twice") { rows throws(LedgerError) in
            try rows.insert(
                IssuedRecord(
                    uid: .first, sequence: try rows.card(.first)?.allocated ?? .none,
                    bytes: [UInt8](repeating: 1, count: 16), operation: .numbered(1), keyID: 1))
        },
        breaking("a purse below nothing") { rows throws(LedgerError) in
            try rows.append(.sample(1, .purse(.first, 1), -1001))
        },
        breaking("a purse above the limit") { rows throws(LedgerError) in
            try rows.append(.sample(1, .purse(.first, 1), Currency.largestBalance - 999))
        },
        breaking("a change of what has ended") { rows throws(LedgerError) in
            try rows.update(.sample(1, .voided))
        },
        breaking("a change of an unknown operation") { rows throws(LedgerError) in
            try rows.update(.sample(7))
        },
        Scenario("every column of a card is kept") { till in
            let full = LedgerCard(
                uid: .first, chip: .ntag216, isGenuineChip: false, status: .blocked,
                holder: .amanda, scratch: .activated(.numbered(3)), face: .iosApp, account: 3,
                allocated: try #require(SequenceNumber(9)), isDisplayStale: true,
                protection: .switchingOff(keyID: 15), foreignMessage: [0, 1, 255])
            let bare = LedgerCard(uid: .second, chip: .ntag215, foreignMessage: [])
            let kept = try await till.ledger.write { rows throws(LedgerError) in
                try rows.save(full)
                try rows.save(bare)
                return try rows.cards()
            }
            #expect(kept == [full, bare])
            let emptied = LedgerCard(
                uid: .first, chip: .ntag213, account: 4, allocated: full.allocated)
            let changed = try await till.ledger.write { rows throws(LedgerError) in
                try rows.save(emptied)
                return try rows.card(.first)
            }
            #expect(changed == emptied)
        },
    ]

    /// Rows that break a rule of the storage are refused, with everything in their transaction.
    private static func breaking(
        _ rule: String,
        _ change: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Void
    ) -> Scenario {
        Scenario("the storage refuses \(rule)") { till in
            try await till.complete(.issue(), id: 1)
            let before = try await Snapshot(of: till.ledger)
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await till.ledger.write(change)
            }
            #expect(try await Snapshot(of: till.ledger) == before)
        }
    }
}
