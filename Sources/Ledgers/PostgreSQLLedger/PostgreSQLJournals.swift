import Ledger
import TapcardDomain

/// The stations' journals of offline payments, and the standings of cards for a snapshot.
extension PostgreSQLRows {
    func journals() throws(LedgerError) -> [StationJournal] {
        try query(StationJournal.selection)
    }

    /// A journal, locked if this transaction writes, because two of a station's processes may book
    /// payments from it.
    func journal(_ id: JournalID) throws(LedgerError) -> StationJournal? {
        // Only the journal's row is locked, because the joined station row does not change.
        let lock = isWriting ? " FOR NO KEY UPDATE OF journal" : ""
        return try query(
            StationJournal.selection(where: "journal.id = $1\(lock)", [.id(id)])
        ).first
    }

    func save(_ journal: StationJournal) throws(LedgerError) {
        change([journal.change(by: opening.station)])
    }

    func recordWriteOff(of id: JournalID, at time: Timestamp) throws(LedgerError) {
        change([StationJournal.writeOff(of: id, at: time)])
    }

    func standings(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [CardStanding] {
        // No UID is negative, so if none is given, all cards come after -1.
        try query(
            Selection(
                """
                SELECT uid, status, account, confirmed, balance,
                    uid IN (SELECT uid FROM operation WHERE state = 'pending')
                FROM card WHERE uid > $1 ORDER BY uid LIMIT $2
                """, [.integer(uid?.number ?? -1), .count(count)], of: "card"
            ) { row throws(LedgerError) in try CardStanding(&row) })
    }
}

extension StationJournal {
    /// All journals, in the order in which they were first reported.
    static var selection: Selection<StationJournal> {
        selection(where: "TRUE ORDER BY journal.place, journal.id", [])
    }

    fileprivate static func selection(
        where condition: String, _ values: [SQLValue]
    ) -> Selection<StationJournal> {
        let names = StationJournal.columns.split(separator: ", ").map { "journal.\($0)" }
        return Selection(
            """
            SELECT \(names.joined(separator: ", ")), station.login
            FROM journal LEFT JOIN station ON station.id = journal.station
            WHERE \(condition)
            """, values, of: "journal"
        ) { row throws(LedgerError) in
            var journal = try StationJournal(&row)
            journal.station = try row.optional(\.text)
            return journal
        }
    }

    /// Adds or changes the journal; it belongs to the station that first writes it.
    func change(by station: Int64) -> SQLStatement {
        // A known journal keeps its station and its place, no matter which station writes it now.
        // Only a write-off changes `written_off_at`.
        SQLStatement(
            """
            INSERT INTO journal (\(StationJournal.reportedColumns), station, place)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, \(ServerClock.microseconds))
            ON CONFLICT (id) DO UPDATE SET settled = $2, written = $3, missing = $4,
                reported_at = $5, lasts_until = $6, most = $7
            """, reportedValues + [.integer(station)])
    }

    static func writeOff(of id: JournalID, at time: Timestamp) -> SQLStatement {
        SQLStatement(
            "UPDATE journal SET missing = 0, written_off_at = $2 WHERE id = $1",
            [.id(id), .time(time)])
    }
}
