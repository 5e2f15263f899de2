import BlockingLane
import Glibc
public import SimulatedReader
import TextCodecs

/// An emulated PN532 on a pseudo-terminal, for any program that can use the chip through a serial
/// device.
public final class EmulatedReader: Sendable {
    /// How fast the emulated reader responds.
    public enum Pace: Sendable {
        /// Without any delay.
        case immediate
        /// With the delays of a real field and a real serial line.
        case real
    }

    /// The settings of an emulated reader.
    public struct Options: Sendable {
        /// The path of a link to the device. The path stays the same when the reader is plugged in
        /// again.
        public var link: String?
        /// The path of a socket that accepts control lines.
        public var controlPath: String?
        public var pace = Pace.immediate
        /// Whether a request that contains a halted card's UID wakes that card.
        public var wakesHaltedCards = true
        /// A stream of control lines, in addition to the socket.
        public var input: Input?
        /// Called on the reader's own thread when a tag's memory has changed.
        public var onTagsChange: (@Sendable (Simulation) -> Void)?

        public init() {}
    }

    /// A stream of control lines, such as standard input, and a function that takes the responses.
    public struct Input: Sendable {
        /// The descriptor of the stream. It is read until the stream ends, and it is never closed.
        let descriptor: Int32
        let answer: @Sendable (String) -> Void

        public init(descriptor: Int32, answer: @escaping @Sendable (String) -> Void) {
            self.descriptor = descriptor
            self.answer = answer
        }
    }

    /// The chip's initial speed, in bits per second.
    private static let speed = 115_200

    /// The requested name of the device link, if any.
    public let link: String?
    private let loop: EmulatorLoop
    private let thread: Guarded<pthread_t?>

    private init(_ loop: EmulatorLoop, link: String?, thread: pthread_t) {
        self.loop = loop
        self.link = link
        self.thread = Guarded(thread)
    }

    deinit { stop() }

    /// Starts a reader with this simulation's cards.
    public static func start(
        _ simulation: Simulation, _ options: Options = Options()
    ) throws(EmulatorError) -> EmulatedReader {
        let loop = try EmulatorLoop(simulation, options)
        // The thread owns the loop until it ends.
        let owned = unsafe Unmanaged.passRetained(loop)
        var thread = pthread_t()
        let number = unsafe pthread_create(&thread, nil, runLoop, owned.toOpaque())
        guard number == 0 else {
            // No thread was started, so nothing else will release the reference.
            unsafe owned.release()
            throw EmulatorError(.system, "a thread could not be started: error \(number)")
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

    /// The path of the terminal that clients open; `nil` while the reader is unplugged.
    public var devicePath: String? { loop.devicePath }

    /// The connection string for libnfc: the link if there is one, otherwise the terminal.
    public var connectionString: String? {
        (link ?? devicePath).map { "pn532_uart:\($0):\(EmulatedReader.speed)" }
    }

    public var counters: EmulatorCounters { loop.perform { $0.emulation.line.counters } }

    /// The tags on the reader and next to it.
    public var simulation: Simulation { loop.perform { $0.emulation.simulation } }

    /// Changes the tags, which of them are on the reader, or the frame fault.
    public func change(_ body: @Sendable (inout Simulation) -> Void) {
        loop.perform { state in
            // A chip that is waiting for a card may have to respond now.
            body(&state.emulation.simulation)
            state.emit(state.emulation.line.fieldChanged())
        }
    }

    /// Executes one line of the control language. Returns one line of JSON.
    public func control(_ line: String) -> String { loop.control(line) }

    /// Sends one control line to the reader that listens on this socket. Returns the response, one
    /// line of JSON.
    public static func tell(_ line: String, at socket: String) throws(EmulatorError) -> String {
        try ControlClient.tell(line, socket)
    }

    /// Removes the reader, its link, and its socket. Further calls have no effect.
    public func stop() {
        loop.stop()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        // This waits for the thread, so that `onTagsChange` is not called after `stop` has
        // returned.
        if let running { pthread_join(running, nil) }
    }
}
