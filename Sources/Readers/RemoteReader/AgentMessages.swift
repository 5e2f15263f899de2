package import ReaderProcess
package import Tags

/// What an agent asks of its server. The raw value is the last part of the request's path.
package enum AgentCall: String, CaseIterable, Sendable {
    /// Attaches the agent's reader to its till.
    case attach
    /// Asks for the next command. The server holds its response back until there is a command, for
    /// at most eight seconds.
    case poll
    /// Sends the agent's reply to a command.
    case report
    /// Sends the reply to a command and asks for the next command. This saves one request compared
    /// with a report followed by a poll. An agent uses it only when it has no open poll.
    case exchange

    /// Whether the server holds its response to this call until there is a command.
    package var waitsForCommand: Bool { self == .poll || self == .exchange }
}

/// The protocol between agent and server.
package enum AgentProtocol {
    /// The newest version that this program supports.
    package static let version: UInt8 = 2
    /// The oldest version that this program supports: the one before the newest, because servers
    /// are updated before the machines of their tills.
    package static let oldest = max(1, version - 1)
    /// The first protocol version that supports ``AgentCall/exchange``.
    static let exchanging: UInt8 = 2

    /// The beginning of the path of an agent's requests. Its last part is one of these, or a call.
    package static let path = "/agent/v1/"
    package static let enrollment = "enroll"
    /// Asks whether the server would accept a reader, but attaches nothing. The body is one byte:
    /// 1 for a simulated reader, 0 for a real one.
    package static let check = "check"
}

/// A random ID that an agent chooses when it starts, so that the server can tell agents apart.
package struct AgentRunID: Hashable, Sendable {
    package static let length = 16
    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == AgentRunID.length else { return nil }
        self.bytes = bytes
    }

}

/// Identifies an attachment by the agent and the till's epoch. Every poll and report carries it.
package struct AgentAttachment: Hashable, Sendable {
    package let run: AgentRunID
    /// The till's epoch, which rises with each attachment.
    package let epoch: UInt64

    package init(_ run: AgentRunID, epoch: UInt64) { (self.run, self.epoch) = (run, epoch) }

    init?(_ rest: inout MessageFields) {
        guard let run = rest.field().flatMap(AgentRunID.init), let epoch = rest.number() else {
            return nil
        }
        self.init(run, epoch: epoch)
    }

    var message: [UInt8] { MessageFields.field(run.bytes) + MessageFields.bytes(of: epoch) }
}

/// The message with which an agent attaches its reader.
package struct AgentGreeting: Hashable, Sendable {
    package let run: AgentRunID
    /// The newest protocol version that the agent supports.
    package var newest = AgentProtocol.version
    /// The agent's version of tapcard.
    package let release: String
    /// The name of the reader.
    package let reader: String
    /// Whether the reader and its tags are simulated.
    package let isSimulated: Bool

    package init(
        run: AgentRunID, newest: UInt8 = AgentProtocol.version, release: String, reader: String,
        isSimulated: Bool = false
    ) {
        (self.run, self.newest) = (run, newest)
        (self.release, self.reader, self.isSimulated) = (release, reader, isSimulated)
    }

    package init?(_ message: [UInt8]) {
        var rest = MessageFields(message)
        guard let newest = rest.byte(), let run = rest.field().flatMap(AgentRunID.init),
            let release = rest.text(), let reader = rest.text(), let isSimulated = rest.byte(),
            isSimulated <= 1, AgentGreeting.isPrintable(release), AgentGreeting.isPrintable(reader)
        else { return nil }
        // A later version may append fields.
        guard rest.isAtEnd || newest > AgentProtocol.version else { return nil }
        self.init(
            run: run, newest: newest, release: release, reader: reader,
            isSimulated: isSimulated == 1)
    }

    /// Whether the text has no control characters. It is stored, listed, and logged.
    private static func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    package var message: [UInt8] {
        [newest] + MessageFields.field(run.bytes) + MessageFields.text(release)
            + MessageFields.text(reader) + [isSimulated ? 1 : 0]
    }
}

/// A numbered command from the server to an agent.
package struct AgentCommand: Hashable, Sendable {
    /// The number, which increases with each command. An agent carries out a command at most once.
    package let number: UInt64
    /// For a batch, the number of the command that selected its tag; otherwise, zero.
    package let selection: UInt64
    /// The signal that the reader gives when it releases the selected tag. Every command except a
    /// batch releases the tag first, so that a release needs no round trip of its own.
    package let signal: TagSignal?
    package let request: ReaderRequest

    package init(
        _ number: UInt64, _ request: ReaderRequest, selection: UInt64 = 0,
        signaling signal: TagSignal? = nil
    ) {
        (self.number, self.request) = (number, request)
        (self.selection, self.signal) = (selection, signal)
    }
}

