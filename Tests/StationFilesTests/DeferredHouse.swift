import CardCryptography
import DurableFile
import Glibc
import Ledger
import Ntag424
import PortDoubles
import SimulatedField
import SimulatedReader
import StationFiles
import TagReading
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

/// A ledger with one card of ten dollars, which lies on a reader.
struct House {
    static let keys = KeyRing.fresh(created: "2026-01-01") { [UInt8](repeating: 0x5A, count: $0) }
    static let now = Timestamp(milliseconds: 1_700_000_000_000)

    let reader: SimulatedReader
    let ledger = TableLedger()
    let station: Station

    /// A tag with pages, and a chip that proves itself: the promises are the same on both.
    static let chips: [Chip] = [.ntag213, .ntag424]

    init(_ chip: Chip = .ntag213, _ keys: KeyRing = House.keys) async throws {
        reader = SimulatedReader(try House.blank(chip))
        station = House.station(reader, ledger, keys)
        let holder = Holder(id: try HolderID(1), name: try HolderName("Amanda"))
        _ = try await station.make(
            CardOrder(.issue(holder, .cents(1_000), hasScratchCard: false)), id: .numbered(1_000))
    }

    /// One from the factory on the reader, with the number of the card.
    static func blank(_ chip: Chip) throws -> Simulation {
        let uid = CardUID.first
        var simulation = Simulation()
        if let model = Type2Chip(chip) {
            simulation.save(try #require(TagMemory.blank(model, uid: uid.bytes)))
        } else {
            simulation.save(ChipMemory(factory: uid))
        }
        simulation.put([uid.bytes])
        return simulation
    }

    static func station(
        _ reader: any TagReader, _ ledger: any LedgerStore, _ keys: KeyRing = House.keys
    ) -> Station {
        Station(
            reader: reader, ledger: ledger, keys: keys,
            settings: Station.Settings(wait: .milliseconds(100)),
            surroundings: Station.Surroundings(now: { now }, sleep: { _ in }))
    }

    func balance() async throws -> Int64 {
        try #require(try await ledger.view(of: .first)).balance.minorUnits
    }

    /// A station with a snapshot, from which the ledger is out of reach.
    func till() async throws -> Till {
        let till = try tillWithoutSnapshot()
        try await till.look()
        return till
    }

    /// A station with a snapshot of a ledger that has this name.
    func tillOfHouse(_ name: String) async throws -> Till {
        let till = try tillWithoutSnapshot()
        try await till.look(at: NamedLedger(name: name, ledger: ledger))
        return till
    }

    func tillWithoutSnapshot() throws -> Till {
        let folder = "/tmp/tapcard-deferred-\(UInt64.random(in: 0...UInt64.max))"
        try DurableFile.makeFolder(folder)
        return Till(folder, self)
    }
}

/// A station with files of its own. They go with it.
final class Till: Sendable {
    private let folder: String
    private let house: House
    private let isOwner: Bool
    private let caps = DeferralCaps.standard(for: .usd)

    init(_ folder: String, _ house: House, isOwner: Bool = true) {
        (self.folder, self.house, self.isOwner) = (folder, house, isOwner)
    }

    deinit {
        guard isOwner else { return }
        for name in ["journal", "journal.lock", "journal.copy", "snapshot"] {
            unsafe unlink("\(folder)/deferred.\(name)")
        }
        unsafe unlink(memory)
        unsafe rmdir(folder)
    }

    private var sales: DeferredSales { DeferredSales(in: folder, memory: memory) }
    private var memory: String { "\(folder)/confirmed.txt" }
    private var journal: String { "\(folder)/deferred.journal" }
    var mode: UInt32? { try? DurableFile(journal).permissions() }

    /// Another process of the same station.
    func again() -> Till { Till(folder, house, isOwner: false) }

    func look(
        at ledger: (any LedgerStore)? = nil, with keys: KeyRing = House.keys
    ) async throws {
        _ = try await sales.takeSnapshot(
            of: ledger ?? house.ledger, keys, within: caps, house.station.surroundings)
    }

