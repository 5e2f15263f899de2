import BlockingLane
import CardCryptography
import Cards
import FaultyWorld
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// One answer of an honest chip arrives changed, with a matching checksum.
@Suite("Changed answers of an honest NTAG 424")
struct ChangedAnswerTests: ProvenCards {
    enum EnumeratedRequest: CaseIterable, Sendable {
        case read, pay, add, payWithNewKeys, payAfterRestore, payAfterTear
        case make, reissue, readUnknown, info

        fileprivate func carryOut(at station: Station) async throws(TapcardError) {
            let (id, amount) = (World.id(2), World.usd(250))
            switch self {
            case .read, .readUnknown:
                if let problem = try await station.read().problem { throw problem }
            case .pay, .payWithNewKeys, .payAfterRestore, .payAfterTear:
                _ = try await station.pay(amount, id: id)
            case .add: _ = try await station.add(amount, id: id)
            case .make, .reissue:
                _ = try await station.make(
                    CardRequest(
                        .issue(Holder(id: nil, name: nil), amount, hasScratchCard: false),
                        mayReissue: self == .reissue), id: id)
            case .info:
                let info = try await station.tagInfo()
                guard info.originality != .invalid else {
                    throw TapcardError(.forged, "The signature is called untrue.")
                }
            }
        }
    }

    /// The world in which every tap of this request begins.
    private func start(_ request: EnumeratedRequest) async throws -> World {
        let blank = NTAG424Memory.signedExample
        let world = World(Simulation([], chips: [blank], onReader: [blank.number]))
        guard request != .make else { return world }
        try await world.issue()
        switch request {
        case .payAfterRestore:
            // The ledger is of the time before the card got its new keys.
            var chip = try await chip(world)
            let keys = NTAG424CardKeys(Self.rotated.sealing.masters, uid: chip.uid)
            for number in KeyNumber.allCases {
                chip[number].key = keys[number]
                chip[number].version = keys.version
            }
            try await put(chip, on: world)
        case .payAfterTear:
            try await world.arm(Fault(at: 1, counting: .write, .acknowledgeLost))
            _ = await outcome { () throws(TapcardError) in
                try await world.station.pay(World.usd(250), id: World.id(2))
            }
            try await put(try await chip(world), on: world)
        default: break
        }
        return world
    }

    private func keys(_ request: EnumeratedRequest) -> KeyRing {
        [.payWithNewKeys, .payAfterRestore].contains(request) ? Self.rotated : World.keys
    }

    /// Plays the request on a copy of this world.
    private func play(
        _ request: EnumeratedRequest, _ simulation: Simulation, _ tables: LedgerTables,
        _ keys: KeyRing,
        _ change: Change?
    ) async throws -> (world: World, line: ChangingLine, outcome: Result<Void, TapcardError>) {
        let ledger = TableLedger(request == .readUnknown ? LedgerTables() : tables)
        let world = World(simulation, ledger: ledger)
        let line = ChangingLine(world.reader, change)
        let station = world.station(reader: line, keys: keys)
        let outcome = await outcome { () throws(TapcardError) in
            try await request.carryOut(at: station)
        }
        await world.reader.release()
        return (world, line, outcome)
    }