/// An agent's request for the next command.
package struct AgentPoll: Hashable, Sendable {
    package let attachment: AgentAttachment
    /// The number of the last command that the agent received.
    package let last: UInt64

    package init(_ attachment: AgentAttachment, last: UInt64) {
        (self.attachment, self.last) = (attachment, last)
    }

    package init?(_ message: [UInt8]) {
        var rest = MessageFields(message)
        guard let attachment = AgentAttachment(&rest), let last = rest.number(), rest.isAtEnd else {
            return nil
        }
        self.init(attachment, last: last)
    }

    package var message: [UInt8] { attachment.message + MessageFields.bytes(of: last) }
}

/// An agent's reply to a command.
package struct AgentReport: Equatable, Sendable {
    package let attachment: AgentAttachment
    package let number: UInt64
    package let reply: ReaderReply

    package init(_ attachment: AgentAttachment, _ number: UInt64, _ reply: ReaderReply) {
        (self.attachment, self.number, self.reply) = (attachment, number, reply)
    }

    package init?(_ message: [UInt8]) {
        var rest = MessageFields(message)
        guard let attachment = AgentAttachment(&rest), let number = rest.number(),
            let reply = ReaderReply(rest.remainder())
        else { return nil }
        self.init(attachment, number, reply)
    }

    package var message: [UInt8] {
        attachment.message + MessageFields.bytes(of: number) + reply.message
    }
}

/// A server's answer to an agent.
package enum AgentResponse: Hashable, Sendable {
    /// The reader is attached. Messages must use this protocol version.
    case attached(epoch: UInt64, version: UInt8)
    case command(AgentCommand, epoch: UInt64)
    /// No command is available, or the agent has sent a later poll. In response to a report or an
    /// exchange, this also confirms that the server received the reply.
    case nothing
    /// The attachment has ended. The agent must attach its reader again.
    case detached
    /// Another agent has attached a reader to the same till.
    case replaced
    /// The server no longer supports the agent's protocol version, only this one and later ones.
    case outdated(oldest: UInt8)

    private enum Opcode: UInt8 {
        case attached = 1
        case command, nothing, detached, replaced, outdated
    }

    package init?(_ message: [UInt8]) {
        var rest = MessageFields(message)
        switch rest.byte().flatMap(Opcode.init) {
        case .attached:
            guard let version = rest.byte(), let epoch = rest.number(), rest.isAtEnd else {
                return nil
            }
            self = .attached(epoch: epoch, version: version)
        case .command:
            guard let epoch = rest.number(), let number = rest.number(),
                let selection = rest.number(), let signal = rest.byte(),
                signal == AgentResponse.noSignal || TagSignal(rawValue: signal) != nil,
                let request = ReaderRequest(rest.remainder())
            else { return nil }
            self = .command(
                AgentCommand(
                    number, request, selection: selection,
                    signaling: TagSignal(rawValue: signal)), epoch: epoch)
        case .nothing where rest.isAtEnd: self = .nothing
        case .detached where rest.isAtEnd: self = .detached
        case .replaced where rest.isAtEnd: self = .replaced
        case .outdated:
            guard let oldest = rest.byte(), rest.isAtEnd else { return nil }
            self = .outdated(oldest: oldest)
        default: return nil
        }
    }

    private static let noSignal: UInt8 = 0

    package var message: [UInt8] {
        switch self {
        case .attached(let epoch, let version):
            [Opcode.attached.rawValue, version] + MessageFields.bytes(of: epoch)
        case .command(let command, let epoch):
            [Opcode.command.rawValue] + MessageFields.bytes(of: epoch)
                + MessageFields.bytes(of: command.number)
                + MessageFields.bytes(of: command.selection)
                + [command.signal?.rawValue ?? AgentResponse.noSignal] + command.request.message
        case .nothing: [Opcode.nothing.rawValue]
        case .detached: [Opcode.detached.rawValue]
        case .replaced: [Opcode.replaced.rawValue]
        case .outdated(let oldest): [Opcode.outdated.rawValue, oldest]
        }
    }
}
