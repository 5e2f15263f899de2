import BlockingLane
public import Ledger
public import TapcardDomain

/// A ledger in one file, for the programs on one machine. Every write that changes something is one
/// durable transaction; writes by several programs wait for each other.
public actor SQLiteLedger: LedgerStore {
    public nonisolated let currency: Currency
    public nonisolated let isReadOnly: Bool
    private nonisolated let lane: BlockingLane
    private let file: LedgerFile
    private var state: State

    private enum State {
        case open(Connection)
        /// The outcome of a transaction is unknown, and only a new connection can read what was
        /// written to the disk.
        case lost
        case closed
    }

    /// Opens the ledger in this file, or creates it in an existing folder. If no currency is given,
    /// an existing ledger keeps its own, and a new one is in US dollars. With `allowsReadOnly`, a
    /// ledger that cannot be written to is opened for reading, and every write is refused.
    public static func open(
        path: String, currency: Currency?, allowsReadOnly: Bool = false,
        busyLimit: Duration = .seconds(5)
    ) async throws(LedgerError) -> SQLiteLedger {
        try await open(
            LedgerFile(path: path, busyLimit: busyLimit), currency: currency,
            allowsReadOnly: allowsReadOnly)
    }

    /// Opens the ledger with a different schema, for testing migrations.
    package static func open(
        path: String, currency: Currency?, schema: LedgerSchema
    ) async throws(LedgerError) -> SQLiteLedger {
        try await open(LedgerFile(path: path, schema: schema), currency: currency)
    }

    static func open(
        _ file: LedgerFile, currency: Currency?, allowsReadOnly: Bool = false
    ) async throws(LedgerError) -> SQLiteLedger {
        let lane = BlockingLane(label: "tapcard.ledger")
        let opened = try await Doorway(lane).run { () throws(LedgerError) in
            do throws(LedgerError) {
                return try file.openOrCreate(in: currency)
            } catch
                where error.kind == .readOnly && allowsReadOnly && LedgerFolder.contains(file.path)
            {
                // Without permission to write, the ledger can at least be read.
                return try file.openReadOnly(in: currency)
            }
        }
        return SQLiteLedger(opened, of: file, on: lane)
    }

    private init(_ opened: sending LedgerFile.Opened, of file: LedgerFile, on lane: BlockingLane) {
        self.file = file
        self.lane = lane
        currency = opened.currency
        isReadOnly = opened.connection.isReadOnly
        state = .open(opened.connection)
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    public func read<Success: Sendable>(
        touching _: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try transaction(.reading, body)
    }

    public func write<Success: Sendable>(
        touching _: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        guard !isReadOnly else { throw LedgerError.readOnly(file.path, "(by this user)") }
        return try transaction(.writing, body)
    }

    /// Runs the body in a transaction, and refuses to commit to, or read from, a file that is no
    /// longer the ledger. No backup can take the ledger's place between this check and the commit,
    /// because a restore waits until no program holds the ledger.
    private func transaction<Success>(
        _ lock: Connection.Lock, _ body: (any LedgerRows) throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success {
        let connection = try connected()
        let path = file.path
        var isInPlace = true
        do throws(LedgerError) {
            // This closure does not use the actor: Swift 6.2 would refuse to pass on the
            // connection.
            return try connection.transaction(lock) { () throws(LedgerError) in
                let success = try body(SQLiteRows(connection: connection))
                isInPlace = try !connection.hasMoved()
                if SafetyRule.nothingIntoAnotherFile.isDisabled { isInPlace = true }
                guard isInPlace else {
                    throw LedgerError(
                        .unavailable,
                        "\(path) was moved or replaced while it was in use, and nothing was "
                            + "changed; put it back or run `tapcard restore-backup`")
                }
                return success
            }
        } catch {
            // The next use opens a new connection to the file that is then at the path.
            if !isInPlace || error.kind == .outcomeUnknown { state = .lost }
            throw error
        }
    }

    /// Reads on a separate connection and lane, so that taps can continue meanwhile.
    public func readWithoutBlocking<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await onSeparateLane { connection throws(LedgerError) in
            try connection.transaction(.reading) { () throws(LedgerError) in
                try body(SQLiteRows(connection: connection))
            }
        }
    }

    /// Checks all pages of the file, on a separate connection and lane.
    public func checkStorage() async throws(LedgerError) {
        try await onSeparateLane { connection throws(LedgerError) in
            try connection.transaction(.reading) { () throws(LedgerError) in
                // The transaction keeps the checked state the same while other programs write.
                try connection.check()
            }
        }
    }

    private func onSeparateLane<Success: Sendable>(
        _ body: @escaping @Sendable (Connection) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        // A ledger that is closed, or lost for good, must not be read either.
        _ = try connected()
        let file = file
        return try await Doorway(BlockingLane(label: "tapcard.ledger.aside")).run {
            () throws(LedgerError) in
            try body(Connection(path: file.path, .readOnly, busyLimit: file.busyLimit))
        }
    }

    /// SQLite's plan for every statement that was run, for tests.
    package func queryPlans() throws(LedgerError) -> [String: [String]] {
        let connection = try connected()
        var plans: [String: [String]] = [:]
        for statement in connection.preparedStatements {
            plans[statement] = try connection.query("EXPLAIN QUERY PLAN \(statement)") {
                row throws(LedgerError) in
                // Three numbers come first; the fourth column is the text of the plan.
                for _ in 0..<3 { _ = try row.next() }
                return try row.value(\.text)
            }
        }
        return plans
    }

    /// Copies the ledger's current state into a new file that only its owner may read.
    public func backup(to path: String) async throws(LedgerError) {
        try connected().backUp(to: path)
    }

    /// Closes the file. The last connection to close moves the journal into it.
    public func close() {
        state = .closed
    }

    /// The number of transactions made durable since the ledger was opened.
    package var durableTransactions: Int {
        if case .open(let connection) = state { connection.durableTransactions } else { 0 }
    }

    /// Limits the size of the file, for testing a full disk.
    package func limit(pages: Int) throws(LedgerError) {
        try connected().execute("PRAGMA max_page_count = \(pages)")
    }

    private func connected() throws(LedgerError) -> Connection {
        switch state {
        case .open(let connection): return connection
        case .lost:
            let connection = try file.open(in: currency).connection
            // The current request has not begun, so its outcome is known.
            try translating(connection.supersedeUnknownCommit()) { (error: LedgerError) in
                LedgerError(.unavailable, error.detail)
            }
            state = .open(connection)
            return connection
        case .closed:
            throw LedgerError(.unavailable, "\(file.path) was closed; open the ledger again")
        }
    }
}
