import Tags
import Testing

@Suite("Blocks of ISO/IEC 14443-4")
struct TransmissionBlockTests {
    private static let blocks: [(TransmissionBlock, [UInt8])] = [
        (.information(number: .even, continues: false, payload: [1, 2]), [0x02, 1, 2]),
        (.information(number: .odd, continues: false, payload: []), [0x03]),
        (.information(number: .even, continues: true, payload: [9]), [0x12, 9]),
        (.information(number: .odd, continues: true, payload: [9]), [0x13, 9]),
        (.acknowledge(.even), [0xA2]), (.acknowledge(.odd), [0xA3]),
        (.repeatRequest(.even), [0xB2]), (.repeatRequest(.odd), [0xB3]),
        (.waitExtension(multiplier: 1), [0xF2, 1]), (.waitExtension(multiplier: 59), [0xF2, 59]),
        (.deselect, [0xC2]),
    ]

    @Test("Each kind of block survives a round trip through its frame", arguments: 0..<11)
    func bothWays(index: Int) {
        let (block, frame) = Self.blocks[index]
        #expect(block.frame == frame)
        #expect(TransmissionBlock(frame: frame) == block)
    }

    @Test("A block with any first byte is read as it would be written, or is refused")
    func firstBytes() {
        #expect(TransmissionBlock(frame: []) == nil)
        var read = 0
        for first in UInt8.min...UInt8.max {
            for rest in [[], [5], [5, 6]] as [[UInt8]] {
                guard let block = TransmissionBlock(frame: [first] + rest) else { continue }
                #expect(block.frame == [first] + rest)
                read += 1
            }
        }
        #expect(read == 4 * 3 + 4 + 1 + 1)
    }

    @Test("A wait multiplier outside 1 to 59, or with a field strength, is refused")
    func multipliers() {
        for byte in UInt8.min...UInt8.max {
            let isRead = TransmissionBlock(frame: [0xF2, byte]) != nil
            #expect(isRead == (1...59).contains(byte))
        }
    }

