import CardCryptography
import Ledger
import PortDoubles
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain

/// How many commands each thing costs, counted at the simulated tag.
enum FrameCounts {
    /// One line of the table.
    struct Row {
        let chip: String
        let what: String
        let commands: Int
        let writes: Int
        let mostCommands: Int?
        let mostWrites: Int?

        var isWithin: Bool {
            commands <= mostCommands ?? .max && writes <= mostWrites ?? .max
        }
    }

    static func measure() async throws -> [Row] {
        var rows: [Row] = []
        for chip in Type2Chip.known { rows += try await measure(chip) }
        return rows
    }

    private static func measure(_ chip: Type2Chip) async throws -> [Row] {
        let till = try await BenchmarkTill(chip)
        var rows: [Row] = []
        func row(
            _ what: String, commands: Int? = nil, writes: Int? = nil,
            _ body: (Station) async throws -> Void
        ) async throws {
            till.tracer.forget()
            try await body(till.station)
            let exchanges = till.tracer.exchanges
            rows.append(
                Row(
                    chip: chip.name, what: what, commands: exchanges.count,
                    writes: exchanges.count { $0.frame.first == 0xA2 }, mostCommands: commands,
                    mostWrites: writes))
        }
        try await row("issue") { _ = try await $0.make(try .demo(in: .usd), id: $0.newID()) }
        try await row("read, known, nothing open", commands: 1, writes: 0) {
            _ = try await $0.read()
        }
        try await row("add 90000.00") {
            _ = try await $0.add(Money(minorUnits: 9_000_000, .usd), id: $0.newID())
        }
        try await row("pay, balance up to 99999.99", commands: 12, writes: 8) {
            _ = try await $0.pay(Money(minorUnits: 450, .usd), id: $0.newID())
        }
        try await row("add 500000.00") {
            _ = try await $0.add(Money(minorUnits: 50_000_000, .usd), id: $0.newID())
        }
        try await row("pay, balance above", commands: 12, writes: 9) {
            _ = try await $0.pay(Money(minorUnits: 12_345_678, .usd), id: $0.newID())
        }
        try await row("scratch, the code stored", writes: 30) {
            _ = try await $0.scratch(id: $0.newID())
        }
        let stranger = till.withAnEmptyLedger()
        try await row("read, never seen", commands: 4, writes: 0) { _ in
            _ = try await stranger.read()
        }
        return rows
    }
}

/// A blank tag, a ledger in memory, and someone who counts.
struct BenchmarkTill {
    let tracer: InterposedReader
    let station: Station
    private let keys = KeyRing.fresh(created: "2026-01-01")

    init(_ chip: Type2Chip) async throws {
        var simulation = Simulation()
        guard let tag = simulation.addTag(chip, random: RandomBytes.make) else {
            throw BenchmarkError("the simulated drawer is full")
        }
        simulation.put([tag.uid])
        tracer = InterposedReader(SimulatedReader(simulation))
        station = Station(
            reader: tracer, ledger: InMemoryLedger(), keys: keys,
            settings: Station.Settings(ceilings: .unlimited(in: .usd)),
            dependencies: BenchmarkTill.dependencies)
    }

    func withAnEmptyLedger() -> Station {
        Station(
            reader: tracer, ledger: InMemoryLedger(), keys: keys,
            settings: Station.Settings(ceilings: .unlimited(in: .usd)),
            dependencies: BenchmarkTill.dependencies)
    }

    /// Time stands still: nothing here is about seconds.
    static let dependencies = Station.Dependencies(
        now: { Timestamp(milliseconds: 1_700_000_000_000) }, sleep: { _ in })
}

/// Why a figure could not be taken.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
