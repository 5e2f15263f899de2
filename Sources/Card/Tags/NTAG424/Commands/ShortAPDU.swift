/// A command in the format of ISO/IEC 7816-4 with short lengths, the only lengths that the chip
/// supports.
package struct CommandAPDU: Hashable, Sendable {
    /// The maximum number of bytes of data.
    package static let maximumData = 255

    package let commandClass: UInt8
    package let instruction: UInt8
    package let first: UInt8
    package let second: UInt8
    package let data: [UInt8]
    /// The byte for the expected length of the response data; 0 means 256. `nil` if no data is
    /// expected.
    package let expected: UInt8?

    init(
        _ commandClass: UInt8, _ instruction: UInt8, _ first: UInt8 = 0, _ second: UInt8 = 0,
        data: [UInt8] = [], expected: UInt8? = 0
    ) {
        (self.commandClass, self.instruction) = (commandClass, instruction)
        (self.first, self.second, self.data, self.expected) = (first, second, data, expected)
    }

    /// `nil` unless the bytes are a short APDU in its only valid encoding.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4 else { return nil }
        let body = bytes.dropFirst(4)
        var data: [UInt8] = []
        var expected: UInt8?
        switch body.count {
        case 0: break
        // A single byte after the header is an expected length; a data length is always followed by
        // data.
        case 1: expected = body.first
        default:
            let length = Int(bytes[4])
            // A zero here would indicate an extended APDU, which the chip does not support.
            guard length > 0, body.count - 1 == length || body.count - 2 == length else {
                return nil
            }
            data = Array(body.dropFirst().prefix(length))
            expected = body.count - 2 == length ? body.last : nil
        }
        self.init(bytes[0], bytes[1], bytes[2], bytes[3], data: data, expected: expected)
    }

    package var bytes: [UInt8] {
        precondition(data.count <= CommandAPDU.maximumData, "a short APDU has at most 255 bytes")
        let length = data.isEmpty ? [] : [UInt8(data.count)]
        return [commandClass, instruction, first, second] + length + data
            + (expected.map { [$0] } ?? [])
    }
}

/// A response: data and a status word.
package struct ResponseAPDU: Hashable, Sendable {
    package let data: [UInt8]
    package let status: StatusWord

    init(_ data: [UInt8] = [], _ status: StatusWord) { (self.data, self.status) = (data, status) }

    /// `nil` for fewer than two bytes.
    package init?(_ bytes: [UInt8]) {
        // Every response ends with a two-byte status word.
        guard bytes.count >= 2 else { return nil }
        data = Array(bytes.dropLast(2))
        status = StatusWord(UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1]))
    }

    package var bytes: [UInt8] {
        data + [UInt8(status.rawValue >> 8), UInt8(truncatingIfNeeded: status.rawValue)]
    }
}
