import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    @Suite("Selecting a tag")
    struct SelectingTests {
        @Test("one tag is selected, with what it says of itself")
        func oneTag() async throws {
            try await LibNFCBench.run { (reader, _) async throws in
                #expect(try await reader.select(within: .zero) == TagIdentity(uid: LibNFCBench.uid))
                #expect(try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
            }
        }

        /// libnfc begins with a search that does not end; here it is given up after a few tries.
        @Test("an empty field is not a tag, and is left without power")
        func emptyField() async throws {
            try await LibNFCBench.run(Simulation()) { (reader, emulator) async throws in
                #expect(
                    try await LibNFCBench.kind(of: { try await reader.select(within: .zero) })
                        == .noTag)
                #expect(emulator.control("status").contains(#""field":false"#))
            }
        }

        @Test("a tag that comes later is waited for")
        func laterTag() async throws {
            var simulation = Simulation.fresh
            simulation.take()
            try await LibNFCBench.run(simulation) { (reader, emulator) async throws in
                let waiting = Task { try await reader.select(within: .seconds(600)) }
                // Two commands are one look: this is the third one, at least.
                try await LibNFCBench.waitForCommands(5, emulator)
                emulator.change { $0.put([LibNFCBench.uid]) }
                #expect(try await waiting.value.uid == LibNFCBench.uid)
            }
        }

        @Test("the wait ends when its limit has passed")
        func limit() async throws {
            try await LibNFCBench.run(Simulation()) { (reader, emulator) async throws in
                let before = emulator.counters.hostCommands
                let kind = try await LibNFCBench.kind {
                    try await reader.select(within: .milliseconds(150))
                }
                #expect(kind == .noTag)
                // One look at once, one at the end, and between them one that a busy machine leaves
                // out; each is two commands.
                #expect([4, 6].contains(emulator.counters.hostCommands - before))
            }
        }

        @Test("two tags are refused, and one of them alone is taken afterwards")
        func twoTags() async throws {
            var simulation = LibNFCBench.twoTags
            simulation.put([LibNFCBench.uid, LibNFCBench.otherUID])
            try await LibNFCBench.run(simulation) { (reader, emulator) async throws in
                let kind = try await LibNFCBench.kind { try await reader.select(within: .zero) }
                #expect(kind == .severalTags)
                #expect(emulator.control("status").contains(#""field":false"#))
                emulator.change { $0.take(LibNFCBench.uid) }
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.otherUID)
            }
        }

        @Test("a second tag put next to a selected one is not taken for it")
        func tagBeside() async throws {
            try await LibNFCBench.run(LibNFCBench.twoTags) { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                emulator.change { $0.add(LibNFCBench.otherUID) }
                let readNumber: [UInt8] = [0x30, 0x00]
                #expect(
                    try await reader.exchange(readNumber).prefix(3) == LibNFCBench.uid.prefix(3))
                let uid = try await reader.select(within: .zero).uid
                #expect(try await reader.exchange(readNumber).prefix(3) == uid.prefix(3))
                await reader.release()
                let kind = try await LibNFCBench.kind { try await reader.select(within: .zero) }
                #expect(kind == .severalTags)
            }
        }

        @Test("a tag and a card of another kind are two as well")
        func tagAndCard() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = emulator.control("add classic")
                let kind = try await LibNFCBench.kind { try await reader.select(within: .zero) }
                #expect(kind == .severalTags)
            }
        }

        @Test("a MIFARE Classic is selected and says what it is; it refuses what it does not know")
        func classic() async throws {
            try await LibNFCBench.run(Simulation()) { (reader, emulator) async throws in
                _ = emulator.control("present classic")
                let tag = try await reader.select(within: .zero)
                #expect(tag.selectAcknowledge == 0x08 && tag.answerToRequest == 0x0004)
                #expect(tag.uid == ForeignCard.classic.number)
                let kind = try await LibNFCBench.kind {
                    try await reader.exchange(LibNFCBench.getVersion)
                }
                #expect(kind == .refused(4))
            }
        }

        @Test("a card of ISO/IEC 14443-4 is selected, and not spoken to in its own protocol")
        func type4() async throws {
            try await LibNFCBench.run(Simulation()) { (reader, emulator) async throws in
                _ = emulator.control("present type4")
                let tag = try await reader.select(within: .zero)
                #expect(tag.selectAcknowledge == 0x20 && !tag.isType2)
                let kind = try await LibNFCBench.kind {
                    try await reader.exchange(LibNFCBench.getVersion)
                }
                #expect(kind == .tagLost)
            }
        }
    }
}
