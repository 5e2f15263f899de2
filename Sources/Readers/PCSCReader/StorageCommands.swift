package import TagReading

/// Any other contactless reader: the commands of the PC/SC standard for storage cards, which know
/// pages and nothing else of the tag. READ, FAST_READ and WRITE can be said with them; what a chip
/// is, its signature and a password cannot.
package struct StorageCommands: TagManner {
    /// FAST_READ is put together from pieces here, so any length will do: one of 62 pages.
    package static let longestAnswer = 248
    package static let selectsByReset = true

    package init() {}

    private static let bytesAtOnce = 16
    private static let pageSize = 4

    package func prepare(_ transmit: Transmit) throws(ReaderError) -> Bool { true }

    /// The reader has selected the tag already: it says only which number it has, and the answer
    /// to reset, which the reader makes up, of what kind it is.
    package func select(
        answerToReset: [UInt8], _ transmit: Transmit
    ) throws(ReaderError) -> TagIdentity? {
        let answer = try CommandAnswer(try transmit([0xFF, 0xCA, 0x00, 0x00, 0x00]))
        let uid = answer.status == CommandAnswer.success ? answer.data : []
        guard StorageCardATR(answerToReset)?.isType2 == true else {
            // Whatever it is, it is no tag for a card: SAK and ATQA of a smart card.
            return TagIdentity(uid: uid, answerToRequest: 0x0344, selectAcknowledge: 0x20)
        }
        guard !uid.isEmpty else { return nil }
        return TagIdentity(uid: uid)
    }

    package func exchange(_ frame: [UInt8], _ transmit: Transmit) throws(ReaderError) -> [UInt8] {
        switch (frame.first, frame.count) {
        case (0x30, 2): return try read(frame[1], transmit)
        case (0x3A, 3): return try read(from: frame[1], to: frame[2], transmit)
        case (0xA2, 6):
            return try ask(
                [0xFF, 0xD6, 0x00, frame[1], UInt8(StorageCommands.pageSize)] + frame.dropFirst(2),
                answer: 0, transmit)
        default:
            throw ReaderError(
                .unsupported, "it passes on READ and WRITE only, no other command of a tag")
        }
    }

    /// Taking the power is left to the end of the connection.
    package func switchOff(_ transmit: Transmit) throws(ReaderError) {}

    private func read(_ page: UInt8, _ transmit: Transmit) throws(ReaderError) -> [UInt8] {
        let count = StorageCommands.bytesAtOnce
        return try ask([0xFF, 0xB0, 0x00, page, UInt8(count)], answer: count, transmit)
    }

    /// Reads in pieces of four pages. The last reaches back rather than over the end, where a tag
    /// begins again at page 0 and some readers refuse.
    private func read(
        from first: UInt8, to last: UInt8, _ transmit: Transmit
    ) throws(ReaderError) -> [UInt8] {
        guard first <= last else { throw ReaderError(.refused(0)) }
        let pagesAtOnce = StorageCommands.bytesAtOnce / StorageCommands.pageSize
        var bytes: [UInt8] = []
        for start in stride(from: Int(first), through: Int(last), by: pagesAtOnce) {
            let reached = min(start, max(0, Int(last) - pagesAtOnce + 1))
            guard let page = UInt8(exactly: reached) else { throw ReaderError(.refused(0)) }
            let block = try read(page, transmit)
            let skipped = (start - reached) * StorageCommands.pageSize
            bytes += block.dropFirst(skipped)
        }
        return Array(bytes.prefix((Int(last) - Int(first) + 1) * StorageCommands.pageSize))
    }

    /// Success is what says so and has the right length; nothing else is.
    private func ask(
        _ command: [UInt8], answer length: Int, _ transmit: Transmit
    ) throws(ReaderError) -> [UInt8] {
        let answer = try CommandAnswer(try transmit(command))
        guard !answer.isUnknownCommand else {
            throw ReaderError(.unsupported, "it does not know the commands for storage cards")
        }
        switch answer.status {
        case CommandAnswer.success:
            guard answer.data.count == length else {
                throw ReaderError(.garbled, "\(answer.data.count) bytes, not \(length)")
            }
            return answer.data
        case 0x6982, 0x6986, 0x6A82, 0x6B00:
            throw ReaderError(.refused(0), "the reader answered \(answer.shownStatus)")
        case 0x6300, 0x6400, 0x6401, 0x6581, 0x6F00:
            // Which of them means a tag that has gone and which a NAK differs by reader.
            throw ReaderError(.timedOut, "the reader answered \(answer.shownStatus)")
        default: throw ReaderError(.garbled, "the reader answered \(answer.shownStatus)")
        }
    }
}
