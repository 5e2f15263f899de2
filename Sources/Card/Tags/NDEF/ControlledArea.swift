/// The common content of lock control and memory control blocks: a place and a size.
struct ControlledArea {
    private static let byteCount = 3

    /// Counted from the first byte of page 00h.
    let byteAddress: Int
    /// From 1 to 256, in the unit of the block.
    let size: Int
    /// The upper half of the last byte, which only lock control uses.
    let upperNibble: Int

    init(_ value: [UInt8]) throws(NDEFError) {
        guard value.count == Self.byteCount else {
            throw NDEFError(.badControl, "\(value.count) bytes instead of \(Self.byteCount)")
        }
        let page = Int(value[0] >> 4)
        let offset = Int(value[0] & 0x0F)
        // Page sizes here are powers of two and may differ from the tag's own.
        let bytesPerPage = 1 << Int(value[2] & 0x0F)
        byteAddress = page * bytesPerPage + offset
        size = value[1] == 0 ? 256 : Int(value[1])
        upperNibble = Int(value[2] >> 4)
    }
}
