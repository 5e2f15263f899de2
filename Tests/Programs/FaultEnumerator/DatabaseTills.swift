import Glibc
import Ledger
import PostgreSQLLedger
import TapcardDomain
import TestSupport

/// An issuer's ledger in its own database.
struct TestIssuer {
    struct Failure: Error { let what: String }

    let server: PrivatePostgreSQL
    let name: String

    var address: String { server.address(of: name) }
    var owner: PostgreSQLDatabase { PostgreSQLDatabase(address, now: { Till.time }) }

    static func opened(on server: PrivatePostgreSQL) async throws -> TestIssuer {
        let issuer = TestIssuer(server: server, name: "issuer_\(UInt64.random(in: 0...UInt64.max))")
        _ = try server.database(issuer.name)
        try await issuer.owner.makeLedger(in: .usd, partitions: 1)
        return issuer
    }

    func till(
        _ number: Int, _ timeouts: ResponseTimeouts = .forOwner, by address: String? = nil,
        memory: String? = nil
    ) async throws -> Till {
        Till(
            ledger: try await PostgreSQLLedger.open(
                address ?? self.address, as: number, memory: memory, timeouts: timeouts))
    }

    /// Copies the database, as a backup would, once no till is connected.
    func copy() throws -> TestIssuer {
        let copy = TestIssuer(server: server, name: name + "_copy")
        try waitUntil("SELECT count(*) = 0 FROM (\(TestIssuer.tills)) AS open")
        _ = try server.database(copy.name, copying: name)
        return copy
    }

    /// Selects the server's processes for the tills of this database.
    private static let tills = """
        SELECT pid, wait_event, wait_event_type FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'tapcard'
        """

    func waitUntil(_ question: String) throws {
        while try answer(question) != "t" { usleep(10_000) }
    }

    func waitForTills(_ count: Int) throws {
        try waitUntil("SELECT count(*) = \(count) FROM (\(TestIssuer.tills)) AS open")
    }

    /// Whether any till waits for a locked row, or for the replica.
    func isSomebodyWaiting(for what: Wait) -> Bool {
        let count = try? answer(
            "SELECT count(*) FROM (\(TestIssuer.tills)) AS open WHERE \(what.rawValue)")
        return count.map { $0 != "0" } ?? false
    }

    enum Wait: String {
        case lock = "wait_event_type = 'Lock'"
        case replica = "wait_event = 'SyncRep'"
    }

    @discardableResult func answer(_ statement: String) throws -> String {
        try server.answer(to: statement, in: name)
    }
}

/// A station without a reader.
struct Till {
    let ledger: any LedgerStore

    static let time = Timestamp(milliseconds: 1_700_000_000_000)
    private static let sealer = RecordSealer(
        keyID: 1,
        seal: { content in
            let uid = content.uid.bytes.suffix(4)
            return uid + [UInt8](repeating: UInt8(content.sequence.value & 0xFF), count: 12)
        })

    static func card(_ number: UInt8) -> CardUID {
        guard let uid = CardUID(bytes: [0x04, 0xAC, 0x6B, 0x72, 0xBA, 0x6C, number]) else {
            preconditionFailure("seven bytes are a card's number")
        }
        return uid
    }

    static func id(_ number: UInt8) -> OperationID {
        guard let id = OperationID(bytes: [UInt8](repeating: number, count: 16)) else {
            preconditionFailure("sixteen bytes are an id")
        }
        return id
    }

    static func plan(
        _ origin: CardPlan.Origin = .issue, scratch: ScratchCard = .none
    ) -> CardAction {
        .make(
            CardPlan(
                origin: origin, chip: .ntag213, isGenuineChip: nil,
                holder: Holder(id: nil, name: nil), scratch: scratch, face: .tapcard,
                balance: Money(minorUnits: 1_000, .usd),
                mayReissue: false, above: .none))
    }

    /// The version of a card that was just issued.
    static let made = CardVersion(confirmed: SequenceNumber(1) ?? .none, open: nil)
    static let pay = CardAction.pay(Money(minorUnits: 100, .usd))
    static let add = CardAction.add(Money(minorUnits: 100, .usd))

    func knownCard(_ card: UInt8 = 1) async throws(LedgerError) -> KnownCard? {
        try await ledger.knownCard(of: Till.card(card))
    }

    /// Begins a request on the given version of the card, or on the current one if nil.
    func begin(
        _ action: CardAction, _ id: UInt8, on card: UInt8 = 1, version: CardVersion? = nil
    ) async throws(LedgerError) -> BeginOutcome {
        try await begin(action, as: Till.id(id), on: card, version: version)
    }

    private func begin(
        _ action: CardAction, as id: OperationID, on card: UInt8, version: CardVersion?
    ) async throws(LedgerError) -> BeginOutcome {
        let now = version == nil ? try await knownCard(card).map(CardVersion.init) : version
        let request = Request(
            id: id, uid: Till.card(card), action: action, at: Till.time)
        return try await ledger.begin(request, version: now, sealer: Till.sealer)
    }

    func open(_ action: CardAction, _ id: UInt8, on card: UInt8 = 1) async throws -> OpenOperation {
        let beginning = try await begin(action, id, on: card)
        guard case .begun(let open) = beginning else {
            throw TestIssuer.Failure(what: "\(beginning)")
        }
        return open
    }

    func confirm(_ open: OpenOperation) async throws(LedgerError) -> Confirmation {
        try await ledger.confirm(open, at: Till.time)
    }

    @discardableResult
    func complete(_ action: CardAction, _ id: UInt8, on card: UInt8 = 1) async throws -> Operation {
        try await complete(action, as: Till.id(id), on: card)
    }

    @discardableResult
    func complete(
        _ action: CardAction, as id: OperationID, on card: UInt8 = 1
    ) async throws -> Operation {
        let beginning = try await begin(action, as: id, on: card, version: nil)
        guard case .begun(let open) = beginning else {
            throw TestIssuer.Failure(what: "\(beginning)")
        }
        let confirmation = try await confirm(open)
        guard case .committed(let operation) = confirmation else {
            throw TestIssuer.Failure(what: "\(confirmation)")
        }
        return operation
    }

    func state(of id: UInt8) async throws(LedgerError) -> Operation.State? {
        try await ledger.operation(Till.id(id))?.state
    }
}

extension BeginOutcome {
    var isBegun: Bool { if case .begun = self { true } else { false } }
}
