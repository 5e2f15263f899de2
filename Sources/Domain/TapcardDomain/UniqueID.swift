/// Sixteen unique bytes, written as a lower-case UUID.
public struct UniqueID: Hashable, Sendable, CustomStringConvertible {
    // A number and no array: ids are the keys of every table, and are compared at each step.
    private let value: UInt128

    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        value = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// Makes a version 4 UUID of sixteen random bytes.
    public init?(random bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        var bytes = bytes
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        self.init(bytes: bytes)
    }

    /// Reads 8-4-4-4-12 hexadecimal digits, upper or lower case. Refuses the nil UUID: programs
    /// that have not made an id send it, so two of them would mean the same operation.
    public init?(_ text: String) {
        var (value, place) = (UInt128(0), 0)
        for character in text.utf8 {
            if UniqueID.hyphens.contains(place) {
                guard character == UInt8(ascii: "-") else { return nil }
            } else {
                guard place < UniqueID.length, let digit = hexadecimalValue(character) else {
                    return nil
                }
                value = value << 4 | UInt128(digit)
            }
            place += 1
        }
        guard place == UniqueID.length, value != 0 else { return nil }
        self.value = value
    }

    public var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - 8 * $0)) }
    }

    public var description: String {
        unsafe String(unsafeUninitializedCapacity: UniqueID.length) { buffer in
            var shift = 128
            for place in 0..<UniqueID.length {
                if UniqueID.hyphens.contains(place) {
                    unsafe buffer[place] = UInt8(ascii: "-")
                } else {
                    shift -= 4
                    unsafe buffer[place] = hexadecimalDigit(
                        UInt8(truncatingIfNeeded: value >> shift) & 15)
                }
            }
            return UniqueID.length
        }
    }

    /// The places of the hyphens in the text, and its length.
    private static let hyphens = [8, 13, 18, 23]
    private static let length = 36
}

/// The id that makes an operation idempotent: the client chooses it once, and a retry with it does
/// not repeat the operation.
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

/// The lower-case digit of a value below 16.
package func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
}
