package import CardCryptography
package import Tags

/// An operation on a chip, as a state machine without I/O: it takes an event and returns the next
/// step, so every sequence of responses and faults can be tested without a reader.
///
/// A procedure only decides on its next move. `next(after:)` turns the moves into commands and,
/// after a failure, determines whether a write may have taken effect.
package protocol NTAG424Procedure: Sendable {
    associatedtype Outcome: Sendable

    /// The exchange with the chip.
    var talk: NTAG424Talk { get set }

    /// The first move.
    mutating func begin() throws(NTAG424CardError) -> NTAG424Move<Outcome>
    /// The next move, given the data that the previous one returned.
    mutating func proceed(_ data: [UInt8]) throws(NTAG424CardError) -> NTAG424Move<Outcome>
    /// The next move if the chip reported, without a MAC, that the previous one succeeded.
    mutating func proceedWithoutMAC() throws(NTAG424CardError) -> NTAG424Move<Outcome>
    /// The number of bytes that the current move returns, if the next move is the same whatever
    /// they are; nil if it depends on them.
    var indifferentLength: Int? { get }
}

/// The next move of a procedure.
package enum NTAG424Move<Outcome: Sendable>: Sendable {
    /// Run this command. The mode is the protection mode of the file that it accesses.
    case run(CardCommand, CommunicationMode = .plain)
    /// Verify that the card and the reader both have this key, using 16 random bytes.
    case authenticate(KeyNumber, AESKey, random: [UInt8])
    case finish(Outcome)
}

/// An event for a procedure.
package enum NTAG424Event: Sendable, Hashable {
    case begin
    case answer([UInt8])
    case failure(ReaderError.Kind)
}

/// The next step of a procedure, for its driver.
package enum NTAG424Step<Outcome: Sendable>: Sendable {
    case send([UInt8])
    case finish(Outcome)
    case fail(NTAG424CardError)
}

/// An exchange with a chip, and whether the last command was a write.
package struct NTAG424Talk: Hashable, Sendable {
    package fileprivate(set) var conversation = NTAG424Conversation()
    fileprivate var isWriting = false
    /// The key that is being authenticated.
    fileprivate(set) var authenticating: KeyNumber?
    /// Keys that must not be tried, because the card has failed to confirm them too often.
    fileprivate var notTried: Set<KeyNumber> = []

    package init() {}

    /// The key of the session; `nil` if no session is open.
    package var key: KeyNumber? { conversation.session == nil ? nil : conversation.key }
}

extension NTAG424Procedure {
    package var indifferentLength: Int? { nil }

    /// The commands that follow each other as long as every response is as expected, beginning with
    /// this one.
    fileprivate func batch(from command: [UInt8]) -> [BatchItem] {
        var copy = self
        var command = command
        var items: [BatchItem] = []
        while let expectation = copy.talk.conversation.expectation(
            dataLength: copy.indifferentLength),
            case .send(let following) = copy.next(after: .answer(expectation.sample)),
            // If the report is lost, the first command has to show that something may be written.
            talk.isWriting || !copy.talk.isWriting
        {
            items.append(BatchItem(.command(command), expecting: expectation))
            command = following
        }
        return items + [BatchItem(.command(command))]
    }

    package mutating func proceedWithoutMAC() throws(NTAG424CardError) -> NTAG424Move<Outcome> {
        throw NTAG424CardError(
            .doubtful(.unauthenticated), NTAG424Error(.unauthenticated).description)
    }

    package mutating func next(after event: NTAG424Event) -> NTAG424Step<Outcome> {
        do throws(NTAG424CardError) {
            switch event {
            case .begin: return try translate(begin())
            case .failure(let kind): throw lost(kind)
            case .answer(let bytes): return try receive(bytes)
            }
        } catch {
            // Nothing more may be sent in this session: the next tap will select the card again.
            talk.conversation.end()
            return .fail(error)
        }
    }

