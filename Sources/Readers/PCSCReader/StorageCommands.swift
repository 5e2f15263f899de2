package import Tags

/// The PC/SC standard's commands for storage cards: the fallback for readers that support no other
/// protocol. These commands can only read and write pages, so READ, FAST_READ, and WRITE are
/// supported, but the chip's version and signature cannot be read, and a password cannot be sent.
package struct StorageCommands: TagProtocol {
    /// The longest response: 62 pages. FAST_READ is split into several reads, so any length would
    /// be possible.
    package static let maximumAnswerLength = 248
    package static let selectsByReset = true

    package init() {}

    private static let bytesAtOnce = 16
    private static let pageSize = 4

    package func prepare(_ transmit: Transmit) throws(ReaderError) -> Bool { true }

    /// Describes the tag that the reader has already selected: its UID, and its kind according to
    /// the reader's ATR.
    package func select(
        answerToReset: [UInt8], _ transmit: Transmit
    ) throws(ReaderError) -> TagIdentity? {
        let answer = try CommandAnswer(try transmit([0xFF, 0xCA, 0x00, 0x00, 0x00]))
        let uid = answer.status == CommandAnswer.success ? answer.data : []
        // A contact card has no UID.
        guard !uid.isEmpty else { return nil }
        let storage = StorageCardATR(answerToReset)
        if storage?.isType2 == true { return TagIdentity(uid: uid) }
        // The reader does not report SAK and ATQA. The SAK is derived from the card's name, or from
        // the fact that the card accepts commands.
        let (commands, noName): (UInt8, UInt8) = (0x20, 0x01)
        return TagIdentity(
            uid: uid, answerToRequest: TagIdentity.notReported,
            selectAcknowledge: storage.map { $0.selectAcknowledge ?? noName } ?? commands,
            family: storage?.family ?? .typeA)
    }

    package func exchange(_ frame: [UInt8], _ transmit: Transmit) throws(ReaderError) -> [UInt8] {
        // The opcodes of READ, FAST_READ, and WRITE.
        switch (frame.first, frame.count) {
        case (0x30, 2): return try read(frame[1], transmit)
        case (0x3A, 3): return try read(from: frame[1], to: frame[2], transmit)
        case (0xA2, 6):
            return try send(
                // UPDATE BINARY for one page; FF B0 below is READ BINARY (PC/SC part 3).
                [0xFF, 0xD6, 0x00, frame[1], UInt8(StorageCommands.pageSize)] + frame.dropFirst(2),
                answer: 0, transmit)
        default:
            throw ReaderError(
                .unsupported, "the reader supports only READ and WRITE commands")
        }
    }

    /// Does nothing, because the power is cut when the connection ends.
    package func switchOff(_ transmit: Transmit) throws(ReaderError) {}

    private func read(_ page: UInt8, _ transmit: Transmit) throws(ReaderError) -> [UInt8] {
        let count = StorageCommands.bytesAtOnce
        return try send([0xFF, 0xB0, 0x00, page, UInt8(count)], answer: count, transmit)
    }

    /// Reads four pages at a time. The last read starts early enough to stop at the last page:
    /// beyond the end of its memory, a tag wraps around to page 0, and some readers refuse the
    /// command.
    private func read(
        from first: UInt8, to last: UInt8, _ transmit: Transmit
    ) throws(ReaderError) -> [UInt8] {
        guard first <= last else { throw ReaderError(.refused(0)) }
        let pagesAtOnce = StorageCommands.bytesAtOnce / StorageCommands.pageSize
        var bytes: [UInt8] = []
        for start in stride(from: Int(first), through: Int(last), by: pagesAtOnce) {
            let earlier = min(start, max(0, Int(last) - pagesAtOnce + 1))
            guard let page = UInt8(exactly: earlier) else { throw ReaderError(.refused(0)) }
            let block = try read(page, transmit)
            // Pages that an earlier read already returned.
            let skipped = (start - earlier) * StorageCommands.pageSize
            bytes += block.dropFirst(skipped)
        }
        return Array(bytes.prefix((Int(last) - Int(first) + 1) * StorageCommands.pageSize))
    }

    /// Sends a command. Requires a success status and a response of this length.
    private func send(
        _ command: [UInt8], answer length: Int, _ transmit: Transmit
    ) throws(ReaderError) -> [UInt8] {
        let answer = try CommandAnswer(try transmit(command))
        guard !answer.isUnknownCommand else {
            throw ReaderError(.unsupported, "the reader does not support storage-card commands")
        }
        switch answer.status {
        case CommandAnswer.success:
            guard answer.data.count == length else {
                throw ReaderError(
                    .garbled, "\(length) bytes were expected, but \(answer.data.count) received")
            }
            return answer.data
        case 0x6982, 0x6986, 0x6A82, 0x6B00:
            throw ReaderError(.refused(0), "the reader returned status \(answer.shownStatus)")
        case 0x6300, 0x6400, 0x6401, 0x6581, 0x6F00:
            // Readers differ in which status means a missing tag and which means a NAK.
            throw ReaderError(.timedOut, "the reader returned status \(answer.shownStatus)")
        default: throw ReaderError(.garbled, "the reader returned status \(answer.shownStatus)")
        }
    }
}
