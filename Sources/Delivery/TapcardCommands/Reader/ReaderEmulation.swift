public import TapcardCore
public import TextCodecs

/// A reader to play: which tag, and under which names.
public struct EmulationRequest: Sendable, Hashable {
    /// The name of a chip, or a file with a dump; nil for a blank NTAG213.
    public let tag: String?
    /// The name that the device gets beside its own.
    public let link: String?
    /// The path of the socket for control lines.
    public let control: String?
    /// Whether answers take the time that a real reader takes.
    public let isPaced: Bool

    public init(tag: String?, link: String?, control: String?, isPaced: Bool) {
        self.tag = tag
        self.link = link
        self.control = control
        self.isPaced = isPaced
    }
}

/// Plays readers that are not there.
public protocol ReaderEmulation: Sendable {
    /// Plugs one in. Lines that come on standard input are control lines; `answer` gets what they
    /// are answered with, and `complain` what could not be written back to the tag's file.
    func start(
        _ request: EmulationRequest, answer: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) throws(TapcardError) -> any PluggedEmulation
    /// Has one that runs carry out a control line; its answer.
    func tell(_ line: String, _ socket: String) throws(TapcardError) -> JSONValue
}

/// A reader that is being played.
public protocol PluggedEmulation: Sendable {
    /// The terminal that clients open.
    var device: String { get }
    /// What libnfc calls it.
    var connectionString: String { get }
    var counters: JSONValue { get }
    /// Returns when the task is cancelled: the reader has a thread of its own.
    func waitForCancellation() async
    /// Takes it away, with its link and its socket.
    func stop()
}
