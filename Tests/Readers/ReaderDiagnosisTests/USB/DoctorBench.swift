import BlockingLane
import CommandLine
import IdleDrivers
import Ledger
import PortDoubles
import ReaderDiagnosis
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import Verbs

/// `tapcard doctor` and `tapcard readers` of the real program, with the survey of an imaginary
/// machine and a simulated tag on any reader that is opened.
final class DoctorBench: Sendable {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)

    private let survey: ReaderSurvey
    private let reader: any TagReader
    private let failure: ReaderError?
    private let damage: LedgerError?
    private let database: DatabaseStatus?
    private let connections: Result<ConnectionCheck, TapcardError>
    private let output = Guarded("")

    /// With a failure no reader can be opened, and with damage no ledger.
    init(
        _ survey: ReaderSurvey, reader: any TagReader = InterposedReader.played,
        failing failure: ReaderError? = nil, damage: LedgerError? = nil,
        database: DatabaseStatus? = nil,
        connections: Result<ConnectionCheck, TapcardError> = .success(ConnectionCheck())
    ) {
        (self.damage, self.database, self.connections) = (damage, database, connections)
        self.survey = survey
        self.reader = reader
        self.failure = failure
    }

    /// The output, without colors, and the exit status.
    func run(_ words: [String]) async -> (status: Int32, text: String) {
        let program = Program(
            drivers: drivers,
            console: Console(
                isTerminal: false, isErrorTerminal: false, columns: { nil },
                write: { [output] bytes in
                    output.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
                }, writeError: { [output] text in output.withLock { $0 += text } }),
            // Nothing is written there: neither command needs a folder.
            environment: ["XDG_DATA_HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent"])
        let status = await program.run(words).status
        let text = output.withLock { text in
            defer { text = "" }
            return text
        }
        return (status, text)
    }

    private var drivers: Drivers {
        Drivers(
            openReader: { [reader, failure] _, _, _ throws(ReaderError) in
                if let failure { throw failure }
                return reader
            },
            openLedger: { [damage] _, _, _, _ throws(LedgerError) in
                if let damage { throw damage }
                return InMemoryLedger()
            },
            awaitLedger: { _, currency, _ in InMemoryLedger(currency: currency) },
            database: { [database] _ in NoDatabase(database) },
            backUp: { _, _ throws(LedgerError) in },
            restore: { _, _, _ throws(LedgerError) in Restoration(exhausted: [], stopped: nil) },
            setAside: { path throws(LedgerError) in path },
            simulatedTags: EmptyDrawer(), readers: Fixed(known: survey),
            checkConnections: { [connections] _ throws(TapcardError) in try connections.get() },
            services: { _ in NoServices.all },
            dependencies: { progress in
                Station.Dependencies(
                    now: { DoctorBench.now }, sleep: { _ in }, progress: progress)
            })
    }

    private struct Fixed: ReaderInventory {
        let known: ReaderSurvey

        func survey(naming name: ReaderName?) -> ReaderSurvey { known }
        func firmware(of reader: any TagReader) -> String? { "PN532 v1.6" }
    }
}

extension InterposedReader {
    private static let acr122 = "ACS / ACR122U PICC Interface"

    /// An ACR122U of libnfc with a simulated tag on it.
    static var played: InterposedReader {
        InterposedReader(SimulatedReader(.fresh), name: acr122)
    }

    /// A reader that can be opened but fails every call.
    static func failing(_ error: ReaderError) -> InterposedReader {
        InterposedReader(
            SimulatedReader(.fresh), name: acr122,
            select: { _, _ throws(ReaderError) in throw error },
            answer: { _, _ throws(ReaderError) in throw error })
    }
}
