/// The place of the dynamic lock bits of a Type 2 tag, from a lock control block.
package struct LockControl: Hashable, Sendable {
    /// Counted from the first byte of page 00h.
    package let byteAddress: Int
    package let bitCount: Int
    /// The number of data bytes that each bit makes read-only.
    package let bytesLockedPerBit: Int

    package init(_ block: TLV) throws(NDEFError) {
        guard block.kind == .lockControl else {
            throw NDEFError(.badType, "not a lock control block")
        }
        let area = try ControlledArea(block.value)
        byteAddress = area.byteAddress
        bitCount = area.size
        bytesLockedPerBit = 1 << area.upperNibble
    }

    /// The bytes that must not be written, counted from the first byte of page 00h.
    package var bytes: Range<Int> { byteAddress..<byteAddress + (bitCount + 7) / 8 }
}
