/// The reserved bytes of a Type 2 tag, from a memory control block.
package struct MemoryControl: Hashable, Sendable {
    /// The bytes that must not be written, counted from the first byte of page 00h.
    package let bytes: Range<Int>

    package init(_ block: TLV) throws(NDEFError) {
        guard block.kind == .memoryControl else {
            throw NDEFError(.badType, "not a memory control block")
        }
        let area = try ControlledArea(block.value)
        bytes = area.byteAddress..<area.byteAddress + area.size
    }
}
