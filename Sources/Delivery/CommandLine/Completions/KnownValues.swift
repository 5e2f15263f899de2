import CardCryptography
import Ledger
import ReaderDiagnosis
import StationFiles
import TapcardCore
import TapcardDomain
import Verbs

extension Settings.Name {
    /// The values that can be completed for a setting.
    var value: CommandParameter {
        let choices: [String] =
            switch self {
            case .topPrizeUnit: TopPrizeUnit.allCases.map(\.rawValue)
            default: isSwitch ? ["true", "false"] : []
            }
        let completes: CompletedValue? =
            switch self {
            case .reader: .readers
            case .currency: .currencies
            case .cashier: .cashiers
            case .data, .ledger, .caFile: .files
            default: nil
            }
        return CommandParameter(
            "VALUE", .argument, help: "", choices: choices, completes: completes)
    }
}

extension Settings {
    /// The number of recent operations to search for cards.
    private static let maximumSearched = 200

    /// Returns the known values of the given kind, each with a description. It creates no files. If
    /// the values cannot be read, there are none, because completion must not print errors.
    func known(_ value: CompletedValue, _ drivers: Drivers) async -> [(value: String, what: String)]
    {
        switch value {
        // These do not depend on the station; the script or the command table completes them.
        case .files, .verbs, .settingValue: return []
        case .currencies: return Currency.known.map { ($0.code, $0.sign) }
        case .readers:
            let rows = await drivers.readers.survey(naming: nil).rows
            return rows.compactMap { row in row.name.map { ($0.text, row.make) } }
                + [(ReaderName.simulated(file: nil).text, "simulated reader")]
        case .cashiers:
            let cashiers = try? cashierFile.load()
            return (cashiers ?? []).map { ($0.name.text, $0.role.rawValue) }
        case .tokens:
            let tokens = try? tokenFile.load()
            return (tokens ?? []).map { ($0.name, "token") }
        case .keys:
            let keys = (try? KeyFile(path: keyPath).load()) ?? nil
            return (keys?.entries ?? []).map { ("\($0.id)", $0.status.rawValue) }
        case .cards:
            guard let place = try? ledgerPlace,
                let ledger = try? await drivers.openLedger(
                    place, (try? currency) ?? nil, false, nil),
                let operations = try? await ledger.read({ rows throws(LedgerError) in
                    try rows.operations(on: nil, last: Settings.maximumSearched)
                })
            else { return [] }
            // The most recently used cards come first.
            var seen: Set<CardUID> = []
            return operations.reversed().map(\.uid).filter { seen.insert($0).inserted }
                .map { ("\($0)", "card") }
        }
    }
}
