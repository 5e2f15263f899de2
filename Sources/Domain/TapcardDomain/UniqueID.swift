/// Sixteen unique bytes, written as a lower-case UUID.
public struct UniqueID: Hashable, Sendable, CustomStringConvertible {
    // This is an array rather than two integers. With two integers, the Swift 6.3 compiler crashes
    // while optimizing asynchronous code, and some of the programs that it does compile crash.
    /// The 16 bytes of the ID.
    public let bytes: [UInt8]

    /// Creates an ID from its bytes; `nil` unless there are 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Creates a version 4 UUID from random bytes; `nil` unless there are 16.
    public init?(random bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var bytes = bytes
        // The version, 4, and the variant defined in RFC 9562.
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.bytes = bytes
    }

    /// Parses a UUID with 8-4-4-4-12 hexadecimal digits, in upper or lower case. Rejects the nil
    /// UUID. Programs that forget to generate an ID send it, and two such requests would count as
    /// the same operation.
    public init?(_ text: String) {
        let text = text.utf8
        guard text.count == UniqueID.length else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var (position, high) = (0, UInt8?.none)
        for character in text {
            defer { position += 1 }
            if UniqueID.hyphens.contains(position) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = hexadecimalValue(character) else { return nil }
            if let first = high { bytes.append(first << 4 | digit) }
            high = high == nil ? digit : nil
        }
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        self.bytes = bytes
    }

    public var description: String {
        unsafe String(unsafeUninitializedCapacity: UniqueID.length) { buffer in
            var position = 0
            for byte in bytes {
                // A hyphen never splits the two digits of a byte.
                if UniqueID.hyphens.contains(position) {
                    unsafe buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                unsafe buffer[position] = hexadecimalDigit(byte >> 4)
                unsafe buffer[position + 1] = hexadecimalDigit(byte & 15)
                position += 2
            }
            return position
        }
    }

    /// The positions of the hyphens in the text.
    private static let hyphens = [8, 13, 18, 23]
    /// The length of the text.
    private static let length = 36
}

/// The ID that makes an operation idempotent: the client chooses it once, and a retry with the same
/// ID does not repeat the operation.
public typealias OperationID = UniqueID

/// The code under the scratch-off layer.
public typealias ScratchCode = UniqueID

package func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// The lower-case hexadecimal digit for a value below 16.
package func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
}
