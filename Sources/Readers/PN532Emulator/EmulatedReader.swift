import BlockingLane
import Glibc
public import SimulatedField
import TextCodecs

/// A PN532 that is not there, on a serial line that is: any program that can speak to the chip
/// through a serial device can speak to this one.
public final class EmulatedReader: Sendable {
    /// How fast it answers.
    public enum Pace: Sendable {
        /// At once.
        case immediate
        /// As late as the air and the line would have it.
        case real
    }

    /// Where it stands, and what it tells.
    public struct Options: Sendable {
        /// A name for the device that stays the same when it is plugged in again.
        public var link: String?
        /// The path of a socket that takes control lines.
        public var controlPath: String?
        public var pace = Pace.immediate
        /// Where control lines come from beside the socket.
        public var input: Input?
        /// Called on the reader's own thread when a tag's memory has changed.
        public var whenTagsChange: (@Sendable (Simulation) -> Void)?

        public init() {}
    }

    /// A stream of control lines, such as standard input, and where their answers go.
    public struct Input: Sendable {
        /// Read until its end, never closed.
        let descriptor: Int32
        let answer: @Sendable (String) -> Void

        public init(descriptor: Int32, answer: @escaping @Sendable (String) -> Void) {
            self.descriptor = descriptor
            self.answer = answer
        }
    }

    /// What people call the speed at which the chip starts.
    private static let speed = 115_200

    /// The name that was asked for; nil where none was.
    public let link: String?
    private let loop: EmulatorLoop
    private let thread: Guarded<pthread_t?>

    private init(_ loop: EmulatorLoop, link: String?, thread: pthread_t) {
        self.loop = loop
        self.link = link
        self.thread = Guarded(thread)
    }

    deinit { stop() }

    /// Plugs in a reader with these cards on it.
    public static func start(
        _ simulation: Simulation, _ options: Options = Options()
    ) throws(EmulatorError) -> EmulatedReader {
        let loop = try EmulatorLoop(simulation, options)
        // The thread owns the loop until it ends.
        let owned = unsafe Unmanaged.passRetained(loop)
        var thread = pthread_t()
        let number = unsafe pthread_create(&thread, nil, runLoop, owned.toOpaque())
        guard number == 0 else {
            unsafe owned.release()
            throw EmulatorError(.system, "no thread: error \(number)")
        }
        return EmulatedReader(loop, link: options.link, thread: thread)
    }

    private static let runLoop:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
            { pointer in
                guard let pointer = unsafe pointer else { return nil }
                unsafe Unmanaged<EmulatorLoop>.fromOpaque(pointer).takeRetainedValue().run()
                return nil
            }

    /// The terminal that clients open; nil while the reader is unplugged.
    public var devicePath: String? { loop.devicePath }

    /// What libnfc calls it: the link if there is one, else the terminal.
    public var connectionString: String? {
        (link ?? devicePath).map { "pn532_uart:\($0):\(EmulatedReader.speed)" }
    }

    public var counters: EmulatorCounters { loop.perform { $0.emulation.line.counters } }

    /// What lies on the reader, and everything that is in the drawer.
    public var simulation: Simulation { loop.perform { $0.emulation.simulation } }

    /// Changes the tags, those that lie on the reader, or the fault of a frame.
    public func change(_ body: @Sendable (inout Simulation) -> Void) {
        loop.perform { state in
            body(&state.emulation.simulation)
            state.emit(state.emulation.line.fieldChanged())
        }
    }

    /// Carries out one line of the control language; the answer is one line of JSON.
    public func control(_ line: String) -> String { loop.control(line) }

    /// Has the reader that listens at this socket carry out one line; the answer is one line of
    /// JSON.
    public static func tell(_ line: String, at socket: String) throws(EmulatorError) -> String {
        try ControlClient.tell(line, socket)
    }

    /// Takes the reader away, with its link and its socket. A second time does nothing.
    public func stop() {
        loop.stop()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let running { pthread_join(running, nil) }
    }
}
