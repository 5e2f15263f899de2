import BlockingLane
package import Ledger
package import TapcardDomain

/// A ledger's database, used by its owner. Every command has its own connection.
package struct PostgreSQLDatabase: LedgerDatabase {
    /// The maximum number of connections for one login. It ensures that a stolen login leaves some
    /// for the others. A pooler's default is 20 per login.
    private static let maxConnections = 40

    let address: String
    let now: @Sendable () -> Timestamp

    package init(_ address: String, now: @escaping @Sendable () -> Timestamp) {
        (self.address, self.now) = (address, now)
    }

    func onLink<Success: Sendable>(
        timeouts: ResponseTimeouts = .forOwner,
        _ body: @escaping @Sendable (Link) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await Doorway(BlockingLane(label: "tapcard.ledger.owner")).run {
            () throws(LedgerError) in
            try body(try Link(to: address, timeouts: timeouts))
        }
    }

    package func requireNoLedger() async throws(LedgerError) {
        // Everything is rolled back, so any currency will do.
        try await makeLedger(in: .usd, partitions: 1, isTrial: true)
    }

    package func makeLedger(in currency: Currency) async throws(LedgerError) {
        try await makeLedger(in: currency, partitions: PostgreSQLSchema.partitions)
    }

    /// Creates the ledger. Tests use only a few partitions, because they create many ledgers.
    package func makeLedger(
        in currency: Currency, partitions: Int, isTrial: Bool = false
    ) async throws(LedgerError) {
        try await onLink { link throws(LedgerError) in
            let name = try link.value("SELECT current_database()", \.text)
            // The names of the roles contain the name of the database, so it must not be too long.
            guard name.utf8.count <= StationName.maximumLength else {
                throw LedgerError(
                    .refused,
                    "the database name is longer than \(StationName.maximumLength) characters; "
                        + "choose a shorter one")
            }
            try link.change(
                PostgreSQLSchema.statements(
                    currency: currency.code, in: name, partitions: partitions),
                refusing: [
                    "42P07": "the database already contains a ledger or other tables; "
                        + "choose an empty one",
                    "42710":
                        "the server already has the roles of another ledger with this database "
                        + "name; choose another database name",
                    "42501":
                        "this login cannot create tables and roles; it needs a database of its own "
                        + "and the CREATEROLE right",
                ], isTrial: isTrial)
        }
    }

    package func migrate() async throws(LedgerError) {
        try await migrate(by: PostgreSQLSchema.steps)
    }

    /// Migrates using the given steps. Tests append later steps.
    package func migrate(by steps: [[String]]) async throws(LedgerError) {
        try await onLink { link throws(LedgerError) in
            let oldest = PostgreSQLSchema.oldest
            let latest = oldest + Int64(steps.count)
            let schema = try link.declaration().schema
            guard schema <= latest else {
                throw LedgerError(
                    .newer,
                    "the ledger's tables are at version \(schema), but this version of tapcard "
                        + "supports only versions up to \(latest); use a newer version of tapcard")
            }
            guard schema >= oldest else {
                throw LedgerError(.refused, PostgreSQLSchema.tooOld(schema))
            }
            guard schema < latest else { return }
            // The first step migrates from the oldest version.
            try link.change(
                steps.dropFirst(Int(schema - oldest)).joined().map { SQLStatement($0) }
                    + [SQLStatement("UPDATE setting SET schema = $1", [.integer(latest)])],
                refusing: [
                    "42501": "only the ledger's owner can migrate its tables"
                ])
        }
    }

    package func status() async throws(LedgerError) -> DatabaseStatus {
        let now = now
        return try await onLink(timeouts: .forReport) { link throws(LedgerError) in
            // A fence would wait for the very replica that this status reports as missing.
            let isFenced = try link.missingReplicas() == nil
            return try link.status(by: try link.declaration(isFenced: isFenced), now)
        }
    }

    package func missingReplicas() async throws(LedgerError) -> String? {
        try await onLink(timeouts: .forReport) { link throws(LedgerError) in
            try link.missingReplicas()
        }
    }

    package func reopen(_ loss: DeclaredLoss) async throws(LedgerError) {
        try await onLink { link throws(LedgerError) in
            let declared = try link.declaration()
            let epoch = declared.opening?.epoch ?? 1
            switch loss {
            // The ledger is already open here, so a repeated callback declares nothing.
            case .nothing where declared.isOpen: return
            case .nothing: try link.change([Opening.statement(epoch: epoch, skipping: 0)])
            case .something:
                try link.change(
                    [Opening.statement(epoch: epoch + 1, skipping: Int64(restoreGap))]
                        + EnrolledTill.suspensionOfAll)
            }
        }
    }

    package func register(
        _ name: StationName, password: String
    ) async throws(LedgerError) -> Int {
        let registered = now()
        return try await onLink { link throws(LedgerError) in
            let role = try link.declaration().roles + LedgerRole.station.rawValue
            // Only a verifier is sent, so the server never receives the password.
            let verifier = try link.verifier(of: password, login: name.text)
            try link.change(
                [
                    SQLStatement(
                        """
                        CREATE ROLE \(name.text.quotedName) LOGIN PASSWORD \(verifier.quotedText)
                            CONNECTION LIMIT \(PostgreSQLDatabase.maxConnections)
                            IN ROLE \(role.quotedName)
                        """),
                    SQLStatement(
                        """
                        INSERT INTO station (id, login, registered_at)
                        SELECT coalesce(max(id), 0) + 1, $1, $2 FROM station
                        """, [.text(name.text), .time(registered)]),
                ],
                refusing: [
                    "42710": "the server already has a login named \(name); choose another name",
                    "23505":
                        "a server named \(name) exists or once existed, and names are never "
                        + "reused; choose another name",
                    "42501": "only the ledger's owner can add servers",
                ])
            let number = try translating(
                link.value(
                    "SELECT id FROM station WHERE login = \(name.text.quotedText)", \.integer)
            ) { (error: LedgerError) in
                // The station is registered; only its number is unknown.
                LedgerError(.outcomeUnknown, error.detail)
            }
            return Int(number)
        }
    }

    package func stations() async throws(LedgerError) -> [RegisteredStation] {
        try await onLink { link throws(LedgerError) in
            _ = try link.declaration()
            return try link.stations()
        }
    }

    package func revoke(_ name: StationName) async throws(LedgerError) {
        let revoked = now()
        try await onLink { link throws(LedgerError) in
            // The station's sessions are ended first, because they may lock the rows that the
            // revocation has to update.
            try link.disableLogin(name)
            let role = try link.declaration().roles + LedgerRole.station.rawValue
            // An administrator may have removed the login, or its role. The text of a `regrole` is
            // quoted if necessary, so the names are quoted in the same way before they are
            // compared.
            let (hasLogin, hasRole) = (
                try link.value(
                    """
                    SELECT EXISTS (
                        SELECT 1 FROM pg_roles WHERE rolname = \(name.text.quotedText))
                    """, \.flag),
                try link.value(
                    """
                    SELECT EXISTS (
                        SELECT 1 FROM pg_auth_members
                        WHERE member::regrole::text = quote_ident(\(name.text.quotedText))
                            AND roleid::regrole::text = quote_ident(\(role.quotedText)))
                    """, \.flag)
            )
            try link.change(
                [
                    SQLStatement(
                        counting: """
                            UPDATE station SET revoked_at = $2
                            WHERE login = $1 AND revoked_at IS NULL
                            """, [.text(name.text), .time(revoked)])
                ]
                    + Link.forgettingKeys(of: name)
                    + (hasLogin
                        ? [SQLStatement("ALTER ROLE \(name.text.quotedName) NOLOGIN")] : [])
                    // Sessions that still exist keep the login but lose its rights.
                    + (hasRole
                        ? [SQLStatement("REVOKE \(role.quotedName) FROM \(name.text.quotedName)")]
                        : []),
                refusing: [
                    "22012": "server \(name) is unknown or was already removed; "
                        + "see `tapcard servers list`",
                    "42501": "only the ledger's owner can remove servers",
                ])
        }
    }
}

