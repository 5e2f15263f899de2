import CardCryptography
import SimulatedReader
import Tags
import Testing

@Suite("An NTAG 424 in the simulated field")
struct SimulatedNTAG424Tests {
    private static let key = AESKey([UInt8](repeating: 0, count: AESKey.size))

    private func world() throws -> Simulation {
        var world = Simulation()
        let chip = try #require(world.addChip { [UInt8](repeating: 1, count: $0) })
        world.put([chip.number])
        return world
    }

    private func run(
        _ conversation: inout NTAG424Conversation, _ first: NTAG424Conversation.Step,
        on reader: SimulatedReader
    ) async throws -> [UInt8] {
        var step = first
        while true {
            switch step {
            case .finished(let data): return data
            case .doneWithoutMAC: return []
            case .send(let command):
                step = try conversation.receive(try await reader.exchange(command: command))
            }
        }
    }

    private func authenticated(
        _ reader: SimulatedReader
    ) async throws -> NTAG424Conversation {
        var conversation = NTAG424Conversation()
        let select = try conversation.begin(.selectApplication)
        _ = try await run(&conversation, select, on: reader)
        let proof = try conversation.authenticate(
            .three, Self.key, random: [UInt8](repeating: 9, count: 16))
        _ = try await run(&conversation, proof, on: reader)
        return conversation
    }

    private static let write = CardCommand.writeData(.data, offset: 0, data: [1, 2, 3, 4])

    @Test("What a whole conversation writes is kept after the release")
    func conversation() async throws {
        let reader = SimulatedReader(try world())
        let identity = try await reader.select(within: .zero)
        #expect(identity.usesBlocks && !identity.isType2)
        var conversation = try await authenticated(reader)
        let write = try conversation.begin(Self.write, file: .full)
        _ = try await run(&conversation, write, on: reader)
        await reader.release()
        let tag = try await reader.change { $0.chip(identity.uid) }
        #expect(tag?[.data].bytes.prefix(4) == [1, 2, 3, 4])
        await #expect(throws: ReaderError(.tagLost)) {
            _ = try await reader.exchange(command: [0x90, 0x60, 0, 0, 0])
        }
    }

    @Test("An NTAG 424 ignores Type 2 frames, and a Type 2 tag takes no commands")
    func otherFrames() async throws {
        let reader = SimulatedReader(try world())
        _ = try await reader.select(within: .zero)
        await #expect(throws: ReaderError(.timedOut)) { _ = try await reader.exchange([0x30, 4]) }
        let other = SimulatedReader(.fresh)
        _ = try await other.select(within: .zero)
        await #expect(throws: ReaderError(.tagLost)) {
            _ = try await other.exchange(command: [0x90, 0x60, 0, 0, 0])
        }
    }

    @Test(
        "A fault during a write is an error and leaves the file old or new",
        arguments: [
            ("write 1 lost", 0), ("write 1 torn old", 0), ("write 1 torn new", 1),
            ("write 1 torn mix 2", 0), ("write 1 acknowledge-lost", 1), ("write 1 late", 1),
            ("write 1 garbled", 1), ("frame 4 lost", 0), ("write 1 refused 0", 0),
        ] as [(String, UInt8)])
    func faults(fault: String, byte: UInt8) async throws {
        var world = try world()
        world.fault = Fault(fault)
        #expect(world.fault != nil)
        let reader = SimulatedReader(world)
        let uid = try await reader.select(within: .zero).uid
        var conversation = try await authenticated(reader)
        let write = try conversation.begin(Self.write, file: .full)
        await #expect(throws: (any Error).self) {
            _ = try await run(&conversation, write, on: reader)
        }
        let chip = try await reader.change { $0.chip(uid) }
        #expect(chip?[.data].bytes[0] == byte)
    }

    @Test("A write succeeds even if the card is pulled right after its answer")
    func pulledAfter() async throws {
        var world = try world()
        world.fault = Fault("write 1 pulled-after")
        let reader = SimulatedReader(world)
        _ = try await reader.select(within: .zero)
        var conversation = try await authenticated(reader)
        let write = try conversation.begin(Self.write, file: .full)
        _ = try await run(&conversation, write, on: reader)
        await #expect(throws: ReaderError(.tagLost)) {
            _ = try await reader.exchange(command: [0x90, 0x60, 0, 0, 0])
        }
    }

    @Test("The text of a simulation keeps its NTAG 424 chips and refuses broken ones")
    func text() throws {
        var world = try world()
        _ = world.addTag(.ntag213) { [UInt8](repeating: 3, count: $0) }
        _ = world.addChip { [UInt8](repeating: 4, count: $0) }
        #expect(try Simulation(parsing: world.text) == world)
        #expect(world.chips.count == 2)
        let broken = world.text.replacing("key-3: 00", with: "key-3: 0")
        #expect(throws: ReaderError(.noReader)) { _ = try Simulation(parsing: broken) }
        let twice = world.text + "\n" + world.chips[0].text
        #expect(throws: ReaderError(.noReader)) { _ = try Simulation(parsing: twice) }
    }

    @Test("A simulation full of chips takes no more chips or tags")
    func full() throws {
        var world = Simulation()
        var drawn: UInt8 = 0
        for _ in 0..<Simulation.maximumTags {
            drawn += 1
            #expect(world.addChip { [UInt8](repeating: drawn, count: $0) } != nil)
        }
        #expect(world.addChip { [UInt8](repeating: 200, count: $0) } == nil)
        #expect(world.addTag(.ntag213) { [UInt8](repeating: 200, count: $0) } == nil)
    }
}
