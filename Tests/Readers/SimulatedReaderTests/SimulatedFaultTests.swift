import SimulatedReader
import Tags
import Testing

@Suite("Faults of the simulated reader")
struct SimulatedFaultTests {
    static let write: [UInt8] = [0xA2, 0x10, 1, 2, 3, 4]
    static let new = Page(1, 2, 3, 4)

    /// A selected tag, with a fault armed.
    static func bench(_ fault: Fault) async throws -> SimulatedReader {
        let reader = SimulatedReader(try FieldWorld.oneTag())
        try await reader.change { $0.fault = fault }
        _ = try await reader.select(within: .zero)
        return reader
    }

    private func page(_ reader: SimulatedReader) async throws -> Page? {
        try await reader.change { $0.tag(FieldWorld.uid)?[0x10] }
    }

    @Test(
        "A fault takes the card away before or after the page is written",
        arguments: [(.lost, .zero), (.acknowledgeLost, new)] as [(Fault.Kind, Page)])
    func gone(kind: Fault.Kind, content: Page) async throws {
        let reader = try await Self.bench(Fault(at: 1, counting: .write, kind))
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange(Self.write) }
        #expect(try await page(reader) == content)
        await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .zero) }
        try await reader.change { $0.put([FieldWorld.uid]) }
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange(Self.write) }
        _ = try await reader.select(within: .zero)
        #expect(try await reader.exchange(Self.write) == [])
    }

    @Test("A fault takes the card away once the acknowledge has arrived")
    func pulledAfter() async throws {
        let reader = try await Self.bench(Fault(at: 1, counting: .write, .pulledAfter))
        #expect(try await reader.exchange(Self.write) == [])
        #expect(try await page(reader) == Self.new)
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([0x30, 0]) }
        await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .zero) }
    }

    @Test("A garbled answer is an error, and the card stays selected")
    func garbled() async throws {
        let reader = try await Self.bench(Fault(at: 1, counting: .write, .garbled))
        await #expect(throws: ReaderError(.garbled)) { try await reader.exchange(Self.write) }
        #expect(try await page(reader) == Self.new)
        #expect(try await reader.exchange([0x30, 0x10]).prefix(4) == [1, 2, 3, 4])
    }

    @Test("A late answer times out, and the card stays selected")
    func late() async throws {
        let reader = try await Self.bench(Fault(at: 1, counting: .write, .late))
        await #expect(throws: ReaderError(.timedOut)) { try await reader.exchange(Self.write) }
        #expect(try await page(reader) == Self.new)
        #expect(try await reader.exchange([0x30, 0x10]).prefix(4) == [1, 2, 3, 4])
    }

    @Test(
        "A card that refuses a write is silent until it is selected again",
        arguments: [0, 1, 5] as [UInt8])
    func refused(code: UInt8) async throws {
        let reader = try await Self.bench(Fault(at: 1, counting: .write, .refused(code)))
        await #expect(throws: ReaderError(.refused(code))) { try await reader.exchange(Self.write) }
        #expect(try await page(reader) == .zero)
        await #expect(throws: ReaderError(.timedOut)) { try await reader.exchange(Self.write) }
        _ = try await reader.select(within: .zero)
        #expect(try await reader.exchange(Self.write) == [])
    }

    @Test(
        "A fault occurs once, at the chosen WRITE, and other frames do not count", arguments: 1...3)
    func countedWrites(countdown: Int) async throws {
        let reader = try await Self.bench(Fault(at: countdown, counting: .write, .garbled))
        for number in 1...5 {
            #expect(try await reader.exchange([0x30, 0]).count == 16)
            let left = try await reader.change { $0.fault?.countdown }
            #expect(left == (number <= countdown ? countdown - number + 1 : nil))
            if number == countdown {
                await #expect(throws: ReaderError(.garbled)) {
                    try await reader.exchange(Self.write)
                }
            } else {
                #expect(try await reader.exchange(Self.write) == [])
            }
        }
        #expect(await reader.writeCount == 5)
        #expect(await reader.frameCount == 10)
    }

    @Test("A fault occurs at the chosen frame, whatever the frame is", arguments: 1...4)
    func countedFrames(countdown: Int) async throws {
        let reader = try await Self.bench(Fault(at: countdown, counting: .frame, .garbled))
        for (index, frame) in [[0x60], Self.write, [0x30, 0], Self.write].enumerated() {
            if index + 1 == countdown {
                await #expect(throws: ReaderError(.garbled)) { try await reader.exchange(frame) }
            } else {
                await #expect(throws: Never.self) { try await reader.exchange(frame) }
            }
        }
        #expect(try await reader.change { $0.fault } == nil)
    }

    @Test("A frame that reaches no card does not count toward a fault")
    func notCounted() async throws {
        let reader = try await Self.bench(Fault(at: 1, counting: .frame, .garbled))
        try await reader.change { $0.take() }
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange(Self.write) }
        #expect(try await reader.change { $0.fault?.countdown } == 1)
    }
}
