import Glibc
import Ledger
import PostgreSQLLedger
import PrivatePostgreSQL
import TapcardDomain

/// A ledger in a database of its own.
struct House {
    struct Failure: Error { let what: String }

    let server: PrivatePostgreSQL
    let name: String

    var address: String { server.address(of: name) }
    var owner: PostgreSQLDatabase { PostgreSQLDatabase(address, now: { Till.time }) }

    static func opened(on server: PrivatePostgreSQL) async throws -> House {
        let house = House(server: server, name: "house_\(UInt64.random(in: 0...UInt64.max))")
        _ = try server.database(house.name)
        try await house.owner.makeLedger(in: .usd, partitions: 1)
        return house
    }

    func till(
        _ number: Int, _ patience: Patience = .ofOwner, by address: String? = nil,
        memory: String? = nil
    ) async throws -> Till {
        Till(
            ledger: try await PostgreSQLLedger.open(
                address ?? self.address, as: number, memory: memory, patience: patience))
    }

    /// The database as a backup has it; no till may be connected then.
    func copy() throws -> House {
        let copy = House(server: server, name: name + "_copy")
        try waitUntil("SELECT count(*) = 0 FROM (\(House.tills)) AS open")
        _ = try server.database(copy.name, copying: name)
        return copy
    }

    /// The server's processes for the tills of one database.
    private static let tills = """
        SELECT pid, wait_event, wait_event_type FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'tapcard'
        """

    func waitUntil(_ question: String) throws {
        while try answer(question) != "t" { usleep(10_000) }
    }

    func waitForTills(_ count: Int) throws {
        try waitUntil("SELECT count(*) = \(count) FROM (\(House.tills)) AS open")
    }

    /// Whether some till waits: for a row that another one has locked, or for the replica.
    func isSomebodyWaiting(for what: Wait) -> Bool {
        let count = try? answer(
            "SELECT count(*) FROM (\(House.tills)) AS open WHERE \(what.rawValue)")
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
    ) -> Intent {
        .make(
            CardPlan(
                origin: origin, chip: .ntag213, isGenuineChip: nil,
                holder: Holder(id: nil, name: nil), scratch: scratch, face: .tapcard,
                balance: Money(minorUnits: 1_000, .usd),
                mayReissue: false, above: .none))
    }

    /// The card as it is once it was made.
    static let made = Seen(confirmed: SequenceNumber(1) ?? .none, open: nil)
    static let pay = Intent.pay(Money(minorUnits: 100, .usd))
    static let add = Intent.add(Money(minorUnits: 100, .usd))

    func view(_ card: UInt8 = 1) async throws(LedgerError) -> CardView? {
        try await ledger.view(of: Till.card(card))
    }

    /// Asks for a change of the card as it is now, or as it was seen.
    func begin(
        _ intent: Intent, _ id: UInt8, on card: UInt8 = 1, seen: Seen? = nil
    ) async throws(LedgerError) -> Beginning {
        try await begin(intent, as: Till.id(id), on: card, seen: seen)
    }

    private func begin(
        _ intent: Intent, as id: OperationID, on card: UInt8, seen: Seen?
    ) async throws(LedgerError) -> Beginning {
        let now = seen == nil ? try await view(card).map(Seen.init) : seen
        let request = Request(
            id: id, uid: Till.card(card), intent: intent, at: Till.time)
        return try await ledger.begin(request, seen: now, sealer: Till.sealer)
    }

    func work(_ intent: Intent, _ id: UInt8, on card: UInt8 = 1) async throws -> OpenWork {
        let beginning = try await begin(intent, id, on: card)
        guard case .begun(let work) = beginning else {
            throw House.Failure(what: "\(beginning)")
        }
        return work
    }

    func confirm(_ work: OpenWork) async throws(LedgerError) -> Confirmation {
        try await ledger.confirm(work, at: Till.time)
    }

    @discardableResult
    func complete(_ intent: Intent, _ id: UInt8, on card: UInt8 = 1) async throws -> Operation {
        try await complete(intent, as: Till.id(id), on: card)
    }

    @discardableResult
    func complete(
        _ intent: Intent, as id: OperationID, on card: UInt8 = 1
    ) async throws -> Operation {
        let beginning = try await begin(intent, as: id, on: card, seen: nil)
        guard case .begun(let work) = beginning else {
            throw House.Failure(what: "\(beginning)")
        }
        let confirmation = try await confirm(work)
        guard case .committed(let operation) = confirmation else {
            throw House.Failure(what: "\(confirmation)")
        }
        return operation
    }

    func state(of id: UInt8) async throws(LedgerError) -> Operation.State? {
        try await ledger.operation(Till.id(id))?.state
    }
}

extension Beginning {
    var isBegun: Bool { if case .begun = self { true } else { false } }
}
