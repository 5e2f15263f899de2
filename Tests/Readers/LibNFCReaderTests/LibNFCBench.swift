import LibNFCReader
import PN532Emulator
import SimulatedReader
import Tags
import Testing

/// All tests that open a reader, serialized because a process can open only one at a time.
@Suite("Readers of libnfc, emulated on a serial line", .serialized)
enum LiveTests {}

/// An emulated reader, opened by libnfc.
enum LibNFCBench {
    /// The number of the tag that is on the reader at first.
    static let uid: [UInt8] = [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, 0x80]
    static let otherUID: [UInt8] = [0x04, 0xD9, 0x65, 0x0A, 0x32, 0x5E, 0x80]
    static let getVersion: [UInt8] = [0x60]
    static let version: [UInt8] = [0x00, 0x04, 0x04, 0x02, 0x01, 0x00, 0x0F, 0x03]

    /// Runs a body, then closes its reader and stops its emulator.
    static func run(
        _ simulation: Simulation = .fresh, link: String? = nil, wakesHaltedCards: Bool = true,
        _ body: (LibNFCReader, EmulatedReader) async throws -> Void
    ) async throws {
        var options = EmulatedReader.Options()
        (options.link, options.wakesHaltedCards) = (link, wakesHaltedCards)
        let emulator = try EmulatedReader.start(simulation, options)
        defer { emulator.stop() }
        let reader = try await open(try #require(emulator.connectionString))
        do {
            try await body(reader, emulator)
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
    }

    /// Opens an emulated reader, repeatedly if needed: libnfc waits a fixed time for the first
    /// answer, and on a busy machine the emulator may not have run by then.
    private static func open(_ name: String) async throws -> LibNFCReader {
        let mostAttempts = 5
        for _ in 1..<mostAttempts {
            do throws(ReaderError) {
                return try await LibNFCReader.open(name)
            } catch {
                guard error.detail.contains("did not respond in time") else { throw error }
            }
        }
        return try await LibNFCReader.open(name)
    }

    /// The error that a call throws; a call that does not throw fails the test.
    static func kind(
        of call: () async throws -> some Sendable
    ) async throws -> ReaderError.Kind {
        do {
            _ = try await call()
        } catch let error as ReaderError {
            return error.kind
        }
        throw Unexpected()
    }

    struct Unexpected: Error {}

    /// Waits until the emulated reader has received this many more commands.
    static func waitForCommands(
        _ count: Int, since before: Int? = nil, _ emulator: EmulatedReader
    ) async throws {
        let before = before ?? emulator.counters.hostCommands
        try await until { emulator.counters.hostCommands >= before + count }
    }

    /// Waits for a condition that soon holds; if it never does, the test fails instead of hanging.
    static func until(_ isDone: () async throws -> Bool) async throws {
        for _ in 0..<mostLooks {
            if try await isDone() { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw Unexpected()
    }

    private static let mostLooks = 20_000

    /// The tags `uid` and `otherUID`, the first of them on the reader.
    static var twoTags: Simulation {
        var simulation = Simulation.fresh
        _ = simulation.addTag(.ntag216) { [UInt8](repeating: 0, count: $0) }
        return simulation
    }

    static func temporaryLink() -> String {
        "/tmp/tapcard-reader-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
    }

    /// Arms a fault of the line, such as "data 1 corrupt".
    static func arm(_ fault: String, _ emulator: EmulatedReader) {
        let answer = emulator.control("fault " + fault)
        #expect(answer.contains("done"), "\(answer)")
    }
}
