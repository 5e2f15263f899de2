import TextCodecs

/// The four bytes that a Type 2 tag writes at a time.
///
/// A page is stored as one integer instead of an array, because pages are hashed, compared, and
/// copied by the hundreds.
public struct Page: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes in a page.
    package static let size = 4

    /// A page of four zeros.
    public static let zero = Page(0, 0, 0, 0)

    /// The bytes as one number; byte 0 is the most significant.
    private var storage: UInt32

    /// Creates a page from its four bytes, in order.
    public init(_ b0: UInt8, _ b1: UInt8, _ b2: UInt8, _ b3: UInt8) {
        storage = UInt32(b0) << 24 | UInt32(b1) << 16 | UInt32(b2) << 8 | UInt32(b3)
    }

    /// `nil` unless there are exactly four bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Page.size else { return nil }
        storage = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Byte 0, 1, 2, or 3; any other index is a programming error.
    public subscript(_ index: Int) -> UInt8 {
        get { UInt8(truncatingIfNeeded: storage >> Page.shift(index)) }
        set {
            storage &= ~(0xFF << Page.shift(index))
            storage |= UInt32(newValue) << Page.shift(index)
        }
    }

    /// The four bytes.
    public var bytes: [UInt8] { [self[0], self[1], self[2], self[3]] }

    public var description: String {
        bytes.map { Hexadecimal.encode([$0]) }.joined(separator: " ")
    }

    /// The content of a one-time programmable page after a write: bits are never cleared.
    static func | (left: Page, right: Page) -> Page {
        var union = left
        union.storage |= right.storage
        return union
    }

    private static func shift(_ index: Int) -> UInt32 {
        precondition((0..<size).contains(index), "a page has bytes 0 to 3")
        return UInt32(8 * (size - 1 - index))
    }
}
