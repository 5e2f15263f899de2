package import Tags

/// A tag's response to one frame.
package enum TagAnswer: Equatable {
    case acknowledged
    case refused(UInt8)
    case data([UInt8])

    private static let acknowledge: UInt8 = 0x0A
    private static let maximumNibble: UInt8 = 0x0F

    /// Parses the response as the chip passes it on. A four-bit response arrives as one byte;
    /// anything longer has a CRC.
    package init(_ raw: some Collection<UInt8>) throws(ReaderError) {
        if raw.count == 1, let nibble = raw.first, nibble <= Self.maximumNibble {
            self = nibble == Self.acknowledge ? .acknowledged : .refused(nibble)
            return
        }
        // The CRC is checked here, because the chip's own check, which is off, cannot distinguish a
        // NAK from a damaged response.
        guard raw.count > RadioCRC.length else {
            throw ReaderError(
                .garbled, "the answer has only \(raw.count == 1 ? "1 byte" : "\(raw.count) bytes")")
        }
        let data = Array(raw.dropLast(RadioCRC.length))
        guard RadioCRC.bytes(of: data).elementsEqual(raw.suffix(RadioCRC.length)) else {
            throw ReaderError(.garbled, "the answer has an incorrect CRC")
        }
        self = .data(data)
    }
}
