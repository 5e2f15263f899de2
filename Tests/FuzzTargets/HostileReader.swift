import SimulatedField
import SimulatedReader
import TagReading
import Type2Tag

/// A reader with a tag on it of which the fuzzer chooses, frame by frame, whether it answers as a
/// real one, fails, or lies, and with which bytes. Without further choices it is honest.
actor HostileReader: TagReader {
    nonisolated let name = "hostile reader"
    nonisolated let longestAnswer: Int
    /// Far more than any use case needs; one that goes on is going round in circles.
    static let mostFrames = 20_000

    private let honest: SimulatedReader
    private var choices: Choices
    private(set) var frames = 0
    /// Whether a password is being set, so that pages behind all user memory may be written.
    private var mayConfigure = false
    /// The first page outside all user memory that was to be written.
    private(set) var forbiddenWrite: UInt8?
    private var lastAnswer: [UInt8] = []

    init(_ honest: SimulatedReader, _ choices: Choices, longestAnswer: Int) {
        self.honest = honest
        self.choices = choices
        self.longestAnswer = longestAnswer
    }

    var hasRunAway: Bool { frames >= HostileReader.mostFrames }

    /// From here on it is as it seems.
    func becomeHonest() { choices = Choices([]) }

    func allowConfiguration() { mayConfigure = true }

    func byte() -> UInt8 { choices.byte() }

    var isAtEnd: Bool { choices.isAtEnd }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try count()
        switch choices.byte() % 12 {
        case 0...5: return try await honest.select(within: limit)
        case 6: throw failure()
        case 7:
            _ = try await honest.select(within: limit)
            throw failure()
        case 8:
            let uid = choices.bytes(Int(choices.byte() % 16))
            return TagIdentity(
                uid: uid, answerToRequest: UInt16(choices.byte()) << 8 | UInt16(choices.byte()),
                selectAcknowledge: choices.byte())
        case 9: return TagIdentity(uid: [0x04] + choices.bytes(6))
        case 10:
            // Another body comes onto the reader.
            let place = Int(choices.byte())
            try await honest.change { world in
                world.put([world.tags[place % world.tags.count].uid])
            }
            await honest.release()
            return try await honest.select(within: limit)
        default:
            let real = try await honest.select(within: limit)
            return TagIdentity(uid: real.uid, selectAcknowledge: choices.byte())
        }
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try count()
        let allowed =
            mayConfigure
            ? UInt8(4)...UInt8(Type2Chip.ntag216.pageCount - 1) : Type2Chip.ntag216.userPages
        if case .write(let page, _)? = try? Type2Command(frame: frame), !allowed.contains(page) {
            forbiddenWrite = forbiddenWrite ?? page
        }
        let answer = try await answer(to: frame)
        lastAnswer = answer
        return answer
    }

    func release() async { await honest.release() }

    private func answer(to frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        switch choices.byte() % 20 {
        case 0...7: return try await honest.exchange(frame)
        case 8: throw failure()
        case 9:
            _ = try await honest.exchange(frame)
            throw failure()
        case 10: return choices.field()
        case 11:
            _ = try await honest.exchange(frame)
            return choices.field()
        case 12:
            var answer = try await honest.exchange(frame)
            let (place, mask) = (Int(choices.byte()), choices.byte())
            if !answer.isEmpty { answer[place % answer.count] ^= mask }
            return answer
        case 13: return try await honest.exchange(frame).dropLast(Int(choices.byte()))
        case 14: return try await honest.exchange(frame) + choices.field()
        // A WRITE that is acknowledged and was not made.
        case 15: return []
        case 16: return lastAnswer
        case 17:
            try await tamper()
            return try await honest.exchange(frame)
        case 18:
            // As many bytes as were asked for, none of them true.
            let answer = try await honest.exchange(frame)
            return answer.map { _ in choices.byte() }
        default:
            let answer = try await honest.exchange(frame)
            try await tamper()
            return answer
        }
    }

    /// Somebody else writes to the tag that lies there.
    private func tamper() async throws(ReaderError) {
        let (page, place, mask) = (choices.byte(), Int(choices.byte()), choices.byte())
        try await honest.change { world in
            guard let uid = world.onReader.first, var tag = world.tag(uid) else { return }
            tag[page % 64][place % 4] ^= mask
            world.save(tag)
        }
    }

    private func count() throws(ReaderError) {
        frames += 1
        guard !hasRunAway else { throw ReaderError(.readerLost, "too many frames") }
    }

    private func failure() -> ReaderError {
        let kinds: [ReaderError.Kind] = [
            .tagLost, .refused(choices.byte()), .garbled, .timedOut, .noTag, .severalTags,
            .readerLost, .noReader, .busy, .unsupported, .cancelled,
        ]
        return ReaderError(kinds[Int(choices.byte()) % kinds.count], "as the fuzzer chose")
    }
}
