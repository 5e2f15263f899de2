import Tags

/// A reader, a card and the air between them, with faults at chosen frames.
struct BlockLine {
    /// What happens to one frame, including its checksum.
    enum Fault: Hashable, CustomStringConvertible {
        case lost
        case flipped(bit: Int)
        case cut(to: Int)
        case duplicated

        var description: String {
            switch self {
            case .lost: "lost"
            case .flipped(let bit): "bit \(bit) flipped"
            case .cut(let count): "cut to \(count)"
            case .duplicated: "duplicated"
            }
        }
    }

    static let answerToSelect: [UInt8] = [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]

    var card = CardSide(answerToSelect: answerToSelect)
    var reader: ReaderSide
    /// Faults by the number of the frame, both directions counted together.
    var faults: [Int: Fault] = [:]
    private(set) var frames: [[UInt8]] = []
    /// Every command that the card carried out.
    private(set) var carriedOut: [[UInt8]] = []
    /// How often the card asks for time before it answers.
    var requestsForTime = 0
    var multiplier: UInt8 = 1
    private var isAskingForTime = false

    init(readerSize: FrameSize = .of256) {
        guard let answer = AnswerToSelect(frame: BlockLine.answerToSelect) else {
            preconditionFailure("the answer is valid")
        }
        reader = ReaderSide(answer)
        _ = card.receive(AnswerToSelect.request(frameSize: readerSize))
    }

    /// The card's answer to a command, made up from the command's bytes.
    static func answer(to command: [UInt8]) -> [UInt8] {
        (0..<Int(command[0])).map { UInt8(truncatingIfNeeded: $0) ^ command[command.count - 1] }
    }

    /// Sends a command and returns its end: the answer, or the failure.
    mutating func exchange(_ command: [UInt8]) -> ReaderSide.Action {
        resolve(reader.begin(command))
    }

    mutating func resolve(_ first: ReaderSide.Action) -> ReaderSide.Action {
        var action = first
        // Far more than any exchange here has.
        for _ in 0..<200 {
            guard case .send(let frame, _) = action else { return action }
            action = reader.receive(send(frame))
        }
        return action
    }

    private mutating func send(_ frame: [UInt8]) -> ReaderSide.Event {
        let arrived = pass(frame)
        guard !arrived.isEmpty else { return .silence }
        var heard: [[UInt8]] = []
        for each in arrived {
            guard let whole = RadioCRC.stripped(from: each) else { continue }
            if let answer = react(whole) { heard.append(answer) }
        }
        guard let first = heard.first else { return .silence }
        // A reader listens for one frame.
        guard let back = pass(first).first else { return .silence }
        return RadioCRC.stripped(from: back).map { .frame($0) } ?? .damaged
    }

    private mutating func pass(_ frame: [UInt8]) -> [[UInt8]] {
        var whole = RadioCRC.appended(to: frame)
        frames.append(whole)
        switch faults[frames.count - 1] {
        case nil: return [whole]
        case .lost: return []
        case .flipped(let bit):
            whole[bit / 8 % whole.count] ^= 1 << (bit % 8)
            return [whole]
        case .cut(let count): return [Array(whole.prefix(count % whole.count))]
        case .duplicated: return [whole, whole]
        }
    }

    private mutating func react(_ frame: [UInt8]) -> [UInt8]? {
        let request = TransmissionBlock.waitExtension(multiplier: multiplier)
        if isAskingForTime, let block = TransmissionBlock(frame: frame) {
            // Granted; or the request was not heard.
            if block == request { return goOn() }
            if case .repeatRequest = block { return request.frame }
        }
        switch card.receive(frame) {
        case .silence: return nil
        case .send(let frame), .end(let frame): return frame
        case .run(let command):
            carriedOut.append(command)
            return goOn()
        }
    }

    /// Asks for more time, which `CardSide` never does, or answers.
    private mutating func goOn() -> [UInt8] {
        isAskingForTime = requestsForTime > 0
        if isAskingForTime {
            requestsForTime -= 1
            return TransmissionBlock.waitExtension(multiplier: multiplier).frame
        }
        return card.answer(BlockLine.answer(to: carriedOut[carriedOut.count - 1]))
    }
}
