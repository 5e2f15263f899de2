package import CardCryptography
import TapcardDomain

/// The reader's side of an exchange with the chip: a state machine that takes a response and
/// returns the next command. It does not send anything itself.
///
/// After a key is refused, it does not authenticate again, with that key or any other, because the
/// chip counts wrong keys and can permanently disable a key.
package struct NTAG424Conversation: Hashable, Sendable {
    /// The caller's next step.
    package enum Step: Hashable, Sendable {
        /// Send this command, and pass the response to `receive`.
        case send([UInt8])
        /// The command is done; this is the data from its response. If the command was protected,
        /// the MAC of the response was correct.
        case finished([UInt8])
        /// The response reports that the command is done, but it has no MAC, so anyone could have
        /// sent it.
        case doneWithoutMAC
    }

    private enum State: Hashable {
        case idle
        /// A command was sent. Parts of its response may have arrived.
        case sent(CardCommand, CommunicationMode, parts: [UInt8])
        case challenged(KeyNumber, AESKey, random: [UInt8], isFirst: Bool)
        case proving(KeyNumber, AESKey, reader: [UInt8], card: [UInt8], isFirst: Bool)
    }

    /// The maximum number of parts in a response: the response to GetVersion has three.
    private static let maximumParts = 3

    private var state = State.idle
    private var partCount = 0
    /// The open session, if any.
    package private(set) var session: SecureSession?
    /// The key used to authenticate the session.
    package private(set) var key: KeyNumber?
    /// Whether a key was tried that the chip has not confirmed. The chip counts wrong keys.
    package private(set) var isBarred = false

    package init() {}

    /// An exchange that continues in an open session.
    package init(in session: SecureSession) { self.session = session }

    /// Verifies that the reader and the card both have this key. `random` is 16 unpredictable
    /// bytes.
    package mutating func authenticate(
        _ number: KeyNumber, _ key: AESKey, random: [UInt8]
    ) throws(NTAG424Error) -> Step {
        precondition(random.count == SecureSession.randomSize, "16 random bytes")
        guard !isBarred else { throw NTAG424Error(.keyAlreadyRefused) }
        let isFirst = session == nil
        state = .challenged(number, key, random: random, isFirst: isFirst)
        let command: CardCommand =
            isFirst ? .authenticateFirst(number) : .authenticateNext(number)
        return .send(command.plain.bytes)
    }

    /// Starts a command. In a session, the command is protected; a command that accesses a file is
    /// protected according to `file`, the mode of that file.
    package mutating func begin(
        _ command: CardCommand, file: CommunicationMode = .plain
    ) throws(NTAG424Error) -> Step {
        partCount = 0
        guard let session, command.opcode != nil else {
            // Selecting again ends the session.
            if case .selectApplication = command { end() }
            state = .sent(command, .plain, parts: [])
            return .send(command.plain.bytes)
        }
        // The command counter must not wrap around, because MACs would repeat.
        guard session.commands < .max else {
            end()
            throw NTAG424Error(.sessionEnded)
        }
        let mode = command.mode(file: file)
        guard let apdu = session.protect(command, mode) else { throw NTAG424Error(.tooLong) }
        state = .sent(command, mode, parts: [])
        return .send(apdu.bytes)
    }

    /// What the response to the command that was sent last has to be, as far as that is known in
    /// advance: a protected write returns nothing but a MAC. Without a session, the response has as
    /// many bytes of data as the caller expects, before its status. Nil if it is not known.
    package func expectation(dataLength: Int?) -> BatchItem.Expectation? {
        guard case .sent(let command, let mode, let parts) = state, parts.isEmpty else {
            return nil
        }
        let status = (command.opcode == nil ? StatusWord.isoDone : .done).bytes
        guard var session, command.opcode != nil else {
            return dataLength.map { .length($0 + status.count, ending: status) }
        }
        return switch command {
        case .writeData, .updateBinary: .bytes(session.seal([], mode) + status)
        default: nil
        }
    }

    /// Processes a response and returns the next step.
    package mutating func receive(_ bytes: [UInt8]) throws(NTAG424Error) -> Step {
        // Stays idle unless the command continues, so that an extra response is refused.
        let current = state
        state = .idle
        guard let answer = ResponseAPDU(bytes) else {
            end()
            throw NTAG424Error(.malformed)
        }
        // A refusal has no MAC, and the chip ends the session when it refuses a command.
        if let refusal = answer.status.refusal {
            end()
            throw NTAG424Error(.refused(refusal))
        }
        do throws(NTAG424Error) {
            switch current {
            case .idle: throw NTAG424Error(.malformed)
            case .challenged(let number, let key, let random, let isFirst):
                return try respond(answer, number, key, random, isFirst)
            case .proving(let number, let key, let reader, let card, let isFirst):
                return try confirm(answer, number, key, reader, card, isFirst)
            case .sent(let command, let mode, let parts):
                return try finish(answer, command, mode, parts)
            }
        } catch {
            end()
            throw error
        }
    }

    /// Discards the session, for example because the card lost power or refused a command.
    package mutating func end() { (session, key, state) = (nil, nil, .idle) }

    private mutating func respond(
        _ answer: ResponseAPDU, _ number: KeyNumber, _ key: AESKey, _ random: [UInt8],
        _ isFirst: Bool
    ) throws(NTAG424Error) -> Step {
        guard answer.status == .more else { throw NTAG424Error(.malformed) }
        // Checked before the key is used, because a chip in LRP mode would count the attempt as a
        // wrong key.
        guard !KeyProof.showsLRPMode(answer.data) else { throw NTAG424Error(.lrpMode) }
        guard answer.data.count == SecureSession.randomSize else { throw NTAG424Error(.malformed) }
        state = .proving(
            number, key, reader: random, card: key.decrypt(answer.data), isFirst: isFirst)
        // Barred until the chip confirms the key: it counts a wrong key even if its response gets
        // lost.
        isBarred = true
        let response = KeyProof.response(random, to: answer.data, key)
        return .send(CardCommand.more(response).plain.bytes)
    }

    private mutating func confirm(
        _ answer: ResponseAPDU, _ number: KeyNumber, _ key: AESKey, _ reader: [UInt8],
        _ card: [UInt8], _ isFirst: Bool
    ) throws(NTAG424Error) -> Step {
        guard answer.status == .done else { throw NTAG424Error(.malformed) }
        let transaction = try KeyProof.confirm(
            answer.data, reader: reader, isFirst: isFirst, key)
        isBarred = false
        session = SecureSession(
            key: key, reader: reader, card: card,
            transaction: isFirst ? transaction : session?.transaction ?? [],
            // A further authentication keeps the number and the counter, so old responses stay
            // invalid.
            commands: isFirst ? 0 : session?.commands ?? 0)
        self.key = number
        return .finished([])
    }

    private mutating func finish(
        _ answer: ResponseAPDU, _ command: CardCommand, _ mode: CommunicationMode,
        _ parts: [UInt8]
    ) throws(NTAG424Error) -> Step {
        if answer.status == .more {
            partCount += 1
            guard case .getVersion = command, partCount < NTAG424Conversation.maximumParts else {
                throw NTAG424Error(.malformed)
            }
            state = .sent(command, mode, parts: parts + answer.data)
            // This request is plain even in a session: the MAC comes with the last part and covers
            // all parts.
            return .send(CardCommand.more([]).plain.bytes)
        }
        guard NTAG424Conversation.isEnd(answer.status, of: command) else {
            throw NTAG424Error(.malformed)
        }
        let all = parts + answer.data
        // ISO/IEC 7816 commands have no protected form.
        guard session != nil, command.opcode != nil else { return .finished(all) }
        // Only for testing rule 55: the response is accepted without checking its MAC.
        if SafetyRule.answerIsProved.isDisabled, case .writeData = command {
            session?.countWithoutMAC()
            return .finished([])
        }
        if NTAG424Conversation.lacksMAC(command, all) {
            session?.countWithoutMAC()
            // A new application key ends the session; only authenticating with that key confirms
            // the change.
            if case .changeKey = command { end() }
            return .doneWithoutMAC
        }
        return .finished(try session?.unseal(all, mode, status: answer.status) ?? [])
    }

    private static func isEnd(_ status: StatusWord, of command: CardCommand) -> Bool {
        guard command.opcode != nil else { return status == .isoDone }
        if case .readSignature = command { return status == .done || status == .signatureDone }
        return status == .done
    }

    /// Whether the response has no MAC. Published examples show this for a change of the
    /// application key and, in some configurations, for SetConfiguration.
    private static func lacksMAC(_ command: CardCommand, _ answer: [UInt8]) -> Bool {
        switch command {
        case .changeKey(let change): change.number == .application && answer.isEmpty
        case .setConfiguration: answer.isEmpty
        default: false
        }
    }
}
