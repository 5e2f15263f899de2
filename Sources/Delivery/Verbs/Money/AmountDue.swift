import TapcardCore
import TapcardDomain

extension MoneyCommands {
    /// The amount that a payment or sale charges to the card, in minor units; nil if that depends
    /// on the products' prices in the ledger.
    static func amountDue(
        for command: ParsedCommand, _ settings: Settings, _ currency: Currency
    ) throws(TapcardError) -> Int64? {
        func units(_ text: String) throws(TapcardError) -> Int64 {
            let isNegative = text.hasPrefix("-")
            let amount = try translating(
                settings.amount(isNegative ? String(text.dropFirst()) : text, currency)
            ) { (error: Refusal) in TapcardError(error) }
            return isNegative ? -amount.minorUnits : amount.minorUnits
        }
        if command.isGiven(Parameter<TypedAmount>.amount) {
            return try units(command[.amount].text)
        }
        let rest = try command[.rest].map { rest throws(TapcardError) in try units(rest.amount) }
        var sum = -(rest ?? 0)
        for item in command[.items] + command[.returned] {
            guard case .line(_, _, let price, let quantity) = item else { return nil }
            // Wraps instead of trapping; the sale itself refuses such a sum.
            sum &+= try units(price) &* Int64(quantity)
        }
        return sum
    }
}
