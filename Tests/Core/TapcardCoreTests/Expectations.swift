import Cards
import FaultyWorld
import Ledger
import Tags
import TapcardCore
import TapcardDomain
import Testing

extension World {
    /// Expects a resolved card, by the enumerator's checks and the ledger's own; no operation is
    /// open on any card, and the tag behaves as the ledger says.
    func expectResolved(
        _ label: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let world = RestingWorld(tag: try await tag(), ledger: tables)
        let violations = tables.rowsBroken + world.unresolved()
        #expect(violations == [], label, sourceLocation: sourceLocation)
        let audit = try await ledger.audit()
        #expect(audit.violations == [] && audit.open == 0, label, sourceLocation: sourceLocation)
        let card = try #require(world.card, label, sourceLocation: sourceLocation)
        try await expectProtected(
            as: card.protection, label, sourceLocation: sourceLocation)
    }

    /// The balance of the first tag's card in the ledger.
    func balance() async throws -> Int64? {
        try await ledger.knownCard(of: try await uid())?.balance.minorUnits
    }

    func operations() async throws -> [Ledger.Operation] {
        try await ledger.read { rows throws(LedgerError) in try rows.operations(on: nil) }
    }
}

/// The outcome of a request, success or failure.
func outcome<Success: Sendable>(
    _ body: () async throws(TapcardError) -> Success
) async -> Result<Success, TapcardError> {
    do {
        return .success(try await body())
    } catch {
        return .failure(error)
    }
}

extension Result where Failure == TapcardError {
    /// The kind of the error, or nil on success.
    var error: TapcardError.Kind? {
        if case .failure(let error) = self { error.kind } else { nil }
    }

    /// The error, or nil on success.
    var failure: TapcardError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The result of the error, or nil on success.
    var result: TapcardError.Result? {
        if case .failure(let error) = self { error.result } else { nil }
    }

    var isSuccess: Bool { error == nil }
}

/// Expects a refusal of this kind, with the exit status that is documented for it.
func expectRefused<Success: Sendable>(
    _ kind: TapcardError.Kind, exit status: Int32, _ label: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws(TapcardError) -> Success
) async {
    switch await outcome(body) {
    case .success(let success):
        Issue.record("not refused: \(success)", sourceLocation: sourceLocation)
    case .failure(let error):
        #expect(error.kind == kind, label, sourceLocation: sourceLocation)
        #expect(error.result.exitStatus == status, label, sourceLocation: sourceLocation)
    }
}
