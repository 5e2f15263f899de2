import Ledger
import TagReading
import TapcardDomain

/// Stands between a station and the world: told of every step before it is taken.
protocol Steps: Sendable {
    func take<Success, Failure: Error>(
        orFail failure: Failure, _ step: () async throws(Failure) -> Success
    ) async throws(Failure) -> Success
}

/// A reader whose every call is a step.
struct SteppedReader<Path: Steps>: TagReader {
    let reader: any TagReader
    let steps: Path

    var name: String { get async { await reader.name } }
    var longestAnswer: Int { get async { await reader.longestAnswer } }

    func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        try await steps.take(orFail: ReaderError(.readerLost)) { () throws(ReaderError) in
            try await reader.select(within: limit)
        }
    }

    func exchange(_ frame: [UInt8]) async throws(ReaderError) -> [UInt8] {
        try await steps.take(orFail: ReaderError(.readerLost)) { () throws(ReaderError) in
            try await reader.exchange(frame)
        }
    }

    func release() async { await reader.release() }
}

/// A ledger whose every transaction is a step.
struct SteppedLedger<Path: Steps>: LedgerStore {
    let ledger: any LedgerStore
    let steps: Path

    var currency: Currency { ledger.currency }
    private var gone: LedgerError { LedgerError(.unavailable, "nobody is there to ask") }

    func read<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await steps.take(orFail: gone) { () throws(LedgerError) in
            try await ledger.read(body)
        }
    }

    func write<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await steps.take(orFail: gone) { () throws(LedgerError) in
            try await ledger.write(body)
        }
    }
}
