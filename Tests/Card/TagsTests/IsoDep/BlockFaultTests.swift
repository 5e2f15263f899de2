import Tags
import Testing

@Suite("ISO-DEP commands over a faulty line")
struct BlockFaultTests {
    /// Short and chained commands, short and chained answers, with frames of 64 and 128 bytes.
    private static let commands: [[UInt8]] = [
        [2, 7], [200] + [UInt8](repeating: 3, count: 40), [4] + [UInt8](repeating: 9, count: 260),
        [255] + [UInt8](repeating: 1, count: 259), [0, 5],
    ]

    private func line(time: Int = 0) -> BlockLine {
        var line = BlockLine(readerSize: .of64)
        line.requestsForTime = time
        return line
    }

    /// Plays all commands and returns what went wrong.
    private func problems(_ line: inout BlockLine) -> [String] {
        var problems: [String] = []
        for command in Self.commands {
            let end = line.exchange(command)
            if end != .finished(BlockLine.answer(to: command)) { problems.append("\(end)") }
        }
        if line.carriedOut != Self.commands { problems.append("\(line.carriedOut.count) carried") }
        return problems
    }

    private static let single: [BlockLine.Fault] =
        [.lost, .cut(to: 0), .cut(to: 1), .cut(to: 2), .cut(to: 3), .cut(to: 50)]
        + (0..<40).map { .flipped(bit: $0) }

    @Test("A card that keeps sending empty chained blocks is given up")
    func endless() throws {
        // FSC 128, FWI 7, as an NTAG 424 says.
        let answer = try #require(AnswerToSelect(frame: [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]))
        var reader = ReaderSide(answer)
        _ = reader.begin([0x90, 0x60, 0, 0, 0])
        let action = reader.receive(.frame([0x12]))
        guard case .failed(.outOfSequence) = action else {
            Issue.record("it goes on: \(action)")
            return
        }
    }

    @Test("Without faults, each command is carried out once", arguments: [0, 1, 3])
    func plain(time: Int) {
        var line = line(time: time)
        #expect(problems(&line).isEmpty)
    }

    @Test("One damaged or lost block anywhere only costs a repetition", arguments: [0, 2])
    func oneFault(time: Int) {
        var whole = line(time: time)
        #expect(problems(&whole).isEmpty)
        #expect(whole.frames.count > 20)
        for place in whole.frames.indices {
            for fault in Self.single {
                var line = line(time: time)
                line.faults = [place: fault]
                let found = problems(&line)
                #expect(found.isEmpty, "\(place) \(fault): \(found)")
                #expect(line.frames.count > whole.frames.count, "\(place) \(fault)")
            }
        }
    }

    @Test("A lost block and a damaged one anywhere only cost repetitions", arguments: [0, 1])
    func twoFaults(time: Int) {
        var whole = line(time: time)
        _ = problems(&whole)
        let count = whole.frames.count
        for first in 0..<count {
            for second in (first + 1)..<(count + 3) {
                var line = line(time: time)
                line.faults = [first: .lost, second: .flipped(bit: 3)]
                let found = problems(&line)
                #expect(found.isEmpty, "\(first) \(second): \(found)")
            }
        }
    }

    @Test("A block that arrives twice changes nothing, unless it is part of a command")
    func duplicated() {
        var whole = line(time: 1)
        _ = problems(&whole)
        var tried = 0
        for (place, frame) in whole.frames.enumerated() {
            let isOfReader = place.isMultiple(of: 2)
            let isPart = frame[0] & 0xE2 == 0x02
            if isOfReader, isPart { continue }
            var line = line(time: 1)
            line.faults = [place: .duplicated]
            #expect(problems(&line).isEmpty, "\(place)")
            tried += 1
        }
        #expect(tried > 15)
    }

    @Test("A command that arrives twice is carried out twice, and the next exchange fails")
    func commandTwice() {
        var line = line()
        line.faults = [0: .duplicated]
        #expect(line.exchange([2, 7]) == .finished(BlockLine.answer(to: [2, 7])))
        #expect(line.carriedOut == [[2, 7], [2, 7]])
        // The numbers no longer fit: no later answer is taken for another.
        #expect(line.exchange([2, 8]) == .failed(.outOfSequence))
    }

    @Test("A card that falls silent at any block is given up")
    func silent() {
        var whole = line()
        _ = problems(&whole)
        for place in whole.frames.indices {
            var line = line()
            line.faults = Dictionary(uniqueKeysWithValues: (place..<1000).map { ($0, .lost) })
            var ends: [ReaderSide.Action] = []
            for command in Self.commands where ends.last.map(isFinished) ?? true {
                ends.append(line.exchange(command))
            }
            #expect(ends.last == .failed(.silent), "\(place)")
            // A command was carried out at most once, however it ended.
            #expect(Set(line.carriedOut).count == line.carriedOut.count)
            #expect(line.exchange([1, 1]) == .failed(.outOfSequence))
        }
    }

    private func isFinished(_ action: ReaderSide.Action) -> Bool {
        if case .finished = action { true } else { false }
    }

    @Test("A card may ask for up to 500 ms and no more")
    func time() {
        // 12 and 13 times 38.66 ms.
        for (multiplier, end) in [
            (12, ReaderSide.Action.finished([5, 4])), (13, .failed(.requestedTooMuchTime)),
        ] as [(UInt8, ReaderSide.Action)] {
            var line = line(time: 1)
            line.multiplier = multiplier
            #expect(line.exchange([2, 5]) == end)
        }
        for (requests, end) in [
            (12, ReaderSide.Action.finished([5, 4])), (13, .failed(.requestedTooMuchTime)),
        ] {
            var line = line(time: requests)
            #expect(line.exchange([2, 5]) == end)
        }
    }

    @Test("The wait a card asks for is granted once and exceeds the usual one")
    func wait() throws {
        let answer = try #require(AnswerToSelect(frame: BlockLine.answerToSelect))
        var reader = ReaderSide(answer)
        #expect(reader.begin([1]) == .send([0x02, 1], wait: answer.wait()))
        #expect(
            reader.receive(.frame([0xF2, 2]))
                == .send([0xF2, 2], wait: answer.wait(times: 2)))
        #expect(answer.wait(times: 2) - answer.wait() == answer.frameWait)
    }

    @Test("A deselected card is silent, and its reader fails, until it is activated again")
    func dismissed() {
        var line = line()
        _ = line.exchange([1, 1])
        let dismissal = line.reader.deselect()
        #expect(line.resolve(dismissal) == .finished([]))
        #expect(!line.card.isActivated)
        #expect(line.card.receive([0x02, 1]) == .silence)
        #expect(line.exchange([1, 1]) == .failed(.outOfSequence))
    }

    @Test("Deselecting a card that is gone succeeds")
    func gone() {
        var line = line()
        line.faults = Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, .lost) })
        let dismissal = line.reader.deselect()
        #expect(line.resolve(dismissal) == .finished([]))
    }
}
