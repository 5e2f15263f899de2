import Ledger
import TapcardDomain

extension SQLValue {
    /// The text of a parameter; nil for NULL.
    var parameter: String? {
        switch self {
        case .null: nil
        case .integer(let integer): String(integer)
        case .text(let text): text
        case .uid(let uid): String(uid.number)
        case .id(let id): id.description
        case .blob(let bytes): "\\x" + bytes.map(\.hexadecimal).joined()
        }
    }

    /// Parses a value in the server's text format. The server's catalog fixes the type numbers.
    init(_ text: String, ofType type: UInt32) {
        // 16 is boolean, 17 is bytea, 20, 21, and 23 are integers, and 1700 is numeric.
        switch type {
        case 16: self = .integer(text == "t" ? 1 : 0)
        case 17: self = SQLValue.bytes(text).map(SQLValue.blob) ?? .text(text)
        case 20, 21, 23, 1700: self = Int64(text).map(SQLValue.integer) ?? .text(text)
        default: self = .text(text)
        }
    }

    private static func bytes(_ text: String) -> [UInt8]? {
        // The text form of bytes begins with \x.
        let digits = text.utf8.dropFirst(2).map { UInt8(hexadecimal: $0) }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension UInt8 {
    fileprivate var hexadecimal: String {
        (self < 16 ? "0" : "") + String(self, radix: 16)
    }

    fileprivate init?(hexadecimal digit: UInt8) {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = digit - UInt8(ascii: "a") + 10
        default: return nil
        }
    }
}
