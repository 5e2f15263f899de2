/// One fragment of an encoded message: either a whole record or a single chunk of one.
struct RecordFragment {
    /// The flag bits of the first byte, above the type name format.
    struct Flags: OptionSet {
        let rawValue: UInt8

        static let messageBegin = Flags(rawValue: 0x80)
        static let messageEnd = Flags(rawValue: 0x40)
        static let chunked = Flags(rawValue: 0x20)
        static let short = Flags(rawValue: 0x10)
        static let hasID = Flags(rawValue: 0x08)
    }

    static let unchangedFormat: UInt8 = 6
    static let reservedFormat: UInt8 = 7
    private static let formatMask: UInt8 = 0x07

    let flags: Flags
    let format: UInt8
    let type: [UInt8]
    let id: [UInt8]
    let payload: [UInt8]

    init(from reader: inout ByteReader) throws(NDEFError) {
        let head = try reader.byte("the head of a record")
        flags = Flags(rawValue: head & ~Self.formatMask)
        format = head & Self.formatMask
        // All lengths come first, followed by the type, the ID, and the payload.
        let typeCount = try reader.number(width: 1, "the length of a type")
        let payloadCount = try reader.number(
            width: flags.contains(.short) ? 1 : 4, "the length of a payload")
        let idCount =
            flags.contains(.hasID) ? try reader.number(width: 1, "the length of an ID") : 0
        type = try reader.take(typeCount, "a type")
        id = try reader.take(idCount, "an ID")
        payload = try reader.take(payloadCount, "a payload")
    }

    /// Creates the only fragment of a record that is not chunked. `position` is the record's
    /// position in the message: `messageBegin`, `messageEnd`, both, or neither.
    init(_ record: NDEFRecord, position: Flags) {
        // A short record has a payload length of one byte instead of four.
        flags =
            position
            .union(record.payload.count <= UInt8.max ? .short : [])
            .union(record.id.isEmpty ? [] : .hasID)
        format = record.format.rawValue
        type = record.type
        id = record.id
        payload = record.payload
    }

    /// Appends the encoded fragment. The caller must ensure that the type, the ID, and the payload
    /// are within their limits.
    func append(to bytes: inout [UInt8]) {
        bytes.append(flags.rawValue | format)
        bytes.append(UInt8(truncatingIfNeeded: type.count))
        for shift in flags.contains(.short) ? [0] : [24, 16, 8, 0] {
            bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
        }
        if flags.contains(.hasID) {
            bytes.append(UInt8(truncatingIfNeeded: id.count))
        }
        bytes += type + id + payload
    }
}
