public import TapcardDomain

/// A database that contains a ledger shared by several stations, as used by its owner.
package protocol LedgerDatabase: Sendable {
    /// Throws, with the reason, if no ledger can be created in the database. Creates nothing.
    func requireNoLedger() async throws(LedgerError)

    /// Creates an empty ledger in an empty database.
    func makeLedger(in currency: Currency) async throws(LedgerError)

    /// Copies another ledger into an empty database, in one transaction. `origin` identifies the
    /// other ledger, so that a second run does nothing.
    func fill(from source: any LedgerStore, origin: String) async throws(LedgerError) -> Filled

    /// Brings the tables up to date.
    func migrate() async throws(LedgerError)

    func status() async throws(LedgerError) -> DatabaseStatus

    /// The replicas that each commit waits for, as listed in the server's settings, if none of them
    /// is connected. Otherwise nil, as far as this login can see.
    func missingReplicas() async throws(LedgerError) -> String?

    /// Declares the ledger open on this server, after a replica was promoted or a backup was
    /// restored. After a loss, every card skips the numbers that may have been lost.
    func reopen(_ loss: DeclaredLoss) async throws(LedgerError)

    /// Creates a login for a station, and returns the station's number.
    func register(_ name: StationName, password: String) async throws(LedgerError) -> Int

    func stations() async throws(LedgerError) -> [RegisteredStation]

    /// Revokes a station's access immediately. The station's name can never be used again.
    func revoke(_ name: StationName) async throws(LedgerError)

    /// Announces the next sealing key. Only one key can be announced at a time.
    func announce(_ key: UInt8, mark: String) async throws(LedgerError)

    /// Makes the announced key the sealing key of all stations from now on. Unless `isForced`, this
    /// is refused while a station lacks the key. If it is forced, stations without the key cannot
    /// take money.
    func seal(with key: UInt8, mark: String, isForced: Bool) async throws(LedgerError)
}

/// The result of copying a ledger into a database.
public struct Filled: Hashable, Sendable {
    /// The number of cards copied.
    public let cards: Int
    /// The number of operations copied.
    public let operations: Int
    /// Whether an earlier run had already copied the ledger.
    public let wasAlreadyCopied: Bool

    /// Creates the result of a copy.
    public init(cards: Int, operations: Int, wasAlreadyCopied: Bool) {
        (self.cards, self.operations, self.wasAlreadyCopied) = (cards, operations, wasAlreadyCopied)
    }
}

/// What the owner declares about a server that was promoted or restored.
package enum DeclaredLoss: String, Sendable, CaseIterable {
    /// The server has every confirmed commit.
    case nothing
    /// The server may lack some confirmed commits.
    case something
}

/// The state of a database that holds a ledger.
public struct DatabaseStatus: Sendable {
    /// The currency of the ledger.
    public let currency: Currency
    /// The version of the tables.
    public let schema: Int
    /// Whether this version of tapcard can use the tables, and whether it may change their rows.
    public let reach: SchemaReach
    /// The server's own version.
    public let version: String
    /// Whether the ledger is open on this server.
    public let isOpen: Bool
    /// The number of losses declared so far, plus 1.
    public let epoch: Int
    /// The login of this connection.
    public let login: String
    /// The replicas that each commit waits for, according to the server's settings; empty if there
    /// are none.
    public let synchronousReplicas: String
    /// The connected replicas; nil if this login is not allowed to see them.
    public let replicas: [Replica]?
    /// How far the server's clock is ahead of the station's, in milliseconds.
    public let clockLead: Int64
    /// How many operations are open.
    public let openOperations: Int
    /// The time when the oldest open operation began; nil if none is open.
    public let oldestOpen: Timestamp?
    /// The number of transactions since the database was last frozen; at 2 billion, the server
    /// stops.
    public let transactionAge: Int64
    /// The keys of the stations.
    public let keys: IssuerKeys
    /// The stations' journals with offline payments that may be missing.
    public let journals: [JournalConcern]
    /// How this station is connected to the server.
    public let link: DatabaseLink

