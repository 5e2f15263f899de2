import CardCryptography
import Ledger
import SimulatedReader
import Tags
import TapcardDomain

/// A reader with a tag whose answers the fuzzer chooses frame by frame: genuine, failed or false.
/// Without further choices it is honest.
actor HostileReader: TagReader {
    nonisolated let name = "hostile reader"
    nonisolated let maximumAnswerLength: Int
    /// Far more than any use case needs; one that exceeds it is in an endless loop.
    static let mostFrames = 20_000

    private let honest: SimulatedReader
    private var choices: Choices
    private(set) var frames = 0
    private let ledger: any LedgerStore
    private let keys: KeyRing
    private var command = TagPermission.Command.looking
    /// What was reported of the tag on the reader: its last UID, the rest since the tap began.
    private var uid: [UInt8] = []
    private var claimed: Type2Chip?
    private var told: [UInt8: UInt8] = [:]
    /// The first frame that must not have been sent.
    private(set) var forbidden: [UInt8]?
    private var lastAnswer: [UInt8] = []

    init(
        _ honest: SimulatedReader, _ choices: Choices, maximumAnswerLength: Int,
        ledger: any LedgerStore,
        keys: KeyRing
    ) {
        self.honest = honest
        self.choices = choices
        self.maximumAnswerLength = maximumAnswerLength
        self.ledger = ledger
        self.keys = keys
    }

    var hasRunAway: Bool { frames >= HostileReader.mostFrames }

    /// From here on it is honest.
    func becomeHonest() { choices = Choices([]) }

    func beginTap(_ command: TagPermission.Command) {
        self.command = command
        (claimed, told) = (nil, [:])
    }

    func byte() -> UInt8 { choices.byte() }

    var isAtEnd: Bool { choices.isAtEnd }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try count()
        let identity = try await selected(within: limit)
        uid = identity.uid
        return identity
    }

    private func selected(within limit: Duration) async throws(ReaderError) -> TagIdentity {
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
                let bodies = world.tags.map(\.uid) + world.chips.map(\.number)
                world.put([bodies[place % bodies.count]])
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
        let permission = TagPermission(
            command: command, uid: uid, keys: keys, card: await card(), claimed: claimed,
            told: told)
        if forbidden == nil, !permission.allows(frame) { forbidden = frame }
        let answer = try await answer { reader throws(ReaderError) in
            try await reader.exchange(frame)
        }
        hear(answer, to: try? Type2Command(frame: frame))
        lastAnswer = answer
        return answer
    }

    func exchange(command: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try count()
        let permission = TagPermission(
            command: self.command, uid: uid, keys: keys, card: await card(), claimed: claimed,
            told: told)
        if forbidden == nil, !permission.allows(command: command) { forbidden = command }
        lastAnswer = try await answer { reader throws(ReaderError) in
            try await reader.exchange(command: command)
        }
        return lastAnswer
    }

    private func card() async -> LedgerCard? {
        guard let uid = CardUID(bytes: uid) else { return nil }
        // A ledger that does not answer has no card, and nothing may be written.
        return try? await ledger.knownCard(of: uid)?.card
    }

    private func hear(_ answer: [UInt8], to command: Type2Command?) {
        guard let command, (try? command.checked(answer)) != nil else { return }
        let bytesPerPage = 4
        switch command {
        case .getVersion: claimed = Type2Chip(version: answer)
        case .read(let first), .fastRead(let first, _):
            for (place, start) in stride(from: 0, to: answer.count, by: bytesPerPage).enumerated() {
                told[first &+ UInt8(truncatingIfNeeded: place)] = answer[start]
            }
        default: break
        }
    }

    func release() async { await honest.release() }

    /// The answer to a question about the tag on the reader.
    private func answer(
        _ ask: (SimulatedReader) async throws(ReaderError) -> [UInt8]
    ) async throws(ReaderError) -> [UInt8] {
        switch choices.byte() % 20 {
        case 0...7: return try await ask(honest)
        case 8: throw failure()
        case 9:
            _ = try await ask(honest)
            throw failure()
        case 10: return choices.field()
        case 11:
            _ = try await ask(honest)
            return choices.field()
        case 12:
            var answer = try await ask(honest)
            let (place, mask) = (Int(choices.byte()), choices.byte())
            if !answer.isEmpty { answer[place % answer.count] ^= mask }
            return answer
        case 13: return try await ask(honest).dropLast(Int(choices.byte()))
        case 14: return try await ask(honest) + choices.field()
        // A WRITE that is acknowledged and was not made.
        case 15: return []
        case 16: return lastAnswer
        case 17:
            try await tamper()
            return try await ask(honest)
        case 18:
            // As many bytes as were asked for, none of them true.
            let answer = try await ask(honest)
            return answer.map { _ in choices.byte() }
        default:
            let answer = try await ask(honest)
            try await tamper()
            return answer
        }
    }

    /// An attacker writes to the tag on the reader.
    private func tamper() async throws(ReaderError) {
        let (page, place, mask) = (choices.byte(), Int(choices.byte()), choices.byte())
        try await honest.change { world in
            guard let uid = world.onReader.first else { return }
            if var chip = world.chip(uid) {
                let file: FileNumber = page.isMultiple(of: 2) ? .ndef : .data
                chip[file].bytes[(Int(page) * 4 + place % 4) % file.size] ^= mask
                return world.save(chip)
            }
            guard var tag = world.tag(uid) else { return }
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
