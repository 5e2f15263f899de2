package import Ledger
package import TapcardDomain

extension PostgreSQLLedger {
    /// Uses the station's own connection, without a fence, because no decision depends on the
    /// status.
    package func databaseStatus(
        at stationTime: Timestamp
    ) async throws(LedgerError) -> DatabaseStatus? {
        let link = try connected().link
        return try link.status(by: try link.declaration(isFenced: false)) { stationTime }
    }
}

extension Link {
    /// The state of the database; `now` is the station's time.
    func status(
        by declared: Declaration, _ now: () -> Timestamp
    ) throws(LedgerError) -> DatabaseStatus {
        let (replicas, keys) = (try replicas(), try issuerKeys())
        let journals = try rows(StationJournal.selection)
        let asked = now()
        // Behind a pooler, the process that responds is not the one reported to libpq.
        let isPooled = declared.process != process
        let selection = Selection<DatabaseStatus>(DatabaseStatus.query) {
            row throws(LedgerError) in
            try DatabaseStatus(
                &row, declared, replicas, keys, journals, asked: asked, isPooled: isPooled)
        }
        guard let status = try rows(selection).first else { throw Columns.unreadable }
        return status
    }

    /// The replicas that each commit waits for, as the server's settings list them, if none of them
    /// is connected.
    func missingReplicas() throws(LedgerError) -> String? {
        let names = try value("SELECT current_setting('synchronous_standby_names')", \.text)
        // If the setting is empty, commits wait for no replica.
        guard !names.isEmpty else { return nil }
        // Every login can see how many replicas there are.
        let isReplicated =
            if let replicas = try replicas() {
                replicas.contains(where: \.isSynchronous)
            } else {
                try value("SELECT EXISTS (SELECT 1 FROM pg_stat_replication)", \.flag)
            }
        return isReplicated ? nil : names
    }

    /// The connected replicas; nil if this login is not allowed to see them. The server shows the
    /// rows of all replicas to every login, but most logins cannot see their contents.
    private func replicas() throws(LedgerError) -> [Replica]? {
        let maySeeReplicas = try value(
            "SELECT pg_has_role(session_user, 'pg_read_all_stats', 'USAGE')", \.flag)
        guard maySeeReplicas else { return nil }
        return try rows(
            Selection(
                """
                SELECT coalesce(application_name, ''), coalesce(state, ''),
                    coalesce(sync_state, ''),
                    pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint
                FROM pg_stat_replication ORDER BY application_name, pid
                """
            ) { row throws(LedgerError) in
                Replica(
                    name: try row.value(\.text), state: try row.value(\.text),
                    synchrony: try row.value(\.text), lag: try row.optional(\.integer))
            })
    }
}

extension DatabaseStatus {
    // The keepalive settings add up to the time after which the server ends a lost session.
    fileprivate static let query = """
        SELECT current_setting('server_version'), current_setting('synchronous_standby_names'),
            (extract(epoch FROM clock_timestamp()) * 1000)::bigint, count(*), min(begun_at),
            (SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()),
            CASE WHEN inet_client_addr() IS NOT NULL THEN
                current_setting('tcp_keepalives_idle')::bigint
                    + current_setting('tcp_keepalives_interval')::bigint
                    * current_setting('tcp_keepalives_count')::bigint END
        FROM operation WHERE state = 'pending'
        """

    fileprivate init(
        _ row: inout Columns, _ declared: Declaration, _ replicas: [Replica]?, _ keys: IssuerKeys,
        _ journals: [StationJournal], asked: Timestamp, isPooled: Bool
    ) throws(LedgerError) {
        let (version, replication) = (try row.value(\.text), try row.value(\.text))
        let now = try row.value(\.integer)
        let (open, oldest) = (
            try row.value { $0.integer.flatMap(Int.init(exactly:)) }, try row.optional(\.time)
        )
        let age = try row.value(\.integer)
        let timeout = try row.optional(\.integer).map { Int(clamping: $0) }
        self.init(
            currency: declared.currency, schema: Int(declared.schema), reach: declared.reach,
            version: version, isOpen: declared.isOpen,
            epoch: Int(declared.opening?.epoch ?? 0), login: declared.login,
            synchronousReplicas: replication, replicas: replicas,
            clockLead: now - asked.milliseconds,
            openOperations: open, oldestOpen: oldest, transactionAge: age, keys: keys,
            journals: journals.concerns(at: Timestamp(milliseconds: now)),
            // A connection over a local socket has no client address, and so no timeout.
            link: isPooled ? .pooled : timeout.map(DatabaseLink.network) ?? .local)
    }
}
