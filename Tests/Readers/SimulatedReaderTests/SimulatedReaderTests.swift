import SimulatedReader
import Tags
import Testing

@Suite("The simulated reader in memory")
struct SimulatedReaderTests {
    @Test("The tag on the reader is selected", arguments: Type2Chip.known)
    func selects(chip: Type2Chip) async throws {
        let reader = SimulatedReader(try FieldWorld.oneTag(chip))
        let identity = try await reader.select(within: .zero)
        #expect(identity == TagIdentity(uid: FieldWorld.uid))
        #expect(identity.isType2)
        #expect(try await reader.exchange([0x60]) == chip.version)
    }

    @Test("The reader has a name and the longest answer that it was made with")
    func properties() {
        #expect(SimulatedReader(Simulation()).name == "simulated reader")
        #expect(SimulatedReader(Simulation()).maximumAnswerLength == 250)
        #expect(SimulatedReader(Simulation(), maximumAnswerLength: 64).maximumAnswerLength == 64)
    }

    @Test("No tag and several tags are errors, and a single one is selected")
    func noneOrSeveral() async throws {
        var simulation = try FieldWorld.twoTags()
        simulation.take()
        let reader = SimulatedReader(simulation)
        await #expect(throws: ReaderError(.noTag)) { try await reader.select(within: .seconds(9)) }
        try await reader.change { $0.put([FieldWorld.uid, FieldWorld.otherUID]) }
        await #expect(throws: ReaderError(.severalTags)) {
            try await reader.select(within: .seconds(9))
        }
        try await reader.change { $0.put([FieldWorld.otherUID]) }
        #expect(try await reader.select(within: .zero).uid == FieldWorld.otherUID)
    }

    @Test("No frame is sent to a tag that is not selected")
    func notSelected() async throws {
        let reader = SimulatedReader(try FieldWorld.oneTag())
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([0x60]) }
        _ = try await reader.select(within: .zero)
        await reader.release()
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([0x60]) }
        #expect(await reader.frameCount == 0)
    }

    @Test(
        "A tag that is taken away, or joined by another, is lost",
        arguments: [
            [], [FieldWorld.otherUID], [FieldWorld.uid, FieldWorld.otherUID],
        ])
    func taken(lying: [[UInt8]]) async throws {
        var simulation = try FieldWorld.twoTags()
        simulation.put([FieldWorld.uid])
        let reader = SimulatedReader(simulation)
        _ = try await reader.select(within: .zero)
        _ = try await reader.exchange([0x60])
        try await reader.change { $0.put(lying) }
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([0x60]) }
        // It has lost its power: to lie there again is not enough.
        try await reader.change { $0.put([FieldWorld.uid]) }
        await #expect(throws: ReaderError(.tagLost)) { try await reader.exchange([0x60]) }
        _ = try await reader.select(within: .zero)
        await #expect(throws: Never.self) { try await reader.exchange([0x60]) }
    }

    @Test("After a NAK the tag is silent until it is selected again")
    func refusal() async throws {
        let reader = SimulatedReader(try FieldWorld.oneTag())
        _ = try await reader.select(within: .zero)
        await #expect(throws: ReaderError(.refused(0))) { try await reader.exchange([0x30, 0xFF]) }
        await #expect(throws: ReaderError(.timedOut)) { try await reader.exchange([0x30, 0]) }
        _ = try await reader.select(within: .zero)
        #expect(try await reader.exchange([0x30, 0]).count == 16)
        await #expect(throws: ReaderError(.refused(0))) { try await reader.exchange([]) }
    }

    @Test("A write is kept and counted")
    func writes() async throws {
        let reader = SimulatedReader(try FieldWorld.oneTag())
        _ = try await reader.select(within: .zero)
        #expect(try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4]) == [])
        #expect(try await reader.exchange([0x30, 0x10]).prefix(4) == [1, 2, 3, 4])
        #expect(try await reader.change { $0.tag(FieldWorld.uid)?[0x10] } == Page(1, 2, 3, 4))
        #expect(await reader.frameCount == 2)
        #expect(await reader.writeCount == 1)
    }

    @Test("A selection ends the authentication, and only a release cuts the power")
    func power() async throws {
        let reader = SimulatedReader(try FieldWorld.oneTag())
        _ = try await reader.select(within: .zero)
        _ = try await reader.exchange(Type2Command.write(0x29, Page(4, 0, 0, 4)).frame)
        let write = Type2Command.write(0x10, .zero).frame
        // What the configuration says acts when the power comes back.
        await #expect(throws: Never.self) { try await reader.exchange(write) }
        _ = try await reader.select(within: .zero)
        await #expect(throws: Never.self) { try await reader.exchange(write) }
        await reader.release()
        _ = try await reader.select(within: .zero)
        await #expect(throws: ReaderError(.refused(0))) { try await reader.exchange(write) }
        _ = try await reader.select(within: .zero)
        _ = try await reader.exchange([0x1B, 0xFF, 0xFF, 0xFF, 0xFF])
        await #expect(throws: Never.self) { try await reader.exchange(write) }
        _ = try await reader.select(within: .zero)
        await #expect(throws: ReaderError(.refused(0))) { try await reader.exchange(write) }
    }

    @Test("A task that is already canceled selects nothing")
    func cancelled() async throws {
        let reader = SimulatedReader(try FieldWorld.oneTag())
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await reader.select(within: .zero)
        }
        await #expect(throws: ReaderError(.cancelled)) { try await task.value }
    }
}
