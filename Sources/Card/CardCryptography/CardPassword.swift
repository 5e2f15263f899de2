/// What opens the protected pages of one tag, and what the tag answers to it.
public struct CardPassword: Hashable, Sendable {
    /// PWD, 4 bytes.
    public let password: [UInt8]
    /// PACK, 2 bytes.
    public let pack: [UInt8]
}
