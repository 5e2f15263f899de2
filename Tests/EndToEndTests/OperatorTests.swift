import TestSupport
import Testing

@Suite("Operator commands", .ownThread)
struct OperatorTests {
    private static let uid = Till.firstUID
    private static let unchanged = "Nothing was changed, and no money moved."

    @Test("Operator commands refuse an unknown card and an invalid UID")
    func unknown() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        for line in ["block", "unblock", "forget"] {
            try till.expect(
                "\(line) --card 04112233445566", status: 4,
                complains:
                    "Card 04112233445566 is not in this ledger. \(OperatorTests.unchanged) Check "
                    + "the card number; to see the cards in this ledger, run: tapcard history")
        }
        let wrong = try till.run(["tag", "protect", "--card", "zz"])
        #expect(wrong.status == 2)
        #expect(!wrong.errors.contains("keys export"), "\(wrong.errors)")
    }

    @Test("A lost card's balance moves to a new tag, and the old tag is refused")
    func replace() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann --id 7")
        try till.step("scratch")
        try till.step("sim put NTAG216")
        try till.expect(
            "replace --card 04112233445566", status: 4,
            complains:
                "Card 04112233445566 is not in this ledger. \(OperatorTests.unchanged) Run tapcard "
                + "adopt to add a card that is not in this ledger.")
        #expect(
            try till.step("replace --card \(OperatorTests.uid)")
                .contains("\nScratch card: scratched, code "))
        #expect(try till.step("pay 5").hasPrefix("Paid $5.00, $15.00 left\n"))
        try till.step("sim put \(OperatorTests.uid)")
        let replaced = try till.run(["pay", "1", "--json"])
        #expect(replaced.status == 4)
        #expect(
            replaced.output.hasSuffix(
                #""next":[{"step":"use-replacement"},{"step":"reissue-tag"}]}"# + "\n"))
    }

    @Test("A forgotten name is erased from the ledger, and from the card at its next tap")
    func forget() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann --id 7")
        try till.step("forget")
        #expect(try holdsName(till))
        #expect(
            try till.step("read").hasSuffix(
                "\nThe text for phones on this tag was out of date and has been rewritten."))
        #expect(try !holdsName(till))
        #expect(try !till.text(of: till.ledger).contains("Ann\u{0}"))
    }

    /// Whether the tag holds the bytes of "Ann", even across pages.
    private func holdsName(_ till: Till) throws -> Bool {
        let pages = try till.step("tag dump").split(separator: "\n")
            .filter { $0.hasPrefix("page") }.map { $0.dropFirst("page 00: ".count) }
        return pages.joined(separator: " ").contains("41 6E 6E")
    }

    @Test(
        "A refund cannot exceed the amount moved, and repeating it warns against paying out twice")
    func refund() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let operation = try till.operation(in: try till.step("pay 5"))
        let added = try till.operation(in: try till.step("add 1"))
        let advice = "\(OperatorTests.unchanged) To see what was done, run: tapcard history"
        try till.expect(
            "refund \(operation) 5.01", status: 4,
            complains: "The refund of $5.01 is more than the original $5.00. \(advice)")
        try till.expect(
            "refund \(added) 1.01", status: 4,
            complains: "The refund of $1.01 is more than the original $1.00. \(advice)")
        try till.step("refund \(added)")
        // The money was handed out the first time.
        try till.expect(
            "refund \(added)",
            prints:
                "Top-up reversed: $1.00, $15.00 left (already done; balance at that time)\nThis "
                + "payout was already recorded at <time> UTC. Do not give the customer cash now, "
                + "unless you recorded the payout yourself and the customer has not received the "
                + "cash yet.\nCard 04AC6B72BA6C80, operation <uuid>")
    }
}
