/// The card's side of ISO/IEC 14443-4 after selection: a state machine that takes a frame and
/// returns the reaction. It does not execute any commands itself.
package struct CardSide: Sendable, Hashable {
    /// The reaction to a frame.
    package enum Reaction: Hashable, Sendable {
        case silence
        /// Send this frame with a checksum.
        case send([UInt8])
        /// Execute this command, then call `answer`.
        case run([UInt8])
        /// Send this frame with a checksum, then stay silent until selected again.
        case end([UInt8])
    }

    private enum State: Hashable {
        /// Selected, but not activated.
        case selected
        case waiting
        /// A command is being executed.
        case running
        /// Some parts of a response still have to be sent.
        case answering
    }

    /// The card's answer to select (ATS), without the checksum.
    package let answerToSelect: [UInt8]
    private var state = State.selected
    private var readerSize = FrameSize.of16
    // The card starts at 1 and the reader at 0, so the first block counts as new (rules A and C).
    private var number = BlockNumber.odd
    private var command: [UInt8] = []
    private var parts: ArraySlice<[UInt8]> = []
    private var last: [UInt8]?
    /// Whether parameters can still be chosen (PPS), which is possible only right after activation.
    private var canChooseParameters = false

    private static let parameterSelection: UInt8 = 0xD0

    /// A card that has just been selected.
    package init(answerToSelect: [UInt8]) { self.answerToSelect = answerToSelect }

    /// Whether the card has been activated. From then on, it accepts only blocks.
    package var isActivated: Bool { state != .selected }

    /// The reaction to a frame with a correct checksum. The frame is passed without the checksum.
    package mutating func receive(_ frame: [UInt8]) -> Reaction {
        if state == .selected { return activate(frame) }
        if canChooseParameters, frame.first == CardSide.parameterSelection {
            return chooseParameters(frame)
        }
        canChooseParameters = false
        // A card does not report an unreadable block; the reader notices the silence and asks
        // again.
        guard let block = TransmissionBlock(frame: frame) else { return .silence }
        switch block {
        case .information(_, let continues, let payload): return take(payload, continues)
        case .acknowledge(let received): return acknowledged(received)
        case .repeatRequest(let received):
            // An R(NAK) with the card's number requests the card's last block again. An R(NAK) with
            // the other number means that the reader's block never arrived, which the R(ACK)
            // reports (rules 11 and 12).
            return received == number
                ? resendLast() : .send(TransmissionBlock.acknowledge(number).frame)
        // This card never asks for more time.
        case .waitExtension: return .silence
        case .deselect:
            self = CardSide(answerToSelect: answerToSelect)
            return .end(TransmissionBlock.deselect.frame)
        }
    }

    /// Returns the first block of the response to the command that was executed.
    package mutating func answer(_ answer: [UInt8]) -> [UInt8] {
        precondition(state == .running, "an answer needs a command")
        let size = readerSize.payload
        // Even an empty response takes one block; otherwise the reader would wait forever.
        parts =
            stride(from: 0, to: max(answer.count, 1), by: size)
            .map { Array(answer[$0..<min($0 + size, answer.count)]) }[...]
        return sendPart()
    }

    private mutating func activate(_ frame: [UInt8]) -> Reaction {
        // Identifier 15 is reserved. Any other identifier is accepted, because the card also
        // responds to blocks without an identifier.
        guard frame.count == 2, frame[0] == AnswerToSelect.requestCode, frame[1] & 0x0F != 0x0F
        else { return .silence }
        readerSize = FrameSize(code: frame[1] >> 4)
        (state, canChooseParameters) = (.waiting, true)
        return .send(answerToSelect)
    }

    /// Confirms 106 kbit/s, the only speed supported here.
    private mutating func chooseParameters(_ frame: [UInt8]) -> Reaction {
        canChooseParameters = false
        // PPS for both directions at 106 kbit/s, with or without its parameter byte.
        let accepted: [[UInt8]] = [[0xD0, 0x11, 0x00], [0xD0, 0x01]]
        return accepted.contains(frame) ? .send([CardSide.parameterSelection]) : .silence
    }

    private mutating func take(_ payload: [UInt8], _ continues: Bool) -> Reaction {
        // A new command discards anything unfinished, as the standard requires.
        if state != .waiting { (command, parts) = ([], []) }
        state = .waiting
        // Each new block from the reader toggles the card's number (rule D).
        number = number.other
        command += payload
        // A command that is longer than any short APDU is dropped.
        guard command.count <= ReaderSide.maximumCommandLength else {
            command = []
            return .silence
        }
        if continues { return send(.acknowledge(number)) }
        let whole = command
        (command, state, last) = ([], .running, nil)
        return .run(whole)
    }

    private mutating func acknowledged(_ received: BlockNumber) -> Reaction {
        // An R(ACK) with the card's number means that the reader did not receive the card's last
        // block (rule 11).
        if received == number { return resendLast() }
        // An acknowledgment is expected only between the parts of a response.
        guard state == .answering else { return .silence }
        number = number.other
        parts = parts.dropFirst()
        return .send(sendPart())
    }

    private mutating func sendPart() -> [UInt8] {
        let continues = parts.count > 1
        state = continues ? .answering : .waiting
        let part = parts.first ?? []
        if !continues { parts = [] }
        return remember(.information(number: number, continues: continues, payload: part))
    }

    private mutating func send(_ block: TransmissionBlock) -> Reaction { .send(remember(block)) }

    private mutating func remember(_ block: TransmissionBlock) -> [UInt8] {
        last = block.frame
        return block.frame
    }

    /// Sends the last block again.
    private func resendLast() -> Reaction { last.map { .send($0) } ?? .silence }
}
