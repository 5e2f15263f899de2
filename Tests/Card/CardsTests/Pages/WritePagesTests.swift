import Cards
import PortDoubles
import Tags
import Testing

@Suite("Writing pages")
struct WritePagesTests {
    static let writes = (0x20...0x23 as ClosedRange<UInt8>).map {
        PageWrite($0, Page($0, $0, $0, $0))
    }
    static let frames: [[UInt8]] = (0x20...0x23).map { [0xA2, $0, $0, $0, $0, $0] }
    static let password = TagPassword(password: [1, 2, 3, 4], pack: [5, 6])
    static let acknowledged = [ScriptedReader.Reply](repeating: .answer([]), count: 4)
    static let whole = acknowledged + [.answer(numbered(0x20...0x23))]

    private func write(
        _ writes: [PageWrite] = writes, maximumAnswerLength: Int = 250,
        password: TagPassword? = nil,
        meeting script: [ScriptedReader.Reply]
    ) async -> Played<[UInt8]> {
        await play(
            WritePages(writes, maximumAnswerLength: maximumAnswerLength, password: password), script
        )
    }

    @Test("Pages are written in the given order and read back")
    func inOrder() async {
        let played = await write(meeting: Self.whole)
        #expect(played.trace == Self.frames + [[0x3A, 0x20, 0x23]])
        #expect(played.outcome == numbered(0x20...0x23))
        let reversed = await write(Self.writes.reversed(), meeting: Self.whole)
        #expect(reversed.trace == Self.frames.reversed() + [[0x3A, 0x20, 0x23]])
    }

    @Test("A given password is sent before the first write")
    func password() async {
        let played = await write(password: Self.password, meeting: [.answer([5, 6])] + Self.whole)
        #expect(played.trace == [[0x1B, 1, 2, 3, 4]] + Self.frames + [[0x3A, 0x20, 0x23]])
        #expect(played.outcome != nil)
    }

    @Test(
        "Nothing is written to a tag that answers with a different PACK",
        arguments: [
            [], [5], [6, 5], [0, 0], [5, 6, 0],
        ] as [[UInt8]])
    func wrongPACK(pack: [UInt8]) async {
        let played = await write(password: Self.password, meeting: [.answer(pack)] + Self.whole)
        #expect(played.trace == [[0x1B, 1, 2, 3, 4]])
        #expect(played.error?.kind == .wrongPassword)
    }

    @Test(
        "Writing stops at the first failure and reports how many pages were written",
        arguments: ReaderError.Kind.everyKind)
    func failures(kind: ReaderError.Kind) async {
        let script = [.answer([5, 6])] + Self.whole
        for step in script.indices {
            let played = await write(
                password: Self.password,
                meeting: Array(script.prefix(step)) + [.failure(kind)] + script)
            #expect(played.trace.count == step + 1)
            if step == 0, kind == .refused(0) || kind == .refused(4) {
                #expect(played.error?.kind == .wrongPassword)
                continue
            }
            #expect(played.error?.kind == .interrupted(kind))
            #expect(played.error?.detail == "\(min(max(0, step - 1), 4)) of 4 pages written")
        }
    }

    @Test("An answer other than an acknowledgment ends the writing as garbled", arguments: 0..<4)
    func acknowledge(step: Int) async {
        let script = Self.acknowledged.prefix(step) + [.answer([0x0A])]
        let played = await write(meeting: script + Self.whole)
        #expect(played.error?.kind == .garbled)
        #expect(played.trace == Array(Self.frames.prefix(step + 1)))
    }

    @Test("A written page that differs in any one bit is noticed")
    func differs() async {
        for bit in 0..<128 {
            var kept = numbered(0x20...0x23)
            kept[bit / 8] ^= 1 << (bit % 8)
            let played = await write(meeting: Self.acknowledged + [.answer(kept)])
            #expect(played.error?.kind == .differs, "bit \(bit)")
        }
    }

    @Test("Only the pages that were written are compared")
    func neighbours() async {
        let writes = [0x23, 0x21].map { PageWrite($0, Page(1, 2, 3, 4)) }
        let content = [1, 2, 3, 4] + numbered(0x22...0x22) + [1, 2, 3, 4]
        let played = await write(
            writes, meeting: [.answer([]), .answer([]), .answer(content)])
        #expect(played.trace.last == [0x3A, 0x21, 0x23])
        #expect(played.outcome == content)
    }

    @Test("A page that is written twice is compared with its last content")
    func twice() async {
        let (first, last) = (Page(3, 0, 0xFE, 0), Page(3, 7, 0xD1, 1))
        let writes = [PageWrite(4, first), PageWrite(4, last)]
        let done = await write(
            writes, meeting: [.answer([]), .answer([]), .answer(last.bytes)])
        #expect(done.outcome == last.bytes)
        let undone = await write(
            writes, meeting: [.answer([]), .answer([]), .answer(first.bytes)])
        #expect(undone.error?.kind == .differs)
    }

    @Test("Pages are read back in parts if the reader's answers are short")
    func smallAnswers() async {
        let script = Self.acknowledged + (0x20...0x23).map { .answer(numbered($0...$0)) }
        let played = await write(maximumAnswerLength: 4, meeting: script)
        #expect(played.trace == Self.frames + (0x20...0x23).map { [0x3A, $0, $0] })
        #expect(played.outcome == numbered(0x20...0x23))
    }

    @Test("Nothing is sent if nothing is to be written")
    func nothing() async {
        let played = await write([], meeting: [])
        #expect(played.trace.isEmpty)
        #expect(played.outcome == [])
    }

    @Test(
        "An answer of the wrong length ends the reading back as garbled",
        arguments: [0, 12, 15, 17, 20])
    func lengths(count: Int) async {
        let played = await write(
            meeting: Self.acknowledged + [.answer([UInt8](repeating: 0x20, count: count))])
        #expect(played.error?.kind == .garbled)
    }

    @Test("Writing fails if it gets a selection in place of an answer")
    func selectedUnasked() {
        var procedure = WritePages(Self.writes, maximumAnswerLength: 250)
        _ = procedure.next(after: .begin)
        guard case .fail(let error) = procedure.next(after: .selected(ScanTagTests.identity))
        else {
            Issue.record("it went on")
            return
        }
        #expect(error.kind == .garbled)
    }
}
