import BlockingLane
import Glibc
import PN532Emulator
import SimulatedReader
import Tags

/// An emulated PN532 behind a pseudo-terminal, with an attacker in between who changes the chip's
/// answers as the fuzzer chooses. Without further choices the line is honest.
///
/// A separate thread carries the bytes for as long as the process lives.
final class HostileLine: Sendable {
    fileprivate struct State {
        let terminal: PseudoTerminal
        var emulation: Emulation
        var choices = Choices([])
        /// The bytes on the line since the input began.
        var said: [UInt8] = []
    }

    /// Gives libnfc, which waits for a number of bytes rather than the end of a frame, all of them:
    /// a line that falls silent takes half a second and is tested elsewhere.
    fileprivate static let flood = [UInt8](repeating: 0xAA, count: 600)
    private static let chunkInBytes = 4_096

    let connection: String
    private let master: Int32
    private let state: Guarded<State>

    init(_ simulation: Simulation) throws {
        let terminal = try PseudoTerminal.open()
        connection = "pn532_uart:\(terminal.path):115200"
        master = terminal.master
        state = Guarded(State(terminal: terminal, emulation: Emulation(simulation)))
        let owned = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let number = unsafe pthread_create(&thread, nil, HostileLine.carry, owned.toOpaque())
        try require(number == 0, "no thread: error \(number)")
    }

    private static let carry:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
            guard let pointer = unsafe pointer else { return nil }
            unsafe Unmanaged<HostileLine>.fromOpaque(pointer).takeRetainedValue().run()
            return nil
        }

    /// From here on the line follows these choices.
    func begin(_ choices: Choices) {
        state.withLock { state in
            state.choices = choices
            state.said = []
        }
    }

    func becomeHonest() { state.withLock { $0.choices = Choices([]) } }

    /// A choice for the caller of the reader.
    func byte() -> UInt8 { state.withLock { $0.choices.byte() } }

    var isAtEnd: Bool { state.withLock { $0.choices.isAtEnd } }

    /// Whether these bytes were contiguous on the line since the input began.
    func said(_ bytes: [UInt8]) -> Bool { state.withLock { $0.said.contains(bytes) } }

    private func run() {
        var chunk = [UInt8](repeating: 0, count: HostileLine.chunkInBytes)
        // Ends when the terminal is gone, which is when the process ends.
        while true {
            var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&polled, 1, -1)
            let count = unsafe read(master, &chunk, chunk.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            state.withLock { state in
                let bytes = state.answer(to: Array(chunk.prefix(count)))
                state.said += bytes
                // What the terminal does not take is lost, as on a real line.
                _ = unsafe write(master, bytes, bytes.count)
            }
        }
    }
}

extension HostileLine.State {
    fileprivate mutating func answer(to bytes: [UInt8]) -> [UInt8] {
        let parts = emulation.line.receive(bytes).map(\.bytes).filter { !$0.isEmpty }
        // An acknowledge and a frame of data, or whatever else the chip says by itself.
        guard parts.count == 2, let data = content(of: parts[1]), !choices.isAtEnd else {
            return parts.flatMap(\.self)
        }
        return parts[0] + changed(data, parts[1])
    }

    private mutating func changed(_ data: [UInt8], _ frame: [UInt8]) -> [UInt8] {
        let head = Array(data.prefix(2))
        var body = Array(data.dropFirst(2))
        switch choices.byte() % 16 {
        case 0...4: return frame
        case 5: body = choices.field()
        case 6: if !body.isEmpty { body[0] = choices.byte() }
        case 7:
            let (place, mask) = (Int(choices.byte()), choices.byte())
            if !body.isEmpty { body[place % body.count] ^= mask }
        case 8: body = body.dropLast(Int(choices.byte()))
        case 9: body += choices.field()
        // A right status and a right CRC, and nothing else of it true.
        case 10: body = [0x00] + RadioCRC.appended(to: choices.field())
        case 11: return HostFrame.information(survivable(choices.bytes(2) + body))
        case 12:
            let bytes = choices.field()
            let isFrame = content(of: bytes) != nil
            return broken(isFrame ? Array(bytes.dropLast()) : bytes)
        case 13:
            var bytes = frame
            let (place, mask) = (Int(choices.byte()), choices.byte())
            bytes[place % bytes.count] ^= mask
            return broken(bytes)
        case 14: return broken(HostFrame.syntaxError)
        default: return extended(head + body)
        }
        return HostFrame.information(survivable(head + body))
    }

    /// The end of the connection is the last choice of an input, because opening it again takes
    /// long.
    private mutating func broken(_ bytes: [UInt8]) -> [UInt8] {
        choices = Choices([])
        return bytes + HostileLine.flood
    }

    /// A status with its highest bit set makes libnfc end the process, and one that announces more
    /// data makes it write out of bounds: docs/READERS.md describes both.
    private func survivable(_ data: [UInt8]) -> [UInt8] {
        var data = data
        if data.count > 2 { data[2] &= 0x3F }
        return data
    }

    private func content(of frame: [UInt8]) -> [UInt8]? {
        var parser = HostFrameParser()
        for byte in frame {
            if case .information(let data)? = parser.take(byte) { return data }
        }
        return nil
    }

    /// The longer form of a frame, which also carries what a short one could.
    private func extended(_ data: [UInt8]) -> [UInt8] {
        let (high, low) = (UInt8(data.count >> 8), UInt8(truncatingIfNeeded: data.count))
        return [0x00, 0x00, 0xFF, 0xFF, 0xFF, high, low, 0 &- (high &+ low)] + data
            + [0 &- data.reduce(0, &+), 0x00]
    }
}
