import Cards
import PortDoubles
import Tags
import Testing

@Suite("Reading all readable pages")
struct ReadWhatCanBeReadTests {
    private static let identity = ScanTagTests.identity

    private func read(
        _ pages: ClosedRange<UInt8>, maximumAnswerLength: Int = 16, _ script: [ScriptedReader.Reply]
    ) async -> Played<[Page?]> {
        await play(
            ReadReadablePages(
                pages, identity: Self.identity, maximumAnswerLength: maximumAnswerLength), script)
    }

    private func pages(_ range: ClosedRange<UInt8>) -> [Page?] {
        range.map { Page($0, $0, $0, $0) }
    }

    @Test("As many pages are read at once as the reader's answers hold")
    func allReadable() async {
        let played = await read(
            0...9, [.answer(numbered(0...3)), .answer(numbered(4...7)), .answer(numbered(8...9))])
        #expect(played.trace == [[0x3A, 0, 3], [0x3A, 4, 7], [0x3A, 8, 9]])
        #expect(played.outcome == pages(0...9))
    }

    @Test("A refused run is halved until the refused page is found")
    func someRefused() async {
        let again = ScriptedReader.Reply.tag(Self.identity)
        let refused = ScriptedReader.Reply.failure(.refused(0))
        // The last page alone is refused: nothing is left to be selected for.
        let last = await read(0...4, [.answer(numbered(0...3)), refused])
        #expect(last.trace == [[0x3A, 0, 3], [0x3A, 4, 4]])
        #expect(last.outcome == pages(0...3) + [nil])

        let middle = await read(
            0...3,
            [
                refused, again, .answer(numbered(0...1)), refused, again, .answer(numbered(2...2)),
                refused,
            ])
        #expect(
            middle.trace == [
                [0x3A, 0, 3], [], [0x3A, 0, 1], [0x3A, 2, 3], [], [0x3A, 2, 2], [0x3A, 3, 3],
            ])
        #expect(middle.outcome == pages(0...2) + [nil])
    }

    @Test(
        "Pages are read one by one if the reader's answers hold at most one",
        arguments: [0, 3, 4, 7])
    func smallAnswers(maximumAnswerLength: Int) async {
        let played = await read(
            254...255, maximumAnswerLength: maximumAnswerLength,
            [.answer(numbered(254...254)), .answer(numbered(255...255))])
        #expect(played.outcome == pages(254...255))
    }

    @Test("Reading stops if the tag was swapped")
    func swapped() async {
        let other = TagIdentity(uid: [4, 1, 2, 3, 4, 5, 6])
        let played = await read(0...3, [.failure(.refused(0)), .tag(other)])
        #expect(played.error?.kind == .otherTag)
        #expect(played.trace == [[0x3A, 0, 3], []])
    }

    @Test(
        "Any failure but a refusal ends the reading of readable pages",
        arguments: ReaderError.Kind.everyKind)
    func failures(kind: ReaderError.Kind) async {
        if case .refused = kind { return }
        let atRead = await read(0...7, [.answer(numbered(0...3)), .failure(kind)])
        #expect(atRead.error?.kind == .reader(kind))
        let atSelection = await read(0...7, [.failure(.refused(0)), .failure(kind)])
        #expect(atSelection.error?.kind == .reader(kind))
        #expect(atSelection.trace == [[0x3A, 0, 3], []])
    }

    @Test(
        "An answer of the wrong length ends the reading of readable pages as garbled",
        arguments: [0, 3, 12, 15, 17, 20])
    func lengths(count: Int) async {
        let played = await read(0...3, [.answer([UInt8](repeating: 0, count: count))])
        #expect(played.error?.kind == .garbled)
    }
}
