import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// A key that was given up seals nothing and vouches for nothing, whatever a station has read.
    static let keys = [
        Scenario("a key is given up once, and for good") { desk in
            #expect(try await desk.ledger.retiredKeys() == [])
            try await desk.ledger.retire([1, 15], at: .tick(1))
            try await desk.ledger.retire([0, 1], at: .tick(2))
            #expect(try await desk.ledger.retiredKeys() == [0, 1, 15])
            let rows = try await desk.ledger.read { rows throws(LedgerError) in
                try rows.retiredKeys()
            }
            #expect(rows.first { $0.id == 1 }?.retiredAt == .tick(1))
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await desk.ledger.write { rows throws(LedgerError) in
                    try rows.insert(RetiredKey(id: 1, retiredAt: .end))
                }
            }
        },
        Scenario("nothing is begun under a key that was given up") { desk in
            try await desk.complete(.issue(), id: 1)
            try await desk.ledger.retire([1], at: .end)
            #expect(try await desk.begin(.pay(.cents(400)), id: 2) == .changed)
            #expect(try await desk.begin(.reseal(above: .none), id: 2) == .changed)
            #expect(try await desk.begin(.issue(), id: 2, on: .second) == .changed)
            #expect(try await desk.view().open == nil)
            #expect(try await desk.view().retiredKeys == [1])
            try await desk.with(key: 2).complete(.pay(.cents(400)), id: 2)
            #expect(try await desk.balance() == 600)
        },
        Scenario("a payment is not confirmed by a record whose key was given up since") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            try await desk.ledger.retire([1], at: .end)
            let answer = try await desk.ledger.confirm(work, at: .end)
            #expect(answer == .superseded(work.operation))
            #expect(try await desk.view().card.confirmed.value == 1)
            #expect(try await desk.resume(work, tagHolds: 2) == .changed)
            let fresh = try await desk.with(key: 2).resume(work, tagHolds: 2).work()
            #expect(fresh.content.sequence.value == 3 && fresh.record.first == 2)
            try await desk.confirm(fresh)
            #expect(try await desk.balance() == 600)
        },
        Scenario("a record whose key was given up proves no payment") { desk in
            try await desk.complete(.issue(), id: 1)
            let work = try await desk.work(.pay(.cents(400)), id: 2)
            try await desk.ledger.retire([1], at: .end)
            let other = desk.with(key: 2)
            #expect(try await other.end(work, as: .committed, id: 3) == .changed)
            #expect(try await desk.end(work, as: .voided, id: 3) == .changed)
            let fresh = try await other.end(work, as: .voided, id: 3).work()
            try await desk.confirm(fresh)
            #expect(try await desk.balance() == 1000)
        },
        Scenario("no record is stored under a key that was given up") { desk in
            try await desk.complete(.issue(), id: 1)
            try await desk.ledger.retire([1], at: .end)
            let number = try #require(SequenceNumber(9))
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await desk.ledger.write { rows throws(LedgerError) in
                    try rows.insert(
                        IssuedRecord(
                            uid: .first, sequence: number, bytes: Array(repeating: 1, count: 16),
                            operation: .numbered(1), keyID: 1))
                }
            }
        },
    ]
}

extension Desk {
    /// The same desk with the keys as another station has them.
    public func with(key: UInt8) -> Desk {
        var desk = self
        desk.sealer = .hashing(key: key)
        return desk
    }
}
