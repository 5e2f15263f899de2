package import Tags

/// The protocol of the ACR122U: the reader passes commands on to its PN532 unchanged.
///
/// The chip's CRC check is off, because it would report an ACK, a NAK, and a real error in the same
/// way: as a CRC error. This type tells them apart.
package struct DirectTransmit: TagProtocol {
    /// The longest response: 62 pages. Because of the added CRC, the reader cannot pass on more.
    package static let maximumAnswerLength = 248
    package static let selectsByReset = false

    package init() {}

    private enum Register {
        /// The address of the CIU_RxMode register, and its value: 106 kbit/s, no CRC check.
        static let plainReception: [UInt8] = [0x63, 0x03, 0x00]
    }

    package func prepare(_ transmit: Transmit) throws(ReaderError) -> Bool {
        do {
            // GetFirmwareVersion, which changes nothing, shows whether there is a PN532.
            _ = try send([0x02], transmit)
        } catch {
            guard error.kind == .unsupported else { throw error }
            return false
        }
        // This makes the chip give up on an empty field after two retries instead of searching
        // forever.
        _ = try send([0x32, 0x05, 0x00, 0x00, 0x02], transmit)
        // This keeps the chip from resending frames on its own.
        _ = try send([0x32, 0x04, 0x00], transmit)
        return true
    }

    package func select(
        answerToReset: [UInt8], _ transmit: Transmit
    ) throws(ReaderError) -> TagIdentity? {
        let found = try send([0x4A, 0x01, 0x00], transmit)
        guard let count = found.first else {
            throw ReaderError(.garbled, "the number of tags is missing from the reader's answer")
        }
        guard count > 0 else { return nil }
        // The number of targets, the target's number, the ATQA (2 bytes), the SAK, and the length
        // of the UID.
        let header = 6
        guard count == 1, found.count >= header, found.count >= header + Int(found[5]),
            [4, 7, 10].contains(found[5])
        else { throw ReaderError(.garbled, "the tag description is malformed") }
        // This comes after InListPassiveTarget, which switches the CRC check back on.
        _ = try send([0x08] + Register.plainReception, transmit)
        return TagIdentity(
            uid: Array(found[header..<header + Int(found[5])]),
            answerToRequest: UInt16(found[2]) << 8 | UInt16(found[3]), selectAcknowledge: found[4])
    }

    package func exchange(_ frame: [UInt8], _ transmit: Transmit) throws(ReaderError) -> [UInt8] {
        let answer = try send([0x42] + frame, transmit)
        guard let status = answer.first else {
            throw ReaderError(
                .garbled, "the result of the exchange is missing from the reader's answer")
        }
        // The two high bits belong to other protocols.
        switch status & 0x3F {
        case 0x00: return try FrameCheck.unwrap(Array(answer.dropFirst()))
        case 0x01: throw ReaderError(.timedOut, "the tag did not respond")
        case 0x0A, 0x29: throw ReaderError(.tagLost, "the reader lost contact with the tag")
        default: throw ReaderError(.garbled, "the PN532 reported error \(status & 0x3F)")
        }
    }

    package func switchOff(_ transmit: Transmit) throws(ReaderError) {
        _ = try send([0x32, 0x01, 0x00], transmit)
    }

    /// Sends one command to the PN532 and returns the data that follows its response code.
    private func send(_ command: [UInt8], _ transmit: Transmit) throws(ReaderError) -> [UInt8] {
        let toReader: UInt8 = 0xD4
        let fromReader: UInt8 = 0xD5
        // The length includes the direction byte, D4h.
        guard let code = command.first, let length = UInt8(exactly: command.count + 1) else {
            throw ReaderError(.garbled, "a command frame cannot have \(command.count) bytes")
        }
        var answer = try CommandAnswer(
            try transmit([0xFF, 0x00, 0x00, 0x00, length, toReader] + command))
        if answer.status >> 8 == 0x61 {
            // Older firmware holds its response until a second command requests it.
            answer = try CommandAnswer(
                try transmit([0xFF, 0xC0, 0x00, 0x00, UInt8(truncatingIfNeeded: answer.status)]))
        }
        guard !answer.isUnknownCommand else {
            throw ReaderError(.unsupported, "the reader does not support direct transmission")
        }
        guard answer.status != 0x6300 else {
            throw ReaderError(.timedOut, "the reader's chip did not respond")
        }
        guard answer.status == CommandAnswer.success, answer.data.count >= 2,
            // The response code is the command's code plus 1. Any other code means that this is a
            // late response to an earlier command.
            answer.data[0] == fromReader, answer.data[1] == code &+ 1
        else {
            throw ReaderError(.garbled, "the answer does not belong to this command")
        }
        return Array(answer.data.dropFirst(2))
    }
}
