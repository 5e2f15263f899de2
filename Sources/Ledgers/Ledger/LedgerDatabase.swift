public import TapcardDomain

/// A database that holds the ledger of several stations, as seen by its owner.
public protocol LedgerDatabase: Sendable {
    /// Throws the reason for which no ledger can be made in the database. Nothing is made.
    func requireRoom() async throws(LedgerError)

    /// Makes an empty ledger in an empty database.
    func makeLedger(in currency: Currency) async throws(LedgerError)

    /// Makes the ledger of an empty database a copy of another one, in one transaction. `origin`
    /// names that ledger: the second time nothing is done.
    func fill(from source: any LedgerStore, origin: String) async throws(LedgerError) -> Filled

    /// Brings the tables up to date.
    func migrate() async throws(LedgerError)

    func status() async throws(LedgerError) -> DatabaseStatus

    /// Declares that the ledger is open on this server: after the promotion of a replica, or after
    /// a backup was restored. After a loss every card skips the numbers that may have been lost.
    func reopen(_ loss: DeclaredLoss) async throws(LedgerError)

    /// Makes a login for a station; its number.
    func register(_ name: StationName, password: String) async throws(LedgerError) -> Int

    func stations() async throws(LedgerError) -> [RegisteredStation]

    /// Ends the rights of a station at once. Its name is not used again.
    func revoke(_ name: StationName) async throws(LedgerError)
}

/// The result of copying a ledger into a database.
public struct Filled: Hashable, Sendable {
    public let cards: Int
    public let operations: Int
    /// Whether an earlier run has copied it.
    public let wasThere: Bool

    public init(cards: Int, operations: Int, wasThere: Bool) {
        (self.cards, self.operations, self.wasThere) = (cards, operations, wasThere)
    }
}

/// The owner's word about a server that was promoted or restored.
public enum DeclaredLoss: String, Sendable, CaseIterable {
    /// It has every confirmed commit.
    case nothing
    /// It may lack some of them.
    case something
}

/// The state of a database that holds a ledger.
public struct DatabaseStatus: Sendable {
    public let currency: Currency
    public let schema: Int
    /// The server's own version.
    public let version: String
    /// Whether the ledger is open on this server.
    public let isOpen: Bool
    /// How often a loss was declared, plus 1.
    public let epoch: Int
    /// The login of this connection.
    public let login: String
    /// The number of replicas for which each commit waits, as the server is set.
    public let synchronousReplicas: String
    /// The number of replicas that are connected; nil where this login may not see it.
    public let replicas: Int?
    /// The server's clock less the station's, in milliseconds.
    public let clockLead: Int64
    /// How many operations are open, and when the oldest of them began.
    public let openOperations: Int
    public let oldestOpen: Timestamp?
    /// The transactions since the database was last frozen: at 2,000 million the server stops.
    public let transactionAge: Int64
    /// The stations' journals of which purchases may be missing.
    public let journals: [JournalConcern]

    public init(
        currency: Currency, schema: Int, version: String, isOpen: Bool, epoch: Int, login: String,
        synchronousReplicas: String, replicas: Int?, clockLead: Int64, openOperations: Int,
        oldestOpen: Timestamp?, transactionAge: Int64, journals: [JournalConcern] = []
    ) {
        (self.currency, self.schema, self.version) = (currency, schema, version)
        (self.isOpen, self.epoch, self.login) = (isOpen, epoch, login)
        (self.synchronousReplicas, self.replicas) = (synchronousReplicas, replicas)
        (self.clockLead, self.openOperations) = (clockLead, openOperations)
        (self.oldestOpen, self.transactionAge) = (oldestOpen, transactionAge)
        self.journals = journals
    }
}

/// A station that may use a ledger, or might.
public struct RegisteredStation: Hashable, Sendable {
    public let number: Int
    public let name: String
    public let registeredAt: Timestamp
    public let revokedAt: Timestamp?
    /// When it last connected.
    public let seenAt: Timestamp?

    public init(
        number: Int, name: String, registeredAt: Timestamp, revokedAt: Timestamp?,
        seenAt: Timestamp?
    ) {
        (self.number, self.name, self.registeredAt) = (number, name, registeredAt)
        (self.revokedAt, self.seenAt) = (revokedAt, seenAt)
    }
}
