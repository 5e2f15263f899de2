import BlockingLane
import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

private let before: Int64 = 1_000
private let price: Int64 = 250

@Suite("An attacker on the line to an NTAG 424")
struct TappedLineTests: ProvenCards {
    /// The request over the line.
    enum EnumeratedRequest: CaseIterable, Sendable {
        case pay, add

        /// The number of commands it takes.
        var count: Int { self == .pay ? 6 : 11 }
        /// The balance afterwards.
        var after: Int64 { self == .pay ? before - price : before + price }
    }

    /// Sends a payment or a top-up over the line, on a copy of this world.
    private func hold(
        _ request: EnumeratedRequest, _ chip: NTAG424Memory, _ tables: LedgerTables,
        withOtherChance: Bool = false, over line: (SimulatedReader) -> TappedLine
    ) async throws -> (world: World, line: TappedLine, outcome: Result<Receipt, TapcardError>) {
        let world = World(
            Simulation([], chips: [chip], onReader: [chip.number]), ledger: TableLedger(tables))
        let line = line(world.reader)
        // Chance repeats itself in every world of a test, which makes records of another one good.
        if withOtherChance { _ = world.station.dependencies.random(100) }
        let outcome = await outcome { () throws(TapcardError) in
            let (station, amount) = (world.station(reader: line), World.usd(price))
            return request == .pay
                ? try await station.pay(amount, id: World.id(2))
                : try await station.add(amount, id: World.id(2))
        }
        return (world, line, outcome)
    }

    /// Expects the next tap to show the old or new balance, as was reported, on a working card.
    private func expectHonest(
        _ world: World, _ request: EnumeratedRequest = .pay,
        after outcome: Result<Receipt, TapcardError>,
        _ label: Comment
    ) async throws {
        if case .failure(let error) = outcome {
            #expect([1, 4, 6, 7].contains(error.result.exitStatus), label)
        }
        await world.reader.release()
        let summary = try await world.station.read()
        #expect(summary.problem == nil, label)
        let isDone = summary.balance == World.usd(request.after)
        #expect(isDone || summary.balance == World.usd(before), label)
        #expect(isDone || !outcome.isSuccess, label)
        if let status = outcome.result?.exitStatus, status != 6 { #expect(!isDone, label) }
        _ = try await world.station.pay(World.usd(1), id: World.id(3))
    }

    @Test(
        "A changed bit in any command or answer is retried, and the request is carried out",
        arguments: EnumeratedRequest.allCases)
    func changedBits(_ request: EnumeratedRequest) async throws {
        let start = try await made(before)
        let (chip, tables) = (try await chip(start), start.tables)
        let whole = try await hold(request, chip, tables) { TappedLine($0) }
        #expect(whole.outcome.isSuccess)
        let passed = whole.line.passed
        #expect(passed.count == request.count)
        // Beginning elsewhere in each command; NTAG424CardTests tries every bit below the ledger.
        let step = 7
        for (number, sizes) in passed.map({ ($0.command.count, $0.answer.count) }).enumerated() {
            for isAnswer in [false, true] {
                let size = isAnswer ? sizes.1 : sizes.0
                for bit in stride(from: number, to: size * 8, by: step) {
                    let flip = TappedLine.Flip(command: number, isAnswer: isAnswer, bit: bit)
                    let tap = try await hold(request, chip, tables) {
                        TappedLine($0, flipping: flip)
                    }
                    #expect(tap.outcome.isSuccess, "\(flip): \(tap.outcome)")
                    try await expectHonest(tap.world, request, after: tap.outcome, "\(flip)")
                }
            }
        }
    }

    @Test("A recorded payment convinces neither the card nor the station")
    func recorded() async throws {
        let start = try await made(before)
        let (chip, tables) = (try await chip(start), start.tables)
        let first = try await hold(.pay, chip, tables) { TappedLine($0) }
        let answers = first.line.passed.map(\.answer)
        for count in 1...answers.count {
            let tap = try await hold(.pay, chip, tables, withOtherChance: true) { line in
                TappedLine(line, repeating: Array(answers.prefix(count)))
            }
            #expect(!tap.outcome.isSuccess, "\(count)")
            try await expectHonest(tap.world, after: tap.outcome, "\(count)")
        }
    }
}

extension TappedLineTests {
    /// A change to an authentication on the line.
    enum Lie: CaseIterable, Sendable {
        /// The proof of a key arrives damaged, and its refusal is passed on or garbled.
        case refusal, noAnswer
        /// The line names false key versions, and the chip gets the keys of those versions.
        case versions
        /// The write is answered falsely, and each proof of a key after it arrives damaged.
        case afterWrite
    }

