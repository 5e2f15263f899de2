import Glibc
import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

extension LiveTests {
    @Suite("Opening and closing readers of libnfc")
    struct LibNFCOpeningTests {
        private static func error(opening connection: String) async throws -> ReaderError {
            do throws(ReaderError) {
                let reader = try await LibNFCReader.open(connection)
                await reader.close()
            } catch {
                return error
            }
            throw LibNFCBench.Unexpected()
        }

        @Test("An open reader reports its name, its firmware and its description")
        func names() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                #expect(reader.firmware == "PN532 1.6")
                #expect(reader.name == "pn532_uart:\(try #require(emulator.devicePath))")
                #expect(try await reader.information().contains("PN532 v1.6"))
            }
        }

        /// Compiles for any reader, because the lane, the actor and C stay behind the protocol.
        private static func tap(_ reader: any TagReader) async throws -> [UInt8] {
            _ = try await reader.select(within: .zero)
            let answer = try await reader.exchange(LibNFCBench.getVersion)
            await reader.release()
            return answer
        }

        @Test("A reader of libnfc works as any TagReader")
        func port() async throws {
            try await LibNFCBench.run { (reader, _) async throws in
                #expect(try await Self.tap(reader) == LibNFCBench.version)
            }
        }

        @Test("A second reader is busy until the first is closed")
        func second() async throws {
            let emulator = try EmulatedReader.start(.fresh)
            defer { emulator.stop() }
            try await LibNFCBench.run { (reader, _) async throws in
                let connection = try #require(emulator.connectionString)
                #expect(try await Self.error(opening: connection).kind == .busy)
                #expect(try await reader.select(within: .zero).uid == LibNFCBench.uid)
            }
            let other = try await LibNFCReader.open(try #require(emulator.connectionString))
            #expect(try await other.select(within: .zero).uid == LibNFCBench.uid)
            await other.close()
        }

        @Test("Listing readers while one is open fails as busy and sends nothing")
        func listing() async throws {
            try await LibNFCBench.run { (_, emulator) async throws in
                let before = emulator.counters.hostCommands
                let kind = try await LibNFCBench.kind { try await LibNFCReader.connectedReaders() }
                #expect(kind == .busy)
                #expect(emulator.counters.hostCommands == before)
            }
            // With any reader of this machine, the names are whole.
            for name in try await LibNFCReader.connectedReaders() {
                _ = try ConnectionString(name)
            }
        }

        @Test("Opening a missing device is an error that names the device")
        func absent() async throws {
            let error = try await Self.error(opening: "pn532_uart:/dev/tapcard-absent")
            #expect(error.kind == .noReader)
            #expect(error.detail.contains("/dev/tapcard-absent"))
            #expect(error.detail.contains("No such file"))
        }

        @Test("A device that is not a serial line is not a reader")
        func noLine() async throws {
            let error = try await Self.error(opening: "pn532_uart:/dev/null")
            #expect(error.kind == .noReader && error.detail.contains("/dev/null"))
        }

        @Test("A silent serial line is not a reader and is left free")
        func silent() async throws {
            let emulator = try EmulatedReader.start(.fresh)
            defer { emulator.stop() }
            _ = emulator.control("stall")
            let connection = try #require(emulator.connectionString)
            let error = try await Self.error(opening: connection)
            #expect(error.kind == .noReader && error.detail.contains("no reader responds"))
            _ = emulator.control("resume")
            let reader = try await LibNFCReader.open(connection)
            await reader.close()
        }

        /// libnfc's own mark on a port disappears as soon as another program opens the port.
        @Test("A port that is already held is busy, and the error names the process")
        func held() async throws {
            let emulator = try EmulatedReader.start(.fresh)
            defer { emulator.stop() }
            let path = try #require(emulator.devicePath)
            let holder = unsafe open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            try #require(holder >= 0 && flock(holder, LOCK_EX | LOCK_NB) == 0)
            let connection = try #require(emulator.connectionString)
            let error = try await Self.error(opening: connection)
            #expect(error.kind == .busy)
            #expect(error.detail.contains(path) && error.detail.contains("process \(getpid())"))
            #expect(emulator.counters.hostCommands == 0)
            // A process that is just being started may hold a copy for a moment.
            flock(holder, LOCK_UN)
            close(holder)
            let reader = try await LibNFCReader.open(connection)
            await reader.close()
        }

        @Test("An open reader locks its port until it is closed")
        func holds() async throws {
            let emulator = try EmulatedReader.start(.fresh)
            defer { emulator.stop() }
            let path = try #require(emulator.devicePath)
            let other = unsafe open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            defer { close(other) }
            let reader = try await LibNFCReader.open(try #require(emulator.connectionString))
            #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
            await reader.close()
            #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        }

        @Test("Closing twice is harmless, and a closed reader sends nothing")
        func closed() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                await reader.close()
                let before = emulator.counters.hostCommands
                await reader.close()
                let select = try await LibNFCBench.kind { try await reader.select(within: .zero) }
                #expect(select == .noReader)
                let kind = try await LibNFCBench.kind {
                    try await reader.exchange(LibNFCBench.getVersion)
                }
                #expect(kind == .readerLost)
                let information = try await LibNFCBench.kind { try await reader.information() }
                #expect(information == .noReader)
                #expect(emulator.counters.hostCommands == before)
            }
        }

        @Test("Closing a reader releases the tag")
        func closingReleases() async throws {
            try await LibNFCBench.run { (reader, emulator) async throws in
                _ = try await reader.select(within: .zero)
                await reader.close()
                #expect(emulator.control("status").contains(#""field":false"#))
            }
        }

        @Test("A reader that is dropped without being closed is closed anyway")
        func dropped() async throws {
            let emulator = try EmulatedReader.start(.fresh)
            defer { emulator.stop() }
            let connection = try #require(emulator.connectionString)
            _ = try await LibNFCReader.open(connection)
            try await LibNFCBench.until {
                do throws(ReaderError) {
                    let reader = try await LibNFCReader.open(connection)
                    await reader.close()
                    return true
                } catch {
                    try #require(error.kind == .busy)
                    return false
                }
            }
        }
    }
}
