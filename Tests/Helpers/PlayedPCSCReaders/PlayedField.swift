public import Tags

/// The fault at one command, counted from 1.
public struct PlayedFault: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The tag leaves the field before the command reaches it.
        case pulled
        /// The tag executes the command and leaves the field before its answer arrives. It is back
        /// at the next command, without its volatile state.
        case liftedAfter
        /// The reader executes the command and answers with these bytes instead.
        case answering([UInt8])
        /// The reader executes the command and never answers.
        case mute
    }

    public var countdown: Int
    public let kind: Kind

    public init(at command: Int, _ kind: Kind) {
        countdown = command
        self.kind = kind
    }
}

/// The tag on a played reader, with and without power.
public struct PlayedField: Sendable {
    /// The tag in the field; nil for none. It comes and goes at any time.
    public var tag: TagMemory?
    /// Whether the reader still reports a card that is gone, until it checks again.
    public var isSlowToNotice = false
    /// The answer to reset of a card other than a Type 2 tag, which is there instead.
    public var otherCard: [UInt8]?
    public var fault: PlayedFault?
    /// The commands from pcscd, except those that only ask whether a card is there.
    public private(set) var commands: [[UInt8]] = []
    /// The number of WRITEs that a tag acknowledged.
    public private(set) var writeCount = 0

    private var pulled: TagMemory?
    private var side = TagSide()
    private var powered: [UInt8]?
    private var isOn = false

    /// The maximum number of commands that are kept.
    private static let mostCommands = 10_000

    public init(_ tag: TagMemory? = nil) { self.tag = tag }

    /// Puts a tag down. One with the UID of the one before replaces it unnoticed; any other is seen
    /// to be another.
    public mutating func lay(_ other: TagMemory) {
        tag = other
        guard powered == other.uid else { return }
        side.powerUp(other)
        _ = side.select(other)
    }

    /// Takes the tag away.
    public mutating func pull() {
        pulled = tag ?? pulled
        tag = nil
    }

    /// Puts the tag that was taken away back, unchanged.
    public mutating func putBack() { tag = tag ?? pulled }

    public mutating func switchOn() {
        isOn = true
        follow()
    }

    public mutating func switchOff() {
        isOn = false
        follow()
    }

    public mutating func select() -> TagIdentity? {
        follow()
        guard let tag else { return nil }
        return side.select(tag)
    }

    public mutating func answer(_ frame: [UInt8]) -> TagReply {
        follow()
        guard var memory = tag else { return .silence }
        let reply = side.answer(frame, &memory)
        tag = memory
        if frame.first == 0xA2, reply == .ack { writeCount += 1 }
        return reply
    }

    /// Notes a command; returns the fault that is due with it.
    mutating func note(_ command: [UInt8]) -> PlayedFault.Kind? {
        if commands.count < PlayedField.mostCommands { commands.append(command) }
        guard var due = fault else { return nil }
        due.countdown -= 1
        fault = due.countdown > 0 ? due : nil
        return due.countdown > 0 ? nil : due.kind
    }

    /// Removes power from a tag that was gone or was replaced.
    private mutating func follow() {
        let near = isOn ? tag?.uid : nil
        guard near != powered else { return }
        side.powerDown()
        if near != nil, let tag { side.powerUp(tag) }
        powered = near
    }
}
