import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let configurationCommands: [Command] = [
        Command(
            "init", group: .station, "Set up this machine with keys and a ledger",
            discussion: "Specify the currency with `--currency`; it cannot be changed later. A "
                + "machine that is already set up is left as it is. If the ledger has cards but "
                + "the keys are missing, restore your copy of the keys first. With a shared "
                + "ledger, keys that differ from the other servers' keys are refused.",
            answers: .station, example: "tapcard init --currency EUR",
            run: ConfigurationCommands.setUp),
        Command(
            "config", group: .station, "Show the settings and where they come from",
            discussion: "An option overrides an environment variable, a variable overrides the "
                + "settings file, and the file overrides the default. `tapcard help settings` "
                + "explains each setting. Passwords are not settings and are never shown.",
            answers: .settings, example: "tapcard config", run: ConfigurationCommands.show),
        Command(
            "config get", group: .station, "Print the value of one setting",
            takes: .shownSetting, answers: .setting, example: "tapcard config get ledger",
            run: ConfigurationCommands.get),
        Command(
            "config set", group: .station, "Change or remove one setting in the settings file",
            discussion: "Without VALUE, the setting is removed and its default applies again. "
                + "Invalid values are refused, and so is any password. If an option or an "
                + "environment variable still overrides the setting, the output says so.",
            takes: .setting, .settingValue, answers: .changedSetting,
            example: "tapcard config set timeout 60", run: ConfigurationCommands.set),
    ]
}

extension Parameter<Settings.Name> {
    fileprivate static var setting: Self {
        .argument("KEY", .choice(Settings.Name.self), "Name of the setting")
    }
}

extension Parameter<String> {
    fileprivate static var shownSetting: Self {
        .argument(
            "KEY", .oneOf(Settings.Name.allCases.map(\.rawValue) + ConfigurationCommands.places),
            Parameter<Settings.Name>.setting.row.help)
    }
}

extension Parameter<String?> {
    fileprivate static var settingValue: Self {
        .optionalArgument("VALUE", .settingValue, "New value; leave it out to remove the setting")
    }
}

enum ConfigurationCommands {
    /// Creates a new station's ledger and keys. The currency must be known from the settings or
    /// from existing keys.
    static func setUp(in session: Session) async throws(TapcardError) -> Report {
        let settings = session.settings
        // These are determined before the ledger and the keys are created below.
        let isNew = try !settings.hasLedger
        let hadKeys = try session.keyFile.load() != nil
        if isNew, try settings.currency == nil, try session.keyFile.load()?.currency == nil {
            throw TapcardError.usage(
                "The currency is missing.",
                advice:
                    "Specify it, as in tapcard init --currency EUR; it cannot be changed later. "
                    + "Supported currencies are "
                    + Currency.known.map(\.code).joined(separator: ", ") + ".")
        }
        // The ledger is created before the keys, because keys without a ledger would mean that the
        // ledger was lost.
        let ledger = try await LedgerAccess(session).open(making: true)
        let keys = try await KeyCreation(session).make(beside: ledger, isQuiet: true)
        try await session.requireCommonKeys(keys, ledger)
        if let other = keys.currency, other != ledger.currency {
            session.say(
                "tapcard: These keys come from a machine that uses \(other.code). This machine's "
                    + "currency is \(ledger.currency.code), so it will refuse cards in another "
                    + "currency, even with the same keys.\n")
        }
        let place = try settings.ledgerPlace
        let isDone = !isNew && hadKeys
        return Report(
            [
                "ledger": .string("\(place)"), "keys": .string(settings.keyPath),
                "currency": .string(ledger.currency.code), "new": .bool(!isDone),
            ],
            [
                isDone
                    ? "This machine is already set up; its currency is \(ledger.currency.code)"
                    : "This machine is now set up; its currency is \(ledger.currency.code)",
                "Ledger: \(place)", "Keys: \(settings.keyPath)",
            ] + settings.nextSteps, isChange: !isDone)
    }

    /// The rows of `config` that are not settings.
    fileprivate static let places = ["keys", "settings-file"]

    /// This station's currency and where it comes from; nil if none has been set yet.
    private static func effectiveCurrency(in session: Session) async -> KnownCurrency? {
        // The ledger takes precedence, because its currency cannot be changed.
        if let currency = await ledgerCurrency(in: session) { return (currency, "ledger") }
        if let currency = (try? session.settings.currency) ?? nil {
            return (currency, session.settings.effective(.currency).origin.rawValue)
        }
        let keys = (try? session.keyFile.load()) ?? nil
        if let currency = keys?.currency { return (currency, "keys") }
        guard session.settings.readerIsSimulated else { return nil }
        return (.usd, Settings.Origin.builtIn.rawValue)
    }

    /// The ledger's currency; nil if there is no ledger or it cannot be opened.
    private static func ledgerCurrency(in session: Session) async -> Currency? {
        let settings = session.settings
        guard (try? settings.hasLedger) == true, let place = try? settings.ledgerPlace else {
            return nil
        }
        return try? await session.drivers.openLedger(place, nil, false, nil).currency
    }

    static func show(in session: Session) async throws(TapcardError) -> Report {
        let settings = session.settings
        let known = await effectiveCurrency(in: session)
        // An invalid setting is reported here, before another command needs it.
        _ = try settings.checkedServices(in: known?.currency)
        let rows = settings.rows(known)
        let notes = try settings.notes(on: known?.currency)
        let names = rows.map(\.name.count).max() ?? 0
        let origins = rows.map(\.origin.count).max() ?? 0
        return Report(
            [
                "settings": .array(
                    rows.map {
                        [
                            "name": .string($0.name), "value": .text($0.value),
                            "from": .string($0.origin),
                        ]
                    }),
                "simulated": .bool(settings.readerIsSimulated),
            ],
            rows.flatMap { row in
                let cells = [
                    row.name.padded(names), row.origin.padded(origins),
                    row.value ?? unset(row.name),
                ]
                // On a narrow terminal, the value is on a separate line.
                return Line.flow(cells.map { Line($0) }, width: session.console.columns()).map {
                    $0.trimmed.rendered(false)
                }
            }
                + notes
                + (settings.isPlayMoney
                    ? ["This is a simulation with play money, separate from the real ledger"] : []),
            isPlain: true)
    }

