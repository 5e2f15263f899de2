package import TapcardCore
package import TapcardDomain

extension Settings {
    /// The ceilings from the settings, with the currency's defaults for the rest.
    func ceilings(_ currency: Currency) throws(TapcardError) -> Ceilings {
        let standard = Ceilings.standard(for: currency)
        return Ceilings(
            unconfirmed: Ceilings.Amounts(
                payment: try ceiling(.confirmPaymentAbove, standard.unconfirmed.payment),
                topUp: try ceiling(.confirmTopUpAbove, standard.unconfirmed.topUp),
                balance: try ceiling(.confirmBalanceAbove, standard.unconfirmed.balance)),
            absolute: Ceilings.Amounts(
                payment: try ceiling(.paymentLimit, standard.absolute.payment),
                topUp: try ceiling(.topUpLimit, standard.absolute.topUp),
                balance: try ceiling(.balanceLimit, standard.absolute.balance)),
            credit: try ceiling(.creditLimit, standard.credit))
    }

    /// Whether the payment or sale needs a confirmation because of its amount. Refuses one that
    /// leaves nothing to charge.
    package func mustConfirmPayment(
        _ command: ParsedCommand, in currency: Currency
    ) throws(TapcardError) -> Bool {
        let amount = try MoneyCommands.amountDue(for: command, self, currency)
        guard let amount, amount > 0 else {
            throw TapcardError(Refusal(.badAmount, "the amount must be more than 0"))
        }
        return amount > (try ceilings(currency)).unconfirmed.payment.minorUnits
    }

    func offlineLimits(_ currency: Currency) throws(TapcardError) -> OfflineLimits {
        let standard = OfflineLimits.standard(for: currency)
        return OfflineLimits(
            card: try ceiling(.offlineCardLimit, standard.card),
            station: try ceiling(.offlineStationLimit, standard.station), age: try snapshotAge)
    }

    /// The largest amount that a cashier may refund or pay out at the till page.
    package func cashierRefundLimit(_ currency: Currency) throws(TapcardError) -> Money {
        try ceiling(.cashierRefundLimit, Settings.standardRefundLimit(currency))
    }

    package static func standardRefundLimit(_ currency: Currency) -> Money {
        currency.roughly(dollars: 50)
    }

    private func ceiling(_ name: Name, _ standard: Money) throws(TapcardError) -> Money {
        guard effective(name).text != nil else { return standard }
        return try checked(name) { text throws(Refusal) in
            try amount(text, standard.currency)
        }
    }

    /// The amounts for a page's buttons for top-ups.
    package func presets(_ currency: Currency) throws(TapcardError) -> [Money] {
        try presets(.topUpPresets, standardCents: Settings.standardTopUps, currency)
    }

    private static let standardTopUps: [Int64] = [500, 1_000, 2_000, 5_000]

    /// The default amounts, in the form used in settings.
    static func builtInAmounts(in currency: Currency) -> [Name: String] {
        let standard = Ceilings.standard(for: currency)
        func presetText(_ cents: [Int64]) -> String {
            cents.map { currency.roughly(cents: $0).description }.joined(separator: " ")
        }
        return [
            .confirmPaymentAbove: standard.unconfirmed.payment.description,
            .confirmTopUpAbove: standard.unconfirmed.topUp.description,
            .confirmBalanceAbove: standard.unconfirmed.balance.description,
            .paymentLimit: standard.absolute.payment.description,
            .topUpLimit: standard.absolute.topUp.description,
            .creditLimit: standard.credit.description,
            .balanceLimit: standard.absolute.balance.description,
            .cashierRefundLimit: standardRefundLimit(currency).description,
            .offlineCardLimit: OfflineLimits.standard(for: currency).card.description,
            .offlineStationLimit: OfflineLimits.standard(for: currency).station.description,
            .topUpPresets: presetText(standardTopUps),
        ]
    }

