import Ledger
import TapcardDomain

/// The stations' journals of offline payments, and the standings of cards for a snapshot.
extension SQLiteRows {
    func journals() throws(LedgerError) -> [StationJournal] {
        try connection.query("SELECT \(StationJournal.columns) FROM journal ORDER BY rowid") {
            row throws(LedgerError) in try StationJournal(&row)
        }
    }

    func journal(_ id: JournalID) throws(LedgerError) -> StationJournal? {
        try connection.query(
            "SELECT \(StationJournal.columns) FROM journal WHERE id = ?", [.id(id)]
        ) { row throws(LedgerError) in try StationJournal(&row) }.first
    }

    func save(_ journal: StationJournal) throws(LedgerError) {
        // `written_off_at` is left out, because only a write-off changes it.
        try connection.run(
            """
            INSERT INTO journal (\(StationJournal.reportedColumns))
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (id) DO UPDATE SET settled = ?2, written = ?3, missing = ?4,
                reported_at = ?5, lasts_until = ?6, most = ?7
            """, journal.reportedValues)
    }

    func recordWriteOff(of id: JournalID, at time: Timestamp) throws(LedgerError) {
        // A trigger allows the missing payments to be reset only once a write-off time is set.
        try connection.run(
            "UPDATE journal SET missing = 0, written_off_at = ?2 WHERE id = ?1",
            [.id(id), .time(time)])
    }

    func standings(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [CardStanding] {
        // If no UID is given, all cards follow, because every UID sorts after the empty text.
        try connection.query(
            """
            SELECT uid, status, card.account, confirmed, coalesce(balance, 0), EXISTS (
                SELECT 1 FROM operation WHERE operation.uid = card.uid AND state = 'pending')
            FROM card LEFT JOIN account
                ON account.name = 'purse:' || card.uid || ':' || card.account
            WHERE uid > ? ORDER BY uid LIMIT ?
            """, [.text(uid?.description ?? ""), .count(count)]
        ) { row throws(LedgerError) in try CardStanding(&row) }
    }
}
