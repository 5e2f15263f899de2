import Ledger
import StyledText
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let configurationCommands: [Command] = [
        Command(
            "init", group: .station, "Set this station up: make its keys and its ledger",
            discussion: "Once, before the first card. The ledger keeps the currency for good. A "
                + "simulated station needs none of this: it has keys and a ledger of its own, which "
                + "are made on first use.",
            example: "tapcard init --currency EUR"
        ) { session throws(TapcardError) in try await session.setUp() },
        Command(
            "config", group: .station, "Show the settings in force and where each comes from",
            discussion: "A flag beats a variable (TAPCARD_READER and so on) beats the file. "
                + "docs/SETTINGS.md has a line for each of them. Passwords are only ever variables, "
                + "TAPCARD_MASTERMIND_PASSWORD and TAPCARD_CASHIER_PASSWORD, and are not shown.",
            example: "tapcard config"
        ) { session throws(TapcardError) in try session.configuration() },
        Command(
            "config get", group: .station, "Print one setting that is in force",
            arguments: [.setting], example: "tapcard config get ledger"
        ) { session throws(TapcardError) in try session.oneSetting() },
        Command(
            "config set", group: .station, "Write one setting into the file",
            discussion: "Without VALUE it is taken out of the file, and what is built in holds "
                + "again.",
            arguments: [
                .setting,
                CommandArgument(name: "VALUE", help: "What it is to be", isRequired: false),
            ],
            example: "tapcard config set timeout 60"
        ) { session throws(TapcardError) in try session.changeSetting() },
    ]
}

extension CommandArgument {
    fileprivate static let setting = CommandArgument(
        name: "KEY", help: "Its name, as tapcard config lists it",
        choices: Settings.Name.allCases.map(\.rawValue))
}

extension Session {
    /// Keys and ledger for a station that has none, in a currency that somebody has named.
    fileprivate func setUp() async throws(TapcardError) -> Report {
        let isNew = try !hasLedger
        let hadKeys = try keyFile.load() != nil
        if isNew, try settings.currency == nil, try keyFile.load()?.currency == nil {
            throw TapcardError(
                .usage, "Which currency does this station take? It cannot be changed later.",
                meaning: "Nothing was done.",
                advice: "Name it, such as tapcard init --currency EUR. There are "
                    + Currency.known.map(\.code).joined(separator: ", ") + ".")
        }
        let ledger = try await openLedger(making: true)
        let keys = try await makeKeys(beside: ledger, isTold: true)
        if let other = keys.currency, other != ledger.currency {
            say(
                "tapcard: these keys are of a station in \(other.code); its cards are refused "
                    + "here.\n")
        }
        let path = try settings.ledgerPath
        let isDone = !isNew && hadKeys
        return Report(
            [
                JSONMember(key: "ledger", value: .string(path)),
                JSONMember(key: "keys", value: .string(settings.keyPath)),
                JSONMember(key: "currency", value: .string(ledger.currency.code)),
                JSONMember(key: "new", value: .bool(!isDone)),
            ],
            [
                isDone
                    ? "This station was set up before, in \(ledger.currency.code)"
                    : "This station is set up, in \(ledger.currency.code)",
                "Ledger: \(path)", "Keys: \(settings.keyPath)",
                "Next: copy the keys to a safe place with tapcard keys export FILE",
                "Then make the first card with tapcard issue, or open the counter with tapcard "
                    + "serve",
            ])
    }

    private typealias Row = (name: String, value: String?, origin: String)

    private var settingRows: [Row] {
        let builtIn = Settings.Origin.builtIn.rawValue
        let settable: [Row] = Settings.Name.allCases.filter { $0 != .data }.map { name in
            let (text, origin) = settings.effective(name)
            return (name.rawValue, text, origin.rawValue)
        }
        let data = settings.effective(.data)
        let place =
            data.text == nil ? settings.dataVariable ?? builtIn : data.origin.rawValue
        return settable + [
            ("data", settings.dataFolder, place), ("keys", settings.keyPath, place),
            (
                "settings-file", settings.configurationPath,
                settings.configurationVariable ?? builtIn
            ),
        ]
    }

    fileprivate func configuration() throws(TapcardError) -> Report {
        _ = try settings.checkedServices()
        let rows = settingRows
        let names = rows.map(\.name.count).max() ?? 0
        let origins = rows.map(\.origin.count).max() ?? 0
        let isPlay = settings.readerIsSimulated
        return Report(
            [
                JSONMember(
                    key: "settings",
                    value: .array(
                        rows.map {
                            [
                                "name": .string($0.name), "value": .text($0.value),
                                "from": .string($0.origin),
                            ]
                        })), JSONMember(key: "simulated", value: .bool(isPlay)),
            ],
            rows.map {
                $0.name.padded(names) + "  " + $0.origin.padded(origins) + "  "
                    + ($0.value ?? Session.unset($0.name))
            }
                + (isPlay
                    ? ["The reader is simulated: play money, apart from the real books"] : []),
            isPlain: true)
    }

    private static func unset(_ name: String) -> String {
        switch Settings.Name(rawValue: name) {
        case .reader: "the first that is plugged in"
        case .caFile: "none"
        case .cashier: "nobody"
        case .currency: "the ledger's own"
        default: "what is usual in the ledger's currency"
        }
    }

    fileprivate func oneSetting() throws(TapcardError) -> Report {
        let name = command.argument("KEY") ?? ""
        guard let row = settingRows.first(where: { $0.name == name }) else {
            throw TapcardError(.usage, "There is no setting \(name.debugDescription).")
        }
        return Report(
            [
                JSONMember(key: "name", value: .string(row.name)),
                JSONMember(key: "value", value: .text(row.value)),
                JSONMember(key: "from", value: .string(row.origin)),
            ], [row.value ?? ""], isPlain: true)
    }

    fileprivate func changeSetting() throws(TapcardError) -> Report {
        guard let name = Settings.Name(rawValue: command.argument("KEY") ?? "") else {
            throw TapcardError(.usage, "There is no such setting.")
        }
        let text = command.argument("VALUE")
        _ = try settings.setting(name, to: text)
        try settings.file.set(name, to: text)
        let (inForce, origin) = settings.effective(name)
        var lines = [
            text.map { "\(name.rawValue) is \($0) in \(settings.file.path)" }
                ?? "\(name.rawValue) is not set in \(settings.file.path)"
        ]
        if origin == .flag || origin == .variable, let inForce {
            let what = origin == .flag ? "--\(name.rawValue)" : name.variable
            lines.append("Here \(what) beats it: \(inForce)")
        }
        return Report(
            [
                JSONMember(key: "name", value: .string(name.rawValue)),
                JSONMember(key: "value", value: .text(text)),
                JSONMember(key: "file", value: .string(settings.file.path)),
            ], lines)
    }
}