    private mutating func receive(_ bytes: [UInt8]) throws(NTAG424CardError) -> NTAG424Step<Outcome>
    {
        let step: NTAG424Conversation.Step
        // Checked before `receive`, which ends the session on a refusal.
        let hadSession = talk.key != nil
        do throws(NTAG424Error) {
            step = try talk.conversation.receive(bytes)
        } catch {
            // 919Dh in response to an authentication means that the key is locked.
            if let number = talk.authenticating, error.kind == .refused(.notAllowed) {
                throw NTAG424CardError(
                    .lockedKey(number),
                    "key \(number.rawValue) is locked; the card no longer accepts it"
                ).after(talk)
            }
            // A refusal has no MAC, so anyone may have sent it, and the write may have happened
            // anyway.
            let cause =
                talk.isWriting
                ? NTAG424CardError(.doubtful(error.kind), error.description) : .chip(error)
            throw cause.after(talk, hadSession: hadSession)
        }
        switch step {
        case .send(let command): return .send(command)
        case .finished(let data):
            talk.isWriting = false
            return try translate(proceed(data))
        case .doneWithoutMAC:
            talk.isWriting = false
            return try translate(proceedWithoutMAC())
        }
    }

    private mutating func translate(
        _ move: NTAG424Move<Outcome>
    ) throws(NTAG424CardError) -> NTAG424Step<Outcome> {
        if case .authenticate(let number, _, _) = move, talk.notTried.contains(number) {
            throw .notTried(number)
        }
        let step: NTAG424Conversation.Step
        do throws(NTAG424Error) {
            switch move {
            case .finish(let outcome): return .finish(outcome)
            case .run(let command, let mode):
                step = try talk.conversation.begin(command, file: mode)
                // Set before the command is sent, because its response may never arrive.
                (talk.isWriting, talk.authenticating) = (command.isWrite, nil)
            case .authenticate(let number, let key, let random):
                step = try talk.conversation.authenticate(number, key, random: random)
                (talk.isWriting, talk.authenticating) = (false, number)
            }
        } catch {
            // Nothing was sent, so nothing can have been written.
            throw .chip(error)
        }
        guard case .send(let command) = step else { throw .chip(NTAG424Error(.malformed)) }
        return .send(command)
    }

    private func lost(_ kind: ReaderError.Kind) -> NTAG424CardError {
        NTAG424CardError(
            // `.unsupported` means that the reader did not send anything.
            talk.isWriting && kind != .unsupported ? .unknown(kind) : .reader(kind),
            "\(ReaderError(kind))"
        ).after(talk)
    }
}

extension CardCommand {
    /// Whether executing the command changes the chip.
    fileprivate var isWrite: Bool {
        switch self {
        case .writeData, .updateBinary, .changeKey, .changeFileSettings, .setConfiguration: true
        default: false
        }
    }
}

extension TagReader {
    /// Runs a procedure to completion with the chip that was selected last. Throws rather than try
    /// any key in `keys`.
    package func perform<Procedure: NTAG424Procedure>(
        _ procedure: Procedure, avoiding keys: Set<KeyNumber> = []
    ) async throws(NTAG424CardError) -> Procedure.Outcome {
        var procedure = procedure
        procedure.talk.notTried = keys
        var event = NTAG424Event.begin
        while true {
            switch procedure.next(after: event) {
            case .send(let command):
                event = await exchange(procedure.batch(from: command), in: &procedure)
            case .finish(let outcome): return outcome
            case .fail(let error): throw error
            }
        }
    }
}

extension TagReader {
    /// Sends a batch and passes all events except the last to the procedure. Returns the last
    /// event, which is a response or a failure, for the caller to handle.
    private func exchange<Procedure: NTAG424Procedure>(
        _ batch: [BatchItem], in procedure: inout Procedure
    ) async -> NTAG424Event {
        let report = await exchange(batch)
        var events = report.answers.map(NTAG424Event.answer)
        // A failure is also an event: only the procedure knows whether it was writing.
        if let failure = report.failure { events.append(.failure(failure.kind)) }
        for (event, item) in zip(events.dropLast(), batch.dropFirst()) {
            // The procedure must now ask for exactly what the batch already sent. If it does not,
            // the reader's report is wrong.
            guard case .send(let command) = procedure.next(after: event),
                item.message == .command(command)
            else { return .failure(.garbled) }
        }
        return events.last ?? .failure(.garbled)
    }
}
