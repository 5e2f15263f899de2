import CardCryptography

extension AESKey {
    /// The length, in bytes, of the MACs that the chip sends and checks.
    static let shortCodeSize = 8

    /// The MAC of a message as the chip truncates it: every second byte.
    func shortCode(for message: [UInt8]) -> [UInt8] {
        let code = code(for: message)
        return stride(from: 1, to: AESKey.blockSize, by: 2).map { code[$0] }
    }
}
