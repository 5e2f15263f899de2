import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Some of the operations, without reading all of them.
    static let looking = [
        Scenario("the newest operations are the last ones, oldest first") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            for id in 3...6 { try await till.complete(.pay(.cents(1)), id: id) }
            let (all, one, none, few) = try await till.ledger.read { rows throws(LedgerError) in
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
            till in
            try await till.complete(.issue(), id: 5)
            try await till.complete(.pay(.cents(1)), id: 9)
            // Another station, with another clock.
            try await till.complete(.pay(.cents(1)), id: 7)
            for id in [20, 21] {
                _ = try await till.ledger.change(
                    .first, id == 20 ? .block : .unblock, id: .numbered(id), at: .tick(8))
            }
            func begun(_ start: Int, _ end: Int) async throws -> [OperationID] {
                try await till.ledger.read { rows throws(LedgerError) in
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
        Scenario("pages of any size are the same rows, one after the other") { till in
            for (id, uid) in [CardUID.first, .second, .numbered(3)].enumerated() {
                try await till.complete(.issue(), id: id, on: uid)
                try await till.complete(.scratch(.numbered(70 + id)), id: 10 + id, on: uid)
                try await till.ask(for: 20 + id, on: uid)
                try await till.answer(20 + id, rejectedBy: "1")
                try await till.ask(for: 30 + id, on: uid)
            }
            for id in 40...44 { try await till.complete(.pay(.cents(1)), id: id) }
            try await till.ledger.read { rows throws(LedgerError) in
                let cards = try rows.cards()
                let operations = try rows.operations(on: nil)
                let ours = operations.filter { $0.uid == .first }
                let attempts = try rows.activations()
                let begun = try rows.operations(begunSince: .tick(0), until: .tick(44))
                #expect(cards.count == 3 && operations.count == 11 && ours.count == 7)
                #expect(attempts.count == 6 && begun.count == 10)
                #expect(attempts.map(\.id) == [20, 30, 21, 31, 22, 32].map(OperationID.numbered))
                for size in 1...12 {
                    #expect(
                        try paged(size) { last, count throws(LedgerError) in
                            try rows.cards(after: last?.uid, atMost: count)
                        } == cards)
                    #expect(
                        try paged(size) { last, count throws(LedgerError) in
                            try rows.operations(on: nil, after: last?.id, atMost: count)
                        } == operations)
                    #expect(
                        try paged(size) { last, count throws(LedgerError) in
                            try rows.operations(on: .first, after: last?.id, atMost: count)
                        } == ours)
                    #expect(
                        try paged(size) { last, count throws(LedgerError) in
                            try rows.operations(
                                begunSince: .tick(0), until: .tick(44), after: last, atMost: count)
                        } == begun)
                    #expect(
                        try paged(size) { last, count throws(LedgerError) in
                            try rows.activations(
                                on: nil, or: nil, after: last?.id, atMost: count)
                        } == attempts)
                    #expect(
                        try paged(size) { last, count throws(LedgerError) in
                            try rows.activations(
                                on: .first, or: .numbered(71), after: last?.id, atMost: count)
                        } == Array(attempts.prefix(4)))
                }
                #expect(try rows.cards(after: nil, atMost: 0) == [])
                #expect(try rows.operations(on: .first, after: nil, atMost: -1) == [])
                #expect(
                    try rows.activations(on: .first, or: nil, since: .tick(30)).map(\.id)
                        == [.numbered(30)])
            }
        },
    ]
}

private func paged<Row>(
    _ size: Int, _ page: (_ last: Row?, _ count: Int) throws(LedgerError) -> [Row]
) throws(LedgerError) -> [Row] {
    var rows: [Row] = []
    while true {
        let next = try page(rows.last, size)
        rows += next
        if next.count < size { return rows }
    }
}
