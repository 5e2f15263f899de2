import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import TestSupport
import Testing

/// The tables enforce their constraints without the ledger's code.
@Suite("Changes made with an SQLite tool") struct ConstraintTests {
    private static let changes = [
        "UPDATE entry SET amount = 1", "DELETE FROM entry",
        "UPDATE issued_record SET bytes = zeroblob(16)", "DELETE FROM issued_record",
        "DELETE FROM operation", "DELETE FROM card", "UPDATE gap SET last = 9", "DELETE FROM gap",
        "UPDATE operation SET amount = 1", "UPDATE operation SET kind = 'add'",
        "UPDATE operation SET id = 'x'", "UPDATE operation SET uid = 'x'",
        "UPDATE operation SET reverses = id", "UPDATE operation SET begun_at = 1",
        "UPDATE operation SET position = position + 1000",
        "UPDATE operation SET cashier = 'Bob'", "UPDATE operation SET parameters = 'x'",
        "UPDATE operation SET begun_uptime = 'x 1'",
        """
        INSERT INTO operation (id, uid, kind, amount, cashier, begun_at, state, sequence, ended_at)
        SELECT '00000000-0000-4000-8000-000000000000', uid, 'add', 1, '', 1, 'committed', 0, 1
        FROM card
        """,
        """
        INSERT INTO operation (id, uid, kind, amount, cashier, begun_at, state, sequence, ended_at)
        SELECT '00000000-0000-4000-8000-000000000000', uid, 'add', 1, printf('%.41c', 'A'), 1,
            'committed', 0, 1
        FROM card
        """,
        "UPDATE operation SET state = 'voided' WHERE state = 'committed'",
        "UPDATE operation SET state = 'pending', ended_at = NULL WHERE state = 'committed'",
        "UPDATE operation SET balance_after = 1 WHERE state = 'committed'",
        "UPDATE operation SET state = 'committed' WHERE state = 'pending'",
        "UPDATE operation SET state = 'gone' WHERE state = 'pending'",
        "UPDATE card SET allocated = allocated - 1", "UPDATE card SET confirmed = confirmed - 1",
        "UPDATE card SET confirmed = allocated + 1", "UPDATE card SET allocated = 16777216",
        "UPDATE card SET status = 'lost'", "UPDATE card SET scratch_code = NULL",
        "UPDATE card SET allocated = 'many'", "UPDATE card SET uid = 'x'",
        "UPDATE card SET protection = 'open'", "UPDATE card SET protection = 'on'",
        "UPDATE card SET protection_key = 1", "UPDATE card SET protection = NULL",
        "UPDATE card SET protection = 'on', protection_key = 16",
        "UPDATE account SET balance = -1 WHERE name LIKE 'purse:%'",
        "UPDATE account SET balance = 100000000 WHERE name LIKE 'purse:%'",
        "UPDATE account SET name = 'x' WHERE name = 'cash'",
        "INSERT INTO entry (operation, account, amount, posted_at) VALUES ('x', 'cash', 1, 1)",
        """
        INSERT INTO operation (id, uid, kind, amount, begun_at, state, sequence)
        SELECT '00000000-0000-4000-8000-000000000000', uid, kind, amount, begun_at, state, sequence
        FROM operation WHERE state = 'pending'
        """,
        """
        INSERT INTO operation (id, uid, kind, amount, reverses, begun_at, state, sequence, ended_at)
        SELECT '00000000-0000-4000-8000-000000000000', uid, kind, amount, reverses, begun_at, state,
            sequence, ended_at
        FROM operation WHERE reverses IS NOT NULL
        """,
        "INSERT INTO issued_record SELECT * FROM issued_record",
        "UPDATE operation SET subject = 'ticket-2'", "UPDATE ticket SET price = 1",
        "UPDATE ticket SET uid = uid", "DELETE FROM ticket",
        "INSERT INTO ticket SELECT 99, id, uid, id, draw, balls, bonus, price, 1 FROM ticket",
        "UPDATE card SET ticket = 'ticket-9'", "UPDATE card SET ticket = 'ticket-2'",
        "UPDATE card SET game = 'x', game_slots = 4", "UPDATE card SET game_slots = 4",
        """
        INSERT INTO operation (id, uid, kind, amount, subject, begun_at, state, sequence, ended_at)
        SELECT '00000000-0000-4000-8000-000000000000', uid, kind, amount, subject, begun_at, state,
            sequence, ended_at
        FROM operation WHERE kind = 'claim'
        """,
        """
        INSERT INTO operation (id, uid, kind, amount, subject, begun_at, state, sequence, ended_at)
        SELECT '00000000-0000-4000-8000-000000000000', uid, kind, amount, 'ticket-2', begun_at,
            state, sequence, ended_at
        FROM operation WHERE kind = 'claim'
        """,
        """
        INSERT INTO operation (id, uid, kind, amount, subject, begun_at, state, sequence, ended_at)
        SELECT '00000000-0000-4000-8000-000000000000', uid, 'payout', amount, subject, begun_at,
            state, sequence, ended_at
        FROM operation WHERE kind = 'claim'
        """,
        """
        INSERT INTO operation (id, uid, kind, amount, subject, begun_at, state, sequence, ended_at)
        SELECT '00000000-0000-4000-8000-000000000000', uid, 'payout', amount, 'ticket-2', begun_at,
            state, sequence, ended_at
        FROM operation WHERE kind = 'claim'
        """,
        """
        INSERT INTO operation (id, uid, kind, amount, begun_at, state, sequence, ended_at)
        SELECT '00000000-0000-4000-8000-000000000000', uid, 'add', 100000000, 1, 'committed', 0, 1
        FROM card
        """,
        """
        INSERT INTO entry (operation, account, amount, posted_at)
        SELECT id, 'takings', 100000000, 1 FROM operation WHERE kind = 'pay'
        """,
        """
        INSERT INTO entry (operation, account, amount, posted_at)
        SELECT id, 'cash', 1000000000000000, 1 FROM operation WHERE kind = 'pay'
        """,
        "DELETE FROM activation", "UPDATE activation SET code = id",
        "UPDATE activation SET id = code",
        "UPDATE activation SET uid = 'x'", "UPDATE activation SET requested_at = 1",
        "UPDATE activation SET state = 'rejected', version = '1'",
        "UPDATE activation SET state = 'requested', answered_at = NULL",
        """
        INSERT INTO activation (id, uid, code, requested_at, state)
        SELECT '00000000-0000-4000-8000-000000000000', uid, code, 1, 'requested' FROM activation
        """,
        "INSERT INTO setting (only, currency) VALUES (2, 'EUR')",
        "INSERT INTO read_counter VALUES ('04AC6B72BA6C99', 1)",
        "INSERT INTO read_counter SELECT uid, 16777216 FROM card",
        "UPDATE read_counter SET last = 0", "UPDATE read_counter SET last = last",
        "DELETE FROM read_counter", "UPDATE read_counter SET uid = 'x'",
    ]

