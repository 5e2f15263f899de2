import Ledger
import TapcardDomain

extension SQLiteRows {
    func card(_ uid: CardUID) throws(LedgerError) -> LedgerCard? {
        try cards(where: "card.uid = ?", [.uid(uid)]).first
    }

    func cards(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [LedgerCard] {
        try cards(
            where: "card.uid > ? ORDER BY card.uid LIMIT ?",
            // Every UID sorts after the empty text.
            [uid.map(SQLValue.uid) ?? .text(""), .count(count)])
    }

    func cards(with code: ScratchCode) throws(LedgerError) -> [LedgerCard] {
        try cards(where: "card.scratch_code = ? ORDER BY card.uid", [.id(code)])
    }

    /// A holder's cards, found by scanning the table: this is needed only for issuing a card, which
    /// is rare, and an index would slow down every other tap.
    func cards(of holder: HolderID) throws(LedgerError) -> [LedgerCard] {
        try cards(where: "card.holder_id = ? ORDER BY card.uid", [.integer(holder.number)])
    }

    func save(_ card: LedgerCard) throws(LedgerError) {
        try connection.run(
            """
            INSERT INTO card (\(LedgerCard.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (uid) DO UPDATE SET
                chip = excluded.chip, is_genuine_chip = excluded.is_genuine_chip,
                status = excluded.status, holder_id = excluded.holder_id,
                holder_name = excluded.holder_name, scratch = excluded.scratch,
                scratch_code = excluded.scratch_code, face = excluded.face,
                account = excluded.account, allocated = excluded.allocated,
                confirmed = excluded.confirmed, is_display_stale = excluded.is_display_stale,
                protection = excluded.protection, protection_key = excluded.protection_key,
                foreign_message = excluded.foreign_message, ticket = excluded.ticket,
                game = excluded.game, game_slots = excluded.game_slots
            """, card.values)
    }

    private func cards(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [LedgerCard] {
        try connection.query(
            """
            SELECT \(LedgerCard.qualifiedColumns), \(Ticket.qualifiedColumns)
            FROM card LEFT JOIN ticket ON ticket.id = card.ticket WHERE \(condition)
            """, values
        ) { row throws(LedgerError) in try LedgerCard(&row) }
    }
}
