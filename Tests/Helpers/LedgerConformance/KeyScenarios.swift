import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// A retired key seals nothing and vouches for nothing, whatever a station has read.
    static let keys = [
        Scenario("a key is given up once, and for good") { till in
            #expect(try await till.ledger.retiredKeys() == [])
            try await till.ledger.retire([1, 15], at: .tick(1))
            try await till.ledger.retire([0, 1], at: .tick(2))
            #expect(try await till.ledger.retiredKeys() == [0, 1, 15])
            let rows = try await till.ledger.read { rows throws(LedgerError) in
                try rows.retiredKeys()
            }
            #expect(rows.first { $0.id == 1 }?.retiredAt == .tick(1))
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await till.ledger.write { rows throws(LedgerError) in
                    try rows.insert(RetiredKey(id: 1, retiredAt: .end))
                }
            }
        },
        Scenario("nothing is begun under a key that was given up") { till in
            try await till.complete(.issue(), id: 1)
            try await till.ledger.retire([1], at: .end)
            #expect(try await till.begin(.pay(.cents(400)), id: 2) == .changed)
            #expect(try await till.begin(.reseal(above: .none), id: 2) == .changed)
            #expect(try await till.begin(.issue(), id: 2, on: .second) == .changed)
            #expect(try await till.knownCard().open == nil)
            #expect(try await till.knownCard().retiredKeys == [1])
            try await till.with(key: 2).complete(.pay(.cents(400)), id: 2)
            #expect(try await till.balance() == 600)
        },
        Scenario("nothing begins for a card that was checked before a key was given up") { till in
            try await till.complete(.issue(), id: 1)
            let known = try await till.knownCard()
            try await till.ledger.retire([1], at: .end)
            func answer(_ policy: KeyPolicy) async throws -> BeginOutcome {
                try await till.ledger.begin(
                    Request(
                        id: .numbered(2), uid: .first, action: .pay(.cents(4)), at: .end,
                        under: policy), version: CardVersion(known), sealer: .hashing(key: 2))
            }
            #expect(try await answer(known.keyPolicy) == .changed)
            guard case .begun = try await answer(try await till.ledger.keyPolicy()) else {
                throw Unexpected(answer: "a card that was checked again cannot pay")
            }
        },
        Scenario("a payment is not confirmed by a record whose key was given up since") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            try await till.ledger.retire([1], at: .end)
            let answer = try await till.ledger.confirm(open, at: .end)
            #expect(answer == .superseded(open.operation))
            #expect(try await till.knownCard().card.confirmed.value == 1)
            #expect(try await till.resume(open, tagHolds: 2) == .changed)
            let fresh = try await till.with(key: 2).resume(open, tagHolds: 2).open()
            #expect(fresh.content.sequence.value == 3 && fresh.record.first == 2)
            try await till.confirm(fresh)
            #expect(try await till.balance() == 600)
        },
        Scenario("a record whose key was given up proves no payment") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            try await till.ledger.retire([1], at: .end)
            let other = till.with(key: 2)
            #expect(try await other.end(open, as: .committed, id: 3) == .changed)
            #expect(try await till.end(open, as: .voided, id: 3) == .changed)
            let fresh = try await other.end(open, as: .voided, id: 3).open()
            try await till.confirm(fresh)
            #expect(try await till.balance() == 1000)
        },
        Scenario("no record is stored under a key that was given up") { till in
            try await till.complete(.issue(), id: 1)
            try await till.ledger.retire([1], at: .end)
            let number = try #require(SequenceNumber(9))
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await till.ledger.write { rows throws(LedgerError) in
                    try rows.insert(
                        IssuedRecord(
                            uid: .first, sequence: number, bytes: Array(repeating: 1, count: 16),
                            operation: .numbered(1), keyID: 1))
                }
            }
        },
    ]
}

extension LedgerTill {
    /// The same till with the keys as another station has them.
    public func with(key: UInt8) -> LedgerTill {
        var till = self
        till.sealer = .hashing(key: key)
        return till
    }
}
