import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import TestSupport
import Testing

/// Somebody drops the triggers, changes rows so that the books still add up, and puts the triggers
/// back.
///
/// The tests run one after the other because each ledger has files open and libnfc needs free
/// ones.
@Suite("A ledger that was tampered with") struct TamperedLedgerTests {
    /// A change, and the beginning of the audit's complaint about it.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String
        let complaint: String

        init(_ what: String, _ sql: String, found complaint: String) {
            (testDescription, self.sql, self.complaint) = (what, sql, complaint)
        }
    }

    private static let purse = "account LIKE 'purse:%'"

    static let money = [
        Change(
            "a prize is paid out in cash",
            "UPDATE entry SET account = 'cash' \(of(6)) AND \(purse)",
            found: "I12: operation \(id(6)) does not have the entries that its kind claim "
                + "requires"),
        Change(
            "a prize goes onto another card",
            "UPDATE entry SET account = '\(second)' \(of(6)) AND \(purse)",
            found: "I12: operation \(id(6)) does not have the entries that its kind claim "
                + "requires"),
        Change(
            "a prize is another card's whole claim",
            """
            UPDATE entry SET account = '\(second)' \(of(6)) AND \(purse);
            UPDATE operation SET uid = '\(CardUID.second)' WHERE id = '\(id(6))'
            """, found: "I12: prize for ticket ticket-1 went to a card other"),
        Change(
            "a prize paid out of the takings",
            "UPDATE entry SET account = 'takings' \(of(20)) AND account = 'cash'",
            found: "I12: operation \(id(20)) does not have the entries that its kind payout "
                + "requires"),
        Change(
            "a prize paid out that no account was charged with",
            "UPDATE entry SET account = 'adopted' \(of(20)) AND account = 'prizes'",
            found: "I12: operation \(id(20)) does not have the entries that its kind payout "
                + "requires"),
        Change(
            "a prize paid out onto a card",
            "UPDATE entry SET account = '\(second)' \(of(20)) AND account = 'cash'",
            found: "I12: operation \(id(20)) does not have the entries that its kind payout "
                + "requires"),
        Change(
            "more paid out than was won", "UPDATE entry SET amount = amount * 2 \(of(20))",
            found: "I12: operation \(id(20)) does not have the entries that its kind payout "
                + "requires"),
        Change(
            "a prize paid out on another card",
            "UPDATE operation SET uid = '\(CardUID.second)' WHERE id = '\(id(20))'",
            found: "I12: prize for ticket ticket-2 went to a card other"),
        Change(
            "a prize paid out for no ticket",
            "UPDATE operation SET subject = 'ticket-9' WHERE id = '\(id(20))'",
            found: "I12: ticket ticket-9 has a prize but is void"),
        Change(
            "a prize without a ticket",
            "UPDATE operation SET kind = 'add', subject = NULL WHERE kind = 'claim'",
            found: "I6: operation \(id(6)) does not have the entries that its kind add "
                + "requires"),
        Change(
            "a top-up out of the prizes",
            "UPDATE entry SET account = 'prizes' \(of(7)) AND account = 'cash'",
            found: "I6: operation \(id(7)) does not have the entries"),
        Change(
            "a prize that is not booked as such",
            "UPDATE entry SET account = 'cash' \(of(6)) AND account = 'prizes'",
            found: "I12: operation \(id(6)) does not have the entries"),
        Change(
            "a ticket that another card paid for",
            "UPDATE entry SET account = '\(second)' \(of(3)) AND \(purse)",
            found: "I12: operation \(id(3)) does not have the entries that its kind ticket "
                + "requires"),
        Change(
            "a payment of another card",
            "UPDATE entry SET account = '\(second)' \(of(8)) AND \(purse)",
            found: "I6: operation \(id(8)) does not have the entries that its kind pay "
                + "requires"),
        Change(
            "a refund to another card",
            """
            UPDATE entry SET account = '\(second)' \(of(10)) AND \(purse);
            UPDATE operation SET uid = '\(CardUID.second)' WHERE id = '\(id(10))'
            """, found: "I6: refund \(id(10)) went to another"),
        Change(
            "a refund of more than was paid",
            """
            UPDATE entry SET amount = amount * 2 \(of(10));
            UPDATE operation SET amount = amount * 2 WHERE id = '\(id(10))'
            """, found: "I6: refund \(id(10)) went to another payer or exceeds what was paid"),
        Change(
            "a card that is on another account than its own",
            "UPDATE card SET account = 2 WHERE uid = '\(CardUID.second)'",
            found: "I6: card \(CardUID.second): account number is 2"),
        Change(
            "money that no operation brought",
            """
            INSERT INTO entry (operation, account, amount, posted_at)
            VALUES ('\(id(99))', 'cash', -500, 1), ('\(id(99))', '\(second)', 500, 1)
            """, found: "I6: operation \(id(99)) is missing, but entries refer to it"),
        Change(
            "a prize that was paid, and is gone",
            "DELETE FROM operation WHERE kind = 'payout'",
            found: "I6: operation \(id(20)) is missing, but entries refer to it"),
        Change(
            "a card that is gone", "DELETE FROM card WHERE uid = '\(CardUID.second)'",
            found: "I6: card \(CardUID.second) is missing, but operations, attempts, or tickets "
                + "refer to it"),
        Change(
            "a blocked card that nobody blocked",
            "UPDATE card SET status = 'blocked' WHERE uid = '\(CardUID.second)'",
            found: "I6: card \(CardUID.second) has status blocked"),
    ]

    static let tickets = [
        Change(
            "a ticket of a card that is not there, and of no purchase",
            """
            UPDATE ticket SET uid = '04AC6B72BA6CFF', operation = '\(id(9))'
            WHERE id = 'ticket-1'
            """, found: "I12: ticket ticket-1 differs from what operation \(id(9)) sold"),
        Change(
            "other balls", "UPDATE ticket SET balls = '1 2 3 4 5 6' WHERE id = 'ticket-1'",
            found: "I12: ticket ticket-1 differs from what"),
        Change(
            "another bonus ball", "UPDATE ticket SET bonus = 15 WHERE id = 'ticket-1'",
            found: "I12: ticket ticket-1 differs from what"),
        Change(
            "another draw", "UPDATE ticket SET draw = 'draw-2' WHERE id = 'ticket-1'",
            found: "I12: ticket ticket-1 differs from what"),
        Change(
            "a card with another card's ticket",
            "UPDATE card SET ticket = 'ticket-3' WHERE uid = '\(CardUID.first)'",
            found: "I12: card \(CardUID.first): ticket shown is ticket-3, last ticket bought is "
                + "ticket-2"),
        Change(
            "a card with an older ticket",
            "UPDATE card SET ticket = 'ticket-1' WHERE uid = '\(CardUID.first)'",
            found: "I12: card \(CardUID.first): ticket shown is ticket-1, last ticket bought is "
                + "ticket-2"),
        Change(
            "a card without its ticket",
            "UPDATE card SET ticket = NULL WHERE uid = '\(CardUID.first)'",
            found: "I12: card \(CardUID.first): ticket shown is none, last ticket bought is "
                + "ticket-2"),
        Change(
            "a replaced card's ticket that did not go along",
            "UPDATE card SET ticket = NULL WHERE uid = '\(CardUID.numbered(4))'",
            found: "I12: card \(CardUID.numbered(4)): ticket shown is none, last ticket bought is "
                + "ticket-4"),
    ]

    static let activations = [
        Change(
            "an activated code to be activated again",
            "UPDATE card SET scratch = 'scratched' WHERE scratch = 'activated'",
            found: "I9: card \(CardUID.first) was activated by its operations, but its state is "
                + "scratched"),
        Change(
            "an activated card to be scratched again",
            "UPDATE card SET scratch = 'unscratched', scratch_code = NULL "
                + "WHERE scratch = 'activated'",
            found: "I9: card \(CardUID.first) was activated by its operations, but its state is "
                + "unscratched"),
        Change(
            "another code on an activated card",
            "UPDATE card SET scratch_code = '\(id(99))' WHERE scratch = 'activated'",
            found: "I9: card \(CardUID.first) has a different code"),
        Change(
            "another code on a card and in its attempt",
            """
            UPDATE card SET scratch_code = '\(id(99))' WHERE scratch = 'activated';
            UPDATE activation SET code = '\(id(99))' WHERE state = 'active'
            """, found: "I9: attempt \(id(12)) has a code that card"),
        Change(
            "another code on a scratched card",
            "UPDATE card SET scratch_code = '\(id(99))' WHERE scratch = 'scratched'",
            found: "I9: card \(CardUID.second) has a different code"),
        Change(
            "an attempt that is gone", "DELETE FROM activation WHERE state = 'active'",
            found: "I9: activation operation \(id(12)) has no attempt"),
        Change(
            "an attempt that is gone, with every word of what was activated",
            """
            DELETE FROM activation WHERE state = 'active';
            UPDATE operation SET subject = NULL WHERE kind = 'activate'
            """, found: "I2: operation \(id(12)) has no activation code"),
        Change(
            "an activated card that nobody asked for",
            "UPDATE card SET scratch = 'activated' WHERE uid = '\(CardUID.second)'",
            found: "I9: card \(CardUID.second) is activated without a positive answer from the "
                + "service"),
        Change(
            "a refusal that became a yes, without an operation",
            """
            UPDATE activation SET state = 'active', version = NULL WHERE state = 'rejected';
            UPDATE card SET scratch = 'activated' WHERE uid = '\(CardUID.second)'
            """,
            found:
                "I9: card \(CardUID.second) is activated without a positive answer from the service"
        ),
        Change(
            "an activation that is nobody's operation any more",
            """
            UPDATE operation SET kind = 'reseal', subject = NULL WHERE kind = 'activate';
            UPDATE card SET scratch = 'scratched' WHERE scratch = 'activated'
            """, found: "I9: activation operation \(id(12)) has no positive answer from the service"
        ),
        Change(
            "an activation without an attempt",
            "UPDATE operation SET kind = 'activate', "
                + "subject = 'activated \(id(78))' WHERE id = '\(id(15))'",
            found: "I9: activation operation \(id(15)) has no attempt"),
        Change(
            "an activation that was undone",
            "UPDATE operation SET state = 'voided' WHERE kind = 'activate'",
            found: "I2: operation \(id(12)) (activate) is voided"),
        Change(
            "a second scratching",
            "UPDATE operation SET kind = 'scratch', "
                + "subject = 'scratched \(id(99))' WHERE id = '\(id(15))'",
            found: "I9: operation \(id(15)) (scratch) is not allowed in the card's state at that "
                + "time"),
        Change(
            "an adopted card that came with an activated code",
            "UPDATE card SET scratch = 'activated' WHERE uid = '\(CardUID.numbered(5))'",
            found: "I9: card \(CardUID.numbered(5)) is activated without a positive answer from "
                + "the service"),
    ]

    @Test(
        "The audit finds a change to rows even if the books still add up",
        arguments: Thoroughness.some(money + tickets + activations, of: 4))
    func isFound(_ change: Change) async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await TamperedLedgerTests.ledger(in: folder)
            try #require(try await ledger.audit().violations == [])
            let raw = try RawDatabase(folder.ledger)
            let triggers = try #require(
                raw.value("SELECT group_concat(sql, ';') FROM sqlite_schema WHERE type = 'trigger'")
            )
            let names = try #require(
                raw.value(
                    "SELECT group_concat(name, ' ') FROM sqlite_schema WHERE type = 'trigger'"))
            for name in names.split(separator: " ") { raw.run("DROP TRIGGER \(name)") }
            #expect(raw.run(change.sql) == nil)
            let balances = """
                UPDATE account SET balance = (
                    SELECT coalesce(sum(amount), 0) FROM entry WHERE entry.account = account.name)
                """
            #expect(raw.run(balances) == nil)
            #expect(raw.run(triggers) == nil)
            let violations = try await ledger.audit().violations
            #expect(violations.contains { $0.hasPrefix(change.complaint) }, "\(violations)")
            #expect(!violations.contains { $0.hasPrefix("I1:") }, "the books add up")
        }
    }

    /// A valid ledger with something of each kind.
    static func ledger(in folder: TestFolder) async throws -> SQLiteLedger {
        let ledger = try await folder.open()
        let till = LedgerTill(ledger)
        let (third, fourth, fifth) = (CardUID.numbered(3), CardUID.numbered(4), CardUID.numbered(5))
        try await till.complete(.issue(), id: 1)
        try await till.complete(.issue(), id: 2, on: .second)
        try await till.complete(.ticket(.sample(1), .cents(50)), id: 3)
        try await till.complete(.ticket(.sample(2), .cents(50)), id: 4)
        try await till.complete(.ticket(.sample(3), .cents(50)), id: 5, on: .second)
        try await till.complete(.claim(Ticket.sample(1).id, .cents(30)), id: 6)
        try await till.complete(.add(.cents(20)), id: 7)
        let paid = try await till.complete(.pay(.cents(100)), id: 8)
        try await till.complete(.pay(.cents(100)), id: 9, on: .second)
        try await till.complete(.refund(of: paid.id, nil), id: 10)
        try await till.complete(.scratch(.numbered(77)), id: 11)
        try await till.ask(for: 12)
        try await till.answer(12)
        try await till.complete(.activate, id: 12)
        try await till.complete(.scratch(.numbered(78)), id: 13, on: .second)
        try await till.ask(for: 14, on: .second)
        try await till.answer(14, rejectedBy: "6.0")
        try await till.complete(.reseal(above: .none), id: 15, on: .second)
        try await till.complete(.issue(), id: 16, on: third)
        try await till.complete(.ticket(.sample(4), .cents(50)), id: 17, on: third)
        try await till.complete(
            .make(.sample(.replace(lost: third), balance: 0)), id: 18, on: fourth)
        let adopted = CardPlan.sample(.adopt(message: []), scratch: .scratched(.numbered(79)))
        try await till.complete(.make(adopted), id: 19, on: fifth)
        _ = try await till.payOut(40, of: .sample(2), id: 20)
        return ledger
    }

    private static func id(_ number: Int) -> OperationID { .numbered(number) }
    private static func of(_ number: Int) -> String { "WHERE operation = '\(id(number))'" }
    private static let second = Account.purse(.second, 1).description
}