extension Declaration {
    /// Whether the ledger is open on this server.
    var isOpen: Bool { opening?.server == server }
}

extension Link {
    /// Executes all statements or none; a trial is always rolled back. `reasons` contains the
    /// messages for expected refusals, by SQLSTATE.
    func change(
        _ statements: [SQLStatement], refusing reasons: [String: String] = [:],
        isTrial: Bool = false
    ) throws(LedgerError) {
        let all = [SQLStatement("BEGIN"), Opening.terms] + statements
        do throws(LinkFailure) {
            if isTrial { _ = try run(all + [SQLStatement("ROLLBACK")]) } else { try commit(all) }
        } catch .lost(let reason) {
            throw LedgerError(
                .outcomeUnknown,
                "the server did not confirm the commit, so the change may or may not have been "
                    + "saved (\(reason))")
        } catch {
            if case .refused(let state, _) = error, let reason = reasons[state] {
                throw LedgerError(
                    state == LinkFailure.insufficientPrivilege ? .readOnly : .refused, reason)
            }
            throw LedgerError(error)
        }
    }

    var containsLedger: Bool {
        get throws(LedgerError) {
            try value("SELECT count(*) FROM pg_tables WHERE tablename = 'setting'", \.integer) > 0
        }
    }

    func rows<Row>(_ selection: Selection<Row>) throws(LedgerError) -> [Row] {
        let answers = try translating(run([selection.statement]), into: LedgerError.init)
        return try answers.first.map { answer throws(LedgerError) in
            try selection.rows(of: answer)
        } ?? []
    }

    func value<Value>(
        _ sql: String, _ make: @escaping (SQLValue) -> Value?
    ) throws(LedgerError) -> Value {
        let selection = Selection(sql) { row throws(LedgerError) in try row.value(make) }
        guard let value = try rows(selection).first else { throw Columns.unreadable }
        return value
    }
}