    @Test("The answer to select of an NTAG 424 is understood")
    func answerToSelect() throws {
        let answer = try #require(
            AnswerToSelect(frame: [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]))
        #expect(answer.frameSize == .of128)
        #expect(answer.frameSize.payload == 125)
        #expect(answer.waitExponent == 7)
        #expect(answer.historicalBytes == [0x80])
        // 38.66 ms and 604 us, as the data sheet has them.
        #expect((.microseconds(38_660)...(.microseconds(38_670))).contains(answer.frameWait))
        #expect((.microseconds(604)...(.microseconds(605))).contains(answer.pause))
    }

    @Test("The shortest answer to select is understood, and each optional part by itself")
    func shortAnswers() throws {
        let shortest = try #require(AnswerToSelect(frame: [1]))
        #expect(shortest.frameSize == .of32)
        #expect(shortest.waitExponent == 4)
        #expect(shortest.pause == .zero)
        #expect(AnswerToSelect(frame: [2, 0x05])?.frameSize == .of64)
        #expect(AnswerToSelect(frame: [3, 0x15, 0x00])?.frameSize == .of64)
        #expect(AnswerToSelect(frame: [3, 0x28, 0x81])?.waitExponent == 8)
        #expect(AnswerToSelect(frame: [3, 0x45, 0x02])?.historicalBytes == [])
        // Reserved codes mean what is usual, or the longest.
        #expect(AnswerToSelect(frame: [3, 0x2F, 0xFF])?.waitExponent == 4)
        #expect(AnswerToSelect(frame: [3, 0x2F, 0xFF])?.frameSize == .of256)
    }

    @Test("An answer to select that is cut short or has an extra byte is refused")
    func cutAnswers() {
        let whole: [UInt8] = [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]
        for count in 0..<whole.count {
            #expect(AnswerToSelect(frame: Array(whole.prefix(count))) == nil)
            // A length that fits, over parts that do not.
            let short = [UInt8(count)] + whole.prefix(count).dropFirst()
            let isWhole = count == 5 || count == 1
            #expect((count > 0 ? AnswerToSelect(frame: short) != nil : false) == isWhole)
        }
        #expect(AnswerToSelect(frame: whole + [0]) == nil)
        #expect(AnswerToSelect(frame: [0x02, 0x80]) == nil)
    }

    @Test("Only a valid request activates a card, and parameters may follow it only once")
    func activation() {
        for frame in [[], [0xE0], [0xE0, 0x8F], [0xE0, 0x80, 0], [0x02, 1], [0xD0, 0x11, 0]]
            as [[UInt8]]
        {
            var card = CardSide(answerToSelect: BlockLine.answerToSelect)
            #expect(card.receive(frame) == .silence)
            #expect(!card.isActivated)
        }
        var card = CardSide(answerToSelect: BlockLine.answerToSelect)
        #expect(card.receive([0xE0, 0x50]) == .send(BlockLine.answerToSelect))
        #expect(card.receive([0xD0, 0x11, 0x00]) == .send([0xD0]))
        #expect(card.receive([0xD0, 0x11, 0x00]) == .silence)
        #expect(card.receive([0x02, 9]) == .run([9]))
        #expect(card.receive([0xD0, 0x11, 0x00]) == .silence)
    }

    @Test(
        "A long command and its answer arrive whole, in frames that the other side can take",
        arguments: FrameSize.allCases)
    func sizes(size: FrameSize) {
        #expect(AnswerToSelect.request(frameSize: size) == [0xE0, size.rawValue << 4])
        var line = BlockLine(readerSize: size)
        let command = [250, 3] + [UInt8](repeating: 4, count: 200)
        #expect(line.exchange(command) == .finished(BlockLine.answer(to: command)))
        // The reader's frame and the card's take turns, and the first of many parts is a full one.
        func longest(_ side: Int) -> Int? {
            line.frames.indices.filter { $0 % 2 == side }.map { line.frames[$0].count }.max()
        }
        #expect(longest(0) == FrameSize.of128.bytes)
        #expect(longest(1) == min(size.bytes, 250 + 3))
    }

    @Test("Empty commands and overlong commands and answers are refused")
    func lengths() throws {
        var line = BlockLine()
        #expect(line.reader.begin([]) == .failed(.wrongLength))
        #expect(
            line.reader.begin([UInt8](repeating: 1, count: 262)) == .failed(.wrongLength))
        let answer = try #require(AnswerToSelect(frame: BlockLine.answerToSelect))
        var reader = ReaderSide(answer)
        _ = reader.begin([1])
        let long = [UInt8](repeating: 0, count: 259)
        #expect(reader.receive(.frame([0x02] + long)) == .failed(.wrongLength))
    }

    @Test("A readable but unexpected block ends the conversation")
    func outOfSequence() throws {
        let answer = try #require(AnswerToSelect(frame: BlockLine.answerToSelect))
        for frame in [
            [0x03, 1], [0xA2], [0xB2], [0xC2], [0xD0], [0x0A, 0], [0xF2, 60], [0xA2, 0],
        ] as [[UInt8]] {
            var reader = ReaderSide(answer)
            _ = reader.begin([1])
            #expect(reader.receive(.frame(frame)) == .failed(.outOfSequence), "\(frame)")
            #expect(reader.receive(.frame([0x02])) == .failed(.outOfSequence))
            #expect(reader.begin([1]) == .failed(.outOfSequence))
        }
    }

    @Test("Each kind of ISO-DEP failure has a description of its own")
    func words() {
        let kinds: [IsoDepError.Kind] = [
            .silent, .outOfSequence, .requestedTooMuchTime, .wrongLength, .unsupportedProtocol,
        ]
        #expect(Set(kinds.map { IsoDepError($0).description }).count == kinds.count)
        #expect(IsoDepError(.silent, "words").description == "words")
    }
}
