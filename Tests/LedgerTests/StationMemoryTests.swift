import Ledger
import TapcardDomain
import Testing

@Suite("A station's memory of its ledger") struct StationMemoryTests {
    @Test("reads back, and ignores every line that is none of it")
    func text() throws {
        var memory = StationMemory()
        #expect(StationMemory(memory.text) == memory)
        memory.note(try Self.note(1, on: 1, .committed), isConfirmed: true)
        memory.note(try Self.note(2, on: 2, .pending), isConfirmed: true)
        memory.note(try Self.note(3, on: 3, .pending), isConfirmed: false)
        #expect(memory.last?.operation == .made(2) && memory.open.count == 2)
        #expect(StationMemory(memory.text) == memory)
        let damaged = "nothing\n\n" + memory.text + "open house 1 x y 3 pending\nlast\nopen house"
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

    @Test("keeps the latest hundred")
    func bound() throws {
        var memory = StationMemory()
        for number in 1...150 {
            memory.note(try Self.note(number, on: number, .pending), isConfirmed: true)
        }
        #expect(memory.open.map(\.operation) == (51...150).map { .made($0) })
    }

    private static func note(
        _ id: Int, on card: Int, _ state: Operation.State
    ) throws -> StationMemory.Note {
        let uid = try #require(CardUID(bytes: [0x04, UInt8(card), 2, 3, 4, 5, 6]))
        var operation = Operation(
            id: .made(id), uid: uid, kind: .pay, amount: 100,
            begunAt: Timestamp(milliseconds: 0), sequence: try #require(SequenceNumber(7)))
        operation.state = state
        return StationMemory.Note(operation, house: "house", epoch: 3)
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
