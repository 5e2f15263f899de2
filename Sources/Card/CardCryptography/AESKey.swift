import CNettle

/// An AES-128 key (FIPS 197). Its bytes are stored in only one place, and they are overwritten when
/// the last reference to the key goes away.
// `@unchecked` is safe because the bytes are written only in `init` and `deinit`.
@safe package final class AESKey: @unchecked Sendable {
    /// The length of a key, in bytes.
    package static let size = 16
    /// The length of a block and of an initialization vector, in bytes.
    package static let blockSize = 16

    private let storage: UnsafeMutablePointer<UInt8>

    /// Creates a key from 16 bytes; any other count is a programming error. The caller's array is
    /// left unchanged; `init(wiping:)` overwrites it.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == AESKey.size, "an AES-128 key has \(AESKey.size) bytes")
        unsafe storage = .allocate(capacity: AESKey.size)
        for (index, byte) in bytes.enumerated() { unsafe storage[index] = byte }
    }

    /// Creates a key from 16 bytes, and then overwrites the caller's array with zeros.
    package convenience init(wiping bytes: inout [UInt8]) {
        self.init(bytes)
        Wiping.wipe(&bytes)
    }

    deinit {
        // Wiped in C (explicit_bzero), because an optimizer may drop stores to memory that is about
        // to be freed.
        unsafe tapcard_wipe(storage, AESKey.size)
        unsafe storage.deallocate()
    }

    /// A copy of the key's bytes, for a sealed file or for the command that writes the key to a
    /// chip. The caller must wipe the copy with `Wiping`.
    package func copyOfBytes() -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: storage, count: AESKey.size))
    }

    /// Encrypts whole blocks, each chained to the previous one (CBC, SP 800-38A). A partial block
    /// is a programming error.
    package func encrypt(_ plain: [UInt8], vector: [UInt8] = AESKey.zeroVector) -> [UInt8] {
        // nettle overwrites the vector, so it is given a copy.
        var (vector, output) = prepare(plain, vector)
        var nettle = CryptoLibraries.nettle
        unsafe tapcard_cbc_encrypt(&nettle, storage, &vector, plain.count, &output, plain)
        return output
    }

    /// The inverse of `encrypt`.
    package func decrypt(_ encrypted: [UInt8], vector: [UInt8] = AESKey.zeroVector) -> [UInt8] {
        var (vector, output) = prepare(encrypted, vector)
        var nettle = CryptoLibraries.nettle
        unsafe tapcard_cbc_decrypt(
            &nettle, storage, &vector, encrypted.count, &output, encrypted)
        return output
    }

    /// The 16-byte message authentication code (AES-CMAC, RFC 4493).
    package func code(for message: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: AESKey.blockSize)
        var nettle = CryptoLibraries.nettle
        unsafe tapcard_cmac(&nettle, storage, message.count, message, &code)
        return code
    }

    /// Derives a key from the MAC of a message, and wipes that MAC.
    package func derivedKey(for message: [UInt8]) -> AESKey {
        var bytes = code(for: message)
        return AESKey(wiping: &bytes)
    }

    /// An all-zero initialization vector.
    package static let zeroVector = [UInt8](repeating: 0, count: blockSize)

    private func prepare(
        _ input: [UInt8], _ vector: [UInt8]
    ) -> (vector: [UInt8], output: [UInt8]) {
        precondition(vector.count == AESKey.blockSize, "a vector is one block")
        precondition(input.count.isMultiple(of: AESKey.blockSize), "only whole blocks are chained")
        return (vector, [UInt8](repeating: 0, count: input.count))
    }
}

extension AESKey: Hashable {
    /// Takes the same time no matter where the keys differ.
    package static func == (left: AESKey, right: AESKey) -> Bool {
        let nettle = CryptoLibraries.nettle
        return unsafe nettle.equal(left.storage, right.storage, AESKey.size) == 1
    }

    /// Hashes nothing: a hash would reveal something about the key.
    package func hash(into hasher: inout Hasher) {}
}

extension AESKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "secret" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
