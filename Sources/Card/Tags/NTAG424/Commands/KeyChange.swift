package import CardCryptography

/// A new key for the chip, as sent in ChangeKey. It holds the keys themselves rather than the bytes
/// that are sent, because those reveal the new key to anyone who knows the old one.
package struct KeyChange: Hashable, Sendable {
    private enum Content: Sendable {
        case keys(new: AESKey, version: UInt8, old: AESKey)
        case received([UInt8])
    }

    package let number: KeyNumber
    private let content: Content

    static let checksumSize = 4

    /// For the application key, the old key is not used, because the session was authenticated with
    /// it.
    package init(_ number: KeyNumber, to new: AESKey, version: UInt8, from old: AESKey) {
        (self.number, content) = (number, .keys(new: new, version: version, old: old))
    }

    init(number: KeyNumber, data: [UInt8]) { (self.number, content) = (number, .received(data)) }

    /// The bytes that the chip will decrypt. The caller must wipe them.
    var data: [UInt8] {
        guard case .keys(let new, let version, let old) = content else {
            if case .received(let data) = content { return data }
            return []
        }
        var bytes = new.copyOfBytes()
        var oldBytes = old.copyOfBytes()
        defer {
            Wiping.wipe(&bytes)
            Wiping.wipe(&oldBytes)
        }
        // Any key other than the application key is XORed with the old key, and the checksum lets
        // the chip verify that the old key was correct (AN12196 5.16).
        return number == .application
            ? bytes + [version]
            : zip(bytes, oldBytes).map { $0 ^ $1 } + [version] + KeyChange.checksum(bytes)
    }

    package static func == (left: KeyChange, right: KeyChange) -> Bool {
        left.number == right.number && ConstantTime.equal(left.data, right.data)
    }

    /// Hashes only the number, because a hash of the key would reveal something about it.
    package func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The new key and its version, as the chip decodes them. `nil` if the length is wrong, or if
    /// the sender used a different old key.
    func open(old: AESKey) -> (key: AESKey, version: UInt8)? {
        let data = data
        guard number != .application else {
            guard data.count == AESKey.size + 1 else { return nil }
            return (AESKey(Array(data.prefix(AESKey.size))), data[AESKey.size])
        }
        guard data.count == AESKey.size + 1 + KeyChange.checksumSize else { return nil }
        // XOR is its own inverse. `zip` stops at the end of the old key, before the version.
        var new = zip(data, old.copyOfBytes()).map { $0 ^ $1 }
        guard KeyChange.checksum(new) == Array(data.suffix(KeyChange.checksumSize)) else {
            return nil
        }
        return (AESKey(wiping: &new), data[AESKey.size])
    }

    /// CRC-32 as the chip computes it: without the final complement, least significant byte first.
    package static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var register: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            register ^= UInt32(byte)
            for _ in 0..<8 {
                // EDB88320h is the CRC-32 polynomial with its bits reversed.
                register = register >> 1 ^ (register & 1 == 0 ? 0 : 0xEDB8_8320)
            }
        }
        return (0..<checksumSize).map { UInt8(truncatingIfNeeded: register >> (8 * $0)) }
    }
}
