import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    @Suite("Power and selection over libnfc")
    struct FieldTests {
        /// A tag whose pages from 04h on need the factory password.
        private static var protected: Simulation {
            var simulation = Simulation.fresh
            if var tag = simulation.tag(LibNFCBench.uid) {
                tag[0x29] = Page(4, 0, 0, 4)
                simulation.save(tag)
            }
            return simulation
        }

        private static let authenticate: [UInt8] = [0x1B, 0xFF, 0xFF, 0xFF, 0xFF]
        private static let write: [UInt8] = [0xA2, 0x10, 1, 2, 3, 4]

        @Test("A tag selected again loses its authentication and keeps its power")
        func reselect() async throws {
            try await LibNFCBench.run(Self.protected) { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                #expect(try await reader.exchange(Self.authenticate) == [0, 0])
                #expect(try await reader.exchange(Self.write).isEmpty)
                let powerUps = emulator.counters.powerUps
                _ = try await reader.select(within: .zero)
                let kind = try await LibNFCBench.kind { try await reader.exchange(Self.write) }
                #expect(kind == .refused(0))
                #expect(emulator.counters.powerUps == powerUps)
            }
        }

        /// A card's protection depends on this, because new settings act only after the tag loses
        /// power.
        @Test("Releasing a tag and selecting it again cuts its power, so new settings take effect")
        func powerCycle() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                #expect(try await reader.exchange([0xA2, 0x29, 4, 0, 0, 2]).isEmpty)
                _ = try await reader.select(within: .zero)
                #expect(try await reader.exchange(Self.write).isEmpty)
                let powerUps = emulator.counters.powerUps
                await reader.release()
                _ = try await reader.select(within: .zero)
                #expect(emulator.counters.powerUps > powerUps)
                let kind = try await LibNFCBench.kind { try await reader.exchange(Self.write) }
                #expect(kind == .refused(0))
                _ = try await reader.select(within: .zero)
                #expect(try await reader.exchange(Self.authenticate) == [0, 0])
                #expect(try await reader.exchange(Self.write).isEmpty)
            }
        }

        @Test("A tag that refused a command is selected again without losing its power")
        func afterRefusal() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                let powerUps = emulator.counters.powerUps
                let kind = try await LibNFCBench.kind { try await reader.exchange([0x30, 0xFF]) }
                #expect(kind == .refused(0))
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                #expect(try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
                #expect(emulator.counters.powerUps == powerUps)
            }
        }

        /// On such a chip the search for a second tag leaves the first one deaf.
        @Test("A tag that the chip does not wake is selected in a new field")
        func deaf() async throws {
            try await LibNFCBench.run(wakesHaltedCards: false) { (reader, emulator) async throws in
                for _ in 1...2 {
                    #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                    #expect(
                        try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
                    await reader.release()
                }
            }
        }

        @Test("A halted tag is found again")
        func halted() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                let halt: [UInt8] = [0x50, 0x00]
                #expect(
                    try await LibNFCBench.kind(of: { try await reader.exchange(halt) }) == .tagLost)
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                #expect(try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
            }
        }

        @Test("A released tag loses its power and regains it with the next selection")
        func release() async throws {
            try await LibNFCBench.run(Self.protected) { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                _ = try await reader.exchange(Self.authenticate)
                let powerUps = emulator.counters.powerUps
                await reader.release()
                #expect(emulator.control("status").contains(#""field":false"#))
                _ = try await reader.select(within: .zero)
                #expect(emulator.counters.powerUps > powerUps)
                let kind = try await LibNFCBench.kind { try await reader.exchange(Self.write) }
                #expect(kind == .refused(0))
            }
        }

        @Test("Releasing is allowed at any time and sends nothing when the field is off")
        func releaseTwice() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                let before = emulator.counters.hostCommands
                await reader.release()
                #expect(emulator.counters.hostCommands == before)
                _ = try await reader.select(within: .zero)
                await reader.release()
                let after = emulator.counters.hostCommands
                await reader.release()
                #expect(emulator.counters.hostCommands == after)
                await reader.close()
                await reader.release()
            }
        }

        @Test("No frame is sent to a tag that is not selected")
        func unselected() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                func exchange() async throws -> ReaderError.Kind {
                    try await LibNFCBench.kind { try await reader.exchange(LibNFCBench.getVersion) }
                }
                #expect(try await exchange() == .tagLost)
                _ = try await reader.select(within: .zero)
                await reader.release()
                #expect(try await exchange() == .tagLost)
                #expect(emulator.counters.dataCommands == 0)
            }
        }
    }
}
