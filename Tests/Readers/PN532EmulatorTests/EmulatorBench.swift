import PN532Emulator
import SimulatedReader
import Tags
import Testing

/// An emulated chip with tags on it, driven without a terminal.
struct EmulatorBench {
    static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    static let otherUID: [UInt8] = [0x04, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66]
    static let wakeUp: [UInt8] = [0x55, 0x55, 0x00, 0x00, 0x00, 0x00]
    static let list: [UInt8] = [0x4A, 0x01, 0x00]
    static let acknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]

    var emulation: Emulation

    /// Makes a chip that is awake.
    init(_ simulation: Simulation = .fresh) {
        emulation = Emulation(simulation)
        #expect(emulation.line.receive(EmulatorBench.wakeUp).isEmpty)
    }

    static func frame(_ command: [UInt8]) -> [UInt8] { HostFrame.information([0xD4] + command) }

    static func answer(_ data: [UInt8]) -> [UInt8] { HostFrame.information([0xD5] + data) }

    /// Sends bytes to the chip and returns its bytes.
    mutating func raw(_ bytes: [UInt8]) -> [UInt8] {
        emulation.line.receive(bytes).flatMap(\.bytes)
    }

    /// Sends a command and returns its answer without the command byte, or nil if the command is
    /// not both acknowledged and answered.
    mutating func send(_ command: [UInt8]) -> [UInt8]? {
        let bytes = raw(EmulatorBench.frame(command))
        guard bytes.starts(with: EmulatorBench.acknowledge) else { return nil }
        let rest = Array(bytes.dropFirst(EmulatorBench.acknowledge.count))
        var parser = HostFrameParser()
        guard case .information(let data)? = rest.compactMap({ parser.take($0) }).last,
            data.starts(with: [0xD5, command[0] + 1])
        else { return nil }
        return Array(data.dropFirst(2))
    }

    mutating func control(_ line: String) throws -> Emulation.Outcome {
        try emulation.control(line)
    }

    func page(_ number: UInt8) -> Page? { emulation.simulation.tag(EmulatorBench.uid)?[number] }
}
