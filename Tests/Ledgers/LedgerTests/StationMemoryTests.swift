import Ledger
import TapcardDomain
import Testing

@Suite("A station's memory of its ledger") struct StationMemoryTests {
    @Test("A station's memory is read back from its text, ignoring foreign lines")
    func text() throws {
        var memory = StationMemory()
        #expect(StationMemory(memory.text) == memory)
        memory.note(try Self.note(1, on: 1, .committed), isConfirmed: true)
        memory.note(try Self.note(2, on: 2, .pending), isConfirmed: true)
        memory.note(try Self.note(3, on: 3, .pending), isConfirmed: false)
        #expect(memory.last?.operation == .made(2) && memory.open.count == 2)
        #expect(StationMemory(memory.text) == memory)
        let damaged =
            "nothing\n\n" + memory.text + "open issuer 1 x y pay 1 3 pending\nlast\nopen issuer"
        #expect(StationMemory(damaged) == memory)
    }

    @Test("An operation stays open until its end is confirmed, one for each card")
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

    @Test("An open operation is kept next to one that may have replaced it")
    func perhapsReplaced() throws {
        var memory = StationMemory()
        memory.note(try Self.note(1, on: 1, .pending), isConfirmed: true)
        memory.note(try Self.note(2, on: 1, .pending), isConfirmed: false)
        #expect(memory.open.map(\.operation) == [.made(1), .made(2)])
        memory.note(try Self.note(3, on: 1, .pending), isConfirmed: true)
        #expect(memory.open.map(\.operation) == [.made(3)])
    }

    @Test("The memory finds requests that were done or may have been done")
    func earlierTries() throws {
        var memory = StationMemory()
        memory.note(try Self.note(1, on: 1, .pending), isConfirmed: false)
        memory.note(try Self.note(2, on: 2, .committed), isConfirmed: true)
        memory.note(try Self.note(3, on: 3, .voided), isConfirmed: true)
        #expect(
            (1...4).map { memory.earlierRequest(of: .made($0))?.operation } == [
                .made(1), .made(2), .made(3), nil,
            ])
        #expect(memory.earlierRequest(of: .made(3))?.state == .voided)
        let card = try Self.card(1)
        #expect(memory.possiblyRepeated(.pay, 100, on: nil)?.operation == .made(1))
        #expect(memory.possiblyRepeated(.pay, nil, on: nil)?.operation == .made(1))
        #expect(memory.possiblyRepeated(.pay, 99, on: nil) == nil)
        #expect(memory.possiblyRepeated(.add, 100, on: nil) == nil)
        #expect(memory.possiblyRepeated(.add, 99, on: card)?.operation == .made(1))
        #expect(memory.possiblyRepeated(.pay, 100, on: try Self.card(2)) == nil)
        for number in 10...29 {
            memory.note(try Self.note(number, on: number, .committed), isConfirmed: true)
        }
        #expect(memory.ended.map(\.operation) == (10...29).map { .made($0) })
        #expect(StationMemory(memory.text) == memory)
    }

    @Test("Operations that ended before a loss are kept next to later ones")
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

    /// A request that the till reported as not done must not be taken offline when it is retried.
    @Test("A voided request is remembered as long as a snapshot counts, whatever follows it")
    func notDone() throws {
        let day: Int64 = 86_400_000
        var memory = StationMemory()
        memory.note(try Self.note(1, on: 1, .pending), isConfirmed: true)
        memory.note(try Self.note(1, on: 1, .voided, at: 1), isConfirmed: true)
        for number in 2...250 {
            memory.note(
                try Self.note(number, on: number, .committed, at: day), isConfirmed: true)
        }
        #expect(memory.earlierRequest(of: .made(1))?.state == .voided && !memory.hasForgotten)
        #expect(StationMemory(memory.text) == memory)
        memory.note(try Self.note(251, on: 1, .committed, at: day + 1), isConfirmed: true)
        #expect(memory.earlierRequest(of: .made(1)) != nil)
        memory.note(try Self.note(252, on: 1, .committed, at: day + 2), isConfirmed: true)
        #expect(memory.earlierRequest(of: .made(1)) == nil)
    }

    @Test("A request that another station voided is remembered from when this one was told")
    func toldByTheLedger() throws {
        let day: Int64 = 86_400_000
        var memory = StationMemory()
        memory.note(try Self.note(1, on: 1, .pending), isConfirmed: false)
        memory.note(try Self.note(2, on: 2, .committed, at: 5 * day), isConfirmed: true)
        memory.noteNotDone(try Self.note(1, on: 1, .voided, at: 1))
        memory.noteNotDone(try Self.note(2, on: 2, .committed))
        #expect(memory.open == [] && memory.last?.operation == .made(2))
        #expect(memory.notDone.map(\.operation) == [.made(1)])
        memory.note(try Self.note(3, on: 3, .committed, at: 6 * day), isConfirmed: true)
        memory.noteNotDone(try Self.note(1, on: 1, .voided, at: 1))
        #expect(memory.notDone.count == 1 && memory.earlierRequest(of: .made(1)) != nil)
    }

    @Test("Forgetting too early is noted until no snapshot can be that old")
    func forgetful() throws {
        let day: Int64 = 86_400_000
        for state in [Operation.State.voided, .pending] {
            var memory = StationMemory()
            for number in 0..<(state == .voided ? 500 : 100) {
                memory.note(try Self.note(number, on: number, state, at: 7), isConfirmed: true)
            }
            #expect(!memory.hasForgotten)
            memory.note(try Self.note(600, on: 600, state, at: 7), isConfirmed: true)
            #expect(memory.hasForgotten)
            memory = StationMemory(memory.text)
            memory.note(try Self.note(601, on: 601, .committed, at: 7 + day), isConfirmed: true)
            #expect(memory.hasForgotten)
            memory.note(try Self.note(602, on: 602, .committed, at: 8 + day), isConfirmed: true)
            #expect(!memory.hasForgotten && !StationMemory(memory.text).hasForgotten)
        }
    }

    @Test("The memory keeps the latest hundred open operations")
    func bound() throws {
        var memory = StationMemory()
        for number in 1...150 {
            memory.note(try Self.note(number, on: number, .pending), isConfirmed: true)
        }
        #expect(memory.open.map(\.operation) == (51...150).map { .made($0) })
    }

    private static func card(_ number: Int) throws -> CardUID {
        try #require(
            CardUID(bytes: [0x04, UInt8(number & 0xFF), UInt8(number >> 8), 3, 4, 5, 6]))
    }

    private static func note(
        _ id: Int, on card: Int, _ state: Operation.State, at time: Int64 = 0, epoch: Int64 = 3
    ) throws -> StationMemory.Note {
        var operation = Operation(
            id: .made(id), uid: try Self.card(card), kind: .pay, amount: 100,
            beganAt: Timestamp(milliseconds: time), sequence: try #require(SequenceNumber(7)))
        operation.state = state
        if state != .pending { operation.endedAt = Timestamp(milliseconds: time) }
        return StationMemory.Note(operation, ledgerID: "ledger", epoch: epoch)
    }
}

extension UniqueID {
    fileprivate static func made(_ number: Int) -> UniqueID {
        let digits = [UInt8(number >> 8), UInt8(number & 0xFF)]
        guard let id = UniqueID(bytes: [UInt8](repeating: 0xA0, count: 14) + digits) else {
            preconditionFailure("sixteen bytes make an id")
        }
        return id
    }
}
