import CardCryptography
import Ledger
import PCSCReader
import PlayedPCSCReaders
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Testing

/// A station with one of the simulated readers and a ledger in memory.
struct PCSCTill: Sendable {
    let station: Station
    let ledger: InMemoryLedger

    static func usd(_ minorUnits: Int64) -> Money { Money(minorUnits: minorUnits, .usd) }

    init(
        _ reader: any TagReader, ledger: InMemoryLedger = InMemoryLedger(),
        wait: Duration = Kind.limit
    ) {
        self.ledger = ledger
        station = Station(
            reader: reader, ledger: ledger,
            keys: KeyRing.fresh(created: "2026-01-01") { [UInt8](repeating: 0x5A, count: $0) },
            settings: Station.Settings(wait: wait),
            dependencies: Station.Dependencies(
                now: { Timestamp(milliseconds: 1_795_000_000_000) },
                sleep: { _ in try Task.checkCancellation() }))
    }

    /// A till with ten dollars on a card; another reader issues it, because a plain one cannot.
    static func withCard(on kind: Kind) async throws -> PCSCTill {
        let blank = try #require(TagMemory.blank(.ntag213, uid: Kind.uid))
        var simulation = Simulation([blank])
        simulation.put([Kind.uid])
        let maker = SimulatedReader(simulation)
        let ledger = InMemoryLedger()
        try await PCSCTill(maker, ledger: ledger).make()
        let tag = try await maker.change { $0.tags[0] }
        kind.slot.change { $0.lay(tag) }
        return PCSCTill(try await kind.open(), ledger: ledger)
    }

    func newID() -> OperationID { station.newID() }

    func make() async throws(TapcardError) {
        let holder: Holder
        do {
            holder = Holder(id: try HolderID(1), name: try HolderName("Amanda Gonzalez"))
        } catch {
            throw TapcardError(error)
        }
        let request = CardRequest(.issue(holder, PCSCTill.usd(1_000), hasScratchCard: true))
        _ = try await station.make(request, id: newID())
    }

    @discardableResult
    func pay(_ minorUnits: Int64, id: OperationID? = nil) async throws(TapcardError) -> Receipt {
        try await station.pay(PCSCTill.usd(minorUnits), id: id ?? newID())
    }

    func balance() async throws -> Int64 {
        let uid = try #require(CardUID(bytes: Kind.uid))
        return try #require(try await ledger.knownCard(of: uid)).balance.minorUnits
    }

    /// Expects card and ledger to agree, and the ledger to keep its invariants.
    func expectAgreement(
        _ label: Comment, at location: SourceLocation = #_sourceLocation
    )
        async throws
    {
        let reading = try await station.read()
        #expect(
            reading.balance?.minorUnits == (try await balance()), label, sourceLocation: location)
        let report = try await ledger.audit()
        #expect(report.violations.isEmpty && report.open == 0, label, sourceLocation: location)
    }
}
