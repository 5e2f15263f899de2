import Cards
import PortDoubles
import Tags
import Testing

@Suite("Reading a run of pages")
struct ReadPagesTests {
    /// The runs of at most `size` pages that make up the pages.
    static func runs(_ pages: ClosedRange<UInt8>, _ size: Int) -> [ClosedRange<UInt8>] {
        stride(from: Int(pages.lowerBound), through: Int(pages.upperBound), by: size).map {
            UInt8($0)...UInt8(min($0 + size - 1, Int(pages.upperBound)))
        }
    }

    @Test("A whole card is read in one command", arguments: [0x27, 0x41] as [UInt8])
    func oneCommand(last: UInt8) async {
        let played = await play(
            ReadPages(4...last, maximumAnswerLength: 250), [.answer(numbered(4...last))])
        #expect(played.trace == [[0x3A, 4, last]])
        #expect(played.outcome == numbered(4...last))
    }

    @Test(
        "A run is split to fit the reader's answers, with at least one page each",
        arguments: [
            (64, 16), (63, 15), (16, 4), (8, 2), (7, 1), (4, 1), (3, 1), (0, 1), (-1, 1),
            (1_024, 256),
        ], [4...0x27, 0...0xFF, 0xFF...0xFF, 0...0] as [ClosedRange<UInt8>])
    func cut(size: (maximumAnswerLength: Int, pages: Int), pages: ClosedRange<UInt8>) async {
        let runs = Self.runs(pages, size.pages)
        let played = await play(
            ReadPages(pages, maximumAnswerLength: size.maximumAnswerLength),
            runs.map { .answer(numbered($0)) })
        #expect(played.trace == runs.map { [0x3A, $0.lowerBound, $0.upperBound] })
        #expect(played.outcome == numbered(pages))
    }

    @Test("Reading pages ends at any failure of any frame", arguments: ReaderError.Kind.everyKind)
    func failures(kind: ReaderError.Kind) async {
        let runs = Self.runs(4...0x27, 16)
        for step in runs.indices {
            let script = runs.prefix(step).map { ScriptedReader.Reply.answer(numbered($0)) }
            let played = await play(
                ReadPages(4...0x27, maximumAnswerLength: 64), script + [.failure(kind)])
            #expect(played.error?.kind == .reader(kind))
            #expect(played.trace.count == step + 1)
        }
    }

    @Test(
        "An answer of the wrong length ends the reading of pages as garbled",
        arguments: [0, 1, 143, 145, 148, 288])
    func lengths(count: Int) async {
        let played = await play(
            ReadPages(4...0x27, maximumAnswerLength: 250),
            [.answer([UInt8](repeating: 0, count: count))])
        #expect(played.error?.kind == .garbled)
    }
}
