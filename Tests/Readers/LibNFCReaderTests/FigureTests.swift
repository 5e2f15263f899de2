import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    /// Counts commands and frames, and computes how long the line and the air would take for them.
    @Suite("Costs of a tap over libnfc")
    struct FigureTests {
        private static let readCard: [UInt8] = [0x3A, 0x04, 0x27]

        @Test("Reading a known card takes one data command and, after the first tap, 50 ms at most")
        func knownCard() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                // The first tap asks for the chip's registers.
                for commands in [6, 5, 5] {
                    _ = emulator.control("reset")
                    _ = try await reader.select(within: .zero)
                    _ = try await reader.exchange(Self.readCard)
                    await reader.release()
                    let counters = emulator.counters
                    #expect(counters.dataCommands == 1)
                    #expect(counters.hostCommands == commands)
                    let microseconds =
                        counters.airMicroseconds + counters.linkMicroseconds
                        + counters.silenceMicroseconds
                    #expect(microseconds <= (commands == 6 ? 53_000 : 50_000), "\(microseconds)")
                }
            }
        }

        @Test("A payment's frames take one command each, and the rest of the tap takes five")
        func payment() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = emulator.control("reset")
                _ = try await reader.select(within: .zero)
                _ = try await reader.exchange(Self.readCard)
                for page: UInt8 in 0x10..<0x19 {
                    _ = try await reader.exchange([0xA2, page, 1, 2, 3, 4])
                }
                _ = try await reader.exchange(Self.readCard)
                await reader.release()
                let counters = emulator.counters
                #expect(counters.dataCommands == 11)
                #expect(counters.hostCommands == 16)
                #expect(counters.writes == 9)
            }
        }

        @Test("Checking whether the card is still there takes one command")
        func presence() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                _ = emulator.control("reset")
                _ = try await reader.select(within: .zero)
                #expect(emulator.counters.hostCommands == 1)
            }
        }

        @Test("Checking an empty field takes two commands")
        func emptyField() async throws {
            try await LibNFCBench.run(Simulation()) { (reader, emulator) async throws in
                _ = emulator.control("reset")
                #expect(
                    try await LibNFCBench.kind { try await reader.select(within: .zero) } == .noTag)
                #expect(emulator.counters.hostCommands == 2)
            }
        }
    }
}
