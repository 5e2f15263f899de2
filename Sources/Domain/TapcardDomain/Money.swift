/// An amount of money, stored as a whole number of minor units, never in floating point.
public struct Money: Hashable, Sendable, CustomStringConvertible {
    /// The amount in minor units, such as cents.
    public let minorUnits: Int64
    /// The currency.
    public let currency: Currency

    /// Creates an amount from a number of minor units, such as cents.
    public init(minorUnits: Int64, _ currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Parses an amount that a user typed: digits, optionally followed by a decimal point and at
    /// most as many digits as the currency has decimal places. ".50" means 0.50. Zero is valid
    /// here; the caller decides whether to accept it.
    ///
    /// If there is no point, a comma counts as a decimal comma if exactly two characters follow it
    /// or if `acceptingComma` is true. By default, that depends on the currency. A comma never
    /// separates thousands, so "1,500" is refused in a currency with two decimal places.
    public init(
        parsing text: String, _ currency: Currency, acceptingComma: Bool? = nil
    ) throws(Refusal) {
        var bytes = Array(text.utf8)
        if !bytes.contains(UInt8(ascii: ".")), let comma = bytes.firstIndex(of: UInt8(ascii: ",")),
            // The count includes the comma itself.
            acceptingComma ?? currency.usesDecimalComma || bytes.count - comma == 3
        {
            bytes[comma] = UInt8(ascii: ".")
        }
        if bytes.first == UInt8(ascii: "-") {
            throw Refusal(
                .badAmount, "\"\(printable(text))\" is negative; enter it without a minus sign")
        }
        // Typing a decimal comma is an easy mistake, and the intended amount is obvious.
        if let suggestion = Money.withPoint(bytes, currency) {
            throw Refusal(.badAmount, "\"\(printable(text))\" has a comma; enter \(suggestion)")
        }
        let parts = bytes.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.last?.isEmpty == false,
            parts.allSatisfy({ $0.allSatisfy(isDigit) })
        else {
            let way =
                Money.plain(text, currency).map { "\($0): no thousands separator or currency sign" }
                ?? "an amount such as \(Money.example(currency))"
            throw Refusal(.badAmount, "\"\(printable(text))\" is not an amount; enter \(way)")
        }
        let fraction = parts.count == 2 ? Array(parts[1]) : []
        guard fraction.count <= currency.decimals else {
            throw Refusal(
                .badAmount,
                "\"\(printable(text))\" has too many decimal places; \(currency.code) has "
                    + (currency.decimals == 0 ? "none" : "\(currency.decimals)"))
        }
        let padding = [UInt8](
            repeating: UInt8(ascii: "0"), count: currency.decimals - fraction.count)
        var units: Int64 = 0
        for digit in Array(whole) + fraction + padding {
            let (product, overflow) = units.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else {
                throw Refusal(.badAmount, "\"\(printable(text))\" is too large to be an amount")
            }
            units = sum
        }
        self.init(minorUnits: units, currency)
    }

    /// The amount with the opposite sign.
    public var negated: Money { Money(minorUnits: -minorUnits, currency) }

    /// The amount with all decimal places of the currency and, if it is negative, a minus sign:
    /// "12.50".
    public var description: String {
        let sign = minorUnits < 0 ? "-" : ""
        let magnitude = minorUnits.magnitude
        guard currency.decimals > 0 else { return sign + String(magnitude) }
        let scale = currency.minorUnitsInWhole.magnitude
        let fraction = String(magnitude % scale)
        let zeros = String(repeating: "0", count: currency.decimals - fraction.utf8.count)
        return sign + String(magnitude / scale) + "." + zeros + fraction
    }

    /// The amount with its currency symbol, as shown to users: "$12.50", "-$4.50".
    public var shown: String {
        (minorUnits < 0 ? "-" : "") + currency.sign + description.drop { $0 == "-" }
    }

    private static func example(_ currency: Currency) -> String {
        switch currency.decimals {
        case 0: "450"
        default: "4.5" + String(repeating: "0", count: currency.decimals - 1)
        }
    }

    /// The maximum length, in bytes, of text for which a correction is suggested.
    private static let maximumAmountLength = 40

    /// The text without its currency symbol and thousands separators; `nil` if the text is too long
    /// or ambiguous, or is not an amount.
    private static func plain(_ text: String, _ currency: Currency) -> String? {
        guard text.utf8.count <= maximumAmountLength else { return nil }
        var rest = text
        // Some symbols end in a space, which users may leave out.
        for symbol in [currency.code, currency.sign.filter { $0 != " " }] {
            rest = rest.replacing(symbol, with: "", maxReplacements: 1)
        }
        let hasSymbol = rest != text
        rest = rest.filter { $0 != " " }
        let parts = rest.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard let last = parts.last,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) })
        else { return nil }
        let separators = rest.filter { $0 == "." || $0 == "," }
        // Without a currency symbol, one kind of separator is ambiguous, as in 1.500.
        guard hasSymbol || Set(separators).count == 2 else { return nil }
        let isFraction = parts.count > 1 && last.count <= currency.decimals
        // If too many digits follow the last separator, it may be a thousands separator.
        guard isFraction || parts.count == 1 else { return nil }
        return parts.dropLast(isFraction ? 1 : 0).joined() + (isFraction ? ".\(last)" : "")
    }

    /// The text with a point instead of its comma, if the comma is the only thing wrong with it;
    /// otherwise `nil`. If more digits follow the comma than the currency has decimal places, the
    /// comma may be a thousands separator, so the result is `nil`.
    private static func withPoint(_ bytes: [UInt8], _ currency: Currency) -> String? {
        let parts = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }),
            parts[1].count <= currency.decimals
        else { return nil }
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