    @Test(
        "No tap spends more than two key attempts, whatever versions the line claims",
        arguments: Lie.allCases, [true, false])
    func spentKeys(_ lie: Lie, _ isKnown: Bool) async throws {
        let world = try await made(before)
        let named = Guarded(0)
        let hasWritten = Guarded(false)
        let line = InterposedReader(
            world.reader,
            command: { command, reader throws(ReaderError) in
                let opcode = NTAG424Opcode(rawValue: command[1])
                if opcode == .getKeyVersion {
                    // Keys 0 and 3 are asked for. The false version comes first, then the true one.
                    let version = named.withLock { count in
                        count += 1
                        return UInt8((count + 1) / 2 % 2 == 1 ? 3 : 2)
                    }
                    return [version, 0x91, 0x00]
                }
                if lie == .afterWrite, opcode == .writeData {
                    hasWritten.withLock { $0 = true }
                    return [0x91, 0x00]
                }
                // A short one is not a key, but asks for parts of an answer.
                let isSpoilt =
                    lie == .afterWrite ? hasWritten.withLock { $0 } : lie != .versions
                guard isSpoilt, opcode == .more, command.count > 20 else {
                    return try await reader.exchange(command: command)
                }
                var damaged = command
                damaged[20] ^= 1
                let answer = try await reader.exchange(command: damaged)
                return lie == .noAnswer ? [0x91] : answer
            })
        let station = world.station(
            reader: line, ledger: isKnown ? nil : TableLedger(), keys: Self.rotated)
        let result = await outcome { () throws(TapcardError) in
            try await station.pay(World.usd(price), id: World.id(2))
        }
        #expect(!result.isSuccess)
        // A card that is to get new keys is also asked for the version of key 0, which gives them.
        let spent = try await chip(world).keys.reduce(0) { $0 + $1.failures }
        #expect(spent <= 2, "\(spent)")
        if lie == .refusal, isKnown { #expect(result.error == .keyMissing && spent == 2) }
        await world.reader.release()
        _ = try await world.station.read()
    }
}

/// A reader that changes one bit on its line, or answers all commands from a record.
final class TappedLine: TagReader {
    struct Flip: Sendable, CustomStringConvertible {
        let command: Int
        let isAnswer: Bool
        let bit: Int

        var description: String { "bit \(bit) of \(isAnswer ? "answer" : "command") \(command)" }
    }

    let name = "tapped line"
    let maximumAnswerLength = 250
    private let reader: SimulatedReader
    private let flip: Flip?
    private let record: [[UInt8]]
    private let heard = Guarded([(command: [UInt8], answer: [UInt8])]())

    init(_ reader: SimulatedReader, flipping flip: Flip? = nil, repeating record: [[UInt8]] = []) {
        (self.reader, self.flip, self.record) = (reader, flip, record)
    }

    /// The commands that came, and their answers.
    var passed: [(command: [UInt8], answer: [UInt8])] { heard.withLock { $0 } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await reader.exchange(frame)
    }

    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        let number = passed.count
        var (command, answer) = (command, [UInt8]())
        if !record.isEmpty {
            // The card itself hears nothing.
            guard number < record.count else { throw ReaderError(.tagLost) }
            answer = record[number]
        } else {
            if flip?.command == number, flip?.isAnswer == false { change(&command) }
            answer = try await reader.exchange(command: command)
            if flip?.command == number, flip?.isAnswer == true { change(&answer) }
        }
        heard.withLock { [command, answer] in $0.append((command, answer)) }
        return answer
    }

    func release() async { await reader.release() }

    private func change(_ bytes: inout [UInt8]) {
        guard let bit = flip?.bit, bit / 8 < bytes.count else { return }
        bytes[bit / 8] ^= 1 << (bit % 8)
    }
}
