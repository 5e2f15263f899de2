import TapcardCore
public import TapcardDomain

/// Where the services answer, and what the lottery draws: what their drivers have to know.
public struct ServiceSettings: Sendable, Hashable {
    /// Base addresses, without a slash at their end.
    public let activation: String
    public let lottery: String
    public let mastermind: String
    public let rules: LotteryRules
    /// Where what the lottery said is kept for later.
    public let dataFolder: String

    public init(
        activation: String, lottery: String, mastermind: String, rules: LotteryRules,
        dataFolder: String
    ) {
        (self.activation, self.lottery, self.mastermind) = (activation, lottery, mastermind)
        (self.rules, self.dataFolder) = (rules, dataFolder)
    }
}

/// The address of a service, before the words that name what is asked for.
struct ServiceAddress: Sendable {
    /// Without a slash at its end.
    let text: String

    private static let longest = 1_000
    private static let schemes = ["http://", "https://"]

    /// Throws what is wrong with it, in a few words that never repeat a password.
    init(_ text: String) throws(Refusal) {
        let bytes = text.utf8
        guard bytes.count <= ServiceAddress.longest,
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !#""\<>^`{|}"#.utf8.contains($0) })
        else { throw Refusal(.badIdentifier, "it has characters that no address has") }
        guard
            let scheme = ServiceAddress.schemes.first(where: { text.lowercased().hasPrefix($0) })
        else { throw Refusal(.badIdentifier, "it begins neither with http:// nor with https://") }
        let rest = text.dropFirst(scheme.count)
        guard !rest.contains("?"), !rest.contains("#") else {
            throw Refusal(.badIdentifier, "it has a query or a fragment")
        }
        let authority = rest.prefix { $0 != "/" }
        guard !authority.contains("@") else {
            throw Refusal(.badIdentifier, "it names a user")
        }
        guard ServiceAddress.namesHost(authority) else {
            throw Refusal(.badIdentifier, "it names no host, or no port from 1 to 65535")
        }
        var end = rest.endIndex
        while end > authority.endIndex, rest[rest.index(before: end)] == "/" {
            end = rest.index(before: end)
        }
        self.text = scheme + rest[..<end]
    }

    private static func namesHost(_ authority: Substring) -> Bool {
        let host: Substring
        let port: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return false }
            host = authority[authority.startIndex...end].dropFirst().dropLast()
            port = authority[end...].dropFirst()
            guard host.contains(":"),
                host.utf8.allSatisfy({ "0123456789abcdefABCDEF:.".utf8.contains($0) })
            else { return false }
        } else {
            host = authority.prefix { $0 != ":" }
            port = authority[host.endIndex...]
            guard !host.isEmpty, !host.hasPrefix("."), !host.contains(".."),
                host.utf8.allSatisfy({
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                        || (0x61...0x7A).contains($0) || "-._".utf8.contains($0)
                })
            else { return false }
        }
        guard !port.isEmpty else { return true }
        let digits = port.dropFirst()
        return port.first == ":" && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && Int(digits).map { (1...65_535).contains($0) } ?? false
    }
}

extension Settings {
    /// Only ever a variable: a flag would stand in the list of processes, and a file is copied.
    static let passwordVariable = "TAPCARD_MASTERMIND_PASSWORD"
    static let passwordName = "mastermind-password"

    /// What the services' drivers have to know.
    var services: ServiceSettings {
        get throws(TapcardError) {
            ServiceSettings(
                activation: try address(.activationURL), lottery: try address(.lotteryURL),
                mastermind: try address(.mastermindURL), rules: try lotteryRules,
                dataFolder: dataFolder)
        }
    }

    /// What a ticket costs.
    func ticketPrice(_ currency: Currency) throws(TapcardError) -> Money {
        try checked(.ticketPrice) { text throws(Refusal) in
            let price = try Money(parsing: text, currency)
            guard (1...Currency.largestBalance).contains(price.minorUnits) else {
                throw Refusal(.badAmount, "a ticket costs more than nothing and fits on a card")
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
                        "write whole or minor: what the lottery's number counts")
                }
                return unit
            }
        }
    }

    var lotteryRules: LotteryRules {
        get throws(TapcardError) {
            let ballCount = try number(.lotteryBalls)
            let highest = try number(.lotteryHighest)
            return try checked(.lotteryBalls) { _ throws(Refusal) in
                try LotteryRules(ballCount: ballCount, highest: highest)
            }
        }
    }

    /// Before anything happens: whatever command comes, a setting that makes no sense is named.
    ///
    /// The ledger's own currency is not known yet: then what any currency admits is let through.
    func checkServices() throws(TapcardError) {
        let currency =
            try self.currency ?? Currency.known.max { $0.decimals < $1.decimals } ?? .usd
        _ = (
            try services, try ticketPrice(currency), try prizes(currency), try topPrizeUnit
        )
    }

    private func address(_ name: Name) throws(TapcardError) -> String {
        let text = effective(name).text ?? ""
        do {
            return try ServiceAddress(text).text
        } catch {
            // The text is not repeated: a password may stand in it.
            throw TapcardError(
                .usage, "The \(name.rawValue) that is set (\(origin(of: name))) is none: \(error).",
                meaning: "Nothing was done.",
                advice: "Write it like https://lottery.example/draws, with a port where it "
                    + "needs one.")
        }
    }

    private func number(_ name: Name) throws(TapcardError) -> Int {
        try checked(name) { text throws(Refusal) in
            guard text.utf8.count <= 3, let number = Int(text), number > 0 else {
                throw Refusal(.badBalls, "write a number from 1 to 999")
            }
            return number
        }
    }

    private func checked<Value>(
        _ name: Name, _ parse: (String) throws(Refusal) -> Value
    ) throws(TapcardError) -> Value {
        let text = effective(name).text ?? ""
        do {
            return try parse(text)
        } catch {
            throw TapcardError(
                .usage,
                "\(text.debugDescription) is no \(name.rawValue) (\(origin(of: name))): \(error).",
                meaning: "Nothing was done.")
        }
    }

    private func origin(of name: Name) -> String {
        switch effective(name).origin {
        case .flag: "--\(name.rawValue)"
        case .variable: name.variable
        case .file: configurationPath
        case .builtIn: "built in"
        }
    }
}
