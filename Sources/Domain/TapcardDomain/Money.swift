/// An amount of money: a whole number of minor units of one currency, never a binary fraction.
public struct Money: Hashable, Sendable, CustomStringConvertible {
    /// The amount in minor units, such as cents.
    public let minorUnits: Int64
    /// The currency.
    public let currency: Currency

    /// Creates an amount of minor units, such as cents.
    public init(minorUnits: Int64, _ currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Reads an amount that someone typed: digits, optionally followed by a point and at most as
    /// many digits as the currency has decimal places; ".50" is 0.50. Zero is valid here; the rule
    /// that uses the amount decides whether to accept it. A comma is read as a decimal comma if
    /// exactly two characters follow it and there is no point, and always where decimal commas are
    /// customary. It never separates thousands: 1,500 is refused in a currency with two decimal
    /// places.
    public init(
        parsing text: String, _ currency: Currency, acceptingComma: Bool? = nil
    ) throws(Refusal) {
        var bytes = Array(text.utf8)
        if !bytes.contains(UInt8(ascii: ".")), let comma = bytes.firstIndex(of: UInt8(ascii: ",")),
            // The comma and exactly two digits after it.
            acceptingComma ?? currency.usesDecimalComma || bytes.count - comma == 3
        {
            bytes[comma] = UInt8(ascii: ".")
        }
        if bytes.first == UInt8(ascii: "-") {
            throw Refusal(
                .badAmount, "\"\(printable(text))\" is negative; enter it without a minus sign")
        }
        // A decimal comma is an easy mistake, and the intended amount is obvious.
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

    /// The amount with exactly as many decimal places as the currency has, and a minus sign if it
    /// is negative: "12.50".
    public var description: String {
        let sign = minorUnits < 0 ? "-" : ""
        let magnitude = minorUnits.magnitude
        guard currency.decimals > 0 else { return sign + String(magnitude) }
        let scale = currency.minorUnitsInWhole.magnitude
        let fraction = String(magnitude % scale)
        let zeros = String(repeating: "0", count: currency.decimals - fraction.utf8.count)
        return sign + String(magnitude / scale) + "." + zeros + fraction
    }

    /// The amount with its currency symbol, as shown to people: "$12.50", "-$4.50".
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

    /// The plain amount in text with a currency symbol or with two kinds of separators; `nil` if
    /// the text is ambiguous or too long.
    private static func plain(_ text: String, _ currency: Currency) -> String? {
        guard text.utf8.count <= maximumAmountLength else { return nil }
        var rest = text
        // Some symbols end in a space, which people may leave out.
        for symbol in [currency.code, currency.sign.filter { $0 != " " }] {
            rest = rest.replacing(symbol, with: "", maxReplacements: 1)
        }
        let hasSign = rest != text
        rest = rest.filter { $0 != " " }
        let parts = rest.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard let last = parts.last,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) })
        else { return nil }
        let separators = rest.filter { $0 == "." || $0 == "," }
        // With only one kind of separator and no currency symbol, 1.500 is ambiguous.
        guard hasSign || Set(separators).count == 2 else { return nil }
        let isFraction = parts.count > 1 && last.count <= currency.decimals
        // If too many digits follow the last separator, they could be thousands or decimals.
        guard isFraction || parts.count == 1 else { return nil }
        return parts.dropLast(isFraction ? 1 : 0).joined() + (isFraction ? ".\(last)" : "")
    }

    /// The text with a point instead of its comma, if the comma is all that is wrong with the text;
    /// otherwise `nil`. A comma followed by more digits than the currency has decimal places may
    /// separate thousands.
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
