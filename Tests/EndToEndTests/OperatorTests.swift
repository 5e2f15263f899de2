import Testing

@Suite("What operators do", .ownThread)
struct OperatorTests {
    private static let uid = Till.firstUID
    private static let unchanged = "Nothing was changed on card or ledger."

    @Test("a card is blocked and allowed again, in the hand or by its number")
    func block() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann")
        try till.expect("block", prints: "Blocked card \(OperatorTests.uid)")
        let blocked =
            "The card is blocked. \(OperatorTests.unchanged) An operator can allow it "
            + "again with tapcard unblock."
        for line in ["pay 1", "add 1", "scratch", "close"] {
            try till.expect(line, status: 4, complains: blocked)
        }
        try till.expect(
            "block", status: 4,
            complains: "Card \(OperatorTests.uid) is blocked already. \(OperatorTests.unchanged)")
        try till.expect(
            "read",
            prints: """
                Ann, $20.00
                Card 04AC6B72BA6C80, NTAG213
                Scratch card: unscratched
                Seal: valid; ledger: blocked
                """)
        try till.step("sim take")
        try till.expect(
            "unblock --card \(OperatorTests.uid)", prints: "Unblocked card \(OperatorTests.uid)")
        try till.expect(
            "unblock --card \(OperatorTests.uid)", status: 4,
            complains: "Card \(OperatorTests.uid) is active already. \(OperatorTests.unchanged)")
        try till.step("sim put")
        try till.step("pay 1")
    }

    @Test("a card that is not known, or no card's number, is said to be so, and nothing else")
    func unknown() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        for line in ["block", "unblock", "forget"] {
            try till.expect(
                "\(line) --card 04112233445566", status: 4,
                complains: "This ledger knows no card 04112233445566. \(OperatorTests.unchanged) "
                    + "tapcard history shows the cards that it knows.")
        }
        let wrong = try till.run(["tag", "protect", "--card", "zz"])
        #expect(wrong.status == 2)
        #expect(!wrong.errors.contains("keys export"), "\(wrong.errors)")
    }

    @Test("a lost card's balance moves to a new tag")
    func replace() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann --id 7")
        try till.step("scratch")
        try till.step("sim put NTAG216")
        try till.expect(
            "replace --card 04112233445566", status: 4,
            complains: "This ledger knows no card 04112233445566. \(OperatorTests.unchanged) "
                + "tapcard adopt takes over a card that this ledger does not know.")
        try till.expect(
            "replace --card \(OperatorTests.uid)",
            prints: """
                Replaced 04AC6B72BA6C80: Ann (id 7), $20.00
                Card 04D9650A325E80, NTAG216
                Scratch card: scratched, code <uuid>
                Seal: valid; ledger: known
                Maker's signature: valid (it proves who made the chip, not that the card is \
                genuine)
                """)
        #expect(try till.step("pay 5").hasPrefix("Paid $5.00, $15.00 left\n"))
        try till.step("sim put \(OperatorTests.uid)")
        #expect(try till.run(["pay", "1"]).status == 4)
        #expect(try till.step("audit").contains("every invariant holds"))
    }

    @Test("a name is forgotten in the ledger, and on the card at its next tap")
    func forget() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann --id 7")
        try till.expect(
            "forget",
            prints: """
                Forgot the name on card \(OperatorTests.uid)
                The card follows at its next tap
                """)
        #expect(try holdsName(till))
        try till.expect(
            "read",
            prints: """
                No name (id 7), $20.00
                Card 04AC6B72BA6C80, NTAG213
                Scratch card: unscratched
                Seal: valid; ledger: known
                What phones read was brought up to date.
                """)
        #expect(try !holdsName(till))
        #expect(try !till.text(of: till.ledger).contains("Ann\u{0}"))
    }

    /// The bytes of "Ann" on the tag, wherever the pages part them.
    private func holdsName(_ till: Till) throws -> Bool {
        let pages = try till.step("tag dump").split(separator: "\n")
            .filter { $0.hasPrefix("page") }.map { $0.dropFirst("page 00: ".count) }
        return pages.joined(separator: " ").contains("41 6E 6E")
    }

    @Test("a card is paid out, formatted, and begins again")
    func close() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann")
        let inUse =
            "The tag carries card \(OperatorTests.uid) with $20.00, not closed. "
            + "\(OperatorTests.unchanged) Pay it out with tapcard close first."
        try till.expect("tag format", status: 4, complains: inUse)
        try till.expect("tag format --overwrite", status: 4, complains: inUse)
        try till.expect(
            "issue", status: 4,
            complains: "Card \(OperatorTests.uid) is in this ledger already. "
                + "\(OperatorTests.unchanged) To close that account and begin a new one, add "
                + "--reissue.")
        try till.expect(
            "close",
            prints: """
                Paid out $20.00, $0.00 left
                Hand out $20.00 now.
                Card 04AC6B72BA6C80, operation <uuid>
                """)
        let closed =
            "The card was closed and paid out. \(OperatorTests.unchanged) It can become a "
            + "new card with tapcard issue --reissue."
        for line in ["pay 1", "add 1", "scratch"] {
            try till.expect(line, status: 4, complains: closed)
        }
        // The answer of the closing may have been lost.
        try till.expect(
            "close", status: 4,
            complains: "The card was closed, and $20.00 was booked as paid out at <time> UTC. "
                + "Nothing was booked now: pay nothing out, unless that was you and the money is "
                + "still in the drawer. It can become a new card with tapcard issue --reissue.")
        try till.expect("tag format", prints: "Tag \(OperatorTests.uid) is blank")
        #expect(try till.run(["read"]).status == 4)
        try till.expect(
            "issue --reissue --balance 3",
            prints: """
                Issued: No name, $3.00
                Card 04AC6B72BA6C80, NTAG213
                Scratch card: unscratched
                Seal: valid; ledger: known
                Maker's signature: valid (it proves who made the chip, not that the card is \
                genuine)
                """)
        try till.expect(
            "issue --reissue --balance 4 --name Bo", status: 4,
            complains: "The card still holds $3.00. A new account on it closes the old one. "
                + "\(OperatorTests.unchanged) Pay it out with tapcard close first, or hand out "
                + "$3.00 and repeat with --yes.")
        let reissued = try till.step("issue --reissue --balance 4 --name Bo --yes")
        #expect(reissued.contains("The old account of this tag is closed. Hand out $3.00 now."))
        #expect(try till.step("takings").contains("$23.00\n"))
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $3.00 left\n"))
        try till.expect(
            "history",
            prints: [
                "issue               $20.00        $20.00        <uuid>",
                "close               -$20.00       $0.00         <uuid>",
                "issue               $3.00         $3.00         <uuid>",
                "issue               $4.00         $4.00         <uuid>  closed $3.00",
                // The record of the card's earlier life is written over.
                "reseal                            $4.00         <uuid>",
                "pay                 -$1.00        $3.00         <uuid>",
            ].map { "<time>  \(OperatorTests.uid)  \($0)" }.joined(separator: "\n"))
        try till.expect(
            "audit", prints: "Cards: 1, operations: 6, nothing open; every invariant holds")
    }

    @Test("a payment is refunded and a top-up taken back once, at most what was moved")
    func refund() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let operation = try till.operation(in: try till.step("pay 5"))
        let added = try till.operation(in: try till.step("add 1"))
        let advice = "\(OperatorTests.unchanged) tapcard history shows the operations."
        try till.expect(
            "refund \(operation) 5.01", status: 4,
            complains: "$5.01 is more than the $5.00 that were moved. \(advice)")
        try till.expect(
            "refund \(added) 1.01", status: 4,
            complains: "$1.01 is more than the $1.00 that were moved. \(advice)")
        let card = "Card 04AC6B72BA6C80, operation <uuid>"
        let takenBack = "Took back $1.00, $15.00 left"
        try till.expect(
            "refund \(added)", prints: "\(takenBack)\nHand out $1.00 now.\n\(card)")
        // The money was handed out the first time.
        try till.expect(
            "refund \(added)",
            prints: "\(takenBack) then (replayed: done before, not again)\nIt was booked at <time> "
                + "UTC: hand out nothing, unless that was you and the money is still in the "
                + "drawer.\n\(card)")
        let refunded = "Refunded $2.00, $17.00 left"
        try till.expect("refund \(operation) 2", prints: "\(refunded)\n\(card)")
        try till.expect(
            "refund \(operation) 2",
            prints: "\(refunded) then (replayed: done before, not again)\n\(card)")
        try till.expect(
            "refund \(operation) 3", status: 4,
            complains: "Operation <uuid> was refunded before: $2.00, by operation <uuid>. "
                + advice)
        let other = try till.run(["refund", operation, "3", "--json"])
        #expect(other.output.hasPrefix(#"{"result":"refused","error":"already-refunded","#))
        try till.step("sim put NTAG215")
        #expect(try till.run(["refund", operation, "2"]).status == 0)
        #expect(try till.step("audit").contains("every invariant holds"))
    }

    @Test("an operation's id stands for one request")
    func operation() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let line = "pay 5 --operation 6F1C2A34-5B6D-4E7F-8A90-1B2C3D4E5F60"
        let card = "Card 04AC6B72BA6C80, operation <uuid>"
        try till.expect(line, prints: "Paid $5.00, $15.00 left\n\(card)")
        try till.step("sim take")
        // What happened is known without the card.
        try till.expect(
            line,
            prints: "Paid $5.00, $15.00 left then (replayed: done before, not again)\n\(card)")
        for other in [line.replacing("5 ", with: "6 "), line.replacing("pay", with: "add")] {
            try till.expect(
                other, status: 2,
                complains:
                    "Operation <uuid> was used before, for another request: pay 5.00 on card "
                    + "04AC6B72BA6C80. \(OperatorTests.unchanged) Use a new id for a new request.")
        }
        try till.step("sim put")
        try till.step("sim tear 2 torn zero")
        let voided = line.replacing("5F60", with: "5F61")
        #expect(try till.run(till.words(of: voided)).status == 6)
        try till.step("sim put")
        try till.step("read")
        try till.expect(
            voided, status: 4,
            complains: "Not paid. Nothing was taken from the card. To pay now: tapcard pay 5.00")
    }
}
