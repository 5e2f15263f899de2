package import CardCryptography

/// A new key for the chip, as ChangeKey carries it.
package struct KeyChange: Hashable, Sendable {
    package let number: KeyNumber
    /// The bytes that the chip decrypts: they hide the new key from everyone without the old one.
    let data: [UInt8]

    static let checksumSize = 4

    /// The old key is not needed for the application key, with which the session is authenticated.
    package init(_ number: KeyNumber, to new: AESKey, version: UInt8, from old: AESKey) {
        self.number = number
        var bytes = new.copyOfBytes()
        defer { Wiping.wipe(&bytes) }
        guard number != .application else {
            data = bytes + [version]
            return
        }
        var oldBytes = old.copyOfBytes()
        defer { Wiping.wipe(&oldBytes) }
        data =
            zip(bytes, oldBytes).map { $0 ^ $1 } + [version] + KeyChange.checksum(bytes)
    }

    init(number: KeyNumber, data: [UInt8]) { (self.number, self.data) = (number, data) }

    /// The new key and its version, on the chip's side. Nil if the length is wrong, or if the old
    /// key was another one.
    func open(old: AESKey) -> (key: AESKey, version: UInt8)? {
        guard number != .application else {
            guard data.count == AESKey.size + 1 else { return nil }
            return (AESKey(Array(data.prefix(AESKey.size))), data[AESKey.size])
        }
        guard data.count == AESKey.size + 1 + KeyChange.checksumSize else { return nil }
        var new = zip(data, old.copyOfBytes()).map { $0 ^ $1 }
        guard KeyChange.checksum(new) == Array(data.suffix(KeyChange.checksumSize)) else {
            return nil
        }
        return (AESKey(wiping: &new), data[AESKey.size])
    }

    /// CRC-32 as the chip has it: without the complement at the end, lowest byte first.
    package static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var register: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 {
                register = register >> 1 ^ (register & 1 == 0 ? 0 : 0xEDB8_8320)
            }
        }
        return (0..<checksumSize).map { UInt8(truncatingIfNeeded: register >> (8 * $0)) }
    }
}
