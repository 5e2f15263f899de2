import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    @Suite("Frames and answers over libnfc")
    struct LibNFCExchangeTests {
        @Test("Every command of an NTAG21x gets its whole answer")
        func commands() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                let tag = try #require(emulator.simulation.tag(LibNFCBench.uid))
                _ = try await reader.select(within: .zero)
                #expect(try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
                let pages = (0..<4).flatMap { tag[UInt8($0)].bytes }
                #expect(try await reader.exchange([0x30, 0x00]) == pages)
                let card = (0x04...0x27).flatMap { tag[UInt8($0)].bytes }
                #expect(try await reader.exchange([0x3A, 0x04, 0x27]) == card)
                #expect(try await reader.exchange([0x3C, 0x00]) == tag.signature)
                #expect(try await reader.exchange([0x1B, 0xFF, 0xFF, 0xFF, 0xFF]) == [0, 0])
                #expect(try await reader.exchange([0xA2, 0x10, 9, 8, 7, 6]).isEmpty)
                #expect(try await reader.exchange([0xA0, 0x11]).isEmpty)
                let compatible = [1, 2, 3, 4] + [UInt8](repeating: 0, count: 12)
                #expect(try await reader.exchange(compatible).isEmpty)
                let changed = try #require(emulator.simulation.tag(LibNFCBench.uid))
                #expect(changed[0x10] == Page(9, 8, 7, 6) && changed[0x11] == Page(1, 2, 3, 4))
            }
        }

        @Test("One answer carries as many bytes as the reader says, and no more")
        func maximumAnswerLength() async throws {
            var simulation = Simulation()
            let tag = try #require(simulation.addTag(.ntag216) { _ in [] })
            simulation.put([tag.uid])
            try await LibNFCBench.run(simulation) { (reader, _) async throws in
                let pages = reader.maximumAnswerLength / 4
                _ = try await reader.select(within: .zero)
                let most = try await reader.exchange([0x3A, 0x04, UInt8(0x04 + pages - 1)])
                #expect(most.count == reader.maximumAnswerLength && most.count == 260)
                let kind = try await LibNFCBench.kind {
                    try await reader.exchange([0x3A, 0x04, UInt8(0x04 + pages)])
                }
                #expect(kind == .garbled)
                _ = try await reader.select(within: .zero)
                #expect(try await reader.exchange([0x30, 0x03]).count == 16)
            }
        }

        @Test(
            "A refusal is distinguished from a missing tag, on reads and on writes",
            arguments: [0, 1, 4, 5] as [UInt8], [[0x30, 0x04], [0xA2, 0x10, 1, 2, 3, 4]])
        func refusals(code: UInt8, frame: [UInt8]) async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                emulator.change { $0.fault = Fault(at: 1, counting: .frame, .refused(code)) }
                #expect(
                    try await LibNFCBench.kind(of: { try await reader.exchange(frame) })
                        == .refused(code)
                )
                _ = try await reader.select(within: .zero)
                emulator.change { $0.fault = Fault(at: 1, counting: .frame, .lost) }
                #expect(
                    try await LibNFCBench.kind(of: { try await reader.exchange(frame) }) == .tagLost
                )
            }
        }

        /// Reads, writes and reads back like a payment, and returns how many frames succeeded.
        private static func work(
            _ reader: LibNFCReader
        ) async -> (done: Int, error: ReaderError.Kind?) {
            var done = 0
            do throws(ReaderError) {
                _ = try await reader.exchange([0x3A, 0x04, 0x27])
                done += 1
                for page: UInt8 in 0x20..<0x24 {
                    _ = try await reader.exchange([0xA2, page, page, 2, 3, 4])
                    done += 1
                }
                _ = try await reader.exchange([0x3A, 0x04, 0x27])
                done += 1
            } catch {
                return (done, error.kind)
            }
            return (done, nil)
        }

        @Test("A tag pulled at any frame is lost at that frame", arguments: 1...6)
        func pulled(frame: Int) async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                emulator.change { $0.fault = Fault(at: frame, counting: .frame, .lost) }
                let (done, error) = await Self.work(reader)
                #expect(done == frame - 1 && error == .tagLost)
                #expect(
                    try await LibNFCBench.kind(of: { try await reader.select(within: .zero) })
                        == .noTag)
                let tag = try #require(emulator.simulation.tag(LibNFCBench.uid))
                let written = (0x20..<0x24).count { tag[UInt8($0)].bytes[1] == 2 }
                #expect(written == min(max(done - 1, 0), 4))
                emulator.change { $0.put([LibNFCBench.uid]) }
                _ = try await reader.select(within: .zero)
                #expect(await Self.work(reader).done == 6)
            }
        }

        @Test("A WRITE whose acknowledge is lost is not a success, though the page is written")
        func acknowledgeLost() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                emulator.change { $0.fault = Fault(at: 1, counting: .write, .acknowledgeLost) }
                let kind = try await LibNFCBench.kind {
                    try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4])
                }
                #expect(kind == .tagLost)
                #expect(emulator.simulation.tag(LibNFCBench.uid)?[0x10] == Page(1, 2, 3, 4))
            }
        }

        @Test(
            "An answer damaged on the air is an error, and the tag can be selected again",
            arguments: [[0x30, 0x04], [0x3A, 0x04, 0x27], [0xA2, 0x10, 1, 2, 3, 4]] as [[UInt8]])
        func garbled(frame: [UInt8]) async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                emulator.change { $0.fault = Fault(at: 1, counting: .frame, .garbled) }
                let kind = try await LibNFCBench.kind { try await reader.exchange(frame) }
                // Four damaged bits may look like a NAK: either way nothing is taken as done.
                #expect(kind == .garbled || kind == .refused(0x0A ^ 0x06))
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                #expect(try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
            }
        }
    }
}
