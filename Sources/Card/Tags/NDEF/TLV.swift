/// One TLV block in the data area of a Type 2 tag: a tag, a length, and a value.
package struct TLV: Hashable, Sendable {
    /// The purpose of a block.
    package enum Kind: Hashable, Sendable {
        /// One byte of padding, without a length or a value.
        case null
        /// The location of the dynamic lock bits.
        case lockControl
        /// The location of bytes that must not be used for data.
        case memoryControl
        /// An NDEF message.
        case message
        /// Data for the manufacturer's own use.
        case proprietary
        /// The end of the blocks, without a length or a value.
        case terminator
        /// A tag that the specification does not define.
        case unknown(UInt8)

        init(tag: UInt8) {
            switch tag {
            case 0x00: self = .null
            case 0x01: self = .lockControl
            case 0x02: self = .memoryControl
            case 0x03: self = .message
            case 0xFD: self = .proprietary
            case 0xFE: self = .terminator
            default: self = .unknown(tag)
            }
        }

        /// The word for this kind in JSON.
        package var word: String {
            switch self {
            case .null: "null"
            case .lockControl: "lock-control"
            case .memoryControl: "memory-control"
            case .message: "message"
            case .proprietary: "proprietary"
            case .terminator: "terminator"
            case .unknown(let tag): "unknown-\(tag)"
            }
        }
    }

    /// The maximum number of bytes in a value. The two-byte length FFFFh is reserved.
    package static let maximumLength = 0xFFFE
    /// The first byte of a long length. It indicates that the length follows in two bytes.
    package static let longLengthMark = 0xFF

    package let kind: Kind
    package let value: [UInt8]
    /// The position of the tag byte, counted from the start of the data area.
    package let offset: Int
    /// The position of the value, which follows the length.
    package let valueOffset: Int

    init(from reader: inout ByteReader) throws(NDEFError) {
        offset = reader.offset
        kind = Kind(tag: try reader.byte("a tag"))
        // A null or terminator block is a single byte; any other block has a length.
        let count = kind == .null || kind == .terminator ? 0 : try Self.length(from: &reader)
        valueOffset = reader.offset
        value = try reader.take(count, "a value")
    }

    private static func length(from reader: inout ByteReader) throws(NDEFError) -> Int {
        let short = try reader.number(width: 1, "a length")
        guard short == longLengthMark else { return short }
        let long = try reader.number(width: 2, "a long length")
        guard long <= maximumLength else { throw NDEFError(.reserved, "the reserved length FFFFh") }
        return long
    }
}
