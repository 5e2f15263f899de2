extension LedgerSchema {
    /// Prizes that are paid out of the drawer: they may be larger than the largest balance of a
    /// card, and a ticket has one prize, whichever way it is booked. The check of a column is a
    /// part of its table's text and not of the rows, and SQLite allows changing it there. The index
    /// that follows makes other connections read it again.
    static let version4 = """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(
            sql, 'CHECK (amount BETWEEN 0 AND 99999999)', 'CHECK (
                amount BETWEEN 0 AND 99999999
                OR kind = ''payout'' AND amount BETWEEN 1 AND 999999999999999)')
        WHERE type = 'table' AND name = 'operation';
        UPDATE sqlite_schema SET sql = replace(
            sql, 'CHECK (amount BETWEEN -99999999 AND 99999999)', 'CHECK (
                amount BETWEEN -99999999 AND 99999999
                OR account IN (''cash'', ''prizes'')
                AND amount BETWEEN -999999999999999 AND 999999999999999)')
        WHERE type = 'table' AND name = 'entry';
        PRAGMA writable_schema = RESET;

        DROP INDEX one_claim_of_a_ticket;
        CREATE UNIQUE INDEX one_claim_of_a_ticket ON operation (subject)
            WHERE kind IN ('claim', 'payout');
        DROP TRIGGER claim_has_a_ticket;
        CREATE TRIGGER claim_has_a_ticket BEFORE INSERT ON operation
        WHEN NEW.kind IN ('claim', 'payout') AND NOT EXISTS (
            SELECT 1 FROM counting_ticket WHERE id = NEW.subject)
        BEGIN SELECT RAISE(ABORT, 'a prize is for a ticket that counts'); END;
        """
}
