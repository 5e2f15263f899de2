import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    @Suite("Commands in blocks over libnfc")
    struct BlockExchangeTests {
        private static let select: [UInt8] = [
            0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00,
        ]
        private static let readMessage: [UInt8] = [0x90, 0xAD, 0, 0, 7, 2, 0, 0, 0, 0, 0, 0, 0]
        /// Writes 200 such bytes into the NDEF file, which takes two blocks.
        private static func write(_ byte: UInt8) -> [UInt8] {
            [0x90, 0x8D, 0, 0, 207, 2, 0, 0, 0, 200, 0, 0]
                + [UInt8](repeating: byte, count: 200) + [0]
        }

        private func run(
            _ body: (LibNFCReader, EmulatedReader) async throws -> Void
        ) async throws {
            try await LibNFCBench.run(Simulation()) { (reader, emulator) async throws in
                _ = emulator.control("present NTAG424")
                let identity = try await reader.select(within: .zero)
                #expect(identity.usesBlocks)
                #expect(identity.uid == [0x04, 0x51, 0x8D, 0xFA, 0xA9, 0x61, 0x80])
                try await body(reader, emulator)
            }
        }

        @Test("A command and an answer that take several blocks arrive whole")
        func chained() async throws {
            try await run { (reader, emulator) async throws in
                #expect(try await reader.exchange(command: Self.select) == [0x90, 0x00])
                #expect(try await reader.exchange(command: Self.write(0x42)) == [0x91, 0x00])
                let answer = try await reader.exchange(command: Self.readMessage)
                #expect(answer.count == 258)
                #expect(answer.prefix(200).allSatisfy { $0 == 0x42 })
                #expect(answer.suffix(2) == [0x91, 0x00])
            }
        }

        @Test("A block whose answer is garbled or late is repeated, and its command is carried out")
        func faults() async throws {
            try await run { (reader, emulator) async throws in
                _ = try await reader.exchange(command: Self.select)
                /// The number of frames that a write takes, which must succeed.
                func frames(_ byte: UInt8) async throws -> Int {
                    let before = emulator.counters.radioFrames
                    #expect(try await reader.exchange(command: Self.write(byte)) == [0x91, 0x00])
                    return emulator.counters.radioFrames - before
                }
                let usual = try await frames(1)
                #expect(usual == 2)
                for (number, fault) in ["garbled", "late"].enumerated() {
                    for place in 1...usual {
                        let byte = UInt8(10 * number + place + 1)
                        _ = emulator.control("fault frame \(place) \(fault)")
                        #expect(try await frames(byte) > usual, "\(fault) \(place)")
                        let answer = try await reader.exchange(command: Self.readMessage)
                        #expect(answer.prefix(200).allSatisfy { $0 == byte }, "\(fault) \(place)")
                    }
                }
            }
        }

        @Test(
            "A card that is taken away is lost and must be selected again before it takes commands")
        func lost() async throws {
            try await run { (reader, emulator) async throws in
                _ = try await reader.exchange(command: Self.select)
                _ = emulator.control("fault frame 1 lost")
                let kind = try await LibNFCBench.kind {
                    try await reader.exchange(command: Self.readMessage)
                }
                #expect(kind == .tagLost)
                _ = emulator.control("present")
                let again = try await LibNFCBench.kind {
                    try await reader.exchange(command: Self.select)
                }
                #expect(again == .tagLost)
                _ = try await reader.select(within: .seconds(5))
                #expect(try await reader.exchange(command: Self.select) == [0x90, 0x00])
            }
        }

        @Test("Selecting a selected card again ends its session")
        func selectedAgain() async throws {
            try await run { (reader, emulator) async throws in
                _ = try await reader.exchange(command: Self.select)
                _ = try await reader.select(within: .zero)
                #expect(
                    try await reader.exchange(command: [0x90, 0x64, 0, 0, 1, 1, 0])
                        == [0x91, 0x40])
            }
        }

        @Test("A tag that takes no blocks is lost by a command, and readable once selected again")
        func plainTag() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                let identity = try await reader.select(within: .zero)
                #expect(!identity.usesBlocks)
                let kind = try await LibNFCBench.kind {
                    try await reader.exchange(command: Self.select)
                }
                #expect(kind == .tagLost)
                #expect(try await reader.select(within: .zero) == identity)
                let version = try await reader.exchange(LibNFCBench.getVersion)
                #expect(version == LibNFCBench.version)
            }
        }
    }
}
