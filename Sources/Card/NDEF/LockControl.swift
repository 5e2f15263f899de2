/// The place of the dynamic lock bits of a Type 2 tag, from a lock control block.
public struct LockControl: Hashable, Sendable {
    /// Counted from the first byte of page 00h.
    public let byteAddress: Int
    public let bitCount: Int
    /// The number of data bytes that each bit makes read-only.
    public let bytesLockedPerBit: Int

    public init(_ block: TLV) throws(NDEFError) {
        guard block.kind == .lockControl else {
            throw NDEFError(.badType, "not a lock control block")
        }
        let area = try ControlledArea(block.value)
        byteAddress = area.byteAddress
        bitCount = area.size
        bytesLockedPerBit = 1 << area.upperNibble
    }

    /// The bytes that must not be written, counted from the first byte of page 00h.
    public var bytes: Range<Int> { byteAddress..<byteAddress + (bitCount + 7) / 8 }
}
