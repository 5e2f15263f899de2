/// Takes a message apart, from its beginning.
struct MessageReader {
    private var rest: ArraySlice<UInt8>

    init(_ message: [UInt8]) { rest = message[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? { rest.popFirst() }

    /// Eight bytes, the most significant first.
    mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.dropFirst(8) }
        return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A length of one byte, and so many bytes.
    mutating func field() -> [UInt8]? {
        guard let count = rest.first, rest.count > Int(count) else { return nil }
        rest = rest.dropFirst()
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    static func bytes(of number: UInt64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    /// What is longer than a field can be is cut: only words for people can be that long.
    static func field(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let kept = bytes.prefix(Int(UInt8.max))
        return [UInt8(kept.count)] + kept
    }
}
