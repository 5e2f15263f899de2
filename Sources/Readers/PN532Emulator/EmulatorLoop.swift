import BlockingLane
import Glibc
import OperatingSystem
import SimulatedReader
import TextCodecs

/// Moves bytes between a terminal, the sockets, and the emulated chip. It runs on the emulated
/// reader's only thread, which waits only in poll().
final class EmulatorLoop: Sendable {
    /// The state that the thread shares with its callers.
    struct State {
        var emulation: Emulation
        var terminal: PseudoTerminal?
        /// Unplugged terminals. They stay open until the thread is no longer waiting for them.
        var retired: [PseudoTerminal] = []
        var control: ControlSocket?
        /// The stream of control lines; `nil` once it has ended.
        var input: EmulatedReader.Input?
        var inputLines = LineSplitter()
        /// Bytes that the terminal has not accepted yet.
        var outgoing: [UInt8] = []
        /// Responses that are not due yet, each with its due time in nanoseconds.
        var delayed: [(due: UInt64, bytes: [UInt8])] = []
        var isStopping = false
        let pace: EmulatedReader.Pace
        let link: DeviceLink?
    }

    /// The maximum number of bytes kept for a host that is not reading. Any more are lost, as they
    /// would be on a real line.
    fileprivate static let outgoingLimitInBytes = 65_536
    fileprivate static let chunkInBytes = 4_096

    private let state: Guarded<State>
    private let wakePipe: WakePipe
    private let onTagsChange: (@Sendable (Simulation) -> Void)?

    init(
        _ simulation: Simulation, _ options: EmulatedReader.Options
    ) throws(EmulatorError) {
        wakePipe = try WakePipe()
        let link = options.link.map(DeviceLink.init(path:))
        try link?.check()
        // The link is checked first but created last, so that a failed start does not change an
        // existing link.
        let control: ControlSocket? =
            if let path = options.controlPath { try ControlSocket.open(path) } else { nil }
        let terminal = try PseudoTerminal.open()
        try link?.point(to: terminal.path)
        state = Guarded(
            State(
                emulation: Emulation(
                    simulation, wakesHaltedCards: options.wakesHaltedCards), terminal: terminal,
                control: control,
                input: options.input, pace: options.pace, link: link))
        onTagsChange = options.onTagsChange
    }

    var devicePath: String? { state.withLock { $0.terminal?.path } }

    /// Runs the body on the state, then wakes the thread so that it sees the changes.
    func perform<Success: Sendable>(_ body: (inout State) -> Success) -> Success {
        defer { wakePipe.wake() }
        return state.withLock { state in body(&state) }
    }

    func control(_ line: String) -> String { perform { $0.control(line) } }

    func stop() { perform { $0.isStopping = true } }

    func run() {
        var saved = state.withLock { $0.emulation.simulation.contents }
        // The loop ends once `stop` has been called.
        while true {
            let (polled, timeout) = state.withLock { $0.pollArguments(wakePipe.reading) }
            guard var polled else { break }
            _ = unsafe poll(&polled, nfds_t(polled.count), timeout)
            wakePipe.drain()
            let simulation = state.withLock { state in
                state.work(polled)
                return state.emulation.simulation
            }
            // The callback is called outside the lock, because it may take a while, for example to
            // write a file.
            if simulation.contents != saved {
                saved = simulation.contents
                onTagsChange?(simulation)
            }
        }
        state.withLock { $0.shutDown() }
    }
}

extension EmulatorLoop.State {
    /// The descriptors to wait for, and the time limit in milliseconds. The descriptors are `nil`
    /// once the thread should end.
    fileprivate mutating func pollArguments(_ wake: Int32) -> ([pollfd]?, Int32) {
        // poll() has returned, so nothing is waiting for these terminals, and they can be closed.
        retired = []
        guard !isStopping else { return (nil, 0) }
        var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
        if let terminal {
            let events = POLLIN | (outgoing.isEmpty ? 0 : POLLOUT)
            polled.append(pollfd(fd: terminal.master, events: Int16(events), revents: 0))
        }
        if let input {
            polled.append(pollfd(fd: input.descriptor, events: Int16(POLLIN), revents: 0))
        }
        polled += control?.polled ?? []
        guard let due = delayed.first?.due else { return (polled, -1) }
        let now = SystemClock.uptimeNanoseconds
        // The wait is rounded up; otherwise, its last fraction of a millisecond would be spent
        // busy-waiting.
        return (polled, due > now ? Int32(min((due - now) / 1_000_000 + 1, 60_000)) : 0)
    }