    func pay(
        _ cents: Int64, id: Int, only card: CardUID? = nil, with keys: KeyRing = House.keys
    ) async throws -> Receipt {
        try await sales.pay(
            .cents(cents), id: .numbered(id), only: card, within: caps,
            at: House.station(house.reader, InMemoryLedger(), keys))
    }

    /// Accepts a payment whose card comes after this work was done.
    func pay(
        _ cents: Int64, id: Int, after work: @escaping @Sendable () async -> Void
    ) async throws -> Receipt {
        let reader = InterposedReader(
            house.reader,
            select: { limit, reader throws(ReaderError) in
                await work()
                return try await reader.select(within: limit)
            })
        return try await sales.pay(
            .cents(cents), id: .numbered(id), only: nil, within: caps,
            at: House.station(reader, InMemoryLedger()))
    }

    func settle(into ledger: (any LedgerStore)? = nil) async throws -> DeferredSales.Settled? {
        try await sales.settle(into: ledger ?? house.ledger, House.keys, at: House.now)
    }

    func status() throws -> DeferredSales.Status? {
        try sales.status(House.keys, at: House.now, nil)
    }

    func shown(_ reading: CardReading) throws -> CardReading {
        try sales.lessUnbooked(reading, House.keys)
    }

    func copy() throws -> String {
        let bytes = try #require(try DurableFile(journal).read())
        try DurableFile(journal + ".copy").write(bytes)
        return journal + ".copy"
    }

    /// Notes an operation that this station has begun and not ended.
    func note(_ operation: Operation, in house: String) throws {
        var known = StationMemory()
        known.note(StationMemory.Note(operation, house: house, epoch: 1), isConfirmed: true)
        try DurableFile(memory).write(Array(known.text.utf8))
    }

    /// Loses the journal, and makes another one.
    func replaceJournal() async throws {
        try DurableFile(journal).remove()
        try await look()
    }

    /// Puts a folder where the journal is.
    func makeUnreadable() throws {
        try DurableFile(journal).remove()
        try DurableFile.makeFolder(journal)
    }

    func makeReadable() { unsafe rmdir(journal) }
    var mayHaveLines: Bool { sales.mayHaveLines }

    /// Changes a byte of the line with this number, the head's being 1.
    func alter(line number: Int = 2) throws {
        var bytes = try #require(try DurableFile(journal).read())
        let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
        bytes[ends[number - 2] + 60] ^= 1
        try DurableFile(journal).write(bytes)
    }

    /// Gives the journal a second name.
    func linkJournal() { _ = unsafe link(journal, "\(folder)/deferred.journal.copy") }
    func unlinkJournal() { unsafe unlink("\(folder)/deferred.journal.copy") }
    /// Lets others write to a file of the station.
    func expose(_ name: String, _ mode: mode_t = 0o620) {
        unsafe chmod("\(folder)/\(name)", mode)
    }

    /// Adds the beginning of a line.
    func tear() throws {
        let bytes = try #require(try DurableFile(journal).read())
        try DurableFile(journal).write(bytes + Array("2 6f1c2a34-5b6d".utf8))
    }
}

/// A ledger with a name.
struct NamedLedger: LedgerStore {
    let name: String
    let ledger: any LedgerStore

    var currency: Currency { ledger.currency }
    func house() async throws(LedgerError) -> String? { name }

    func read<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success { try await ledger.read(touching: footprint, body) }

    func write<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success { try await ledger.write(touching: footprint, body) }
}

extension CardUID {
    static let first = made([0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80])
    static let other = made([0x04, 0xDE, 0xAD, 0xBE, 0xEF, 0x00, 0x01])

    private static func made(_ bytes: [UInt8]) -> CardUID {
        guard let uid = CardUID(bytes: bytes) else { preconditionFailure("seven bytes") }
        return uid
    }
}

extension Money {
    static func cents(_ units: Int64) -> Money { Money(minorUnits: units, .usd) }
}

extension UniqueID {
    static func numbered(_ number: Int) -> UniqueID {
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        guard let id = UniqueID(bytes: [UInt8](repeating: 0xA0, count: 8) + digits) else {
            preconditionFailure("sixteen bytes make an id")
        }
        return id
    }
}
