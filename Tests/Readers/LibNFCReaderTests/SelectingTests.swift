import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    @Suite("Selecting a tag over libnfc")
    struct SelectingTests {
        @Test("A single tag is selected with its identity and answers")
        func oneTag() async throws {
            try await LibNFCBench.run { (reader, _) async throws in
                #expect(try await reader.select(within: .zero) == TagIdentity(uid: LibNFCBench.uid))
                #expect(try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
            }
        }

        /// libnfc's own first search never ends; the reader gives up after a few tries.
        @Test("An empty field has no tag and is left without power")
        func emptyField() async throws {
            try await LibNFCBench.run(Simulation()) { (reader, emulator) async throws in
                #expect(
                    try await LibNFCBench.kind(of: { try await reader.select(within: .zero) })
                        == .noTag)
                #expect(emulator.control("status").contains(#""field":false"#))
            }
        }

        @Test("A tag that arrives later is waited for")
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

        @Test("The wait for a tag ends when its limit has passed")
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

        @Test("Two tags are refused, and the one that remains is accepted")
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

        @Test("A second tag next to a selected one is not mistaken for it")
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

        @Test("A tag and a card of another kind count as several tags")
        func tagAndCard() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = emulator.control("add classic")
                let kind = try await LibNFCBench.kind { try await reader.select(within: .zero) }
                #expect(kind == .severalTags)
            }
        }

        @Test("A MIFARE Classic is selected as what it is and refuses GET_VERSION")
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

        @Test("An ISO/IEC 14443-4 card is selected but does not answer Type 2 frames")
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
