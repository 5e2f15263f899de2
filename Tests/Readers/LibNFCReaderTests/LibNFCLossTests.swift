import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    @Suite("Unplugging and canceling over libnfc")
    struct LibNFCLossTests {
        @Test("A reader unplugged during an exchange works again once it is plugged in")
        func unpluggedAtWork() async throws {
            try await LibNFCBench.run(link: LibNFCBench.temporaryLink()) {
                (reader, emulator) async throws in
                for frame in [[0x30, 0x04], [0xA2, 0x10, 1, 2, 3, 4]] as [[UInt8]] {
                    _ = try await reader.select(within: .zero)
                    LibNFCBench.arm("data 1 unplug", emulator)
                    #expect(
                        try await LibNFCBench.kind(of: { try await reader.exchange(frame) })
                            == .readerLost)
                    let gone = try await LibNFCBench.kind { try await reader.select(within: .zero) }
                    #expect(gone == .noReader)
                    await reader.release()
                    _ = emulator.control("plug")
                    #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                    #expect(
                        try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
                }
            }
        }

        @Test(
            "A reader unplugged at any command of a tap works again once it is plugged in",
            arguments: 1...6)
        func unpluggedAnywhere(number: Int) async throws {
            try await LibNFCBench.run(link: LibNFCBench.temporaryLink()) {
                (reader, emulator) async throws in
                LibNFCBench.arm("command \(number) unplug", emulator)
                do {
                    _ = try await reader.select(within: .zero)
                    _ = try await reader.exchange(LibNFCBench.getVersion)
                    // Only letting go cannot say that it failed.
                    #expect(number == 6)
                } catch {
                    // libnfc waits a third of a second for an answer, however busy the machine is.
                    let kind = (error as? ReaderError)?.kind
                    #expect(kind == .readerLost || kind == .timedOut)
                }
                await reader.release()
                _ = emulator.control("plug")
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
            }
        }

        @Test("Unplugging the reader ends a wait for a tag with a lost reader")
        func unpluggedWhileWaiting() async throws {
            try await LibNFCBench.run(Simulation()) { (reader, emulator) async throws in
                let waiting = Task { try await reader.select(within: .seconds(600)) }
                try await LibNFCBench.waitForCommands(4, emulator)
                _ = emulator.control("unplug")
                let kind = try await LibNFCBench.kind { try await waiting.value }
                #expect(kind == .readerLost)
                await reader.close()
            }
        }

        @Test("A canceled wait ends, and the next selection works")
        func cancelled() async throws {
            var simulation = Simulation.fresh
            simulation.take()
            try await LibNFCBench.run(simulation) { (reader, emulator) async throws in
                for _ in 0..<3 {
                    emulator.change { $0.take() }
                    let waiting = Task { try await reader.select(within: .seconds(600)) }
                    try await LibNFCBench.waitForCommands(4, emulator)
                    waiting.cancel()
                    #expect(try await LibNFCBench.kind { try await waiting.value } == .cancelled)
                    emulator.change { $0.put([LibNFCBench.uid]) }
                    #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                    #expect(
                        try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
                    await reader.release()
                }
            }
        }

        @Test("A wait canceled before it begins sends nothing")
        func cancelledBefore() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                let before = emulator.counters.hostCommands
                let waiting = Task {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return try await reader.select(within: .seconds(600))
                }
                #expect(try await LibNFCBench.kind { try await waiting.value } == .cancelled)
                #expect(emulator.counters.hostCommands == before)
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
            }
        }

        /// The reader holds back its answer to a tap's second command, which is the first search.
        @Test("A hanging reader is aborted when its wait is canceled, and works afterwards")
        func aborted() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                LibNFCBench.arm("command 2 stall", emulator)
                let before = emulator.counters.hostCommands
                let waiting = Task { try await reader.select(within: .seconds(600)) }
                try await LibNFCBench.waitForCommands(2, since: before, emulator)
                waiting.cancel()
                // Not `.timedOut`: that is what it would be without the abort.
                #expect(try await LibNFCBench.kind { try await waiting.value } == .cancelled)
                _ = emulator.control("resume")
                for _ in 0..<3 {
                    #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
                    #expect(
                        try await reader.exchange(LibNFCBench.getVersion) == LibNFCBench.version)
                    await reader.release()
                }
            }
        }

        @Test("A task that is already canceled still completes its exchange with the tag")
        func exchangeGoesOn() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                let writing = Task {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return try await reader.exchange([0xA2, 0x10, 1, 2, 3, 4])
                }
                #expect(try await writing.value.isEmpty)
            }
        }
    }
}
