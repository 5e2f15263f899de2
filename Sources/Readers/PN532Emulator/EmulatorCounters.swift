public import TextCodecs

/// Exact counts of the traffic through an emulated reader, and the time that it would take on a
/// real one.
public struct EmulatorCounters: Hashable, Sendable {
    /// Command frames from the host, including those with a syntax error.
    public internal(set) var hostCommands = 0
    /// Command frames that carry a frame for a tag: InDataExchange and InCommunicateThru.
    public internal(set) var dataCommands = 0
    public internal(set) var framesFromHost = 0
    public internal(set) var framesToHost = 0
    /// All bytes on the line, including garbage and those that wake the chip.
    public internal(set) var bytesFromHost = 0
    public internal(set) var bytesToHost = 0
    /// Frames from the host with a wrong length or checksum.
    public internal(set) var damagedFrames = 0
    /// Frames that the reader sent over the air, including those for selection.
    public internal(set) var radioFrames = 0
    /// WRITE frames that reached a selected tag.
    public internal(set) var writes = 0
    /// How many times a tag was powered up.
    public internal(set) var powerUps = 0
    /// How long commands and responses would take over the air, based on their bits.
    public internal(set) var airNanoseconds = 0
    /// How long the reader would have waited for responses that never arrived.
    public internal(set) var silenceNanoseconds = 0
    /// The time on the serial line: ten bits per byte, in both directions, at the current speed.
    public internal(set) var linkNanoseconds = 0

    public init() {}

    public var airMicroseconds: Int { airNanoseconds / 1_000 }
    public var silenceMicroseconds: Int { silenceNanoseconds / 1_000 }
    public var linkMicroseconds: Int { linkNanoseconds / 1_000 }

    /// The counters as one JSON object.
    public var document: JSONValue {
        let members: [(String, Int)] = [
            ("hostCommands", hostCommands), ("dataCommands", dataCommands),
            ("framesFromHost", framesFromHost), ("framesToHost", framesToHost),
            ("bytesFromHost", bytesFromHost), ("bytesToHost", bytesToHost),
            ("damagedFrames", damagedFrames), ("radioFrames", radioFrames), ("writes", writes),
            ("powerUps", powerUps), ("airMicroseconds", airMicroseconds),
            ("silenceMicroseconds", silenceMicroseconds), ("linkMicroseconds", linkMicroseconds),
        ]
        return .object(members.map { JSONMember(key: $0.0, value: .number("\($0.1)")) })
    }
}
