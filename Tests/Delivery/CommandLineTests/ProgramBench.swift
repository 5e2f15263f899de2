import BlockingLane
import Bridge
import CommandLine
import Glibc
import IdleDrivers
import Ledger
import OperatingSystem
import ReaderDiagnosis
import RemoteServices
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import TextCodecs
import TillServer
import Verbs

/// The whole command line on drivers in memory, with a fixed clock and repeatable random bytes, so
/// it prints the same text and ids in every run.
final class ProgramBench: Sendable {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)

    let reader = SimulatedReader(.fresh)
    private let ledger: InMemoryLedger
    private let folder: String
    private let isTerminal: Bool
    private let promptHidden: HiddenPrompt?
    /// The addresses at which tills were served.
    let served = Guarded<[String]>([])
    private let columns: Int?
    private let services: Services
    /// The settings that the services' drivers were made with, each time they were made.
    let made = Guarded<[ServiceSettings]>([])
    private let clock: @Sendable () -> Timestamp
    /// The names of the readers that were opened.
    let opened = Recording()
    private let smartCardReaders: [String]
    private let output = Recording()
    private let numbers = Recording()
    private let running = Guarded<Program?>(nil)

    init(
        isTerminal: Bool = false, typing lines: [String?]? = nil, columns: Int? = nil,
        services: Services = NoServices.all, smartCardReaders: [String] = [],
        currency: Currency = .usd, clock: @escaping @Sendable () -> Timestamp = { ProgramBench.now }
    ) throws {
        self.clock = clock
        ledger = InMemoryLedger(currency: currency)
        self.smartCardReaders = smartCardReaders
        self.isTerminal = isTerminal
        promptHidden = lines.map { lines in
            let left = Guarded(lines)
            return { _ in left.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        }
        self.columns = columns
        self.services = services
        folder = "/tmp/tapcard-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try DurableFile.makeFolder(folder)
    }

    deinit {
        // Nothing else lies in the folder; one that stays in /tmp does no harm.
        for name in [
            "keys.json", "keys.json.lock", "config.json", "config.json.lock", "mastermind.json",
            "mastermind.json.lock",
            "cashiers.json", "cashiers.json.lock", "tokens.json", "tokens.json.lock", "ca.pem",
            "ledger.sqlite",
            "copy.json", "wifi.txt", "login.pgpass", "old.sqlite.into", "old.sqlite.moved",
        ] {
            try? DurableFile(path(of: name)).remove()
            unsafe rmdir(path(of: name))
        }
        unsafe rmdir("\(folder)/tapcard/simulated")
        unsafe rmdir("\(folder)/tapcard")
        unsafe rmdir(folder)
    }

    /// Writes the settings file.
    func set(_ text: String) throws { try write(text, to: "config.json") }

    /// Writes a file into the program's folder and returns its path.
    @discardableResult
    func write(_ text: String, to name: String, mode: UInt32 = 0o644) throws -> String {
        try DurableFile.makeFolder("\(folder)/tapcard/simulated")
        let path = path(of: name)
        try DurableFile(path).write(Array(text.utf8), mode: mode)
        return path
    }

    func path(of name: String) -> String { "\(folder)/tapcard/simulated/\(name)" }

    /// The result of a run; a line on standard error begins with "! ".
    struct Ended: Equatable {
        let status: Int32
        let text: String
    }

    /// The completions for a line whose last word is being typed.
    func complete(_ line: String, failing failures: Failures = Failures()) async -> Ended {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return await run(["help", "--complete"] + words, failing: failures)
    }

    func run(
        _ line: String, failing failures: Failures = Failures(),
        _ environment: [String: String] = [:], malformed: Set<String> = []
    ) async -> Ended {
        await run(
            line.split(separator: " ").map(String.init), failing: failures, environment,
            malformed: malformed)
    }

    private func run(
        _ words: [String], failing failures: Failures, _ environment: [String: String] = [:],
        malformed: Set<String> = []
    ) async -> Ended {
        let variables = [
            "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "TAPCARD_READER": "sim",
        ].merging(NoServices.addresses) { $1 }
        let serving = ServingProcess(whenServing: { [served] pages in
            served.withLock { $0.append(pages.service?.address ?? "") }
        })
        let program = Program(
            drivers: drivers(failures),
            adding: [.serve(in: serving), .watch { _, _ in HTTPClient(.init(version: "test")) }],
            console: Console(
                isTerminal: isTerminal, isErrorTerminal: isTerminal,
                columns: { [columns] in columns },
                promptHidden: promptHidden,
                write: { [output] bytes throws(OutputError) in
                    if let failure = failures.output { throw failure }
                    output.append(String(decoding: bytes, as: UTF8.self))
                },
                writeError: { [output] in output.append("! " + $0) }),
            environment: variables.merging(environment) { $1 }, malformed: malformed)
        running.withLock { $0 = program }
        let status = await program.run(words).status
        return Ended(status: status, text: output.takeAll().replacing(folder, with: "~"))
    }

    /// What the current run prints when its process is ended at once.
    func endNow() -> String {
        output.takeAll()
        running.withLock { $0 }?.endNow {}
        return output.takeAll()
    }

    /// Waits until a run has printed this text.
    func waitForOutput(_ text: String) async throws {
        while !output.contains(text) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// The JSON document of a run.
    func document(
        _ line: String, _ environment: [String: String] = [:]
    ) async throws -> JSONValue {
        let text = await run(line + " --json", environment).text
        // The first run tells people where things lie, whatever form was asked for.
        let last = text.split(separator: "\n").last ?? ""
        return try JSONValue.parsing(Array(last.utf8))
    }

    /// A bench with a scratched card.
    static func withScratchedCard(
        isTerminal: Bool = false, services: Services
    ) async throws -> ProgramBench {
        let bench = try ProgramBench(isTerminal: isTerminal, services: services)
        _ = await bench.run("demo --quiet")
        _ = await bench.run("scratch --quiet")
        return bench
    }

    /// Arms a fault, or none, and lays the card down again.
    func arm(_ fault: Fault?) async throws {
        try await reader.change { world in
            world.fault = fault
            world.put([world.tags[0].uid])
        }
    }

    /// The errors that the reader, the ledger, the database and the output fail with.
    struct Failures: Sendable {
        var reader: ReaderError?
        var ledger: LedgerError?
        var database: LedgerError?
        var output: OutputError?
    }

    private func drivers(_ failures: Failures) -> Drivers {
        Drivers(
            openReader: { [reader, opened] name, _, _ throws(ReaderError) in
                opened.append(name?.text ?? "")
                if let failure = failures.reader { throw failure }
                return reader
            },
            openLedger: { [ledger] _, _, _, _ throws(LedgerError) in
                if let failure = failures.ledger { throw failure }
                return ledger
            },
            awaitLedger: { _, currency, _ in InMemoryLedger(currency: currency) },
            database: { _ in
                failures.database.map { NoDatabase(failing: $0) } ?? NoDatabase()
            },
            backUp: { _, _ throws(LedgerError) in
                if let failure = failures.ledger { throw failure }
            },
            restore: { _, _, _ throws(LedgerError) in
                if let failure = failures.ledger { throw failure }
                return Restoration(
                    exhausted: [CardUID(bytes: [4, 1, 2, 3, 4, 5, 6])].compactMap { $0 },
                    stopped: nil)
            },
            setAside: { path throws(LedgerError) in path },
            simulatedTags: EmptyDrawer(), readers: PCSCReaders(names: smartCardReaders),
            checkConnections: { _ in ConnectionCheck() },
            services: { [services, made] settings in
                made.withLock { $0.append(settings) }
                return services
            },
            dependencies: { [numbers, clock] progress in
                Station.Dependencies(
                    now: clock,
                    // A till that looks whether its card is still there would look without end.
                    sleep: { _ in try await Task.sleep(for: .milliseconds(1)) },
                    random: { count in
                        numbers.append("x")
                        return [UInt8](repeating: UInt8(numbers.count), count: count)
                    }, progress: progress)
            })
    }
}

/// A machine without USB, where pcscd may list readers.
private struct PCSCReaders: ReaderInventory {
    let names: [String]

    func survey(naming name: ReaderName?) -> ReaderSurvey {
        var survey = ReaderSurvey(bus: .absent, user: "amanda")
        survey.smartCardReaders = names
        return survey
    }
    func firmware(of reader: any TagReader) -> String? { nil }
}

/// Texts in order of arrival, from any thread.
final class Recording: Sendable {
    private let texts = Guarded<[String]>([])

    func append(_ text: String) { texts.withLock { $0.append(text) } }

    var count: Int { texts.withLock { $0.count } }

    func contains(_ text: String) -> Bool {
        texts.withLock { $0.contains { $0.contains(text) } }
    }

    @discardableResult func takeAll() -> String {
        texts.withLock { texts in
            defer { texts = [] }
            return texts.joined()
        }
    }
}
