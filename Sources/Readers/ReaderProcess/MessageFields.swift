/// Parses a message field by field, and encodes fields.
package struct MessageFields {
    private static let maximumFieldLength = Int(UInt8.max)

    private var rest: ArraySlice<UInt8>

    package init(_ message: [UInt8]) { rest = message[...] }

    package var isAtEnd: Bool { rest.isEmpty }

    package mutating func byte() -> UInt8? { rest.popFirst() }

    /// Reads eight bytes, most significant first.
    package mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.dropFirst(8) }
        return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a one-byte length, and then that many bytes.
    package mutating func field() -> [UInt8]? {
        // `rest` has to be longer than `count`, because it still contains the length byte.
        guard let count = rest.first, rest.count > Int(count) else { return nil }
        rest = rest.dropFirst()
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    /// Reads two bytes, most significant first.
    package mutating func count() -> Int? {
        guard let high = byte(), let low = byte() else { return nil }
        return Int(high) << 8 | Int(low)
    }

    /// Reads a count, and then that many bytes.
    package mutating func longField() -> [UInt8]? {
        guard let count = count(), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    package static func bytes(ofCount count: Int) -> [UInt8] {
        // A message is at most 64 KiB long, and anything in it is shorter, so two bytes are enough.
        [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }

    package static func longField(_ field: [UInt8]) -> [UInt8] {
        bytes(ofCount: field.count) + field
    }

    /// Reads a text field; `nil` if it is not valid text.
    package mutating func text() -> String? {
        field().flatMap { String(validating: $0, as: UTF8.self) }
    }

    package mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    package static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    package static func field(_ bytes: some Collection<UInt8>) -> [UInt8] {
        // Longer content is truncated to what the length byte can express.
        [UInt8(clamping: bytes.count)] + bytes.prefix(maximumFieldLength)
    }

    /// A text field. Text that is too long is truncated, but never inside a Unicode scalar.
    package static func text(_ text: String) -> [UInt8] {
        let utf8 = text.utf8
        var end =
            utf8.index(utf8.startIndex, offsetBy: maximumFieldLength, limitedBy: utf8.endIndex)
            ?? utf8.endIndex
        while end.samePosition(in: text.unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return field(utf8[..<end])
    }
}
