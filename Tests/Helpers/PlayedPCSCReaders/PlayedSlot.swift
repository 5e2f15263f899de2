public import Tags

/// A played reader under the name that pcscd gives it, with the card on it.
public final class PlayedSlot: Sendable {
    struct State: Sendable {
        var reader: any PlayedReader
        var field = PlayedField()
        /// Whether pcscd has powered the card.
        var isPowered = false
        /// Whether the card has left since then, or vpcd may have taken it for gone.
        var hasLeft = false
    }

    /// Its name in reader.conf; pcscd adds ` 00 00`.
    public let friendlyName: String
    /// The port in the network of the played pcscd, where no other program listens.
    let port: Int
    /// Its place in its reader.
    let number: Int
    let state: LockedValue<State>
    /// One element for each command that is left unanswered.
    public let silences: AsyncStream<Void>
    private let silent: AsyncStream<Void>.Continuation

    public init(_ friendlyName: String, port: Int, _ reader: any PlayedReader) {
        self.friendlyName = friendlyName
        self.port = port
        number = 0
        state = LockedValue(State(reader: reader))
        (silences, silent) = AsyncStream.makeStream()
    }

    /// The second slot that vpcd gives each of its readers.
    public init(besides first: PlayedSlot, _ reader: any PlayedReader) {
        friendlyName = first.friendlyName
        port = first.port + 1
        number = 1
        state = LockedValue(State(reader: reader))
        (silences, silent) = AsyncStream.makeStream()
    }

    public var name: String { "\(friendlyName) 00 0\(number)" }

    /// Reads the field or changes it: puts a tag down, takes it away, arms a fault.
    public func change<Success>(_ body: (inout PlayedField) throws -> Success) rethrows -> Success {
        try state.change { try body(&$0.field) }
    }

    /// Becomes another reader of the same name, with nothing on it.
    public func become(_ reader: any PlayedReader) {
        state.change { $0 = State(reader: reader) }
    }

    /// Becomes another reader of the same name with another tag of the same UID, powered if pcscd
    /// has powered the card, so that pcscd need not know. False if pcscd knows another card.
    public func become(_ reader: any PlayedReader, under tag: TagMemory) -> Bool {
        state.change { state in
            guard !state.hasLeft, state.field.tag?.uid == tag.uid else { return false }
            state.reader = reader
            state.field = PlayedField(tag)
            if state.isPowered { state.reader.powerUp(&state.field) }
            return true
        }
    }

    func noteSilence() { silent.yield() }
    func noteEndOfConnection() { state.change { $0.hasLeft = true } }

    /// The answer to a message from vpcd: a control byte, or a command for the card.
    enum Reply {
        case bytes([UInt8])
        case nothing
        /// The connection ends: no card is there, or the answer is lost.
        case hangUp
        /// The connection stays, silent, until pcscd ends it.
        case silence
    }

    func reply(to message: [UInt8]) -> Reply {
        state.change { state in
            switch message {
            case [0x00]:
                state.isPowered = false
                state.reader.powerDown(&state.field)
                return .nothing
            case [0x01]:
                state.isPowered = true
                state.hasLeft = false
                state.reader.powerUp(&state.field)
                return .nothing
            case [0x02]:
                state.isPowered = true
                state.reader.reset(&state.field)
                return .nothing
            case [0x04]:
                return state.answerToReset.map(Reply.bytes) ?? .hangUp
            default: return state.reply(to: message)
            }
        }
    }

    var hasCard: Bool { state.change { $0.answerToReset != nil } }
}

extension PlayedSlot.State {
    var answerToReset: [UInt8]? {
        if field.tag != nil || field.isSlowToNotice { return type(of: reader).answerToReset }
        return field.otherCard
    }

    mutating func reply(to command: [UInt8]) -> PlayedSlot.Reply {
        let fault = field.note(command)
        if fault == .pulled { field.pull() }
        let answer = reader.answer(command, &field)
        switch fault {
        case nil: return .bytes(answer)
        case .pulled: return .bytes(answer)
        case .mute: return .silence
        case .answering(let other): return .bytes(other)
        case .liftedAfter:
            let tag = field.tag
            field.tag = nil
            // The tag's answer did not arrive: the reader says what it says of an empty field.
            let last = reader.answer(command, &field)
            field.tag = tag
            return .bytes(last)
        }
    }
}
