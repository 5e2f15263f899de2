import Ledger
import TapcardDomain

extension PostgreSQLRows {
    func card(_ uid: CardUID) throws(LedgerError) -> LedgerCard? { try cardRow(uid)?.card }

    /// A card, locked if this transaction writes. In that case, no other station can change the
    /// card or the rows that belong to it.
    func cardRow(_ uid: CardUID) throws(LedgerError) -> KnownRows.CardRow? {
        seenCards.insert(uid)
        // When the body runs from cached rows, it cannot rely on "no such card", because the batch
        // that is sent later has no way to verify that.
        if let row = known.cards[uid], row != nil || !usesKnownRowsOnly { return row }
        let selection = cardSelection(where: "card.uid = $1\(lock)", [.uid(uid)])
        var row = try query(selection).first
        // A query that waited for the lock returns the new card with the old ticket, because
        // PostgreSQL rereads only the locked table.
        if row?.lacksTicket == true { row = try query(selection).first }
        known.cards[uid] = .some(row)
        return row
    }

    func cards(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [LedgerCard] {
        // A body that reads page by page does not need any row from the previous page.
        if !isWriting { (known, seenCards) = (KnownRows(), []) }
        let page = try query(
            cardSelection(
                where: "card.uid > $1 ORDER BY card.uid LIMIT $2",
                [.integer(uid?.number ?? -1), .count(count)]))
        // These cards are served from memory while the body looks up the rows that belong to them.
        if !isWriting {
            lastCardOfPage = page.last?.card.uid.number
            for row in page { known.cards[row.card.uid] = .some(row) }
        }
        return page.map(\.card)
    }

    /// The cards with this code. If two transactions that write look up the same code, one waits
    /// for the other.
    func cards(with code: ScratchCode) throws(LedgerError) -> [LedgerCard] {
        if isWriting {
            // The row in the table `code` serves only as a lock.
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
            try cardRow(card.uid)
            ?? KnownRows.CardRow(
                card: card, balance: 0, version: nil, lastPlace: 0, epoch: opening.epoch,
                storedTicket: nil)
        if row.card.account != card.account {
            // The row holds only the current account, which starts out empty.
            formerBalances[row.card.purse] = row.balance
            row.balance = 0
        }
        row.card = card
        row.isChanged = true
        known.cards[card.uid] = .some(row)
        noteChange()
    }

    /// The tables for a card and its ticket, which may have been sold on a card that this one
    /// replaced.
    private static let cardsAndTickets = """
        card LEFT JOIN ticket_name ON ticket_name.id = card.ticket
            LEFT JOIN ticket ON ticket.uid = ticket_name.uid AND ticket.id = ticket_name.id
        """

    /// `columns` are further columns, which the caller reads.
    func cardSelection(
        besides columns: String? = nil, from tables: String = cardsAndTickets,
        where condition: String, _ values: [SQLValue]
    ) -> Selection<KnownRows.CardRow> {
        let epoch = opening.epoch
        return Selection(
            """
            SELECT \(LedgerCard.qualifiedColumns), \(Ticket.qualifiedColumns),
                card.balance, card.version, card.last_place,
                card.ticket IS NOT NULL AND ticket.id IS NULL,
                (SELECT coalesce(sum(skipped), 0) FROM opening WHERE opening.epoch > card.epoch)
                \(columns.map { ", " + $0 } ?? "")
            FROM \(tables)
            WHERE \(condition)
            """, values, of: "card"
        ) { row throws(LedgerError) in
            let card = try LedgerCard(&row)
            let stored = KnownRows.CardRow(
                card: card, balance: try row.value(\.integer), version: try row.value(\.integer),
                lastPlace: try row.value(\.integer), epoch: epoch,
                storedTicket: card.ticket?.id.text, lacksTicket: try row.value(\.flag))
            // A card from an earlier epoch skips all numbers that were declared lost since.
            return stored.skipping(try row.value(\.integer))
        }
    }
}

extension KnownRows.CardRow {
    /// The columns of a card's row that can change.
    static let changedColumns =
        LedgerCard.columns.split(separator: ", ").dropFirst().map { String($0) } + [
            "balance", "last_place", "epoch", "version",
        ]

    /// This row, adjusted for the losses declared since it was written. Numbers that may have been
    /// lost are never used again; the card's next change records them as a gap.
    fileprivate func skipping(_ count: Int64) -> KnownRows.CardRow {
        if SafetyRule.skippedNumbers.isDisabled { return self }
        guard count > 0, let first = card.allocated.next() else { return self }
        var row = self
        row.card.allocated = card.allocated.next(UInt32(clamping: count)) ?? .highest
        row.skipped = SequenceGap(uid: card.uid, numbers: first...row.card.allocated)
        return row
    }

    private var values: [SQLValue] {
        card.values + [.integer(balance), .integer(lastPlace), .integer(epoch)]
    }

    var insertion: SQLStatement {
        let names = ["uid"] + KnownRows.CardRow.changedColumns.dropLast()
        let places = (1...names.count).map { "$\($0)" }
        return SQLStatement(
            """
            INSERT INTO card (\(names.joined(separator: ", ")), version)
            VALUES (\(places.joined(separator: ", ")), 1)
            """, values)
    }

    /// A statement that fails if the row has changed since it was read.
    var update: SQLStatement {
        let settings = KnownRows.CardRow.changedColumns.dropLast().enumerated().map {
            "\($0.element) = $\($0.offset + 2)"
        }
        return SQLStatement(
            counting:
                """
                UPDATE card SET \(settings.joined(separator: ", ")), version = version + 1
                WHERE uid = $1 AND \(KnownRows.CardRow.versionCondition("$\(settings.count + 2)"))
                """, values + [.integer(version ?? 0)])
    }

    /// The SQL condition that a row still has this version.
    static func versionCondition(_ version: String) -> String {
        SafetyRule.cardVersion.isDisabled
            ? "(version = \(version) OR TRUE)" : "version = \(version)"
    }
}
