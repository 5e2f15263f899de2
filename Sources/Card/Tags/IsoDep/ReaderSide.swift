/// The reader's side of ISO/IEC 14443-4: a state machine that takes an event and returns the next
/// action. It does not send anything itself.
///
/// Requesting a block again is safe: the card either resends its last block or reports that nothing
/// arrived. So a command is executed once or not at all. Only an attacker who injects a block could
/// have another command executed; the MACs on the card's native commands prevent that.
package struct ReaderSide: Sendable, Hashable {
    /// What happened after the last frame.
    package enum Event: Hashable, Sendable {
        /// A frame with a correct checksum, passed without the checksum.
        case frame([UInt8])
        /// A frame that was damaged in transit.
        case damaged
        /// No frame arrived within the time given in the action.
        case silence
    }

    /// The caller's next step.
    package enum Action: Hashable, Sendable {
        /// Send this frame with a checksum, and wait this long for a response.
        case send([UInt8], wait: Duration)
        /// The response to the command is complete.
        case finished([UInt8])
        /// The exchange has failed.
        case failed(IsoDepError.Kind)
    }

    /// The maximum number of repetitions without progress. Recovering a lost block may take
    /// several, because the request to repeat it or the repeated block can also be lost.
    package static let maximumRepetitions = 5
    /// The maximum extra time that a card is granted for one command. A card relayed over a network
    /// asks for more.
    package static let maximumExtension = Duration.milliseconds(500)
    /// The maximum lengths of a command and a response, in bytes: a short APDU has a 4-byte header,
    /// a length byte, 255 bytes of data, and a byte for the expected length; its response has up to
    /// 256 bytes of data and a 2-byte status.
    package static let maximumCommandLength = 261
    package static let maximumAnswerLength = 258

    private enum State: Hashable {
        case idle
        /// Parts of the command remain, and the first of them has been sent.
        case sending
        /// Part of the response has arrived, and more will follow.
        case receiving
        case deselecting
        case over
    }

    private let answerToSelect: AnswerToSelect
    private var state = State.idle
    private var number = BlockNumber.even
    private var parts: ArraySlice<[UInt8]> = []
    private var answer: [UInt8] = []
    private var repetitions = 0
    private var extended = Duration.zero

    /// The state after activation.
    package init(_ answerToSelect: AnswerToSelect) { self.answerToSelect = answerToSelect }

    /// Starts a command. Starting another command before it ends is a programming error.
    package mutating func begin(_ command: [UInt8]) -> Action {
        precondition(state == .idle || state == .over, "one command at a time")
        // After a failure or DESELECT, the card must be selected again.
        guard state != .over else { return .failed(.outOfSequence) }
        guard (1...ReaderSide.maximumCommandLength).contains(command.count) else {
            return .failed(.wrongLength)
        }
        // A command that does not fit in one block is chained.
        let size = answerToSelect.frameSize.payload
        parts =
            stride(from: 0, to: command.count, by: size)
            .map { Array(command[$0..<min($0 + size, command.count)]) }[...]
        (answer, repetitions, extended, state) = ([], 0, .zero, .sending)
        return sendPart()
    }

    /// Ends the exchange, so that the card does not respond until it is selected again.
    package mutating func deselect() -> Action {
        (state, repetitions) = (.deselecting, 0)
        return send(.deselect)
    }

    /// Processes an event and returns the next action.
    package mutating func receive(_ event: Event) -> Action {
        guard state == .sending || state == .receiving || state == .deselecting else {
            return fail(.outOfSequence)
        }
        guard case .frame(let frame) = event else { return requestRepetition() }
        guard let block = TransmissionBlock(frame: frame) else {
            // The checksum of the block was correct, so a repetition would only return the same
            // block.
            return fail(.outOfSequence)
        }
        if state == .deselecting {
            guard block == .deselect else { return fail(.outOfSequence) }
            state = .over
            return .finished([])
        }
        switch block {
        case .information(let received, let continues, let payload):
            return take(payload, received, continues)
        case .acknowledge(let received): return acknowledged(received)
        case .waitExtension(let multiplier): return extend(multiplier)
        // Only readers send R(NAK), and a card sends S(DESELECT) only when asked.
        case .repeatRequest, .deselect: return fail(.outOfSequence)
        }
    }

    private mutating func take(
        _ payload: [UInt8], _ received: BlockNumber, _ continues: Bool
    ) -> Action {
        // An old number means that the block belongs to an earlier command. A response that arrives
        // before the last part of the command has been sent is out of sequence.
        guard received == number, state == .receiving || parts.count == 1 else {
            return fail(.outOfSequence)
        }
        // A card that sends one empty part after another could go on forever.
        guard !continues || !payload.isEmpty else { return fail(.outOfSequence) }
        (number, repetitions, state) = (number.other, 0, .receiving)
        parts = []
        answer += payload
        guard answer.count <= ReaderSide.maximumAnswerLength else { return fail(.wrongLength) }
        guard continues else {
            state = .idle
            return .finished(answer)
        }
        return send(.acknowledge(number))
    }

    private mutating func acknowledged(_ received: BlockNumber) -> Action {
        guard state == .sending else { return fail(.outOfSequence) }
        if received == number {
            // The card responds to the last part with data, never with just an acknowledgment.
            guard parts.count > 1 else { return fail(.outOfSequence) }
            (number, repetitions) = (number.other, 0)
            parts = parts.dropFirst()
            return sendPart()
        }
        // The card acknowledged the previous part, so the current one never reached it (rule 6).
        repetitions += 1
        return repetitions > ReaderSide.maximumRepetitions ? fail(.silent) : sendPart()
    }

    private mutating func extend(_ multiplier: UInt8) -> Action {
        // The extensions are added up over a command; otherwise, a card could keep asking for a
        // little more time forever.
        extended += answerToSelect.frameWait * Int(multiplier)
        guard extended <= ReaderSide.maximumExtension else { return fail(.requestedTooMuchTime) }
        return .send(
            TransmissionBlock.waitExtension(multiplier: multiplier).frame,
            wait: answerToSelect.wait(times: multiplier))
    }

    private mutating func requestRepetition() -> Action {
        repetitions += 1
        guard repetitions <= ReaderSide.maximumRepetitions else {
            // A card that does not respond to DESELECT counts as removed.
            if state == .deselecting {
                state = .over
                return .finished([])
            }
            return fail(.silent)
        }
        return switch state {
        case .deselecting: send(.deselect)
        // While the card is chaining, R(ACK) requests the next part, or the last one again (rule
        // 5).
        case .receiving: send(.acknowledge(number))
        default: send(.repeatRequest(number))
        }
    }

    private func sendPart() -> Action {
        send(
            .information(
                number: number, continues: parts.count > 1, payload: parts.first ?? []))
    }

    private func send(_ block: TransmissionBlock) -> Action {
        .send(block.frame, wait: answerToSelect.wait())
    }

    private mutating func fail(_ kind: IsoDepError.Kind) -> Action {
        state = .over
        parts = []
        return .failed(kind)
    }
}
