public import TextCodecs

/// What went through an emulated reader, counted exactly, and how long it would have taken.
public struct EmulatorCounters: Hashable, Sendable {
    /// Command frames of the host, those with a syntax error included.
    public internal(set) var hostCommands = 0
    /// Those of them that carry a frame for a tag: InDataExchange and InCommunicateThru.
    public internal(set) var dataCommands = 0
    public internal(set) var framesFromHost = 0
    public internal(set) var framesToHost = 0
    /// Everything on the wire, the wake-up and garbage included.
    public internal(set) var bytesFromHost = 0
    public internal(set) var bytesToHost = 0
    /// Frames of the host with a wrong length or checksum.
    public internal(set) var damagedFrames = 0
    /// Frames into the field, those of a selection included.
    public internal(set) var radioFrames = 0
    /// WRITE frames that a selected tag got to see.
    public internal(set) var writes = 0
    /// How often a tag was powered up.
    public internal(set) var powerUps = 0
    /// Commands and answers in the air, by their bits.
    public internal(set) var airNanoseconds = 0
    /// What the reader spent waiting for answers that did not come.
    public internal(set) var silenceNanoseconds = 0
    /// Ten bits a byte, both directions, at the speed that was set at the time.
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
