import TapcardCore
import TapcardDomain

extension Settings {
    /// The ceilings that are set, and those that are usual in the currency for the rest.
    func ceilings(_ currency: Currency) throws(TapcardError) -> Ceilings {
        let usual = Ceilings.standard(for: currency)
        return Ceilings(
            unconfirmed: Ceilings.Amounts(
                payment: try ceiling(.paymentWithoutAsking, usual.unconfirmed.payment),
                addition: try ceiling(.additionWithoutAsking, usual.unconfirmed.addition),
                balance: try ceiling(.balanceWithoutAsking, usual.unconfirmed.balance)),
            absolute: Ceilings.Amounts(
                payment: try ceiling(.paymentLimit, usual.absolute.payment),
                addition: try ceiling(.additionLimit, usual.absolute.addition),
                balance: try ceiling(.balanceLimit, usual.absolute.balance)))
    }

    private func ceiling(_ name: Name, _ usual: Money) throws(TapcardError) -> Money {
        guard effective(name).text != nil else { return usual }
        return try checked(name) { text throws(Refusal) in
            try amount(text, usual.currency)
        }
    }

    /// The amounts that a page offers with one touch.
    func presets(_ currency: Currency) throws(TapcardError) -> (pay: [Money], add: [Money]) {
        (
            pay: try presets(.presets, usualCents: [100, 250, 500, 1_000], currency),
            add: try presets(.additionPresets, usualCents: [500, 1_000, 2_000, 5_000], currency)
        )
    }

    private func presets(
        _ name: Name, usualCents: [Int64], _ currency: Currency
    ) throws(TapcardError) -> [Money] {
        guard effective(name).text != nil else { return usualCents.map(currency.roughly(cents:)) }
        return try checked(name) { text throws(Refusal) in
            let words = text.split(separator: " ")
            guard Settings.presetCounts.contains(words.count) else {
                throw Refusal(
                    .badAmount, "write \(Settings.presetCounts.words) amounts with spaces between")
            }
            var amounts: [Money] = []
            for word in words {
                let money = try amount(String(word), currency)
                guard money.minorUnits > 0 else {
                    throw Refusal(.badAmount, "an amount that moves is above 0")
                }
                amounts.append(money)
            }
            return amounts
        }
    }

    /// More than six would not fit under a thumb.
    private static let presetCounts = 1...6

    /// An amount that a person typed.
    func amount(_ text: String, _ currency: Currency) throws(Refusal) -> Money {
        try Money(parsing: text, currency, acceptingComma: acceptsDecimalComma(in: currency))
    }

    /// Where the currency or the language of the station writes a comma before the decimals, both
    /// comma and point are read.
    func acceptsDecimalComma(in currency: Currency) -> Bool {
        currency.decimals > 0 && (currency.usesDecimalComma || languageUsesDecimalComma)
    }

    /// Refuses amounts that make no sense in this currency.
    func checkAmounts(_ currency: Currency) throws(TapcardError) {
        _ = (try ceilings(currency), try presets(currency))
    }
}

/// Which languages write 4,50 and which 4.50.
enum DecimalComma {
    private static let languages: Set<String> = [
        "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr", "hu",
        "id", "is", "it", "lt", "lv", "mk", "nb", "nl", "nn", "pl", "pt", "ro", "ru", "sk", "sl",
        "sq", "sr", "sv", "tr", "uk", "vi",
    ]
    /// Places where a language that writes a comma elsewhere writes a point.
    private static let exceptions: Set<String> = [
        "de_CH", "de_LI", "it_CH", "es_DO", "es_GT", "es_HN", "es_MX", "es_NI", "es_PA", "es_PE",
        "es_PR", "es_SV", "es_US",
    ]
    /// The variables that say how numbers are written, the strongest first.
    static let variables = ["LC_ALL", "LC_NUMERIC", "LANG"]

    static func isUsual(in environment: [String: String]) -> Bool {
        let name = variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        // Such as de_AT.UTF-8@euro.
        let place = String(name.prefix { $0 != "." && $0 != "@" })
        let language = String(place.prefix { $0 != "_" })
        return languages.contains(language) && !exceptions.contains(place)
    }
}