    private static func unset(_ name: String) -> String {
        switch Settings.Name(rawValue: name) {
        case .reader: "first usable reader"
        case .caFile, .customers, .customersName, .customersCertificate, .customersCertificateKey,
            .customersKeys, .cardAddress, .receiptHeader, .receiptPrinter:
            "none"
        case .cashier: "no cashier"
        case .currency: "not set; run: tapcard init --currency EUR"
        default: "depends on the currency, once it is set"
        }
    }

    static func get(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.shownSetting]
        let rows = session.settings.rows(await effectiveCurrency(in: session))
        guard let row = rows.first(where: { $0.name == name }) else {
            throw TapcardError(.usage, "There is no setting \(name.debugDescription).")
        }
        return Report(
            ["name": .string(row.name), "value": .text(row.value), "from": .string(row.origin)],
            [row.value ?? unset(row.name)], isPlain: true)
    }

    /// Refuses settings that this station cannot use.
    private static func requireUsable(
        _ changed: Settings, _ name: Settings.Name, in session: Session
    ) async throws(TapcardError) {
        var currency = await effectiveCurrency(in: session)?.currency
        if name == .currency, let requested = try changed.currency {
            if let existing = await ledgerCurrency(in: session), existing != requested {
                throw TapcardError(
                    .usage, "This ledger's currency is \(existing.code) and cannot be changed.",
                    meaning: "Nothing was changed.",
                    advice:
                        "For another currency, set up another data folder: TAPCARD_DATA=FOLDER "
                        + "tapcard init --currency \(requested.code)")
            }
            currency = requested
        }
        _ = try changed.checkedServices(in: currency)
        var station = Station.Settings()
        try changed.setCardAddress(of: &station)
        if let currency { try changed.requireConfirmationsBelowLimits(currency) }
    }

    static func set(in session: Session) async throws(TapcardError) -> Report {
        let settings = session.settings
        let name = session[.setting]
        let typed = session[.settingValue]
        let text = typed.map { Settings.stored($0, name) }
        // The value is checked as typed, because this station may accept a decimal comma.
        let changed = try settings.setting(name, to: typed)
        // This check is skipped when a setting is removed, because the removed setting may be the
        // invalid one.
        if text != nil { try await requireUsable(changed, name, in: session) }
        try settings.file.set(name, to: text)
        let (effective, origin) = settings.effective(name)
        var lines = [
            text.map { "\(name.rawValue) set to \($0) in \(settings.file.path)" }
                ?? "\(name.rawValue) removed from \(settings.file.path)"
        ]
        if origin == .flag || origin == .variable, let effective {
            let what = origin == .flag ? "--\(name.rawValue)" : name.variable
            lines.append("For now, \(what) overrides it: \(effective)")
            // A simulated reader has its own settings file, whose settings are easily mistaken for
            // the real ones.
            if name == .reader, settings.file.path != settings.ordinaryFile {
                lines.append(
                    "Without \(what), the settings in \(settings.ordinaryFile) apply; they were "
                        + "not changed")
            }
        }
        // Each of these settings can determine whether phones reach the customer page.
        switch name {
        case .cardAddress, .customers, .customersName, .customersCertificate:
            lines += changed.cardAddressFindings.flatMap(\.lines)
        default: break
        }
        return Report(
            [
                "name": .string(name.rawValue), "value": .text(text),
                "file": .string(settings.file.path),
            ], lines, isChange: true)
    }
}

private typealias KnownCurrency = (currency: Currency, origin: String)
private typealias Row = (name: String, value: String?, origin: String)

extension Settings {
    fileprivate func rows(_ known: KnownCurrency?) -> [Row] {
        let builtIn = Origin.builtIn.rawValue
        let defaults = known.map { Settings.builtInAmounts(in: $0.currency) } ?? [:]
        // The data folder is listed below, whether or not a setting specifies it.
        let settable: [Row] = Name.allCases.filter { $0 != .data }.map { name in
            let (text, origin) = effective(name)
            if name == .currency, text == nil, let known {
                return (name.rawValue, known.currency.code, known.origin)
            }
            return (name.rawValue, text ?? defaults[name], origin.rawValue)
        }
        let data = effective(.data)
        let place = data.text == nil ? dataVariable ?? builtIn : data.origin.rawValue
        return settable + [
            ("data", dataFolder, place), ("keys", keyPath, place),
            ("settings-file", configurationPath, configurationVariable ?? builtIn),
        ]
    }

    /// The lines about a conflict between the ledger's currency and the setting.
    fileprivate func notes(on currency: Currency?) throws(TapcardError) -> [String] {
        guard let currency, let other = try self.currency, other != currency else { return [] }
        return [
            "The ledger's currency is \(currency.code), but the setting says \(other.code); cards "
                + "are refused until you remove the setting",
            currencyAdvice,
        ]
    }

    fileprivate var nextSteps: [String] {
        if isPlayMoney {
            return [
                "This is a simulation with play money, separate from the real ledger",
                "Next: \(commandLine("demo"))",
            ]
        }
        return [
            "Make a copy of the keys now: tapcard keys export FILE",
            "Then issue the first card with tapcard issue, or start the till page with tapcard "
                + "serve",
        ]
    }
}
