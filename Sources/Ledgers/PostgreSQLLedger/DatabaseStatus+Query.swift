package import Ledger
import LedgerColumns
package import TapcardDomain

extension PostgreSQLLedger {
    /// By the station's own connection, and without a fence: nothing is decided by it.
    package func databaseStatus(
        at stationTime: Timestamp
    ) async throws(LedgerError) -> DatabaseStatus? {
        let link = try connected().link
        return try link.status(by: try link.declaration(isFenced: false)) { stationTime }
    }
}

extension Link {
    /// The state of the database. `now` is the station's time.
    func status(
        by declared: Declaration, _ now: () -> Timestamp
    ) throws(LedgerError) -> DatabaseStatus {
        let (replicas, keys) = (try replicas(), try houseKeys())
        let journals = try rows(StationJournal.selection)
        let asked = now()
        let selection = Selection<DatabaseStatus>(DatabaseStatus.query) {
            row throws(LedgerError) in
            try DatabaseStatus(&row, declared, replicas, keys, journals, asked: asked)
        }
        guard let status = try rows(selection).first else { throw Columns.unreadable }
        return status
    }

    /// The replicas that are connected; nil where this login may not see them. The server shows
    /// their rows to every login, and to most of them without what is in them.
    private func replicas() throws(LedgerError) -> [Replica]? {
        let mayKnow = try value(
            "SELECT pg_has_role(session_user, 'pg_read_all_stats', 'USAGE')", \.flag)
        guard mayKnow else { return nil }
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
    fileprivate static let query = """
        SELECT current_setting('server_version'), current_setting('synchronous_standby_names'),
            (extract(epoch FROM clock_timestamp()) * 1000)::bigint, count(*), min(begun_at),
            (SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database())
        FROM operation WHERE state = 'pending'
        """

    fileprivate init(
        _ row: inout Columns, _ declared: Declaration, _ replicas: [Replica]?, _ keys: HouseKeys,
        _ journals: [StationJournal], asked: Timestamp
    ) throws(LedgerError) {
        let (version, replication) = (try row.value(\.text), try row.value(\.text))
        let now = try row.value(\.integer)
        self.init(
            currency: declared.currency, schema: Int(declared.schema), reach: declared.reach,
            version: version, isOpen: declared.isOpen,
            epoch: Int(declared.opening?.epoch ?? 0), login: declared.login,
            synchronousReplicas: replication, replicas: replicas,
            clockLead: now - asked.milliseconds,
            openOperations: try row.value { $0.integer.flatMap(Int.init(exactly:)) },
            oldestOpen: try row.optional(\.time), transactionAge: try row.value(\.integer),
            keys: keys, journals: journals.concerns(at: Timestamp(milliseconds: now)))
    }
}
