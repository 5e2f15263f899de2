import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Some of the operations, without reading all of them.
    static let looking = [
        Scenario("the newest operations are the last ones, oldest first") { desk in
            try await desk.complete(.issue(), id: 1)
            try await desk.complete(.issue(), id: 2, on: .second)
            for id in 3...6 { try await desk.complete(.pay(.cents(1)), id: id) }
            let (all, one, none, few) = try await desk.ledger.read { rows throws(LedgerError) in
                (
                    try rows.operations(on: nil, last: 3),
                    try rows.operations(on: .second, last: 3),
                    try rows.operations(on: nil, last: 0) + rows.operations(on: .first, last: -1),
                    try rows.operations(on: .first, last: 99)
                )
            }
            #expect(all.map(\.id) == [.numbered(4), .numbered(5), .numbered(6)])
            #expect(one.map(\.id) == [.numbered(2)] && none == [])
            #expect(few.map(\.id) == [1, 3, 4, 5, 6].map(OperationID.numbered))
            #expect(few.last == all.last)
        },
        Scenario("those of a time are those begun in it, by the time and then as they came") {
            desk in
            try await desk.complete(.issue(), id: 5)
            try await desk.complete(.pay(.cents(1)), id: 9)
            // Another station, with another clock.
            try await desk.complete(.pay(.cents(1)), id: 7)
            for id in [20, 21] {
                _ = try await desk.ledger.change(
                    .first, id == 20 ? .block : .unblock, id: .numbered(id), at: .tick(8))
            }
            func begun(_ start: Int, _ end: Int) async throws -> [OperationID] {
                try await desk.ledger.read { rows throws(LedgerError) in
                    try rows.operations(begunSince: .tick(start), until: .tick(end))
                }.map(\.id)
            }
            #expect(
                try await begun(0, 100) == [5, 7, 20, 21, 9].map(OperationID.numbered))
            #expect(try await begun(7, 9) == [7, 20, 21].map(OperationID.numbered))
            #expect(try await begun(9, 10) == [.numbered(9)])
            #expect(try await begun(9, 9) == [])
            #expect(try await begun(9, 5) == [])
            #expect(try await begun(10, 100) == [])
        },
    ]
}
