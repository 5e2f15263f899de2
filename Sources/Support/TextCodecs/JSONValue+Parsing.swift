extension JSONValue {
    /// The value that makes up the whole text, with white space around it at most.
    ///
    /// `valueLimit` bounds it and all values in it: an empty object of two bytes is held in some
    /// hundred. Without it the size of the text is the only bound.
    public static func parsing(
        _ bytes: [UInt8], valueLimit: Int = sizeLimit
    ) throws(JSONError) -> JSONValue {
        guard bytes.count <= sizeLimit else {
            throw JSONError(.tooLarge, "more than \(sizeLimit) bytes", at: sizeLimit)
        }
        var parser = JSONParser(bytes, from: 0, valueLimit: valueLimit)
        let value = try parser.value()
        parser.skipWhiteSpace()
        guard parser.peek == nil else {
            throw JSONError(.trailingBytes, "more after the value", at: parser.position)
        }
        return value
    }

    /// The value that starts at `start`, and the index after its last byte. What follows is not
    /// looked at: on a torn card it is rubbish, and the value in front of it still counts.
    public static func parsingPrefix(
        of bytes: [UInt8], from start: Int = 0
    ) throws(JSONError) -> (value: JSONValue, end: Int) {
        guard (0...bytes.count).contains(start) else {
            throw JSONError(.truncated, "a text of \(bytes.count) bytes read", at: start)
        }
        guard bytes.count - start <= sizeLimit else {
            throw JSONError(.tooLarge, "more than \(sizeLimit) bytes", at: start)
        }
        var parser = JSONParser(bytes, from: start)
        return (try parser.value(), parser.position)
    }
}
