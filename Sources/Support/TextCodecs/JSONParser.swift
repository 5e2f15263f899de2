/// Parses one value according to the grammar in RFC 8259, starting at a given position.
struct JSONParser {
    let bytes: [UInt8]
    var position: Int
    private let valueLimit: Int
    private var valueCount = 0

    init(_ bytes: [UInt8], from position: Int, valueLimit: Int = JSONValue.sizeLimit) {
        (self.bytes, self.position, self.valueLimit) = (bytes, position, valueLimit)
    }

    /// Parses the value that starts at the current position, possibly after whitespace. `depth` is
    /// the number of arrays and objects around it.
    mutating func value(depth: Int = 0) throws(JSONError) -> JSONValue {
        skipWhiteSpace()
        // A value takes far more memory than its text: two bytes of text can take several hundred
        // bytes of memory.
        guard valueCount < valueLimit else {
            throw JSONError(.tooLarge, "more than \(valueLimit) values", at: position)
        }
        valueCount += 1
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return try number()
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        default: throw unexpected("a value")
        }
    }

    mutating func skipWhiteSpace() {
        while let byte = peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        try open(depth: depth)
        if take("}") { return .object([]) }
        var members: [JSONMember] = []
        // Names are looked up in a set, because an object in hostile text may have a great many
        // members.
        var keys: Set<String> = []
        repeat {
            skipWhiteSpace()
            let start = position
            guard peek == UInt8(ascii: "\"") else { throw unexpected("a member's name") }
            let key = try string()
            guard keys.insert(key).inserted else {
                throw JSONError(.duplicateKey, "a member name used twice", at: start)
            }
            skipWhiteSpace()
            guard take(":") else { throw unexpected("a colon") }
            members.append(JSONMember(key: key, value: try value(depth: depth + 1)))
            skipWhiteSpace()
        } while take(",")
        guard take("}") else { throw unexpected("a comma or the end of the object") }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        try open(depth: depth)
        if take("]") { return .array([]) }
        var elements: [JSONValue] = []
        repeat {
            elements.append(try value(depth: depth + 1))
            skipWhiteSpace()
        } while take(",")
        guard take("]") else { throw unexpected("a comma or the end of the array") }
        return .array(elements)
    }

    /// Skips the opening bracket. The depth limit keeps hostile text from exhausting the stack.
    private mutating func open(depth: Int) throws(JSONError) {
        guard depth < JSONValue.depthLimit else {
            let detail = "more than \(JSONValue.depthLimit) levels"
            throw JSONError(.tooDeep, detail, at: position)
        }
        position += 1
        skipWhiteSpace()
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        _ = take("-")
        // In JSON, no digit may follow a leading zero.
        if take("0") {
            if let byte = peek, isDigit(byte) {
                throw JSONError(.badNumber, "a leading zero", at: start)
            }
        } else {
            try digits()
        }
        if take(".") { try digits() }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try digits()
        }
        // The text is kept as written, because floating point could change an amount.
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        guard let first = peek else { throw unexpected("a digit") }
        guard isDigit(first) else { throw JSONError(.badNumber, "a missing digit", at: position) }
        while let byte = peek, isDigit(byte) { position += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func word(
        _ word: String, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        for character in word.unicodeScalars {
            guard take(character) else { throw unexpected("\"\(word)\"") }
        }
        return value
    }
}

extension JSONParser {
    var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Skips this ASCII character if it comes next; returns `false` if it does not.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let byte = peek, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    func unexpected(_ wanted: String) -> JSONError {
        guard let byte = peek else {
            return JSONError(
                .truncated, "the end of the text where \(wanted) was expected", at: position)
        }
        let found = Hexadecimal.encode([byte])
        return JSONError(
            .unexpectedByte, "byte \(found)h where \(wanted) was expected", at: position)
    }
}
