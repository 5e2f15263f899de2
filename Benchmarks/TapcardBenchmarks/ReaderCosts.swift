import CardCryptography
import Ledger
import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain

/// The cost of a tap for a PN532 on a serial line: counted at the emulated reader, with the real
/// libnfc in between. Times are those that air and line would take; nothing here was timed.
enum ReaderCosts {
    /// One line of the table.
    struct Row {
        let what: String
        let counters: EmulatorCounters
        var mostDataCommands: Int?
        var mostHostCommands: Int?
        var mostMilliseconds: Double?

        var milliseconds: Double {
            Double(counters.airMicroseconds + counters.linkMicroseconds) / 1_000
        }

        var isWithin: Bool {
            counters.dataCommands <= mostDataCommands ?? .max
                && counters.hostCommands <= mostHostCommands ?? .max
                && milliseconds <= mostMilliseconds ?? .infinity
        }
    }

    static func measure() async throws -> [Row] {
        let emulated = try EmulatedReader.start(.fresh)
        defer { emulated.stop() }
        guard let connection = emulated.connectionString else {
            throw BenchmarkError("the emulated reader is not plugged in")
        }
        let reader = try await LibNFCReader.open(connection)
        let station = Station(
            reader: reader, ledger: InMemoryLedger(), keys: .fresh(created: "2026-01-01"),
            settings: Station.Settings(ceilings: .unlimited(in: .usd)),
            dependencies: BenchmarkTill.dependencies)
        var rows: [Row] = []
        func row(
            _ what: String, data: Int? = nil, host: Int? = nil, milliseconds: Double? = nil,
            _ body: () async throws -> Void
        ) async throws {
            _ = emulated.control("reset")
            try await body()
            rows.append(
                Row(
                    what: what, counters: emulated.counters, mostDataCommands: data,
                    mostHostCommands: host, mostMilliseconds: milliseconds))
        }
        func money(_ minorUnits: Int64) -> Money { Money(minorUnits: minorUnits, .usd) }
        try await row("demo") { _ = try await station.make(.demo(in: .usd), id: station.newID()) }
        try await row("read, known", data: 1, host: 5, milliseconds: 50) {
            _ = try await station.read()
        }
        try await row("add 90000.00") {
            _ = try await station.add(money(9_000_000), id: station.newID())
        }
        try await row("pay 4.50", data: 12, host: 16, milliseconds: 100) {
            _ = try await station.pay(money(450), id: station.newID())
        }
        // A card on an NTAG 424: the activation is a command of the reader's, too.
        _ = emulated.control("present NTAG424")
        try await row("NTAG424: demo") {
            _ = try await station.make(.demo(in: .usd), id: station.newID())
        }
        try await row("NTAG424: read", data: 6, milliseconds: 150) {
            _ = try await station.read()
        }
        try await row("NTAG424: add 90000.00") {
            _ = try await station.add(money(9_000_000), id: station.newID())
        }
        try await row("NTAG424: pay 4.50", data: 7, milliseconds: 150) {
            _ = try await station.pay(money(450), id: station.newID())
        }
        await reader.close()
        return rows
    }
}
