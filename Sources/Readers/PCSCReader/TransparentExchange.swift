package import Tags

/// The protocol of the ACR1252U and similar readers: in a transparent session, the reader passes
/// frames on unchanged. The amended part 3 of the PC/SC standard defines such sessions.
package struct TransparentExchange: TagProtocol {
    /// The longest response: 40 pages. Even with the CRC and the data objects around them, they
    /// stay well below 256 bytes.
    package static let maximumAnswerLength = 160
    package static let selectsByReset = false

    package init() {}

    private enum Session {
        static let start: [UInt8] = [0x81, 0x00]
        static let end: [UInt8] = [0x82, 0x00]
        static let fieldOff: [UInt8] = [0x83, 0x00]
        static let fieldOn: [UInt8] = [0x84, 0x00]
    }

    /// Tasks that the reader is told not to perform: bits in the second byte of object 90h.
    struct Handling: OptionSet {
        let rawValue: UInt8
        static let noCRCSent = Handling(rawValue: 0x01)
        /// The reader does not check or remove a response's CRC, because ACKs and NAKs have none.
        static let receivedAsIs = Handling(rawValue: 0x02)
        static let noPrologue = Handling(rawValue: 0x10)
    }

    package func prepare(_ transmit: Transmit) throws(ReaderError) -> Bool {
        do {
            try manage(Session.start, transmit)
        } catch {
            guard error.kind == .unsupported else { throw error }
            return false
        }
        try manage(Session.fieldOn, transmit)
        return true
    }

    package func select(
        answerToReset: [UInt8], _ transmit: Transmit
    ) throws(ReaderError) -> TagIdentity? {
        var activation = TypeAActivation()
        var step = activation.begin()
        while true {
            switch step {
            case .send(let frame, let bits, let hasCRC):
                var handling: Handling = [.receivedAsIs, .noPrologue]
                // WUPA and the frames that request a UID have no CRC.
                if !hasCRC { handling.insert(.noCRCSent) }
                let answer: [UInt8]?
                do {
                    answer = try transceive(frame, lastBits: bits, handling, transmit)
                } catch {
                    guard error.kind == .timedOut else { throw error }
                    answer = nil
                }
                step = try activation.next(after: answer)
            case .found(let identity): return identity
            case .noTag: return nil
            }
        }
    }

    package func exchange(_ frame: [UInt8], _ transmit: Transmit) throws(ReaderError) -> [UInt8] {
        try FrameCheck.unwrap(
            try transceive(frame, lastBits: 0, [.receivedAsIs, .noPrologue], transmit))
    }

    package func switchOff(_ transmit: Transmit) throws(ReaderError) {
        try manage(Session.fieldOff, transmit)
        // Without a session, the reader looks for cards on its own again.
        try manage(Session.end, transmit)
    }

    private func manage(_ object: [UInt8], _ transmit: Transmit) throws(ReaderError) {
        _ = try send([0xFF, 0xC2, 0x00, 0x00, UInt8(object.count)] + object, transmit)
    }

    /// Sends a frame and returns the response. Only `lastBits` bits of the last byte are sent; 0
    /// means all.
    private func transceive(
        _ frame: [UInt8], lastBits: UInt8, _ handling: Handling, _ transmit: Transmit
    ) throws(ReaderError) -> [UInt8] {
        let maximumFrameLength = 127
        guard frame.count <= maximumFrameLength else {
            throw ReaderError(.garbled, "a command frame cannot have \(frame.count) bytes")
        }
        // 90h: the tasks that the reader skips; 91h: the number of bits in the last byte; 95h: the
        // frame.
        let objects =
            [0x90, 0x02, 0x00, handling.rawValue, 0x91, 0x01, lastBits, 0x95, UInt8(frame.count)]
            + frame
        let answer = try send(
            [0xFF, 0xC2, 0x00, 0x01, UInt8(objects.count)] + objects + [0x00], transmit)
        // 96h: the errors in the field; bit 2 stands for a collision. 97h: the bytes received.
        if let status = answer.first(where: { $0.tag == 0x96 })?.content.first, status != 0 {
            throw status & 0x02 != 0
                ? ReaderError(.severalTags, "two tags responded at once")
                : ReaderError(.garbled, "the reader reported reception error \(status)")
        }
        guard let received = answer.first(where: { $0.tag == 0x97 })?.content, !received.isEmpty
        else { throw ReaderError(.timedOut, "the tag did not respond") }
        return received
    }

    /// Sends one command in the session. Returns the objects in the response if the command
    /// succeeded.
    private func send(_ command: [UInt8], _ transmit: Transmit) throws(ReaderError) -> [DataObject]
    {
        let answer = try CommandAnswer(try transmit(command))
        guard !answer.isUnknownCommand else {
            throw ReaderError(.unsupported, "the reader does not support transparent exchange")
        }
        guard answer.status == CommandAnswer.success else {
            throw ReaderError(
                answer.status == 0x6401 ? .timedOut : .garbled,
                "the reader returned status \(answer.shownStatus)")
        }
        let objects = try DataObject.parse(answer.data)
        // C0h: the object that failed and its status. 6282h is only a warning; the response is
        // valid.
        guard let outcome = objects.first(where: { $0.tag == 0xC0 })?.content, outcome.count == 3
        else {
            throw ReaderError(
                .garbled, "the result of the exchange is missing from the reader's answer")
        }
        switch UInt16(outcome[1]) << 8 | UInt16(outcome[2]) {
        case CommandAnswer.success, 0x6282: return objects
        case 0x6401: throw ReaderError(.timedOut, "the tag did not respond")
        case let status:
            throw ReaderError(.garbled, "data object \(outcome[0]) failed with status \(status)")
        }
    }
}
