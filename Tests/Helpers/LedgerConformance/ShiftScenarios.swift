package import Ledger
package import TapcardDomain
import Testing

extension Scenario {
    /// Shifts of the drawer.
    static let shifts = [
        Scenario("a closed shift expects its float and its entries on the drawer") { till in
            try await till.complete(.issue(), id: 1)
            try await till.openShift(11)
            try await till.complete(.add(.cents(500)), id: 2)
            try await till.complete(.add(.cents(700), paid: .terminal), id: 3)
            _ = try await till.ledger.book(try .sample(4, 352, rounding: -2))
            _ = try await till.ledger.book(.cash(5, -100))
            let shift = try await till.count(nil, 10_740)
            #expect(shift.closing?.expected == 10_750)
            #expect(shift.counts.map { shift.difference(of: $0) } == [-10])
            #expect(try await till.ledger.cardless(.numbered(4))?.shift == shift.id)
            let found = try await till.ledger.read { rows throws(LedgerError) in
                (
                    try rows.shift(shift.id), try rows.shifts(), try rows.openShift(),
                    try rows.entries(inShift: shift.id).map(\.operation),
                    try rows.cardless(inShift: shift.id).map(\.id)
                )
            }
            #expect(found.0 == shift && found.1 == [shift] && found.2 == nil)
            #expect(Set(found.3) == [.numbered(2), .numbered(3)])
            #expect(Set(found.4) == [.numbered(4), .numbered(5)])
        },
        Scenario("a station has one open shift, and a request to open one is safe to repeat") {
            till in
            let shift = try await till.openShift(11)
            #expect(try await till.ledger.open(.sample(11)) == .earlier(shift))
            #expect(try await till.ledger.open(.sample(11, float: 1)) == .mismatched)
            guard case .refused(let refusal) = try await till.ledger.open(.sample(12)) else {
                throw Unexpected(answer: "a second shift is open")
            }
            #expect(refusal.rule == .wrongState)
            try await till.count(nil, 10_000)
            try await till.openShift(12)
        },
        Scenario("another count is recorded beside the first one, but a repeated one is not") {
            till in
            guard
                case .refused(let refusal) = try await till.ledger.count(
                    nil, 1, by: nil, at: .end)
            else { throw Unexpected(answer: "a shift is closed though none is open") }
            #expect(refusal.rule == .shiftNeeded)
            let id = try await till.openShift(11).id
            let first = try await till.count(id, 9_000)
            #expect(try await till.ledger.count(id, 9_000, by: nil, at: .end) == .earlier(first))
            guard
                case .done(let bobs) = try await till.ledger.count(id, 9_000, by: .bob, at: .end)
            else { throw Unexpected(answer: "a second person's count was not recorded") }
            #expect(bobs.counts.map { $0.cashier } == [nil, .bob])
            let second = try await till.count(id, 10_000)
            #expect(second.counts.map(\.amount) == [9_000, 9_000, 10_000])
            #expect(second.closing == first.closing)
            let stored = try await till.ledger.read { rows throws(LedgerError) in
                try rows.shift(id)
            }
            #expect(stored == second)
        },
        Scenario("what began in a shift and is booked after its end is late") { till in
            try await till.complete(.issue(), id: 1)
            let shift = try await till.openShift(11, at: Timestamp(milliseconds: 0))
            let open = try await till.open(.pay(.cents(300)), id: 2)
            let closed = try await till.count(shift.id, 10_000)
            #expect(closed.closing?.expected == 10_000)
            try await till.confirm(open)
            let late = try await till.ledger.read { rows throws(LedgerError) in
                (
                    try rows.lateOperations(of: closed).map(\.id),
                    try rows.entries(inShift: closed.id).map(\.operation)
                )
            }
            #expect(late.0 == [.numbered(2)] && late.1 == [])
        },
    ]
}

extension LedgerTill {
    @discardableResult
    package func openShift(_ id: Int, at time: Timestamp = .end) async throws -> Shift {
        guard case .done(let shift) = try await ledger.open(.sample(id, at: time)) else {
            throw Unexpected(answer: "the shift is not open")
        }
        return shift
    }

    @discardableResult
    fileprivate func count(_ id: ShiftID?, _ amount: Int64) async throws -> Shift {
        guard case .done(let shift) = try await ledger.count(id, amount, by: nil, at: .end) else {
            throw Unexpected(answer: "the count is not saved")
        }
        return shift
    }
}

extension Shift {
    fileprivate static func sample(
        _ id: Int, float: Int64 = 10_000, at time: Timestamp = .end
    ) -> Shift {
        Shift(id: .numbered(id), openedAt: time, openedBy: nil, float: float)
    }
}
