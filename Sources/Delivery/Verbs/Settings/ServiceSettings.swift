import OperatingSystem
package import TapcardCore
package import TapcardDomain

/// The settings for the service drivers: the addresses and the lottery's rules.
package struct ServiceSettings: Sendable, Hashable {
    package let activation: ServiceAddress
    package let lottery: ServiceAddress
    package let mastermind: ServiceAddress
    /// A file of certificates that are trusted in addition to the system's; nil if there is none.
    package let authorities: String?
    package let rules: LotteryRules
    /// The folder for the lottery cache.
    package let dataFolder: String

    package init(
        activation: ServiceAddress, lottery: ServiceAddress, mastermind: ServiceAddress,
        authorities: String?, rules: LotteryRules, dataFolder: String
    ) {
        (self.activation, self.lottery, self.mastermind) = (activation, lottery, mastermind)
        (self.authorities, self.rules, self.dataFolder) = (authorities, rules, dataFolder)
    }
}

extension Settings {
    /// Passwords come only from variables, because a flag would be visible in the process list, and
    /// files get copied.
    static let passwordVariable = "TAPCARD_MASTERMIND_PASSWORD"
    static let cashierPasswordVariable = "TAPCARD_CASHIER_PASSWORD"
    static let secretVariables = [passwordVariable, cashierPasswordVariable]
    /// Names that users might try in the settings file for a password, with the variables to use
    /// instead.
    static let secretNames = [
        "mastermind-password": passwordVariable, "cashier-password": cashierPasswordVariable,
    ]

    var mastermindAddress: ServiceAddress {
        get throws(TapcardError) { try address(.mastermindURL) }
    }

    /// The path of the file with more certificates to trust; nil if none is set.
    package var authoritiesPath: String? { effective(.caFile).text }

    /// The certificate file from the settings. It is read here so that errors in it are reported
    /// before any request.
    package var authorities: String? {
        get throws(TapcardError) {
            guard let path = authoritiesPath else { return nil }
            // Each service reads the file itself, but standard input can be read only once.
            guard path != DurableFile.standardStream else {
                throw unusableAuthorities("it names standard input")
            }
            let bytes = try translating(DurableFile(path).read()) { (error: FileError) in
                unusableAuthorities("the file cannot be read: \(error.detail)")
            }
            guard let bytes else { throw unusableAuthorities("the file \(path) does not exist") }
            guard !bytes.isEmpty else { throw unusableAuthorities("\(path) is empty") }
            let labelCount = bytes.ranges(of: Settings.certificateLabel).count
            guard labelCount > 0 else {
                throw unusableAuthorities("\(path) contains no certificate")
            }
            // Each certificate has this text once at its start and once at its end.
            guard labelCount.isMultiple(of: 2) else {
                throw unusableAuthorities("\(path) is truncated")
            }
            return path
        }
    }

    /// The text that the first and last lines of every PEM certificate have in common.
    private static let certificateLabel = Array("CERTIFICATE-----".utf8)

    private func unusableAuthorities(_ what: String) -> TapcardError {
        TapcardError.usage(
            "The setting \(Name.caFile.rawValue) (\(origin(of: .caFile))) cannot be used: \(what).",
            advice: "Specify a readable PEM file, or none at all.")
    }

    package func ticketPrice(_ currency: Currency) throws(TapcardError) -> Money {
        try checked(.ticketPrice) { text throws(Refusal) in
            let price = try amount(text, currency)
            guard (1...Currency.largestBalance).contains(price.minorUnits) else {
                throw Refusal(
                    .badAmount, "it must be more than 0 and no more than the largest balance")
            }
            return price
        }
    }

    func prizes(_ currency: Currency) throws(TapcardError) -> PrizeTable {
        try checked(.prizes) { text throws(Refusal) in try PrizeTable(parsing: text, currency) }
    }

    var topPrizeUnit: TopPrizeUnit {
        get throws(TapcardError) {
            try checked(.topPrizeUnit) { text throws(Refusal) in
                guard let unit = TopPrizeUnit(rawValue: text) else {
                    throw Refusal(
                        .badAmount,
                        "it must be whole (dollars) or minor (cents)")
                }
                return unit
            }
        }
    }

    var lotteryRules: LotteryRules {
        get throws(TapcardError) {
            let ballCount = try number(.lotteryBalls)
            let highest = try number(.lotteryHighest)
            // The error should mention the setting that the user changed, not a default.
            let isDefault = effective(.lotteryHighest).origin == .builtIn
            return try checked(isDefault ? .lotteryBalls : .lotteryHighest) { _ throws(Refusal) in
                try LotteryRules(ballCount: ballCount, highest: highest)
            }
        }
    }

