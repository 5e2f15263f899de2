import CardCryptography

extension AESKey {
    /// The length of the codes that the chip sends and checks, in bytes.
    static let shortCodeSize = 8

    /// Every second byte of the code for a message, as the chip truncates it.
    func shortCode(for message: [UInt8]) -> [UInt8] {
        let code = code(for: message)
        return stride(from: 1, to: AESKey.blockSize, by: 2).map { code[$0] }
    }
}
