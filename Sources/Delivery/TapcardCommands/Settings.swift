import DurableFile
import TapcardCore
import TapcardDomain
import TextCodecs

/// The settings in force, and where each comes from: a flag beats a variable beats the file.
struct Settings: Sendable {
    /// Where a value was found.
    enum Origin: String, Sendable {
        case flag, variable, file, builtIn = "built in"
    }

    /// One setting of the table.
    enum Name: String, CaseIterable, Sendable {
        case reader, ledger, currency, timeout, cashier
        case paymentLifetime = "payment-lifetime"
        case activationURL = "activation-url"
        case lotteryURL = "lottery-url"
        case mastermindURL = "mastermind-url"
        case caFile = "ca-file"
        case ticketPrice = "ticket-price"
        case prizes
        case topPrizeUnit = "top-prize-unit"
        case lotteryBalls = "lottery-balls"
        case lotteryHighest = "lottery-highest"
        case json, quiet, verbose
        case noColor = "no-color"

        var variable: String {
            "TAPCARD_"
                + String(
                    rawValue.uppercased().map { $0 == "-" ? "_" as Character : $0 })
        }

        /// On or off, rather than a text.
        var isSwitch: Bool {
            switch self {
            case .json, .quiet, .verbose, .noColor: true
            default: false
            }
        }
    }

    let dataFolder: String
    /// The variable that the data folder comes from; nil for the usual place.
    let dataVariable: String?
    let configurationPath: String
    let configurationVariable: String?
    /// Passwords, by their variables.
    private var secrets: [String: String] = [:]
    /// Who works at this station; nil where nobody has said so.
    private(set) var cashier: CashierName?
    private let malformed: Set<String>
    private let values: [Name: (text: String, origin: Origin)]

    /// `malformed` are the variables that are no UTF-8, and so are not in the environment.
    init(
        _ command: ParsedCommand, environment: [String: String], malformed: Set<String>
    ) throws(TapcardError) {
        self.malformed = malformed
        // Nobody is asked for a password but those who log in.
        for name in malformed.sorted() where !Settings.secretVariables.contains(name) {
            throw Settings.isMalformed(name)
        }
        (dataFolder, dataVariable) =
            try Settings.folder("XDG_DATA_HOME", ".local/share", environment)
        let folder: String
        (folder, configurationVariable) =
            try Settings.folder("XDG_CONFIG_HOME", ".config", environment)
        configurationPath = folder + "/config.json"
        let file = try Settings.file(configurationPath)
        var values: [Name: (text: String, origin: Origin)] = [:]
        for name in Name.allCases {
            if let text = command.option(name.rawValue) {
                values[name] = (text, .flag)
            } else if command.flag(name.rawValue) {
                values[name] = ("true", .flag)
            } else if let text = environment[name.variable], !text.isEmpty {
                values[name] = (text, .variable)
            } else if let text = file[name] {
                values[name] = (text, .file)
            }
        }
        self.values = values
        cashier = try Settings.cashier(values[.cashier]?.text)
        for name in Settings.secretVariables {
            secrets[name] = environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        _ = (try timeout, try paymentLifetime, try currency)
        try checkReader()
        for name in Name.allCases where name.isSwitch {
            let text = effective(name).text ?? ""
            guard Settings.truth(text) != nil else {
                throw TapcardError(
                    .usage,
                    "\(text.debugDescription) does not say whether \(name.rawValue) is wanted.",
                    meaning: "Nothing was done.", advice: "Write true or false.")
            }
        }
    }

    /// The same, for somebody who has typed the password elsewhere than at this terminal.
    func using(mastermindPassword password: String) -> Settings {
        var settings = self
        settings.secrets[Settings.passwordVariable] = password
        return settings
    }

    /// The same, for somebody who has said elsewhere who they are.
    func using(cashier: CashierName) -> Settings {
        var settings = self
        settings.cashier = cashier
        return settings
    }

    /// Never shown and never logged.
    var mastermindPassword: String? {
        get throws(TapcardError) { try secret(Settings.passwordVariable) }
    }

    /// Never shown and never logged.
    var cashierPassword: String? {
        get throws(TapcardError) { try secret(Settings.cashierPasswordVariable) }
    }

    private func secret(_ variable: String) throws(TapcardError) -> String? {
        guard !malformed.contains(variable) else { throw Settings.isMalformed(variable) }
        return secrets[variable]
    }

    private static func isMalformed(_ variable: String) -> TapcardError {
        TapcardError(
            .usage, "What \(variable) is set to is no UTF-8.", meaning: "Nothing was done.",
            advice: "Set it anew, or take it away.")
    }

    /// A kind and a name, as tapcard readers lists them; whether there is one is another question.
    private func checkReader() throws(TapcardError) {
        guard let reader, reader != "sim" else { return }
        let parts = reader.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, !reader.hasPrefix(":"),
            !reader.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw TapcardError(
                .usage, "\(reader.debugDescription) is no name of a reader.",
                meaning: "Nothing was done.",
                advice: "Write sim, sim:FILE, pcsc:NAME or a name of libnfc's such as "
                    + "pn532_uart:/dev/ttyUSB0; tapcard readers lists what is there.")
        }
    }

