/// The TLV blocks in the data area of a Type 2 tag.
package struct TLVArea: Hashable, Sendable {
    /// The maximum size of an area in bytes: more than any Type 2 tag has.
    package static let maximumByteCount = 0x2_0000

    /// The tag of a terminator.
    package static let terminator: UInt8 = 0xFE

    /// All blocks in order, including padding and the terminator.
    package let blocks: [TLV]

    /// Reads the blocks from the first byte of the data area, page 04h, up to the terminator or, if
    /// there is none, to the end of the bytes.
    ///
    /// Unknown blocks are skipped by their length. A three-byte length is accepted even where one
    /// byte would be enough, because some software always uses three. Bytes after the terminator
    /// are ignored. Bytes that a control block reserves are not removed.
    package init(decoding bytes: [UInt8]) throws(NDEFError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw NDEFError(.tooLong, "a data area of \(bytes.count) bytes")
        }
        var reader = ByteReader(bytes, errorAtEnd: .overrun)
        var blocks: [TLV] = []
        while reader.remaining > 0, blocks.last?.kind != .terminator {
            blocks.append(try TLV(from: &reader))
        }
        self.blocks = blocks
    }

    /// The first block with an NDEF message; any others are ignored.
    package var message: TLV? { blocks.first { $0.kind == .message } }

    /// The blocks up to the first NDEF message or the terminator, as far as they are valid. What
    /// follows is not read, because phones do not read it either.
    package static func leadingBlocks(of bytes: [UInt8]) -> [TLV] {
        var reader = ByteReader(bytes, errorAtEnd: .overrun)
        var blocks: [TLV] = []
        while reader.remaining > 0, let block = try? TLV(from: &reader) {
            blocks.append(block)
            if block.kind == .message || block.kind == .terminator { break }
        }
        return blocks
    }

    /// Whether an area holds anything other than control blocks and one message. Bytes after the
    /// terminator do not count.
    package static func holdsOtherData(_ bytes: [UInt8]) -> Bool {
        guard let blocks = try? TLVArea(decoding: bytes).blocks else { return true }
        return blocks.count { $0.kind == .message } > 1
            || blocks.contains {
                switch $0.kind {
                case .null, .lockControl, .memoryControl, .message, .terminator: false
                // What remains of an empty record if the length before it becomes zero.
                case .unknown(0xD0): !$0.value.isEmpty
                case .proprietary, .unknown: true
                }
            }
    }

    /// An area that contains only this message, with a one-byte length where possible.
    ///
    /// More than `TLV.maximumLength` bytes is a programming error: `NDEFMessage` never encodes a
    /// message of that length.
    package static func encoded(message: [UInt8]) -> [UInt8] {
        precondition(message.count <= TLV.maximumLength, "no TLV block can hold that many bytes")
        let mark = UInt8(TLV.longLengthMark)
        let low = UInt8(truncatingIfNeeded: message.count)
        let high = UInt8(truncatingIfNeeded: message.count >> 8)
        let length = message.count < TLV.longLengthMark ? [low] : [mark, high, low]
        // 03h is the tag of a message.
        return [0x03] + length + message + [terminator]
    }
}
