import CardCryptography
import Glibc
import Ledger
import OperatingSystem
import PortDoubles
import SimulatedReader
import StationFiles
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A station whose ledger has one card with ten dollars, which is on the reader.
struct TestIssuer {
    static let keys = KeyRing.fresh(created: "2026-01-01") { [UInt8](repeating: 0x5A, count: $0) }
    static let now = Timestamp(milliseconds: 1_700_000_000_000)

    let reader: SimulatedReader
    let ledger = TableLedger()
    let station: Station

    /// An NTAG213 and an NTAG 424, for which the same promises hold.
    static let chips: [Chip] = [.ntag213, .ntag424]

    init(_ chip: Chip = .ntag213, _ keys: KeyRing = TestIssuer.keys) async throws {
        reader = SimulatedReader(try TestIssuer.blank(chip))
        station = TestIssuer.station(reader, ledger, keys)
        let holder = Holder(id: try HolderID(1), name: try HolderName("Amanda"))
        _ = try await station.make(
            CardRequest(.issue(holder, .cents(1_000), hasScratchCard: false)), id: .numbered(1_000))
    }

    /// A reader with a factory tag that has the card's number.
    static func blank(_ chip: Chip) throws -> Simulation {
        let uid = CardUID.first
        var simulation = Simulation()
        if let model = Type2Chip(chip) {
            simulation.save(try #require(TagMemory.blank(model, uid: uid.bytes)))
        } else {
            simulation.save(NTAG424Memory(factory: uid))
        }
        simulation.put([uid.bytes])
        return simulation
    }

    static func station(
        _ reader: any TagReader, _ ledger: any LedgerStore, _ keys: KeyRing = TestIssuer.keys
    ) -> Station {
        Station(
            reader: reader, ledger: ledger, keys: keys,
            settings: Station.Settings(wait: .milliseconds(100)),
            dependencies: Station.Dependencies(now: { now }, sleep: { _ in }))
    }

    func balance() async throws -> Int64 {
        try #require(try await ledger.knownCard(of: .first)).balance.minorUnits
    }

    /// A till with a snapshot, whose ledger is offline.
    func till() async throws -> Till {
        let till = try tillWithoutSnapshot()
        try await till.sync()
        return till
    }

    /// A till with a snapshot of the ledger under this name.
    func tillOfIssuer(_ name: String) async throws -> Till {
        let till = try tillWithoutSnapshot()
        try await till.sync(at: NamedLedger(name: name, ledger: ledger))
        return till
    }

    func tillWithoutSnapshot() throws -> Till {
        let folder = "/tmp/tapcard-offline-\(UInt64.random(in: 0...UInt64.max))"
        try DurableFile.makeFolder(folder)
        return Till(folder, self)
    }
}

/// A station with its own files, which are removed together with it.
final class Till: Sendable {
    private let folder: String
    private let issuer: TestIssuer
    private let isOwner: Bool
    private let limits = OfflineLimits.standard(for: .usd)

    init(_ folder: String, _ issuer: TestIssuer, isOwner: Bool = true) {
        (self.folder, self.issuer, self.isOwner) = (folder, issuer, isOwner)
    }

    deinit {
        guard isOwner else { return }
        for name in ["journal", "journal.lock", "journal.copy", "snapshot"] {
            unsafe unlink("\(folder)/deferred.\(name)")
        }
        unsafe unlink(memory)
        unsafe rmdir(folder)
    }

    private var payments: OfflinePayments { OfflinePayments(in: folder, memory: memory) }
    private var memory: String { "\(folder)/confirmed.txt" }
    private var journal: String { "\(folder)/deferred.journal" }
    var mode: UInt32? { try? DurableFile(journal).permissions() }

    /// Another process of the same station.
    func again() -> Till { Till(folder, issuer, isOwner: false) }

    func sync(
        at ledger: (any LedgerStore)? = nil, with keys: KeyRing = TestIssuer.keys
    ) async throws {
        _ = try await payments.takeSnapshot(
            of: ledger ?? issuer.ledger, keys, within: limits, issuer.station.dependencies)
    }

    func pay(
        _ cents: Int64, id: Int, only card: CardUID? = nil, with keys: KeyRing = TestIssuer.keys
    ) async throws -> Receipt {
        try await payments.pay(
            .cents(cents), id: .numbered(id), only: card, within: limits,
            at: TestIssuer.station(issuer.reader, InMemoryLedger(), keys))
    }

    /// Accepts a payment whose card arrives after this work is done.
    func pay(
        _ cents: Int64, id: Int, after work: @escaping @Sendable () async -> Void
    ) async throws -> Receipt {
        let reader = InterposedReader(
            issuer.reader,
            select: { limit, reader throws(ReaderError) in
                await work()
                return try await reader.select(within: limit)
            })
        return try await payments.pay(
            .cents(cents), id: .numbered(id), only: nil, within: limits,
            at: TestIssuer.station(reader, InMemoryLedger()))
    }

    func book(into ledger: (any LedgerStore)? = nil) async throws -> OfflinePayments.Booked? {
        try await payments.book(into: ledger ?? issuer.ledger, TestIssuer.keys, at: TestIssuer.now)
    }

    func status() throws -> OfflinePayments.Status? {
        try payments.status(TestIssuer.keys, at: TestIssuer.now, nil)
    }

    func shown(_ summary: CardSummary) throws -> CardSummary {
        try payments.subtractingUnbooked(summary, TestIssuer.keys)
    }

    func copy() throws -> String {
        let bytes = try #require(try DurableFile(journal).read())
        try DurableFile(journal + ".copy").write(bytes)
        return journal + ".copy"
    }

    /// Notes an operation in the station's memory of this issuer's ledger.
    func note(_ operation: Operation, in issuer: String) throws {
        var known = StationMemory()
        known.note(StationMemory.Note(operation, ledgerID: issuer, epoch: 1), isConfirmed: true)
        try DurableFile(memory).write(Array(known.text.utf8))
    }

    /// Removes the journal and starts another one.
    func replaceJournal() async throws {
        try DurableFile(journal).remove()
        try await sync()
    }

    /// Puts a folder in the journal's place.
    func makeUnreadable() throws {
        try DurableFile(journal).remove()
        try DurableFile.makeFolder(journal)
    }

    func makeReadable() { unsafe rmdir(journal) }
    var mayHaveLines: Bool { payments.mayHaveLines }

    /// Changes a byte of the line with this number; the head is line 1.
    func alter(line number: Int = 2) throws {
        var bytes = try #require(try DurableFile(journal).read())
        let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
        bytes[ends[number - 2] + 60] ^= 1
        try DurableFile(journal).write(bytes)
    }

    /// Gives the journal a second name.
    func linkJournal() { _ = unsafe link(journal, "\(folder)/deferred.journal.copy") }
    func unlinkJournal() { unsafe unlink("\(folder)/deferred.journal.copy") }
    /// Lets other users write to a file of the station, or sets another mode.
    func expose(_ name: String, _ mode: mode_t = 0o620) {
        unsafe chmod("\(folder)/\(name)", mode)
    }

    /// Appends the beginning of a line.
    func tear() throws {
        let bytes = try #require(try DurableFile(journal).read())
        try DurableFile(journal).write(bytes + Array("2 6f1c2a34-5b6d".utf8))
    }
}

/// A ledger that reports this name as its id.
struct NamedLedger: LedgerStore {
    let name: String
    let ledger: any LedgerStore

    var currency: Currency { ledger.currency }
    func ledgerID() async throws(LedgerError) -> String? { name }

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
