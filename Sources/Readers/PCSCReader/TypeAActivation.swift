package import Tags

/// Wakes and selects one type A tag as specified in ISO/IEC 14443-3: a state machine without I/O
/// that takes responses and returns the frames to send.
package struct TypeAActivation: Sendable {
    package enum Step: Hashable, Sendable {
        /// A frame to send. Its last byte has `lastBits` bits; 0 means all.
        case send([UInt8], lastBits: UInt8, hasCRC: Bool)
        case found(TagIdentity)
        /// No tag responds.
        case noTag
    }

    private enum State { case waking, requestingUID, selecting }

    /// The maximum number of attempts to wake a tag. An active tag treats the first WUPA as an
    /// error and returns to the IDLE or HALT state; it responds to the second.
    private static let maximumAttempts = 2
    private static let wakeUp: UInt8 = 0x52
    /// The codes for the cascade levels. Each level transfers four bytes.
    private static let levels: [UInt8] = [0x93, 0x95, 0x97]
    private static let cascadeTag: UInt8 = 0x88

    private var state = State.waking
    private var attempts = 0
    private var level = 0
    private var number: [UInt8] = []
    private var uid: [UInt8] = []
    private var answerToRequest: UInt16 = 0

    package init() {}

    package mutating func begin() -> Step {
        attempts += 1
        // WUPA, a short frame of seven bits, also wakes a halted tag.
        return .send([TypeAActivation.wakeUp], lastBits: 7, hasCRC: false)
    }

    /// The next step after a response; `nil` means that there was none.
    package mutating func next(after answer: [UInt8]?) throws(ReaderError) -> Step {
        guard let answer else {
            if state == .waking, attempts < TypeAActivation.maximumAttempts { return begin() }
            return .noTag
        }
        switch state {
        case .waking:
            guard answer.count == 2 else {
                throw ReaderError(.garbled, "the ATQA has \(answer.count) bytes")
            }
            answerToRequest = UInt16(answer[1]) << 8 | UInt16(answer[0])
            return requestUID()
        case .requestingUID:
            // With the check byte, BCC, the XOR of all five bytes is zero.
            guard answer.count == 5, answer.reduce(0, ^) == 0 else {
                throw ReaderError(.garbled, "the UID's check byte is incorrect")
            }
            number = answer
            state = .selecting
            return .send(
                [TypeAActivation.levels[level], 0x70] + number, lastBits: 0, hasCRC: true)
        case .selecting:
            return try takeAcknowledge(try FrameCheck.unwrap(answer))
        }
    }

    private mutating func requestUID() -> Step {
        // 20h: the frame contains no part of the UID yet, so the tag sends all four bytes.
        state = .requestingUID
        return .send([TypeAActivation.levels[level], 0x20], lastBits: 0, hasCRC: false)
    }

    private mutating func takeAcknowledge(_ answer: [UInt8]) throws(ReaderError) -> Step {
        guard answer.count == 1 else {
            throw ReaderError(.garbled, "the SAK has \(answer.count) bytes")
        }
        let hasMore = answer[0] & 0x04 != 0
        // SAK bit 3 and the cascade tag must agree on whether more of the UID follows.
        guard hasMore == (number[0] == TypeAActivation.cascadeTag) else {
            throw ReaderError(.garbled, "the UID has more or fewer parts than announced")
        }
        guard hasMore else {
            return .found(
                TagIdentity(
                    uid: uid + number.prefix(4), answerToRequest: answerToRequest,
                    selectAcknowledge: answer[0]))
        }
        guard level + 1 < TypeAActivation.levels.count else {
            throw ReaderError(.garbled, "the UID has more than ten bytes")
        }
        // The first byte is the cascade tag, which is not part of the UID.
        uid += number[1..<4]
        level += 1
        return requestUID()
    }
}