    @Test(
        "One changed answer never makes an honest card look forged or copied",
        arguments: EnumeratedRequest.allCases)
    func anywhere(_ request: EnumeratedRequest) async throws {
        let start = try await start(request)
        let (simulation, tables) = (try await start.simulation(), start.tables)
        let keys = keys(request)
        let undisturbed = try await play(request, simulation, tables, keys, nil)
        #expect(undisturbed.outcome.isSuccess, "\(undisturbed.outcome)")
        let sizes = undisturbed.line.sizes
        for (number, size) in sizes.enumerated() {
            for change in Change.all(of: number, size, isSample: request != .pay) {
                let tap = try await play(request, simulation, tables, keys, change)
                let failures = try await chip(tap.world).keys.map(\.failures)
                #expect(failures.allSatisfy { $0 <= 2 }, "\(request), \(change): \(failures)")
                guard let error = tap.outcome.failure else { continue }
                // A card that its ledger does not know may be one of another issuer; and two keys
                // of a card were refused where its ledger is an old one.
                let mayLackKey = request == .readUnknown || request == .payAfterRestore
                #expect(
                    [1, 6].contains(error.result.exitStatus)
                        || (mayLackKey && error.kind == .keyMissing),
                    "\(request), \(change): \(error.kind.word), \(error)")
                #expect(!error.next.contains(.trust(.keepCopy)), "\(request), \(change)")
            }
        }
    }

    @Test("A chip that fails one proof before it is taken away is not called a copy")
    func takenAway() async throws {
        let world = try await made()
        let count = Guarded(0)
        let reader = InterposedReader(
            world.reader,
            select: { limit, reader throws(ReaderError) in
                let isGone = count.withLock { count in
                    count += 1
                    return count > 1
                }
                if isGone { throw ReaderError(.noTag) }
                return try await reader.select(within: limit)
            })
        let honest = try await chip(world)
        var clone = try #require(NTAG424Memory(factory: honest.number))
        clone[.ndef].bytes = honest[.ndef].bytes
        try await put(clone, on: world)
        let error = try #require(
            await outcome { () throws(TapcardError) in
                try await world.station(reader: reader).pay(World.usd(250), id: World.id(2))
            }.failure)
        #expect(error.kind == .tagLost && error.result.exitStatus == 1, "\(error)")
        #expect(error.next == [.tag(.holdStill)])
        // It fails twice where it stays, and that is told.
        await expectRefused(.copied, exit: 7) { () throws(TapcardError) in
            try await world.station.pay(World.usd(250), id: World.id(3))
        }
        #expect(try await chip(world)[.three].failures == 3)
    }
}

/// A change to one answer of a chip.
private struct Change: Sendable, CustomStringConvertible {
    private enum Kind { case xor(byte: Int, UInt8), status(UInt8) }

    /// The second bytes of the status words that a chip knows.
    private static let statuses: [UInt8] = [
        0x00, 0x1C, 0x1E, 0x40, 0x7E, 0x9D, 0x9E, 0xA0, 0xAD, 0xAE, 0xAF, 0xBE, 0xCA, 0xEE, 0xF0,
    ]

    let answer: Int
    private let kind: Kind

    /// All changes of an answer of this size: each bit, each byte, each status. `isSample` takes
    /// only some of them.
    static func all(of answer: Int, _ size: Int, isSample: Bool) -> [Change] {
        let kinds =
            (0..<size).flatMap { byte in
                ((0..<8).map { 1 << UInt8($0) } + [0xFF]).map { Kind.xor(byte: byte, $0) }
            } + statuses.map { Kind.status($0) }
        return stride(from: isSample ? answer % 10 : 0, to: kinds.count, by: isSample ? 11 : 1)
            .map { Change(answer: answer, kind: kinds[$0]) }
    }

    func apply(to bytes: inout [UInt8]) {
        switch kind {
        case .xor(let byte, let mask) where bytes.indices.contains(byte): bytes[byte] ^= mask
        case .status(let status) where !bytes.isEmpty: bytes[bytes.count - 1] = status
        default: break
        }
    }

    var description: String { "\(kind) of answer \(answer)" }
}

/// A reader that changes one answer.
private final class ChangingLine: TagReader {
    let name = "changing line"
    let maximumAnswerLength = 250
    private let reader: SimulatedReader
    private let change: Change?
    private let heard = Guarded([Int]())

    init(_ reader: SimulatedReader, _ change: Change?) {
        (self.reader, self.change) = (reader, change)
    }

    /// The size of each answer.
    var sizes: [Int] { heard.withLock { $0 } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await reader.select(within: limit)
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await reader.exchange(frame)
    }

    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        var answer = try await reader.exchange(command: command)
        let number = heard.withLock { sizes in
            sizes.append(answer.count)
            return sizes.count - 1
        }
        if let change, change.answer == number { change.apply(to: &answer) }
        return answer
    }

    func release() async { await reader.release() }
}
