package import Tags

/// Part of a command or response in PC/SC's transparent exchange: a tag, a length, and the content.
package struct DataObject: Hashable, Sendable {
    /// The tag: one byte, or two if the low five bits of the first byte are all set.
    package let tag: UInt16
    package let content: [UInt8]

    package init(tag: UInt16, content: [UInt8]) {
        self.tag = tag
        self.content = content
    }

    /// Splits bytes into data objects. Throws an error if the last object is incomplete.
    package static func parse(_ bytes: [UInt8]) throws(ReaderError) -> [DataObject] {
        var rest = bytes[...]
        var objects: [DataObject] = []
        while let first = rest.popFirst() {
            var tag = UInt16(first)
            if first & 0x1F == 0x1F {
                guard let second = rest.popFirst() else { throw truncated }
                tag = tag << 8 | UInt16(second)
            }
            let length = try takeLength(&rest)
            guard rest.count >= length else { throw truncated }
            objects.append(DataObject(tag: tag, content: Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return objects
    }

    private static var truncated: ReaderError { ReaderError(.garbled, "a data object is cut off") }

    /// Reads a length. A length of up to 127 is a single byte; for a longer one, the first byte
    /// gives the number of bytes that follow.
    private static func takeLength(_ rest: inout ArraySlice<UInt8>) throws(ReaderError) -> Int {
        guard let first = rest.popFirst() else { throw truncated }
        guard first >= 0x80 else { return Int(first) }
        // No response is longer than 258 bytes, so two bytes are enough for any length.
        let maximumBytes = 2
        let count = Int(first & 0x7F)
        guard (1...maximumBytes).contains(count), rest.count >= count else { throw truncated }
        let length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
        return length
    }
}
