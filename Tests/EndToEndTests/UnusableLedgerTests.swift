import OperatingSystem
import TestSupport
import Testing

@Suite("An unusable ledger", .ownThread)
struct UnusableLedgerTests {
    private static let meaning =
        "Payments, top-ups, and other money operations are not possible until the ledger can be "
        + "used again."

    @Test("A payment is refused while another process holds the ledger, but a read works")
    func locked() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let database = try OpenDatabase(till.ledger)
        try database.execute("BEGIN IMMEDIATE")
        // A reader of the ledger need not wait for a writer.
        #expect(try till.step("read").hasPrefix("No name, $20.00\n"))
        try till.expect(
            "pay 1", status: 9,
            complains: "~/.local/share/tapcard/simulated/ledger.sqlite is locked by another "
                + "program (database is locked); try again when it is free. Nothing was changed, "
                + "and no money moved. "
                + UnusableLedgerTests.meaning)
        try database.execute("ROLLBACK")
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $19.00 left\n"))
    }

    @Test(
        "A damaged, empty or foreign ledger file is refused",
        arguments: ["", "no database", "SQLite format 3"])
    func corrupt(content: String) throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.write(content, to: till.ledger)
        let ended = try till.run(["pay", "1"])
        #expect(ended.status == 9 && ended.output == "")
        let reasons = ["is not a ", "is damaged (file is not a database)"].map {
            "ledger.sqlite \($0)"
        }
        #expect(reasons.contains { ended.errors.contains($0) }, "\(ended.errors)")
        #expect(ended.errors.contains("tapcard restore-backup"))
        let document = try till.run(["pay", "1", "--json"])
        #expect(document.output.hasPrefix(#"{"result":"ledger","error":"ledger-corrupt","#))
    }

    @Test("Without its ledger a card is still read, but no money moves and nothing is written")
    func alone() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann")
        try till.write("no database", to: till.ledger)
        let tag = try till.text(of: till.simulation.path)
        let ended = try till.run(["read"])
        #expect(ended.status == 9 && ended.output.hasPrefix("Ann, $20.00\n"))
        #expect(try till.run(["watch"]).status == 9)
        #expect(try till.run(["pay", "1"]).output == "")
        try DurableFile(till.keys).remove()
        #expect(try till.run(["read"]).output == "")
        #expect(try till.text(of: till.simulation.path) == tag)
        #expect(try DurableFile(till.keys).read() == nil)
    }

    private static let named =
        "warning: a simulated reader is being used with the real ledger "
        + "~/missing/ledger.\ntapcard: "

    @Test("An unusable ledger place is refused, and a password in it is not printed")
    func place() throws {
        let till = try Till()
        try till.write("", to: till.file("file"))
        try till.expect(
            "read", status: 1,
            complains:
                "The data folder cannot be created: ~/file: File exists. Nothing was done. Get "
                + "permission to write there, or set XDG_DATA_HOME to another folder.",
            with: ["XDG_DATA_HOME": till.file("file")])
        try till.expect(
            "audit --ledger ~/missing/ledger", status: 9,
            complains: UnusableLedgerTests.named
                + "There is no simulated ledger at ~/missing/ledger yet. Nothing was changed, and "
                + "no money moved. The first simulated card creates it. To make the demo card, "
                + "run: tapcard --ledger ~/missing/ledger demo")
        try till.expect(
            "read --ledger ~/missing/ledger", status: 9,
            complains: UnusableLedgerTests.named
                + "~/missing/ledger or its folder is missing; create the folder or specify another "
                + "ledger. " + UnusableLedgerTests.meaning)
        try till.expect(
            "audit --ledger ~", status: 9,
            complains:
                "warning: a simulated reader is being used with the real ledger ~.\ntapcard: ~ is "
                + "not a regular file. "
                + UnusableLedgerTests.meaning)
        try till.expect(
            "audit --ledger postgresql://ann:secret@localhost/x", status: 2,
            complains:
                "The ledger address contains a password, which other users can see. Nothing was "
                + "done. Put the password in ~/.pgpass, in a file named by passfile=FILE, or "
                + "in PGPASSWORD.")
        for address in [
            "host=db.example user=ann password=secret dbname=x", "dbname=x password = secret",
            "service=issuer", "mysql://ann:secret@localhost/x", "PostgreSQL://ann:secret@db/x",
        ] {
            for words in [
                ["audit", "--ledger", address], ["config", "set", "ledger", address],
                ["ledger", "copy", "x", "--into", address],
            ] {
                let told = try till.run(words)
                #expect(told.status == 2, "\(words)")
                #expect(!(told.output + told.errors).contains("secret"), "\(words)")
                #expect(
                    till.masked(told.errors).hasSuffix(
                        "tapcard: The ledger is neither a file path nor a PostgreSQL address. "
                            + "Nothing was done. Write it as postgresql://LOGIN@HOST/DATABASE, "
                            + "and put the password in ~/.pgpass.\n"),
                    "\(words): \(told.errors)")
            }
        }
    }

    @Test("Without HOME the program asks for HOME or XDG_DATA_HOME")
    func nothing() throws {
        let till = try Till()
        try till.expect(
            "read", status: 2,
            complains:
                "The variable HOME is not set. Nothing was done. Set HOME or XDG_DATA_HOME.",
            with: ["HOME": nil])
    }
}
