extension JSONParser {
    /// Parses the string whose opening quotation mark comes next.
    mutating func string() throws(JSONError) -> String {
        let start = position
        _ = take("\"")
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                _ = take("\"")
                // The text is checked as a whole, because escapes and raw bytes may alternate.
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONError(.notUTF8, "a string that is not valid UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"):
                text += try escape().utf8
            case 0..<0x20:
                throw JSONError(.badString, "a control character in a string", at: position)
            default:
                text.append(byte)
                position += 1
            }
        }
        throw unexpected("the end of a string")
    }

    private mutating func escape() throws(JSONError) -> String {
        let start = position
        _ = take("\\")
        guard let letter = peek else { throw unexpected("an escape") }
        position += 1
        switch letter {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return String(try scalar(from: start))
        default: throw JSONError(.badString, "an unknown escape", at: start)
        }
    }

    /// The scalar for a `\u` escape, or for two of them that form a surrogate pair.
    private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        // Only a surrogate is not a scalar by itself; it needs a second half.
        if let scalar = Unicode.Scalar(first) { return scalar }
        let incomplete = JSONError(.badString, "an incomplete surrogate pair", at: start)
        guard (0xD800..<0xDC00).contains(first) else { throw incomplete }
        for character in #"\u"#.unicodeScalars where !take(character) {
            throw peek == nil ? unexpected("the second half of a surrogate pair") : incomplete
        }
        let second = try codeUnit()
        guard (0xDC00..<0xE000).contains(second) else { throw incomplete }
        // Each half of a surrogate pair carries ten bits.
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw incomplete }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek else { throw unexpected("a hexadecimal digit") }
            guard let value = Hexadecimal.value(of: byte) else {
                throw JSONError(
                    .badString, "a character that is not a hexadecimal digit", at: position)
            }
            unit = unit << 4 | UInt16(value)
            position += 1
        }
        return unit
    }
}