    @Test(
        "A forbidden change with an SQLite tool fails and changes nothing",
        arguments: Thoroughness.some(changes, of: 5))
    func isStopped(_ change: String) async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            try await till.complete(.scratch(.numbered(7)), id: 2)
            let payment = try await till.complete(.pay(.cents(400)), id: 3)
            try await till.complete(.refund(of: payment.id, nil), id: 4)
            try await till.ask(for: 11)
            try await till.answer(11)
            try await till.complete(.activate, id: 11)
            try await till.complete(.ticket(.sample(1), .cents(100)), id: 12)
            try await till.complete(.claim(Ticket.sample(1).id, .cents(100)), id: 13)
            _ = try await ledger.skipNumbersAfterRestore()
            _ = try await till.open(.ticket(.sample(2), .cents(100)), id: 5)
            _ = try await CustomerLedger(ledger).raise(try #require(ReadCounter(7)), of: .first)
            let before = try await Snapshot(of: ledger)

            let raw = try RawDatabase(folder.ledger)
            raw.run("PRAGMA foreign_keys = ON")
            #expect(raw.run(change) != nil)
            #expect(try await Snapshot(of: ledger) == before)
        }
    }

    /// The ledger's own connection must enforce this, because SQLite keeps the switch outside the
    /// file.
    @Test("A row cannot refer to a row that does not exist")
    func cannotReferToWhatIsNotThere() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            try await LedgerTill(ledger).complete(.issue(), id: 1)
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await ledger.write { rows throws(LedgerError) in
                    try rows.append(.sample(99, .takings, 5))
                }
            }
        }
    }

    @Test(
        "The audit names the invariant that a change past the constraints breaks",
        arguments: [
            (
                "UPDATE account SET balance = balance + 5 WHERE name = 'cash'",
                "I1: cash has stored balance"
            ),
            ("UPDATE account SET balance = 5000 WHERE name LIKE 'purse:%'", "I1: all accounts"),
            ("UPDATE entry SET amount = -9000 WHERE account LIKE 'purse:%'", "I1: purse"),
            ("UPDATE operation SET ended_at = NULL", "I2"),
            (
                """
                INSERT INTO operation (id, uid, kind, amount, begun_at, state, sequence)
                SELECT substr(id, 1, 35) || 'f', uid, kind, amount, begun_at, state, sequence
                FROM operation WHERE state = 'pending'
                """, "I3"
            ),
            ("DELETE FROM issued_record WHERE sequence = 6", "I4"),
            ("UPDATE card SET confirmed = allocated + 1", "I5"),
            ("UPDATE card SET allocated = 1, confirmed = 1", "I5"),
            ("UPDATE card SET confirmed = confirmed - 1", "I5: card 04AC6B72BA6C01: confirmed"),
            ("UPDATE operation SET sequence = sequence - 1 WHERE kind = 'pay'", "I4: operation"),
            ("UPDATE operation SET sequence = 0 WHERE kind = 'scratch'", "I4: operation"),
            ("DELETE FROM entry", "I6"),
            ("UPDATE operation SET state = 'voided' WHERE kind = 'pay'", "I6"),
            ("UPDATE operation SET state = 'voided' WHERE kind = 'ticket'", "I12"),
            ("UPDATE ticket SET price = 1", "I12"),
            ("UPDATE ticket SET uid = '04AC6B72BA6C02'", "I12"),
            ("PRAGMA foreign_keys = OFF; DELETE FROM ticket", "I12"),
            ("UPDATE operation SET subject = 'ticket-2' WHERE kind = 'claim'", "I12"),
            (
                "UPDATE operation SET kind = 'claim', amount = 400, subject = 'ticket-1' "
                    + "WHERE kind = 'pay' AND state = 'committed'", "I12"
            ),
            ("UPDATE activation SET state = 'requested', answered_at = NULL", "I9"),
            ("UPDATE activation SET answered_at = NULL", "I9"),
            (
                """
                INSERT INTO activation (id, uid, code, requested_at, state)
                SELECT '00000000-0000-4000-8000-000000000000', uid, code, 1, 'requested'
                FROM activation
                """, "I9"
            ),
        ])
    func isFoundByTheAudit(_ change: String, _ invariant: String) async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            try await till.complete(.pay(.cents(400)), id: 2)
            try await till.complete(.ticket(.sample(), .cents(50)), id: 4)
            try await till.complete(.claim(Ticket.sample().id, .cents(50)), id: 5)
            try await till.complete(.scratch(.numbered(7)), id: 6)
            try await till.ask(for: 7)
            try await till.answer(7)
            try await till.complete(.activate, id: 7)
            _ = try await till.open(.pay(.cents(100)), id: 3)

            let raw = try RawDatabase(folder.ledger)
            raw.run("PRAGMA ignore_check_constraints = ON; DROP INDEX one_open_operation")
            raw.run("DROP INDEX one_claim_of_a_ticket; DROP INDEX one_attempt_for_a_code")
            for trigger in ConstraintTests.triggers { raw.run("DROP TRIGGER \(trigger)") }
            #expect(raw.run(change) == nil)
            let violations = try await ledger.audit().violations
            #expect(violations.contains { $0.hasPrefix(invariant) }, "\(violations)")
        }
    }

    private static let triggers = [
        "card_numbers_never_fall", "card_stays", "operation_keeps_its_parameters",
        "operation_ends_once", "operation_stays", "issued_record_is_final",
        "issued_record_stays", "entry_is_final", "entry_stays", "ticket_is_final", "ticket_stays",
        "claim_has_a_ticket", "card_has_a_ticket_that_counts", "activation_keeps_its_parameters",
        "activation_is_answered_once", "activation_stays",
    ]
}