    fileprivate mutating func work(_ polled: [pollfd]) {
        receive()
        // This stream is read only if it has input, because unlike the others, it may block.
        if let input, polled.contains(where: { $0.fd == input.descriptor && $0.revents != 0 }) {
            readLines(input)
        }
        if let control {
            // A local copy suffices, because a control line cannot replace the socket.
            control.serve { self.control($0) }
        }
        sendDue()
        writeOutgoing()
    }

    private mutating func receive() {
        guard let terminal else { return }
        var chunk = [UInt8](repeating: 0, count: EmulatorLoop.chunkInBytes)
        let count = unsafe read(terminal.master, &chunk, chunk.count)
        guard count > 0 else { return }
        let output = emulation.line.receive(Array(chunk.prefix(count)))
        emit(output)
        if emulation.line.isUnplugging { unplug() }
    }

    private mutating func readLines(_ input: EmulatedReader.Input) {
        var chunk = [UInt8](repeating: 0, count: EmulatorLoop.chunkInBytes)
        let count = unsafe read(input.descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        var lines = inputLines.take(chunk.prefix(max(count, 0)))
        if count <= 0 {
            // A final line without a line ending also counts.
            self.input = nil
            if let last = inputLines.finish() { lines.append(last) }
        }
        for line in lines { input.answer(control(line)) }
    }

    /// Sends output either immediately or when it is due.
    mutating func emit(_ output: [SerialChip.Output]) {
        for part in output {
            // A new command or an ACK from the host cancels the chip's pending response.
            if part.isCancelling { delayed = [] }
            guard !part.bytes.isEmpty else { continue }
            switch pace {
            case .immediate: send(part.bytes)
            case .real:
                // This starts after all pending responses, so that responses stay in the order of
                // their commands.
                let start = max(SystemClock.uptimeNanoseconds, delayed.last?.due ?? 0)
                delayed.append((start + UInt64(part.nanoseconds), part.bytes))
            }
        }
        writeOutgoing()
    }

    private mutating func sendDue() {
        let now = SystemClock.uptimeNanoseconds
        while let first = delayed.first, first.due <= now {
            delayed.removeFirst()
            send(first.bytes)
        }
    }

    private mutating func send(_ bytes: [UInt8]) {
        outgoing += bytes.prefix(EmulatorLoop.outgoingLimitInBytes - outgoing.count)
    }

    private mutating func writeOutgoing() {
        guard let terminal, !outgoing.isEmpty else { return }
        let count = unsafe write(terminal.master, outgoing, outgoing.count)
        if count > 0 { outgoing.removeFirst(count) }
    }

    mutating func control(_ line: String) -> String {
        do throws(EmulatorError) {
            let outcome = try emulation.control(line)
            emit(outcome.output)
            switch outcome.plug {
            case true: try plug()
            case false: unplug()
            case nil: break
            }
            return outcome.answer.text
        } catch {
            let answer: JSONValue = ["result": "failed", "message": .string(error.detail)]
            return answer.text
        }
    }

    private mutating func plug() throws(EmulatorError) {
        guard terminal == nil else { return }
        let new = try PseudoTerminal.open()
        try link?.point(to: new.path)
        terminal = new
        emulation.setPlugged(true)
    }

    private mutating func unplug() {
        guard let old = terminal else { return }
        link?.remove(from: old.path)
        // The terminal is not closed yet, because poll() may still be waiting for it.
        retired.append(old)
        terminal = nil
        outgoing = []
        delayed = []
        emulation.setPlugged(false)
    }

    fileprivate mutating func shutDown() {
        unplug()
        retired = []
        control = nil
    }
}
