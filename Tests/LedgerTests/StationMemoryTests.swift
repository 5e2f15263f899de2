import Ledger
import TapcardDomain
import Testing

@Suite("A station's memory of its ledger") struct StationMemoryTests {
    @Test("reads back, and ignores foreign lines")
    func text() throws {
        var memory = StationMemory()
        #expect(StationMemory(memory.text) == memory)
        memory.note(try Self.note(1, on: 1, .committed), isConfirmed: true)
        memory.note(try Self.note(2, on: 2, .pending), isConfirmed: true)
        memory.note(try Self.note(3, on: 3, .pending), isConfirmed: false)
        #expect(memory.last?.operation == .made(2) && memory.open.count == 2)
        #expect(StationMemory(memory.text) == memory)
        let damaged =
            "nothing\n\n" + memory.text + "open house 1 x y pay 1 3 pending\nlast\nopen house"
        #expect(StationMemory(damaged) == memory)
    }

    @Test("has what is open until its end is confirmed, once for each card")
    func open() throws {
        var memory = StationMemory()
        memory.note(try Self.note(1, on: 1, .pending), isConfirmed: true)
        memory.note(try Self.note(1, on: 1, .committed), isConfirmed: false)
        #expect(memory.open.map(\.operation) == [.made(1)] && memory.last?.state == .pending)
        memory.note(try Self.note(2, on: 1, .committed), isConfirmed: true)
        #expect(memory.open.map(\.operation) == [.made(1)])
        memory.note(try Self.note(3, on: 1, .pending), isConfirmed: true)
        #expect(memory.open.map(\.operation) == [.made(3)])
        memory.note(try Self.note(3, on: 1, .voided), isConfirmed: true)
        #expect(memory.open == [] && memory.last?.state == .voided)
    }

    @Test("keeps an open operation next to what may have replaced it")
    func perhapsReplaced() throws {
        var memory = StationMemory()
        memory.note(try Self.note(1, on: 1, .pending), isConfirmed: true)
        memory.note(try Self.note(2, on: 1, .pending), isConfirmed: false)
        #expect(memory.open.map(\.operation) == [.made(1), .made(2)])
        memory.note(try Self.note(3, on: 1, .pending), isConfirmed: true)
        #expect(memory.open.map(\.operation) == [.made(3)])
    }

    @Test("knows which request was done, or may have been")
    func earlierTries() throws {
        var memory = StationMemory()
        memory.note(try Self.note(1, on: 1, .pending), isConfirmed: false)
        memory.note(try Self.note(2, on: 2, .committed), isConfirmed: true)
        memory.note(try Self.note(3, on: 3, .voided), isConfirmed: true)
        #expect(
            (1...4).map { memory.earlierTry(of: .made($0))?.operation } == [
                .made(1), .made(2), nil, nil,
            ])
        let card = try Self.card(1)
        #expect(memory.perhapsRepeated(.pay, 100, on: nil)?.operation == .made(1))
        #expect(memory.perhapsRepeated(.pay, nil, on: nil)?.operation == .made(1))
        #expect(memory.perhapsRepeated(.pay, 99, on: nil) == nil)
        #expect(memory.perhapsRepeated(.add, 100, on: nil) == nil)
        #expect(memory.perhapsRepeated(.add, 99, on: card)?.operation == .made(1))
        #expect(memory.perhapsRepeated(.pay, 100, on: try Self.card(2)) == nil)
        for number in 10...29 {
            memory.note(try Self.note(number, on: number, .committed), isConfirmed: true)
        }
        #expect(memory.ended.map(\.operation) == (10...29).map { .made($0) })
        #expect(StationMemory(memory.text) == memory)
    }

    @Test("keeps what ended before a loss")
    func beforeALoss() throws {
        var memory = StationMemory()
        for number in 1...25 {
            memory.note(
                try Self.note(number, on: number, .committed, epoch: 1), isConfirmed: true)
        }
        for number in 101...125 {
            memory.note(
                try Self.note(number, on: number, .committed, epoch: 2), isConfirmed: true)
        }
        #expect(
            memory.ended.map(\.operation) == (6...25).map { .made($0) }
                + (106...125).map { .made($0) })
    }

    @Test("keeps the latest hundred")
    func bound() throws {
        var memory = StationMemory()
        for number in 1...150 {
            memory.note(try Self.note(number, on: number, .pending), isConfirmed: true)
        }
        #expect(memory.open.map(\.operation) == (51...150).map { .made($0) })
    }

    private static func card(_ number: Int) throws -> CardUID {
        try #require(CardUID(bytes: [0x04, UInt8(number), 2, 3, 4, 5, 6]))
    }

    private static func note(
        _ id: Int, on card: Int, _ state: Operation.State, epoch: Int64 = 3
    ) throws -> StationMemory.Note {
        var operation = Operation(
            id: .made(id), uid: try Self.card(card), kind: .pay, amount: 100,
            begunAt: Timestamp(milliseconds: 0), sequence: try #require(SequenceNumber(7)))
        operation.state = state
        return StationMemory.Note(operation, house: "house", epoch: epoch)
    }
}

extension UniqueID {
    fileprivate static func made(_ number: Int) -> UniqueID {
        guard let id = UniqueID(bytes: [UInt8](repeating: 0xA0, count: 15) + [UInt8(number)]) else {
            preconditionFailure("sixteen bytes make an id")
        }
        return id
    }
}