    /// Creates the status of a database.
    public init(
        currency: Currency, schema: Int, reach: SchemaReach = .current, version: String,
        isOpen: Bool, epoch: Int, login: String, synchronousReplicas: String,
        replicas: [Replica]?, clockLead: Int64, openOperations: Int, oldestOpen: Timestamp?,
        transactionAge: Int64, keys: IssuerKeys, journals: [JournalConcern] = [],
        link: DatabaseLink = .local
    ) {
        (self.currency, self.schema, self.reach) = (currency, schema, reach)
        (self.version, self.isOpen, self.epoch) = (version, isOpen, epoch)
        (self.login, self.synchronousReplicas) = (login, synchronousReplicas)
        (self.replicas, self.clockLead) = (replicas, clockLead)
        (self.openOperations, self.oldestOpen) = (openOperations, oldestOpen)
        (self.transactionAge, self.keys) = (transactionAge, keys)
        (self.journals, self.link) = (journals, link)
    }
}

/// The connection between a station and its ledger's server.
public enum DatabaseLink: Hashable, Sendable {
    /// Both are on the same machine, so a session ends when its station does.
    case local
    /// A pooler is in between, so the server cannot detect that the station is gone.
    case pooled
    /// The two are connected over a network. The server ends the session of a lost station after
    /// this many seconds, or only after hours if the timeout is 0.
    case network(timeout: Int)

    /// The number of seconds after which the server ends the session of a lost station, if known.
    public var timeout: Int? {
        guard case .network(let timeout) = self else { return nil }
        return timeout
    }
}

/// What a program may do with tables of a given version.
public enum SchemaReach: String, Sendable, CaseIterable {
    /// The tables have the version that the program expects.
    case current
    /// A later version of the program changed the tables, but this one may still use them.
    case later
    /// A later version of the program changed the tables, and this one may only read them.
    case readOnly = "read-only"
    /// The tables have an earlier version, so the owner has to migrate them.
    case earlier
}

/// A replica that is connected to the server.
public struct Replica: Hashable, Sendable {
    /// The name under which the replica connects.
    public let name: String
    /// "streaming" once it has caught up.
    public let state: String
    /// "sync" or "quorum" if commits wait for it.
    public let synchrony: String
    /// The number of bytes that the server has written but the replica has not stored yet; nil
    /// until the replica has reported.
    public let lag: Int64?

    /// Creates a replica's state, in the database's terms.
    public init(name: String, state: String, synchrony: String, lag: Int64?) {
        (self.name, self.state, self.synchrony, self.lag) = (name, state, synchrony, lag)
    }

    /// Whether each commit waits for this replica.
    public var isSynchronous: Bool {
        state == "streaming" && ["sync", "quorum"].contains(synchrony)
    }
}

/// A station that is registered with a ledger, including one that has since been revoked.
public struct RegisteredStation: Hashable, Sendable {
    /// The station's number.
    public let number: Int
    /// The station's name.
    public let name: String
    /// The time of its registration.
    public let registeredAt: Timestamp
    /// The time when the station was revoked; nil if it was not.
    public let revokedAt: Timestamp?
    /// When it last connected; nil if it never has.
    public let seenAt: Timestamp?
    /// The keys that the station has; nil before its first report.
    public let keys: Set<UInt8>?
    /// When it last reported its keys.
    public let keysAt: Timestamp?
    /// Whether the row contains something that no station writes. In that case, another program
    /// must have used the station's login.
    public let isDamaged: Bool

    /// Creates a station's row.
    public init(
        number: Int, name: String, registeredAt: Timestamp, revokedAt: Timestamp? = nil,
        seenAt: Timestamp? = nil, keys: Set<UInt8>? = nil, keysAt: Timestamp? = nil,
        isDamaged: Bool = false
    ) {
        // A revoked login can no longer do harm, so its row is not reported.
        self.isDamaged = isDamaged && revokedAt == nil
        (self.number, self.name, self.registeredAt) = (number, name, registeredAt)
        (self.revokedAt, self.seenAt) = (revokedAt, seenAt)
        (self.keys, self.keysAt) = (keys, keysAt)
    }
}
