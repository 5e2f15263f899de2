import Cards
import PortDoubles
import Tags
import Testing

@Suite("First reading of an NTAG21x")
struct ScanTagTests {
    static let identity = TagIdentity(uid: [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80])
    static let header: [UInt8] = [
        0x04, 0xAC, 0x6B, 0x4B, 0x72, 0xBA, 0x6C, 0x80, 0x24, 0x48, 0x01, 0x02, 0xE1, 0x10, 0x12,
        0x00,
    ]
    static let signature = [UInt8](repeating: 0x5A, count: 32)
    static let frames: [[UInt8]] = [[0x60], [0x30, 0], [0x3A, 0x04, 0x27], [0x3C, 0]]

    static func scan(
        _ script: [ScriptedReader.Reply], maximumAnswerLength: Int = 250
    ) async -> Played<ScannedTag> {
        let procedure = ScanTag(identity, maximumAnswerLength: maximumAnswerLength) { chip in
            chip.model.flatMap(CardLayout.init)?.pages ?? chip.userPages
        }
        return await play(procedure, script)
    }

    /// The answers of a complete tag.
    static func answers(of chip: Type2Chip = .ntag213, upTo last: UInt8 = 0x27) -> [[UInt8]] {
        [chip.version ?? [], header, numbered(4...last), signature]
    }

    @Test(
        "The first reading of an NTAG21x takes four commands",
        arguments: [(Type2Chip.ntag213, 0x27), (.ntag215, 0x41), (.ntag216, 0x41)]
            as [(Type2Chip, UInt8)])
    func fourCommands(chip: Type2Chip, last: UInt8) async throws {
        let answers = Self.answers(of: chip, upTo: last)
        let played = await Self.scan(answers.map { .answer($0) })
        #expect(played.trace == [[0x60], [0x30, 0], [0x3A, 0x04, last], [0x3C, 0]])
        let tag = try #require(played.outcome)
        #expect(tag.chip == chip)
        #expect(tag.version == chip.version)
        #expect(tag.header == Self.header)
        #expect(tag.capability == [0xE1, 0x10, 0x12, 0x00] && tag.locks == [0x01, 0x02])
        #expect(tag.memory == numbered(4...last))
        #expect(tag.signature == Self.signature)
    }

    @Test("A reader with short answers takes more FAST_READ commands")
    func smallAnswers() async {
        let script = [
            Type2Chip.ntag213.version ?? [], Self.header, numbered(4...0x13),
            numbered(0x14...0x23), numbered(0x24...0x27), Self.signature,
        ]
        let played = await Self.scan(script.map { .answer($0) }, maximumAnswerLength: 64)
        #expect(
            played.trace == [
                [0x60], [0x30, 0], [0x3A, 0x04, 0x13], [0x3A, 0x14, 0x23], [0x3A, 0x24, 0x27],
                [0x3C, 0],
            ])
        #expect(played.outcome?.memory == numbered(4...0x27))
    }

    @Test(
        "A failure ends the first reading, unless an older chip or a missing signature explains it",
        arguments: ReaderError.Kind.everyKind)
    func failures(kind: ReaderError.Kind) async {
        let isAnswerOfSorts =
            switch kind {
            case .refused, .timedOut, .garbled, .tagLost: true
            default: false
            }
        for (step, _) in Self.frames.enumerated() {
            let script = Self.answers().prefix(step).map(ScriptedReader.Reply.answer)
            let played = await Self.scan(script + [.failure(kind)])
            let frames = Array(Self.frames.prefix(step + 1))
            switch (step, isAnswerOfSorts) {
            case (0, true):
                // It may be an older chip, which is silent now until it is selected.
                #expect(played.trace == frames + [[]])
                #expect(played.error?.kind == .reader(.tagLost))
            case (3, true) where kind != .tagLost:
                #expect(played.trace == frames)
                #expect(played.outcome != nil && played.outcome?.signature == nil)
            default:
                #expect(played.trace == frames)
                #expect(played.error?.kind == .reader(kind))
            }
        }
    }

    @Test(
        "An answer of the wrong length ends the first reading, except for the signature",
        arguments: [-1, 1, -4, 4, -8, -16])
    func lengths(excess: Int) async {
        for (step, answer) in Self.answers().enumerated() {
            let count = answer.count + excess
            guard count >= 0 else { continue }
            let wrong = Array((answer + answer).prefix(count))
            let script = Self.answers().prefix(step) + [wrong]
            let played = await Self.scan(script.map { .answer($0) })
            #expect(played.trace == Array(Self.frames.prefix(step + 1)))
            if step == 3 {
                #expect(played.outcome != nil && played.outcome?.signature == nil)
            } else {
                #expect(played.error?.kind == .garbled)
            }
        }
    }

    @Test("A first reading fails if it gets a selection in place of an answer")
    func selectedUnasked() {
        var procedure = ScanTag(Self.identity, maximumAnswerLength: 250) { $0.userPages }
        _ = procedure.next(after: .begin)
        guard case .fail(let error) = procedure.next(after: .selected(Self.identity)) else {
            Issue.record("it went on")
            return
        }
        #expect(error.kind == .garbled)
    }
}
