import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    /// Anything lost, damaged or late between libnfc and the reader ends the connection, and the
    /// next selection opens it again.
    @Suite("Damage on the line between libnfc and the reader")
    struct DamagedLineTests {
        private static let readFour: [UInt8] = [0x30, 0x04]
        private static let readTwenty: [UInt8] = [0x30, 0x20]
        private static let write: [UInt8] = [0xA2, 0x10, 1, 2, 3, 4]

        /// A tag whose pages all differ, so that one answer cannot pass for another.
        private static var marked: Simulation {
            var simulation = Simulation.fresh
            if var tag = simulation.tag(LibNFCBench.uid) {
                for page: UInt8 in 0x04..<0x28 { tag[page] = Page(page, 1, 2, 3) }
                simulation.save(tag)
            }
            return simulation
        }

        private static func content(_ page: UInt8) -> [UInt8] {
            (page..<(page + 4)).flatMap { [$0, 1, 2, 3] }
        }

        @Test(
            "An answer damaged in transit is an error, and the next selection works",
            arguments: [
                ("corrupt", .readerLost), ("lose-ack", .readerLost), ("lose-reply", .timedOut),
                ("shorter", .garbled), ("status 1", .tagLost),
                ("status 2", .garbled), ("status 3", .garbled), ("status 6", .garbled),
                ("status 39", .readerLost), ("status 41", .tagLost),
            ] as [(String, ReaderError.Kind)], [readFour, write])
        func damaged(fault: (String, ReaderError.Kind), frame: [UInt8]) async throws {
            try await LibNFCBench.run(Self.marked) { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                LibNFCBench.arm("data 1 \(fault.0)", emulator)
                let kind = try await LibNFCBench.kind { try await reader.exchange(frame) }
                #expect(kind == fault.1)
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                #expect(try await reader.exchange(Self.readTwenty) == Self.content(0x20))
            }
        }

        /// The CRC is still correct after a zero byte is appended, so whoever sends a frame must
        /// also check the length of its answer.
        @Test("An answer with an extra byte is never as long as a correct one")
        func longer() async throws {
            try await LibNFCBench.run(Self.marked) { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                LibNFCBench.arm("data 1 longer", emulator)
                #expect(try await reader.exchange(Self.readFour).count == 17)
                LibNFCBench.arm("data 1 longer", emulator)
                let kind = try await LibNFCBench.kind { try await reader.exchange(Self.write) }
                #expect(kind == .garbled)
            }
        }

        /// A time-out cancels nothing, so the first READ's answer arrives while the second one's is
        /// awaited, and they look alike.
        @Test(
            "A late answer is not taken as the answer to a later frame",
            arguments: ["late", "stale"])
        func late(fault: String) async throws {
            try await LibNFCBench.run(Self.marked) { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                LibNFCBench.arm("data 1 \(fault)-reply", emulator)
                let kind = try await LibNFCBench.kind { try await reader.exchange(Self.readFour) }
                #expect(kind == .timedOut)
                // Without a selection in between nothing is sent at all.
                let sent = emulator.counters.dataCommands
                let again = try await LibNFCBench.kind {
                    try await reader.exchange(Self.readTwenty)
                }
                #expect(again == .readerLost && emulator.counters.dataCommands == sent)
                #expect(try await reader.select(within: .seconds(600)).uid == LibNFCBench.uid)
                #expect(try await reader.exchange(Self.readTwenty) == Self.content(0x20))
            }
        }

        @Test("A reader that hangs times out and is usable again once it resumes")
        func stalled() async throws {
            try await LibNFCBench.run(Self.marked) { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                LibNFCBench.arm("data 1 stall", emulator)
                let kind = try await LibNFCBench.kind { try await reader.exchange(Self.readFour) }
                #expect(kind == .timedOut)
                let dead = try await LibNFCBench.kind { try await reader.select(within: .zero) }
                #expect(dead == .noReader)
                _ = emulator.control("resume")
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                #expect(try await reader.exchange(Self.readTwenty) == Self.content(0x20))
            }
        }

        /// A tap takes six commands. Whichever is damaged, a read is correct or fails, and the next
        /// tap works.
        @Test(
            "Damage to any command of a tap never yields wrong data", arguments: 1...6,
            ["corrupt", "shorter", "longer", "lose-ack"])
        func anyCommand(number: Int, fault: String) async throws {
            try await LibNFCBench.run(Self.marked) { (reader, emulator) async throws in
                LibNFCBench.arm("command \(number) \(fault)", emulator)
                do {
                    _ = try await reader.select(within: .zero)
                    let answer = try await reader.exchange(Self.readFour)
                    #expect(answer.count == 17 || answer == Self.content(0x04))
                } catch {
                    #expect([.garbled, .readerLost].contains((error as? ReaderError)?.kind))
                }
                await reader.release()
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                #expect(try await reader.exchange(Self.readTwenty) == Self.content(0x20))
            }
        }
    }
}
