/// The number that a chip has for its whole life.
public struct CardUID: Hashable, Sendable {
    /// Its length, in bytes.
    public static let size = 7

    public let bytes: [UInt8]

    /// Nil if these are not 7 bytes.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == CardUID.size else { return nil }
        self.bytes = bytes
    }
}