    /// What a switch's text means; nil where it is neither yes nor no.
    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }

    func isOn(_ name: Name) -> Bool { effective(name).text.flatMap(Settings.truth) ?? false }

    /// The text that is in force, and its origin.
    func effective(_ name: Name) -> (text: String?, origin: Origin) {
        if let value = values[name] { return (value.text, value.origin) }
        let text: String? =
            switch name {
            case .reader: nil
            case .ledger: dataFolder + "/ledger.sqlite"
            case .currency: nil
            case .timeout: "30"
            case .paymentLifetime: "120"
            case .activationURL: "https://api.o2.sk"
            case .lotteryURL: "https://agimenez95.github.io/LottoDrawsJSON"
            case .mastermindURL: "http://emarest.cz.mass-php-1.mit.etn.cz/api/v2"
            case .caFile, .cashier: nil
            // Without decimals: some currencies have none.
            case .ticketPrice: "2"
            case .prizes: PrizeTable.standardText
            case .topPrizeUnit: TopPrizeUnit.whole.rawValue
            case .lotteryBalls: String(LotteryRules.standard.ballCount)
            case .lotteryHighest: String(LotteryRules.standard.highest)
            case .json, .quiet, .verbose, .noColor: "false"
            }
        return (text, .builtIn)
    }

    var reader: String? { values[.reader]?.text }
    /// Whether the reader is one that tapcard plays itself.
    var readerIsSimulated: Bool {
        reader.map { $0 == "sim" || $0.hasPrefix("sim:") } ?? false
    }
    var keyPath: String { dataFolder + "/keys.json" }

    var ledgerPath: String {
        get throws(TapcardError) {
            let path = effective(.ledger).text ?? ""
            if path.hasPrefix("postgresql://") || path.hasPrefix("postgres://") {
                throw TapcardError(
                    .usage, "Ledgers in PostgreSQL are not supported by this version.",
                    meaning: "Nothing was done.", advice: "Name a file with --ledger.")
            }
            return path
        }
    }

    /// Nil where none was asked for: then the ledger's own, or US dollars for a new one.
    var currency: Currency? {
        get throws(TapcardError) {
            guard let code = values[.currency]?.text else { return nil }
            guard let currency = Currency(code: code.uppercased()) else {
                throw TapcardError(
                    .usage, "\(code.debugDescription) is no currency that tapcard knows.",
                    meaning: "Nothing was done.",
                    advice: "Use one of "
                        + Currency.known.map(\.code).joined(separator: ", ") + ".")
            }
            return currency
        }
    }

    private static func cashier(_ text: String?) throws(TapcardError) -> CashierName? {
        guard let text else { return nil }
        do {
            return try CashierName(text)
        } catch {
            throw TapcardError(
                .usage, "\(text.debugDescription) is no cashier: \(error.detail).",
                meaning: "Nothing was done.", advice: "Set another cashier, or none.")
        }
    }

    var timeout: Duration { get throws(TapcardError) { try seconds(.timeout) } }
    var paymentLifetime: Duration { get throws(TapcardError) { try seconds(.paymentLifetime) } }

    /// A day is longer than anyone waits for a card.
    private static let mostSeconds = 86_400.0

    private func seconds(_ name: Name) throws(TapcardError) -> Duration {
        let text = effective(name).text ?? ""
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let seconds = Double(text), (0...Settings.mostSeconds).contains(seconds)
        else {
            throw TapcardError(
                .usage,
                "\(text.debugDescription) is no \(name.rawValue): write seconds, from 0 to 86400.",
                meaning: "Nothing was done.")
        }
        return .milliseconds(Int64(seconds * 1_000))
    }

    private static func folder(
        _ variable: String, _ below: String, _ environment: [String: String]
    ) throws(TapcardError) -> (path: String, variable: String?) {
        if let base = environment[variable], base.hasPrefix("/") {
            return (base + "/tapcard", variable)
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw TapcardError(
                .usage, "There is no home folder to keep keys and ledger in.",
                meaning: "Nothing was done.", advice: "Set HOME, or \(variable).")
        }
        return ("\(home)/\(below)/tapcard", nil)
    }

    private static func file(_ path: String) throws(TapcardError) -> [Name: String] {
        func unusable(_ reason: String) -> TapcardError {
            TapcardError(
                .usage, "The settings in \(path) cannot be used: \(reason).",
                meaning: "Nothing was done.", advice: "Mend the file or remove it.")
        }
        let members: [JSONMember]
        do {
            guard let bytes = try DurableFile(path).read() else { return [:] }
            guard let found = try JSONValue.parsing(bytes).members else {
                throw unusable("they are no JSON object")
            }
            members = found
        } catch let error as TapcardError {
            throw error
        } catch {
            throw unusable("\(error)")
        }
        var values: [Name: String] = [:]
        for member in members {
            if let variable = secretNames[member.key] {
                throw unusable("a password does not belong in it; set \(variable)")
            }
            guard let name = Name(rawValue: member.key) else {
                throw unusable("there is no setting \"\(member.key)\"")
            }
            guard let text = text(of: member.value) else {
                throw unusable("\"\(member.key)\" is neither text nor number, true nor false")
            }
            values[name] = text
        }
        return values
    }

    private static func text(of value: JSONValue) -> String? {
        if case .bool(let truth) = value { return truth ? "true" : "false" }
        return value.string ?? value.numberText
    }
}
