import Ledger
import TapcardDomain

/// The ledger as a process sees it that dies: what it wrote before stays written.
struct MortalLedger: LedgerStore {
    let ledger: any LedgerStore
    let lifeline: Lifeline

    var currency: Currency { ledger.currency }

    func read<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        guard lifeline.isAlive else { throw LedgerError(.unavailable, "the process is dead") }
        return try await ledger.read(body)
    }

    func write<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        let failure = LedgerError(.unavailable, "the process is dead")
        return try await lifeline.take(orFail: failure) { () throws(LedgerError) in
            try await ledger.write(body)
        }
    }
}
