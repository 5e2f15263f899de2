import Tags

/// The response to a command: data and a two-byte status.
struct CommandAnswer {
    let data: [UInt8]
    let status: UInt16

    static let success: UInt16 = 0x9000

    init(_ bytes: [UInt8]) throws(ReaderError) {
        guard bytes.count >= 2 else {
            throw ReaderError(.garbled, "the reader's answer has no status")
        }
        data = Array(bytes.dropLast(2))
        status = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
    }

    /// Whether the status means that the reader does not support the command.
    var isUnknownCommand: Bool { [0x6881, 0x6A81, 0x6D00, 0x6E00].contains(status) }

    /// The status in hexadecimal, such as 6300.
    var shownStatus: String {
        let digits = String(status, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
