import Glibc
import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

/// Each test runs in a process of its own.
extension LiveTests {
    @Suite("Process-wide effects of libnfc")
    struct ProcessTests {
        private static func openDescriptors() -> Int {
            guard let folder = unsafe opendir("/proc/self/fd") else { return -1 }
            defer { unsafe closedir(folder) }
            var count = 0
            while unsafe readdir(folder) != nil { count += 1 }
            return count
        }

        @Test("Opening and closing a hundred readers leaks no descriptor")
        func descriptors() async throws {
            await #expect(processExitsWith: .success) {
                let emulator = try EmulatedReader.start(.fresh)
                let connection = try #require(emulator.connectionString)
                func tap() async throws {
                    let reader = try await LibNFCReader.open(connection)
                    _ = try await reader.select(within: .zero)
                    await reader.close()
                }
                try await tap()
                let before = ProcessTests.openDescriptors()
                for _ in 0..<100 { try await tap() }
                #expect(ProcessTests.openDescriptors() == before)
            }
        }

        @Test("Failures leak no descriptor")
        func failures() async throws {
            await #expect(processExitsWith: .success) {
                let emulator = try EmulatedReader.start(.fresh)
                let connection = try #require(emulator.connectionString)
                let reader = try await LibNFCReader.open(connection)
                _ = try await reader.select(within: .zero)
                let before = ProcessTests.openDescriptors()
                for fault in ["corrupt", "lose-ack", "lose-reply", "stale-reply"] {
                    _ = emulator.control("fault data 1 \(fault)")
                    _ = try? await reader.exchange(LibNFCBench.getVersion)
                    _ = try await reader.select(within: .seconds(600))
                }
                #expect(ProcessTests.openDescriptors() == before)
                for path in ["/dev/null", "/dev/tapcard-absent"] {
                    _ = try? await LibNFCReader.open("pn532_uart:\(path)")
                }
                #expect(ProcessTests.openDescriptors() == before)
            }
        }

        /// libnfc waits with `select`, which writes past its set from descriptor 1024 on.
        @Test("A reader is not opened while too many files are open")
        func tooMany() async throws {
            await #expect(processExitsWith: .success) {
                let emulator = try EmulatedReader.start(.fresh)
                let connection = try #require(emulator.connectionString)
                var limit = rlimit(rlim_cur: 2048, rlim_max: 2048)
                try #require(unsafe setrlimit(__rlimit_resource_t(7), &limit) == 0)
                var last: Int32 = 0
                while last < 1000 {
                    last = dup(2)
                    try #require(last > 0)
                }
                do throws(ReaderError) {
                    let reader = try await LibNFCReader.open(connection)
                    await reader.close()
                    Issue.record("opened")
                } catch {
                    #expect(error.kind == .noReader && error.detail.contains("too many files"))
                }
                #expect(emulator.counters.hostCommands == 0)
            }
        }

        @Test("Nothing from libnfc reaches standard error by default")
        func quiet() async throws {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                let emulator = try EmulatedReader.start(.fresh)
                let connection = try #require(emulator.connectionString)
                for name in ["pn532_uart:/dev/null", "pn532_uart:/dev/absent", "acr122_usb:9:9"] {
                    _ = try? await LibNFCReader.open(name)
                }
                let reader = try await LibNFCReader.open(connection)
                for fault in ["corrupt", "shorter", "lose-ack", "unplug"] {
                    _ = try await reader.select(within: .zero)
                    _ = emulator.control("fault data 1 \(fault)")
                    _ = try? await reader.exchange(LibNFCBench.getVersion)
                }
                await reader.close()
            }
            let bytes = try #require(result).standardErrorContent
            #expect(String(decoding: bytes, as: UTF8.self) == "")
        }

        @Test("LIBNFC_LOG_LEVEL makes libnfc log to standard error")
        func logging() async throws {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                unsafe setenv("LIBNFC_LOG_LEVEL", "1", 1)
                _ = try? await LibNFCReader.open("pn532_uart:/dev/null")
            }
            let bytes = try #require(result).standardErrorContent
            #expect(String(decoding: bytes, as: UTF8.self).contains("libnfc.driver.pn532_uart"))
        }

        /// libnfc says at its start how it has understood its settings.
        @Test(
            "Listing readers tells libnfc not to search serial ports, unless the user has decided",
            arguments: [(nil, "0"), ("no", "no")] as [(String?, String)])
        func scanning(_ users: String?, _ set: String) async throws {
            let result = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) { [users, set] in
                unsafe setenv("LIBNFC_LOG_LEVEL", "3", 1)
                unsafe unsetenv("LIBNFC_INTRUSIVE_SCAN")
                if let users { unsafe setenv("LIBNFC_INTRUSIVE_SCAN", users, 1) }
                _ = try await LibNFCReader.connectedReaders()
                let value = unsafe getenv("LIBNFC_INTRUSIVE_SCAN")
                #expect(unsafe value.map { unsafe String(cString: $0) } == set)
            }
            let bytes = try #require(result).standardErrorContent
            #expect(
                String(decoding: bytes, as: UTF8.self)
                    .contains("allow_intrusive_scan is set to false"))
        }

        /// A status byte with its highest bit set makes libnfc call `abort`, and nothing in the
        /// process can prevent that.
        @Test("A reader that sends garbage as its status aborts the process")
        func abort() async throws {
            await #expect(processExitsWith: .signal(SIGABRT)) {
                let emulator = try EmulatedReader.start(.fresh)
                let connection = try #require(emulator.connectionString)
                let reader = try await LibNFCReader.open(connection)
                _ = try await reader.select(within: .zero)
                _ = emulator.control("fault data 1 status 128")
                _ = try? await reader.exchange(LibNFCBench.getVersion)
            }
        }
    }
}