    /// Refuses a confirmation threshold that is above the limit, because it would never apply.
    func requireConfirmationsBelowLimits(_ currency: Currency) throws(TapcardError) {
        let ceilings = try ceilings(currency)
        let rows: [(confirmation: Name, limit: Name, KeyPath<Ceilings.Amounts, Money>)] = [
            (.confirmPaymentAbove, .paymentLimit, \.payment),
            (.confirmTopUpAbove, .topUpLimit, \.topUp),
            (.confirmBalanceAbove, .balanceLimit, \.balance),
        ]
        for (confirmation, limit, path) in rows where effective(confirmation).text != nil {
            let (threshold, maximum) = (
                ceilings.unconfirmed[keyPath: path], ceilings.absolute[keyPath: path]
            )
            guard threshold.minorUnits > maximum.minorUnits else { continue }
            throw TapcardError(
                .usage,
                "The setting \(confirmation.rawValue) \(threshold) would never apply, because it "
                    + "is above \(limit.rawValue) \(maximum).",
                meaning: "Nothing was changed.",
                advice: "Lower it, or raise the limit first.")
        }
    }

    private func presets(
        _ name: Name, standardCents: [Int64], _ currency: Currency
    ) throws(TapcardError) -> [Money] {
        guard effective(name).text != nil else {
            return standardCents.map(currency.roughly(cents:))
        }
        return try checked(name) { text throws(Refusal) in
            let words = text.split(separator: " ")
            guard Settings.presetCounts.contains(words.count) else {
                throw Refusal(
                    .badAmount,
                    "it must be \(Settings.presetCounts.words) amounts, separated by spaces")
            }
            var amounts: [Money] = []
            for word in words {
                let money = try amount(String(word), currency)
                guard money.minorUnits > 0 else {
                    throw Refusal(.badAmount, "the amount must be more than 0")
                }
                amounts.append(money)
            }
            return amounts
        }
    }

    /// More than six buttons would not fit under a thumb.
    private static let presetCounts = 1...6

    /// Parses an amount as typed by a user.
    package func amount(_ text: String, _ currency: Currency) throws(Refusal) -> Money {
        try Money(parsing: text, currency, acceptingComma: acceptsDecimalComma(in: currency))
    }

    /// Whether a decimal comma is accepted in addition to the decimal point, because the currency
    /// or the station's language uses one.
    package func acceptsDecimalComma(in currency: Currency) -> Bool {
        currency.decimals > 0 && (currency.usesDecimalComma || languageUsesDecimalComma)
    }

    /// A value as stored in the file: with a decimal point, which is accepted in every language.
    static func stored(_ text: String, _ name: Name) -> String {
        // Spaces separate amounts, so a comma can only be a decimal comma.
        let isAmount = name == .ticketPrice || builtInAmounts(in: .usd)[name] != nil
        return isAmount ? text.replacing(",", with: ".") : text
    }

    /// Refuses amounts that are not valid in this currency.
    func checkAmounts(_ currency: Currency) throws(TapcardError) {
        _ = (try ceilings(currency), try offlineLimits(currency), try presets(currency))
        _ = try cashierRefundLimit(currency)
    }
}

/// Which languages use a decimal comma (4,50) instead of a decimal point (4.50).
package enum DecimalComma {
    private static let languages: Set<String> = [
        "bg", "bs", "ca", "cs", "da", "de", "el", "es", "et", "eu", "fi", "fr", "gl", "hr", "hu",
        "id", "is", "it", "lt", "lv", "mk", "nb", "nl", "nn", "pl", "pt", "ro", "ru", "sk", "sl",
        "sq", "sr", "sv", "tr", "uk", "vi",
    ]
    /// Places that use a decimal point even though their language uses a decimal comma elsewhere.
    private static let exceptions: Set<String> = [
        "de_CH", "de_LI", "it_CH", "es_DO", "es_GT", "es_HN", "es_MX", "es_NI", "es_PA", "es_PE",
        "es_PR", "es_SV", "es_US",
    ]
    /// The variables for the number format, in order of precedence.
    package static let variables = ["LC_ALL", "LC_NUMERIC", "LANG"]

    static func isUsed(in environment: [String: String]) -> Bool {
        // An empty variable counts as not set, as in the C library.
        let name = variables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        // For example, de_AT.UTF-8@euro.
        let place = String(name.prefix { $0 != "." && $0 != "@" })
        let language = String(place.prefix { $0 != "_" })
        return languages.contains(language) && !exceptions.contains(place)
    }
}
