import CardImage
import CardStore
import Ledger
import TapcardCore
import TapcardDomain
import Testing
import Type2Tag

extension World {
    /// Invariant I8, looked up in the bytes: the record is the one that the ledger confirmed, what
    /// phones read is its rendering, nothing is open; and the ledger breaks none of its own rules.
    func expectSettled(
        _ label: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let tag = try await tag()
        let uid = try await uid()
        let audit = try await ledger.audit()
        #expect(audit.violations == [], label, sourceLocation: sourceLocation)
        #expect(audit.open == 0, label, sourceLocation: sourceLocation)
        let view = try #require(
            try await ledger.view(of: uid), label, sourceLocation: sourceLocation)
        let (card, issued) = try await ledger.read { rows throws(LedgerError) in
            (view.card, try rows.issued(uid, view.card.confirmed))
        }
        let record = try #require(issued?.bytes, label, sourceLocation: sourceLocation)
        #expect(try tag.image.records.contains(record), label, sourceLocation: sourceLocation)
        let best = try await slots().best?.record
        #expect(best?.bytes == record, label, sourceLocation: sourceLocation)
        #expect(
            best.map { Int64($0.balance) } == view.balance.minorUnits, label,
            sourceLocation: sourceLocation)
        let isClosed = card.status == .closed
        let face = CardFace(
            style: card.face, balance: view.balance, holder: isClosed ? .nobody : card.holder,
            scratch: isClosed ? .none : card.scratch)
        #expect(
            try tag.image.area == face.area(in: tag.layout), label, sourceLocation: sourceLocation)
        try await expectProtected(
            as: card.protection, label, sourceLocation: sourceLocation)
    }

    /// What the account of the first tag's card holds.
    func balance() async throws -> Int64? {
        try await ledger.view(of: try await uid())?.balance.minorUnits
    }

    func operations() async throws -> [Ledger.Operation] {
        try await ledger.read { rows throws(LedgerError) in try rows.operations(on: nil) }
    }
}

/// What was said, whether it was good news or bad.
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
    /// Why not; nil where it went well.
    var error: TapcardError.Kind? {
        if case .failure(let error) = self { error.kind } else { nil }
    }

    /// Why not, whole; nil where it went well.
    var failure: TapcardError? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// In which of the nine ways it ended; nil where it went well.
    var result: TapcardError.Result? {
        if case .failure(let error) = self { error.result } else { nil }
    }

    var isSuccess: Bool { error == nil }
}

/// Expects a refusal, and that its exit status is the one that its kind is documented with.
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
