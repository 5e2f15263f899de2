extension JSONValue {
    /// Parses the whole text as one value, with optional whitespace around it.
    ///
    /// `valueLimit` limits the number of values: a two-byte empty object takes several hundred
    /// bytes of memory. Without it, the only limit is the size of the text. A higher `byteLimit` is
    /// for longer text that comes from the issuer.
    public static func parsing(
        _ bytes: [UInt8], valueLimit: Int = sizeLimit, byteLimit: Int = sizeLimit
    ) throws(JSONError) -> JSONValue {
        guard bytes.count <= byteLimit else {
            throw JSONError(.tooLarge, "more than \(byteLimit) bytes", at: byteLimit)
        }
        var parser = JSONParser(bytes, from: 0, valueLimit: valueLimit)
        let value = try parser.value()
        parser.skipWhiteSpace()
        guard parser.peek == nil else {
            throw JSONError(.trailingBytes, "extra text after the value", at: parser.position)
        }
        return value
    }

    /// Parses the value that starts at `start`, and returns it with the index after its last byte.
    /// The rest is ignored: on a torn card, it is garbage, but the value before it is still usable.
    public static func parsingPrefix(
        of bytes: [UInt8], from start: Int = 0
    ) throws(JSONError) -> (value: JSONValue, end: Int) {
        guard (0...bytes.count).contains(start) else {
            throw JSONError(
                .truncated, "a start beyond the end of the \(bytes.count)-byte text", at: start)
        }
        guard bytes.count - start <= sizeLimit else {
            throw JSONError(.tooLarge, "more than \(sizeLimit) bytes", at: start)
        }
        var parser = JSONParser(bytes, from: start)
        return (try parser.value(), parser.position)
    }
}
