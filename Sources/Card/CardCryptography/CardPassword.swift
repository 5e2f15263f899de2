/// The password for one tag's protected pages, and the tag's response to it.
public struct CardPassword: Hashable, Sendable {
    /// PWD, 4 bytes.
    public let password: [UInt8]
    /// PACK, 2 bytes.
    public let pack: [UInt8]
}
