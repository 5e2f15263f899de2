package import Ledger
import OperatingSystem
package import ReaderDiagnosis
package import TapcardCore
package import TapcardDomain

/// The settings in effect and where they come from: flags take precedence over variables, and
/// variables over the file.
package struct Settings: Sendable {
    /// Where a value comes from.
    enum Origin: String, Sendable {
        case flag, variable, file, builtIn = "default"
    }

    /// The name of a setting.
    package enum Name: String, CaseIterable, Sendable {
        case reader, data, ledger, currency, timeout, cashier
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
        case confirmPaymentAbove = "confirm-payment-above"
        case confirmTopUpAbove = "confirm-top-up-above"
        case confirmBalanceAbove = "confirm-balance-above"
        case paymentLimit = "payment-limit"
        case topUpLimit = "top-up-limit"
        case creditLimit = "credit-limit"
        case balanceLimit = "balance-limit"
        case cashierRefundLimit = "cashier-refund-limit"
        case offlinePayments = "offline-payments"
        case offlineCardLimit = "offline-card-limit"
        case offlineStationLimit = "offline-server-limit"
        case offlineSnapshotAge = "offline-snapshot-age"
        case express
        case shiftRequired = "shift-required"
        case topUpPresets = "top-up-presets"
        case displayBalance = "display-balance"
        case receipts
        case receiptHeader = "receipt-header"
        case receiptPrinter = "receipt-printer"
        case cardAddress = "card-address"
        case customers
        case customersName = "customers-name"
        case customersCertificate = "customers-tls-certificate"
        case customersCertificateKey = "customers-tls-key"
        case customersKeys = "customers-keys"
        case json, quiet, verbose
        case noColor = "no-color"

        package var variable: String {
            // The name is converted byte by byte for speed, because the program computes every name
            // at every start.
            "TAPCARD_"
                + String(
                    decoding: rawValue.uppercased().utf8.map {
                        $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0
                    }, as: UTF8.self)
        }

        /// Whether the setting is either true or false.
        package var isSwitch: Bool {
            switch self {
            case .json, .quiet, .verbose, .noColor, .offlinePayments, .express, .shiftRequired,
                .displayBalance:
                true
            default: false
            }
        }
    }

    /// All variables that tapcard reads as settings or passwords.
    package static let variables = Name.allCases.map(\.variable) + secretVariables

    /// The folder for the ledger and keys.
    package let dataFolder: String
    /// The folder for simulated tags and their ledger, regardless of the current reader.
    package let simulatedFolder: String
    /// The variable that sets the data folder; nil for the default folder.
    let dataVariable: String?
    let file: SettingsFile
    /// The settings file of a station without a simulated reader.
    let ordinaryFile: String
    let configurationVariable: String?
    /// Warnings about settings that have no effect.
    package let warnings: [String]
    /// Passwords, by variable.
    private var secrets: [String: String] = [:]
    /// Whether the station's language uses a decimal comma.
    let languageUsesDecimalComma: Bool
    /// The reader; nil for the first usable reader.
    package private(set) var reader: ReaderName?
    /// The readers of the server's other tills.
    private(set) var otherReaders: [ReaderName] = []
    /// The cashier from the settings and, in a server, the till and who is logged in there.
    package internal(set) var requester = Requester()
    /// Whether cards may be made at this till's reader.
    package internal(set) var isReaderTrusted = true
    /// Whether this till's reader is on another machine.
    package internal(set) var readerIsRemote = false
    private let malformed: Set<String>
    private var values: [Name: (text: String, origin: Origin)]

    /// `malformed` lists variables that are not valid UTF-8 and are therefore missing from
    /// `environment`.
    package init(
        _ texts: [String: [String]], environment: [String: String], malformed: Set<String>
    ) throws(TapcardError) {
        self.malformed = malformed
        languageUsesDecimalComma = DecimalComma.isUsed(in: environment)
        // A malformed password matters only to commands that use it.
        for name in malformed.sorted() where !Settings.secretVariables.contains(name) {
            throw Settings.isMalformed(name)
        }
        let data = try Settings.folder("XDG_DATA_HOME", ".local/share", environment)
        let configuration = try Settings.folder("XDG_CONFIG_HOME", ".config", environment)
        var values: [Name: (text: String, origin: Origin)] = [:]
        for name in Name.allCases {
            // A server can have several readers, and `forReaders` creates settings for each.
            if let text = texts[name.rawValue]?.first {
                values[name] = (text, .flag)
            } else if let text = environment[name.variable], !text.isEmpty {
                values[name] = (text, .variable)
            }
        }
        // Play money stays out of the real ledger: a simulated reader has its own settings, keys,
        // and ledger. The ordinary file applies to a simulated reader only if the file itself
        // selects that reader.
        let usesSimulator = values[.reader].flatMap { ReaderName($0.text) }?.isSimulated ?? false
        ordinaryFile = configuration.path + "/config.json"
        file = try SettingsFile(
            configuration.path + (usesSimulator ? Settings.simulatedPlace : "") + "/config.json")
        for (name, text) in file.values where values[name] == nil { values[name] = (text, .file) }
        reader = values[.reader].flatMap { ReaderName($0.text) }
        let isSimulated = reader?.isSimulated ?? false
        // A variable or a file may be meant for the real reader, so only a flag can give a
        // simulated reader a different ledger.
        var ignoredLedger: Origin?
        if isSimulated, let origin = values[.ledger]?.origin, origin != .flag {
            (ignoredLedger, values[.ledger]) = (origin, nil)
        }
        self.values = values
        configurationVariable = configuration.variable
        let place = try Settings.place(values[.data]?.text)
        simulatedFolder = (place ?? data.path) + Settings.simulatedPlace
        dataFolder = isSimulated ? simulatedFolder : place ?? data.path
        dataVariable = place == nil ? data.variable : Name.data.variable
        warnings =
            file.warnings + Settings.warnings(of: environment.keys)
            + Settings.warnings(
                ofPlay: isSimulated, values[.ledger]?.text, ignoring: ignoredLedger,
                file.path, simulatedFolder)
        requester.cashier = try Settings.cashier(values[.cashier]?.text)
        for name in Settings.secretVariables {
            secrets[name] = environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        try check()
    }

    /// Refuses settings that are invalid for every command.
    private func check() throws(TapcardError) {
        _ = (try timeout, try paymentLifetime, try snapshotAge, try currency)
        _ = (try printer, try receiptMode)
        try checkReader()
        try checkLedger()
        for name in Name.allCases where name.isSwitch {
            let text = effective(name).text ?? ""
            guard Settings.boolean(text) != nil else {
                throw TapcardError.usage(
                    "\(text.debugDescription) is not valid for \(name.rawValue).",
                    advice: "Use true or false.")
            }
        }
    }

    /// These settings with one value in the file changed, checked as far as possible; nil removes
    /// the setting.
    func setting(_ name: Name, to text: String?) throws(TapcardError) -> Settings {
        var settings = self
        settings.values[name] = text.map { ($0, .file) }
        settings.reader = settings.values[.reader].flatMap { ReaderName($0.text) }
        settings.requester.cashier = try Settings.cashier(settings.values[.cashier]?.text)
        _ = (try settings.ledgerPlace, try Settings.place(settings.values[.data]?.text))
        if name == .ledger, text != nil, readerIsSimulated {
            throw TapcardError.usage(
                "A simulated reader always uses the ledger in its data folder.",
                advice: "To use another one for a single command, add: --ledger FILE")
        }
        try settings.check()
        return settings
    }

    /// These settings for a request from a page. Without a cashier, the one from the settings is
    /// kept.
    package func using(_ requester: Requester) -> Settings {
        var settings = self
        settings.requester.cashier = requester.cashier ?? settings.requester.cashier
        settings.requester.supervisor = requester.supervisor
        return settings
    }

    /// These settings for one of several readers from the command line.
    func using(reader text: String, nextTo others: [String]) throws(TapcardError) -> Settings {
        var settings = self
        settings.values[.reader] = (text, .flag)
        settings.reader = ReaderName(text)
        settings.otherReaders = others.compactMap { ReaderName($0) }
        try settings.checkReader()
        return settings
    }

    /// The Mastermind password, which is never shown or logged.
    package var mastermindPassword: String? {
        get throws(TapcardError) { try secret(Settings.passwordVariable) }
    }

    /// A cashier's password, which is never shown or logged.
    var cashierPassword: String? {
        get throws(TapcardError) { try secret(Settings.cashierPasswordVariable) }
    }

    private func secret(_ variable: String) throws(TapcardError) -> String? {
        guard !malformed.contains(variable) else { throw Settings.isMalformed(variable) }
        return secrets[variable]
    }

    private static func isMalformed(_ variable: String) -> TapcardError {
        TapcardError.usage(
            "The variable \(variable) is not valid UTF-8.", advice: "Set it again, or unset it.")
    }

    /// Checks that the reader's name has a valid form; the reader itself may be missing.
    private func checkReader() throws(TapcardError) {
        guard let text = values[.reader]?.text else { return }
        guard let reader else {
            throw TapcardError.usage(
                "\(text.debugDescription) is not a reader name.",
                advice:
                    "Use sim, sim:FILE, pcsc:NAME, or a libnfc name such as "
                    + "pn532_uart:/dev/ttyUSB0; to list the readers, run: tapcard readers")
        }
        guard reader != .simulated(file: DurableFile.standardStream) else {
            throw TapcardError.usage(
                "The simulated reader's file cannot be standard input or output.",
                advice: "Specify a file, such as sim:tags.txt.")
        }
    }

    /// The value in effect and where it comes from.
    func effective(_ name: Name) -> (text: String?, origin: Origin) {
        if let value = values[name] { return (value.text, value.origin) }
        let text = name == .ledger ? dataFolder + "/ledger.sqlite" : name.builtIn
        return (text, .builtIn)
    }

    /// The text in effect; nil if there is none.
    package func text(of name: Name) -> String? { effective(name).text }

    package var readerIsSimulated: Bool { reader?.isSimulated ?? false }

    /// Whether only play money can move, because the reader is simulated and has its own ledger.
    var isPlayMoney: Bool {
        readerIsSimulated
            && Settings.isSimulatedLedger(effective(.ledger).text ?? "", simulatedFolder)
    }

    /// The subfolder for a simulated station.
    private static let simulatedPlace = "/simulated"

    /// The file for the simulated reader `sim`, in the folder of simulated tags.
    package static func simulationFile(in folder: String) -> String { folder + "/simulation.txt" }

    var configurationPath: String { file.path }
    package var keyPath: String { dataFolder + "/keys.json" }

    package var ledgerPlace: LedgerPlace {
        get throws(TapcardError) {
            let (text, origin) = effective(.ledger)
            let place = LedgerPlace(text ?? "")
            guard case .file(let path) = place else { return place }
            guard path != DurableFile.standardStream else {
                throw TapcardError.usage(
                    "The ledger cannot be standard input or output.",
                    advice:
                        "Specify a file. To write a copy to standard output, run: tapcard backup -")
            }
            // A relative path in a flag is relative to the folder in which the user runs the
            // command.
            guard origin == .flag || path.hasPrefix("/") else {
                // A mistyped address looks like a path, and quoting it would reveal its password.
                try Settings.requireSafe(place)
                throw TapcardError.usage(
                    "The path \(path.debugDescription) is relative, so the ledger would depend on "
                        + "the current folder.",
                    advice: "Use an absolute path.")
            }
            return place
        }
    }

    /// Refuses a password in the address, because process lists, settings, and messages would
    /// reveal it.
    private func checkLedger() throws(TapcardError) {
        try Settings.requireSafe(LedgerPlace(values[.ledger]?.text ?? ""))
    }

    /// Refuses addresses that contain a password and addresses of an unsupported kind. Neither
    /// refusal quotes the address, because that would reveal the password.
    static func requireSafe(_ place: LedgerPlace) throws(TapcardError) {
        if place.hasPassword { throw Settings.passwordInAddress }
        guard place.isUnsupportedAddress else { return }
        throw TapcardError.usage(
            "The ledger is neither a file path nor a PostgreSQL address.",
            advice:
                "Write it as postgresql://LOGIN@HOST/DATABASE, and put the password in ~/.pgpass."
        )
    }

    private static var passwordInAddress: TapcardError {
        TapcardError.usage(
            "The ledger address contains a password, which other users can see.",
            advice:
                "Put the password in ~/.pgpass, in a file named by passfile=FILE, or in PGPASSWORD."
        )
    }

    /// The currency; nil if not set, in which case the ledger's own currency applies.
    package var currency: Currency? {
        get throws(TapcardError) {
            guard let code = values[.currency]?.text else { return nil }
            guard let currency = Currency(code: code.uppercased()) else {
                throw TapcardError.usage(
                    "\(code.debugDescription) is not a valid currency.",
                    advice: "Use one of "
                        + Currency.known.map(\.code).joined(separator: ", ") + ".")
            }
            return currency
        }
    }

    private static func cashier(_ text: String?) throws(TapcardError) -> CashierName? {
        guard let text else { return nil }
        return try translating(CashierName(text)) { (error: Refusal) in
            TapcardError.usage(
                "\(text.debugDescription) is not a valid cashier name: \(error.detail).",
                advice: "Use another name, or none.")
        }
    }

    var timeout: Duration { get throws(TapcardError) { try seconds(.timeout) } }
    var paymentLifetime: Duration { get throws(TapcardError) { try seconds(.paymentLifetime) } }
    var snapshotAge: Duration { get throws(TapcardError) { try seconds(.offlineSnapshotAge) } }

    /// One day, which is longer than anyone waits for a card.
    private static let maximumSeconds = 86_400.0

    private func seconds(_ name: Name) throws(TapcardError) -> Duration {
        let text = effective(name).text ?? ""
        // Double would also accept signs, exponents, "inf", and "nan".
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let seconds = Double(text), (0...Settings.maximumSeconds).contains(seconds)
        else {
            throw TapcardError.usage(
                "\(text.debugDescription) is not a valid \(name.rawValue): use a number of seconds "
                    + "from 0 to 86400.")
        }
        return .milliseconds(Int64(seconds * 1_000))
    }

    /// The folder that the user specified for the keys and the ledger.
    private static func place(_ path: String?) throws(TapcardError) -> String? {
        guard let path, !path.hasPrefix("/") else { return path }
        throw TapcardError.usage(
            "The path \(path.debugDescription) is relative, so the data folder would depend on the "
                + "current folder.",
            advice: "Use an absolute path.")
    }

    private static func folder(
        _ variable: String, _ below: String, _ environment: [String: String]
    ) throws(TapcardError) -> (path: String, variable: String?) {
        // According to the XDG specification, relative paths are ignored.
        if let base = environment[variable], base.hasPrefix("/") {
            return (base + "/tapcard", variable)
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw TapcardError.usage(
                "The variable HOME is not set.", advice: "Set HOME or \(variable).")
        }
        return ("\(home)/\(below)/tapcard", nil)
    }
}