    /// The settings for the service drivers, checked before any request. Commands that need no
    /// service do not check them, because taking payments does not depend on a prize table.
    ///
    /// While the ledger's currency is unknown, a value that is valid in any currency is accepted.
    func checkedServices(in known: Currency? = nil) throws(TapcardError) -> ServiceSettings {
        let services = ServiceSettings(
            activation: try address(.activationURL), lottery: try address(.lotteryURL),
            mastermind: try mastermindAddress, authorities: try authorities,
            rules: try lotteryRules, dataFolder: dataFolder)
        let configured = try self.currency
        // An amount that is valid in some currency is also valid in the one with the most decimals.
        let currency =
            known ?? configured ?? Currency.known.max { $0.decimals < $1.decimals } ?? .usd
        _ = (try ticketPrice(currency), try prizes(currency), try topPrizeUnit)
        try checkAmounts(currency)
        return services
    }

    /// Sets the page address for cards made at this station, if the settings specify one.
    func setCardAddress(of station: inout Station.Settings) throws(TapcardError) {
        guard text(of: .cardAddress) != nil else { return }
        try checked(.cardAddress) { text throws(Refusal) in
            try station.setCardAddress(text)
            // Cardholders take real cards home, so the page must be one that phones can open.
            guard readerIsSimulated || text.hasPrefix("https://") else {
                throw Refusal(
                    .badIdentifier,
                    "with a real reader, it must begin with https://")
            }
        }
    }

    /// Confirms a service's built-in address by writing it to the file. Returns false if a
    /// different address is in effect here or has been written to the file in the meantime.
    package func confirm(_ setting: String, _ address: String) throws(TapcardError) -> Bool {
        guard let name = Name(rawValue: setting), name.service != nil, name.builtIn == address
        else {
            throw TapcardError.usage(
                "This is not the built-in address of a service.", advice: "Reload the page.")
        }
        guard text(of: name) == address else { return false }
        return try file.set(name, to: address, ifUnset: true)
    }

    private func address(_ name: Name) throws(TapcardError) -> ServiceAddress {
        try translating(ServiceAddress(effective(name).text ?? "")) { (error: ServiceError) in
            TapcardError.usage(
                "The setting \(name.rawValue) (\(origin(of: name))) is not a valid address: "
                    + "\(error.detail).",
                advice:
                    "Enter an address such as https://lottery.example/draws, with a port if needed."
            )
        }
    }

    private func number(_ name: Name) throws(TapcardError) -> Int {
        try checked(name) { text throws(Refusal) in
            guard text.utf8.count <= 3, let number = Int(text), number > 0 else {
                throw Refusal(.badBalls, "it must be a number from 1 to 999")
            }
            return number
        }
    }

    func checked<Value>(
        _ name: Name, _ parse: (String) throws(Refusal) -> Value
    ) throws(TapcardError) -> Value {
        let text = effective(name).text ?? ""
        return try translating(parse(text)) { (error: Refusal) in
            TapcardError.usage(
                "\(text.debugDescription) is not valid for \(name.rawValue) "
                    + "(\(origin(of: name))): \(error).")
        }
    }

    private func origin(of name: Name) -> String {
        switch effective(name).origin {
        case .flag: "--\(name.rawValue)"
        case .variable: name.variable
        case .file: configurationPath
        case .builtIn: "default"
        }
    }
}

extension Settings.Name {
    /// The service whose address this setting holds; nil for other settings.
    fileprivate var service: String? {
        switch self {
        case .activationURL: "The activation service"
        case .lotteryURL: "The lottery"
        case .mastermindURL: "Mastermind"
        default: nil
        }
    }
}

extension Settings {
    /// The services whose addresses are set, so that the till page shows them.
    package var namedServices: [String] {
        let addresses: [(String, Name)] = [
            ("activation", .activationURL), ("lottery", .lotteryURL),
            ("mastermind", .mastermindURL),
        ]
        return addresses.filter { effective($0.1).origin != .builtIn }.map(\.0)
    }

    /// Refuses to contact a service at its built-in address until someone has confirmed it.
    func requireConfirmed(_ name: Name) throws(TapcardError) {
        let (address, origin) = effective(name)
        guard origin == .builtIn, let address, let service = name.service else { return }
        // Someone may have confirmed the address since this server started and read its settings.
        guard try SettingsFile(file.path).values[name] != address else { return }
        throw TapcardError(
            .addressUnconfirmed, "\(service)'s address, \(address), has not been confirmed yet.",
            meaning: "Nothing was sent, and the card and the ledger are unchanged.",
            next: [
                .service(
                    .confirmAddress(
                        setting: name.rawValue, address: address,
                        command: commandLine("config set \(name.rawValue) \(address)")))
            ])
    }
}
