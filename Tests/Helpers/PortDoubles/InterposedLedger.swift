package import Ledger
package import TapcardDomain

/// A ledger in front of another one: a test passes each call on, loses its answer or refuses it.
package struct InterposedLedger: LedgerStore {
    package enum Call: Sendable {
        case query, commit, check
    }

    package enum Fate: Sendable {
        case passedOn
        /// The other ledger carries it out, and the caller gets this error.
        case unanswered(LedgerError)
        case refused(LedgerError)
    }

    private let ledger: any LedgerStore
    private let fate: @Sendable (Call) async -> Fate

    package init(_ ledger: any LedgerStore, fate: @escaping @Sendable (Call) async -> Fate) {
        self.ledger = ledger
        self.fate = fate
    }

    package var currency: Currency { ledger.currency }

    package func read<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await pass(.query) { () throws(LedgerError) in try await ledger.read(body) }
    }

    package func write<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await pass(.commit) { () throws(LedgerError) in try await ledger.write(body) }
    }

    package func checkStorage() async throws(LedgerError) {
        try await pass(.check) { () throws(LedgerError) in try await ledger.checkStorage() }
    }

    private func pass<Success>(
        _ call: Call, _ body: () async throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        switch await fate(call) {
        case .passedOn: return try await body()
        case .unanswered(let error):
            _ = try await body()
            throw error
        case .refused(let error): throw error
        }
    }
}
