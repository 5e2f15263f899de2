import TapcardDomain

/// A JSON number, read as decimal digits and never as binary floating point.
struct DecimalNumber {
    /// The number of decimal places that are checked before a number written by other software is
    /// rounded: those beyond the minor unit must be all 0 or all 9. Floating point can turn `12.1`
    /// into `12.100000000000001`, which means 12.10.
    private static let checkedDecimals = 6
    /// The maximum absolute value of an exponent. No amount needs a larger one, so a larger one is
    /// an attack or a mistake.
    private static let maximumExponent = 30

    private let isNegative: Bool
    private let digits: [UInt8]
    /// The position of the decimal point, counted from the left of the digits.
    private let point: Int

    /// `nil` if the text is not a JSON number, or if the exponent is out of range.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        var digits: [UInt8] = []
        var point: Int?
        while let byte = rest.first, byte != UInt8(ascii: "e"), byte != UInt8(ascii: "E") {
            rest.removeFirst()
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte - UInt8(ascii: "0"))
            case UInt8(ascii: ".") where point == nil: point = digits.count
            default: return nil
            }
        }
        var exponent = 0
        if !rest.isEmpty {
            rest.removeFirst()
            let digits = rest.first == UInt8(ascii: "+") ? rest.dropFirst() : rest
            guard let value = Int(String(decoding: digits, as: UTF8.self)),
                abs(value) <= DecimalNumber.maximumExponent
            else { return nil }
            exponent = value
        }
        guard !digits.isEmpty else { return nil }
        self.digits = digits
        self.point = (point ?? digits.count) + exponent
    }

    /// The number in minor units of a currency, rounded if rounding changes it by at most 0.000001.
    /// `nil` if it is negative, has too many decimal places, or is too large.
    func minorUnits(of currency: Currency) -> Int64? {
        func digit(_ position: Int) -> Int64 {
            digits.indices.contains(position) ? Int64(digits[position]) : 0
        }
        // Minus zero counts as zero.
        if isNegative && digits.contains(where: { $0 != 0 }) { return nil }
        let end = point + currency.decimals
        var units: Int64 = 0
        // An exponent can move the point to the left of the first digit; positions outside the
        // digits count as zeros.
        for position in min(0, end)..<max(0, end) {
            let (product, overflow) = units.multipliedReportingOverflow(by: 10)
            // The limit leaves room for this digit, and for the 1 that rounding may add.
            guard !overflow, product <= Int64.max - 10 else { return nil }
            units = product + digit(position)
        }
        // The decimal places after the minor unit must be all 0 or all 9; nines are rounded up.
        let extraDigits = (0..<max(1, DecimalNumber.checkedDecimals - currency.decimals))
            .map { digit(end + $0) }
        if extraDigits.allSatisfy({ $0 == 0 }) { return units }
        return extraDigits.allSatisfy { $0 == 9 } ? units + 1 : nil
    }
}
