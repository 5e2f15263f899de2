import LibNFCReader
import PN532Emulator
import SimulatedReader

/// Exercises everything around libnfc that allocates or frees memory, devices and locks, under a
/// memory checker, which sees what a test cannot.
enum MemcheckScenario {
    struct Failure: Error { let what: String }

    private static let read: [UInt8] = [0x30, 0x04]
    private static let cycles = 20

    static func run() async throws {
        let link = "/tmp/tapcard-memcheck-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        var options = EmulatedReader.Options()
        options.link = link
        let emulator = try EmulatedReader.start(.fresh, options)
        defer { emulator.stop() }
        guard let connection = emulator.connectionString else { throw Failure(what: "no device") }
        try await openAndClose(connection)
        try await failToOpen(connection)
        let reader = try await LibNFCReader.open(connection)
        try await damage(reader, emulator)
        try await unplug(reader, emulator)
        try await cancel(reader, emulator)
        await reader.close()
        try await drop(connection)
    }

    private static func openAndClose(_ connection: String) async throws {
        for _ in 0..<cycles {
            let reader = try await LibNFCReader.open(connection)
            _ = try await reader.select(within: .zero)
            _ = try await reader.exchange(read)
            _ = try await reader.information()
            await reader.release()
            await reader.close()
            await reader.close()
        }
        print("opened and closed \(cycles) times")
    }

    private static func failToOpen(_ connection: String) async throws {
        let reader = try await LibNFCReader.open(connection)
        for name in [connection, "pn532_uart:/dev/null", "pn532_uart:/dev/absent", "usb"] {
            if let other = try? await LibNFCReader.open(name) { await other.close() }
        }
        await reader.close()
        for name in ["pn532_uart:/dev/null", "pn532_uart:/dev/absent", "acr122_usb:9:9"] {
            if let other = try? await LibNFCReader.open(name) { await other.close() }
        }
        _ = try await LibNFCReader.connectedReaders()
        print("failed to open")
    }

    private static func damage(_ reader: LibNFCReader, _ emulator: EmulatedReader) async throws {
        let faults = [
            "corrupt", "lose-ack", "lose-reply", "late-reply", "stale-reply", "shorter", "longer",
            "status 1", "status 2", "status 39",
        ]
        for fault in faults {
            _ = try await reader.select(within: .seconds(600))
            _ = emulator.control("fault data 1 \(fault)")
            _ = try? await reader.exchange(read)
        }
        print("damaged the line")
    }

    private static func unplug(_ reader: LibNFCReader, _ emulator: EmulatedReader) async throws {
        for command in 1...6 {
            _ = emulator.control("fault command \(command) unplug")
            if (try? await reader.select(within: .zero)) != nil {
                _ = try? await reader.exchange(read)
            }
            await reader.release()
            _ = try? await reader.select(within: .zero)
            _ = emulator.control("plug")
            _ = try await reader.select(within: .seconds(600))
            await reader.release()
        }
        print("unplugged and plugged in")
    }

    private static func cancel(_ reader: LibNFCReader, _ emulator: EmulatedReader) async throws {
        await reader.release()
        for hangs in [false, true, true, false] {
            if hangs {
                _ = emulator.control("fault command 2 stall")
            } else {
                emulator.change { $0.take() }
            }
            let before = emulator.counters.hostCommands
            let waiting = Task { try? await reader.select(within: .seconds(600)) }
            while emulator.counters.hostCommands < before + 2 {
                try await Task.sleep(for: .milliseconds(1))
            }
            waiting.cancel()
            _ = await waiting.value
            _ = emulator.control("resume")
            emulator.change { world in
                if let uid = world.lastOnReader { world.put([uid]) }
            }
            _ = try await reader.select(within: .seconds(600))
            await reader.release()
        }
        print("cancelled")
    }

    private static func drop(_ connection: String) async throws {
        _ = try await LibNFCReader.open(connection)
        while true {
            guard let reader = try? await LibNFCReader.open(connection) else {
                await Task.yield()
                continue
            }
            await reader.close()
            print("dropped")
            return
        }
    }
}
