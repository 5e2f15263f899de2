public import Ledger
public import TapcardDomain
import Testing

/// A station without a reader: its requests to the ledger, as if every tag did what it should.
public struct LedgerTill: Sendable {
    public let ledger: any LedgerStore
    public var sealer = RecordSealer.hashing(key: 1)
    private let requester: Requester

    public init(_ ledger: any LedgerStore, _ requester: Requester = Requester()) {
        (self.ledger, self.requester) = (ledger, requester)
    }

    public func knownCard(_ uid: CardUID = .first) async throws -> KnownCard {
        try #require(try await ledger.knownCard(of: uid), "the ledger does not know \(uid)")
    }

    /// Requests a change of the card as it is now.
    public func begin(
        _ action: CardAction, id: Int, on uid: CardUID = .first
    ) async throws -> BeginOutcome {
        let version = try await ledger.knownCard(of: uid).map(CardVersion.init)
        return try await begin(action, id: id, on: uid, version: version)
    }

    public func begin(
        _ action: CardAction, id: Int, on uid: CardUID = .first, version: CardVersion?
    ) async throws -> BeginOutcome {
        let request = Request(
            id: .numbered(id), uid: uid, action: action, by: requester, at: .tick(id))
        return try await ledger.begin(request, version: version, sealer: sealer)
    }

    /// Requests a change that must be accepted.
    public func open(
        _ action: CardAction, id: Int, on uid: CardUID = .first
    ) async throws -> OpenOperation {
        let beginning = try await begin(action, id: id, on: uid)
        guard case .begun(let open) = beginning else {
            throw Unexpected(answer: "\(beginning)")
        }
        return open
    }

    /// Requests a change and confirms it on the card.
    @discardableResult public func complete(
        _ action: CardAction, id: Int, on uid: CardUID = .first
    ) async throws -> Operation {
        try await confirm(try await open(action, id: id, on: uid))
    }

    @discardableResult public func confirm(_ open: OpenOperation) async throws -> Operation {
        let confirmation = try await ledger.confirm(open, at: .end)
        guard case .committed(let operation) = confirmation else {
            throw Unexpected(answer: "\(confirmation)")
        }
        return operation
    }

    public func refusal(
        of action: CardAction, id: Int, on uid: CardUID = .first
    ) async throws -> Refusal.Rule {
        let beginning = try await begin(action, id: id, on: uid)
        guard case .refused(let refusal) = beginning else {
            throw Unexpected(answer: "\(beginning)")
        }
        return refusal.rule
    }

    /// Begins an attempt to activate the code that is on the card.
    @discardableResult public func ask(
        for id: Int, on uid: CardUID = .first
    ) async throws -> ActivationRequest {
        try await ledger.requestActivation(
            of: uid, id: .numbered(id), version: CardVersion(try await knownCard(uid)),
            by: requester,
            at: .tick(id))
    }

    /// Records the service's answer.
    @discardableResult public func answer(
        _ id: Int, rejectedBy version: String? = nil
    ) async throws -> ActivationAttempt? {
        try await ledger.recordActivation(.numbered(id), rejectedBy: version, at: .end)
    }

    /// Pays a prize in cash out of the drawer.
    public func payOut(
        _ cents: Int64, of ticket: Ticket = .sample(), id: Int, on uid: CardUID = .first
    ) async throws -> PrizePayout {
        try await ledger.payOut(
            .cents(cents), of: ticket.id, on: uid, id: .numbered(id), by: requester, at: .tick(id))
    }

    public func balance(of account: Account) async throws -> Int64 {
        try await ledger.read { rows throws(LedgerError) in try rows.balance(of: account) }
    }

    public func balance(_ uid: CardUID = .first) async throws -> Int64 {
        try await knownCard(uid).balance.minorUnits
    }
}

/// An answer that ends a scenario.
struct Unexpected: Error {
    let answer: String
}

extension Resolution {
    /// The record for the tag.
    func open() throws -> OpenOperation {
        guard case .open(let open) = self else { throw Unexpected(answer: "\(self)") }
        return open
    }
}
