import Games
import Ledger
import LedgerColumns
import TapcardDomain

extension PostgreSQLRows {
    func card(_ uid: CardUID) throws(LedgerError) -> LedgerCard? { try loaded(uid)?.card }

    /// A card, locked where this transaction writes: no other station changes it then, nor what
    /// belongs to it.
    func loaded(_ uid: CardUID) throws(LedgerError) -> KnownRows.CardRow? {
        seenCards.insert(uid)
        // No batch could prove that a card is not there yet.
        if let row = known.cards[uid], row != nil || !isOver { return row }
        let row = try query(cardSelection(where: "card.uid = $1\(lock)", [.uid(uid)])).first
        known.cards[uid] = .some(row)
        return row
    }

    func cards(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [LedgerCard] {
        try query(
            cardSelection(
                where: "card.uid > $1 ORDER BY card.uid LIMIT $2",
                [.integer(uid?.number ?? -1), .count(count)])
        ).map(\.card)
    }

    /// Two stations that ask for one code while they write wait for each other.
    func cards(with code: ScratchCode) throws(LedgerError) -> [LedgerCard] {
        if isWriting {
            change(
                """
                INSERT INTO code (code) VALUES ($1) ON CONFLICT (code) DO UPDATE SET code = $1
                """, [.id(code)])
        }
        return try query(
            cardSelection(where: "card.scratch_code = $1 ORDER BY card.uid", [.id(code)])
        )
        .map(\.card)
    }

    func cards(of holder: HolderID) throws(LedgerError) -> [LedgerCard] {
        try query(
            cardSelection(where: "card.holder_id = $1 ORDER BY card.uid", [.integer(holder.number)])
        )
        .map(\.card)
    }

    func save(_ card: LedgerCard) throws(LedgerError) {
        var row =
            try loaded(card.uid)
            ?? KnownRows.CardRow(
                card: card, balance: 0, version: nil, lastPlace: 0, storedTicket: nil)
        if row.card.account != card.account {
            formerBalances[row.card.purse] = row.balance
            row.balance = 0
        }
        row.card = card
        row.isChanged = true
        known.cards[card.uid] = .some(row)
        noteChange()
    }

    func cardSelection(
        where condition: String, _ values: [SQLValue]
    ) -> Selection<KnownRows.CardRow> {
        Selection(
            """
            SELECT \(LedgerCard.qualifiedColumns), \(Ticket.qualifiedColumns),
                card.balance, card.version, card.last_place
            FROM card LEFT JOIN ticket_name ON ticket_name.id = card.ticket
                LEFT JOIN ticket ON ticket.uid = ticket_name.uid AND ticket.id = ticket_name.id
            WHERE \(condition)
            """, values
        ) { row throws(LedgerError) in
            let card = try LedgerCard(&row)
            return KnownRows.CardRow(
                card: card, balance: try row.value(\.integer), version: try row.value(\.integer),
                lastPlace: try row.value(\.integer), storedTicket: card.ticket?.id.text)
        }
    }
}

extension KnownRows.CardRow {
    private var values: [SQLValue] {
        card.values + [.integer(balance), .integer(lastPlace)]
    }

    var insertion: SQLStatement {
        SQLStatement(
            """
            INSERT INTO card (\(LedgerCard.columns), balance, last_place, version)
            VALUES (\((1...21).map { "$\($0)" }.joined(separator: ", ")), 1)
            """, values)
    }

    /// Fails where the row is not as it was read.
    var update: SQLStatement {
        let names =
            LedgerCard.columns.split(separator: ", ").dropFirst() + ["balance", "last_place"]
        let settings = names.enumerated().map { "\($0.element) = $\($0.offset + 2)" }
        return SQLStatement(
            counting:
                """
                UPDATE card SET \(settings.joined(separator: ", ")), version = version + 1
                WHERE uid = $1 AND version = $22
                """, values + [.integer(version ?? 0)])
    }
}
