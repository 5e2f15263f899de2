import Glibc
import PN532Emulator

let rows = try await FrameCounts.measure()
print("Commands at the simulated tag, from select to refreshed display\n")
Table.print(
    ["chip", "what", "commands", "at most", "WRITE", "at most", ""],
    rows.map { row in
        [
            row.chip, row.what, "\(row.commands)", row.mostCommands.map(String.init) ?? "",
            "\(row.writes)", row.mostWrites.map(String.init) ?? "",
            row.isWithin ? "" : "TOO MANY",
        ]
    })

let taps = try await ReaderCosts.measure()
print("\nA tap on a PN532 at 115200 baud, the reader open: the real libnfc, an emulated reader\n")
Table.print(
    [
        "what", "data commands", "at most", "host commands", "at most", "air + line, ms",
        "at most", "",
    ],
    taps.map { row in
        [
            row.what, "\(row.counters.dataCommands)",
            row.mostDataCommands.map(String.init) ?? "", "\(row.counters.hostCommands)",
            row.mostHostCommands.map(String.init) ?? "", "\(row.milliseconds)",
            row.mostMilliseconds.map { "\($0)" } ?? "", row.isWithin ? "" : "TOO MANY",
        ]
    })

let costs = try await LedgerCosts.measure()
let isDurableAsPromised = costs.durableTransactions == 2 * costs.payments
print("\nA payment in the SQLite ledger (WAL, synchronous=FULL)\n")
print(
    "durable transactions: \(costs.durableTransactions) for \(costs.payments) payments, at most 2 each"
)
print("processor time of \(costs.paymentsARound) payments, each round beside the same rows in C:\n")
Table.print(
    ["round", "Swift, ms", "C, ms", "Swift / C"],
    zip(costs.swiftSeconds, costs.cSeconds).enumerated().map { round, pair in
        [
            "\(round + 1)", "\(Int(pair.0 * 1_000))", "\(Int(pair.1 * 1_000))",
            "\((pair.0 / pair.1 * 100).rounded() / 100)",
        ]
    })

exit(
    rows.allSatisfy(\.isWithin) && taps.allSatisfy(\.isWithin) && isDurableAsPromised ? 0 : 1)
