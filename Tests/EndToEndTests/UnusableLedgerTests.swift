import DurableFile
import Testing

@Suite("A ledger that cannot be used", .ownThread)
struct UnusableLedgerTests {
    private static let meaning = "Without its ledger tapcard takes and gives no money."

    @Test("another process holds it")
    func locked() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        let database = try OpenDatabase(counter.ledger)
        try database.execute("BEGIN IMMEDIATE")
        // A reader of the ledger need not wait for a writer.
        #expect(try counter.step("read").hasPrefix("No name, $20.00\n"))
        try counter.expect(
            "pay 1", status: 9,
            complains: "Another program holds ~/.local/share/tapcard/simulated/ledger.sqlite "
                + "(database is locked); try again when it is done. Nothing was changed on card or ledger. "
                + UnusableLedgerTests.meaning)
        try database.execute("ROLLBACK")
        #expect(try counter.step("pay 1").hasPrefix("Paid $1.00, $19.00 left\n"))
    }

    @Test("a later version wrote it")
    func newer() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        try OpenDatabase(counter.ledger).execute("PRAGMA user_version = 99")
        try counter.expect(
            "pay 1", status: 9,
            complains: "~/.local/share/tapcard/simulated/ledger.sqlite was written by a later "
                + "version of tapcard (schema 99, this one knows 10); install that version. "
                + UnusableLedgerTests.meaning)
        try counter.expect(
            "pay 1 --json", status: 9,
            prints: #"""
                {"result":"ledger","error":"ledger-newer",\#
                "message":"~/.local/share/tapcard/simulated/ledger.sqlite was written by a later version of \#
                tapcard (schema 99, this one knows 10); install that version. \#
                \#(UnusableLedgerTests.meaning)","uid":null,"operation":null,"settled":[],"next":[]}
                """#)
    }

    @Test(
        "it is damaged, empty or something else", arguments: ["", "no database", "SQLite format 3"])
    func corrupt(content: String) throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        try counter.write(content, to: counter.ledger)
        for line in ["pay 1", "history", "audit", "backup ~/b"] {
            let ended = try counter.run(counter.words(of: line))
            #expect(ended.status == 9, "\(line)")
            #expect(ended.output == "", "\(line)")
            #expect(ended.errors.contains("ledger.sqlite is not a "), "\(line)")
            #expect(ended.errors.contains("tapcard restore-backup"), "\(line)")
        }
        let document = try counter.run(["pay", "1", "--json"])
        #expect(document.output.hasPrefix(#"{"result":"ledger","error":"ledger-corrupt","#))
    }

    @Test("without it a balance is still read, but no money taken and nothing written")
    func alone() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20 --name Ann")
        try counter.write("no database", to: counter.ledger)
        let tag = try counter.text(of: counter.simulation.path)
        let ended = try counter.run(["read"])
        #expect(ended.status == 9)
        #expect(
            ended.output == """
                Ann, $20.00
                Card 04AC6B72BA6C80, NTAG213
                Scratch card: unscratched
                Seal: valid; ledger: unavailable
                The amount is what the card itself says; the ledger has not confirmed it.

                """)
        #expect(ended.errors.contains("ledger.sqlite is not a "))
        let document = try counter.run(["read", "--json"])
        #expect(
            document.output.hasPrefix(
                #"{"result":"ledger","uid":"04AC6B72BA6C80","chip":"NTAG213","seal":"valid","#))
        #expect(try counter.run(["read", "--watch"]).status == 9)
        #expect(try counter.run(["pay", "1"]).output == "")
        try DurableFile(counter.keys).remove()
        #expect(try counter.run(["read"]).output == "")
        #expect(try counter.text(of: counter.simulation.path) == tag)
        #expect(try DurableFile(counter.keys).read() == nil)
    }

    @Test("it is kept in another currency")
    func currency() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20 --currency EUR")
        #expect(try counter.step("pay 1").hasPrefix("Paid €1.00, €19.00 left\n"))
        #expect(try counter.step("pay 1 --currency eur").hasPrefix("Paid €1.00, €18.00 left\n"))
        try counter.expect(
            "pay 1 --currency USD", status: 9,
            complains: "~/.local/share/tapcard/simulated/ledger.sqlite is kept in EUR, not in "
                + "USD; set the station to EUR or name another ledger. "
                + UnusableLedgerTests.meaning + " Leave --currency out.")
    }

    private static let named =
        "the simulated reader is on the ledger ~/missing/ledger.\ntapcard: "

    @Test("there is no place for it")
    func place() throws {
        let counter = try Counter()
        try counter.write("", to: counter.file("file"))
        try counter.expect(
            "read", status: 1,
            complains: "The folder for keys and ledger cannot be made: ~/file: File "
                + "exists. Nothing was done. Give yourself the right to write there, or set "
                + "XDG_DATA_HOME.", with: ["XDG_DATA_HOME": counter.file("file")])
        try counter.expect(
            "audit --ledger ~/missing/ledger", status: 9,
            complains: UnusableLedgerTests.named
                + "There is no ledger at ~/missing/ledger. Nothing "
                + "was changed on card or ledger. The first card makes one: tapcard --ledger "
                + "~/missing/ledger demo.")
        try counter.expect(
            "read --ledger ~/missing/ledger", status: 9,
            complains: UnusableLedgerTests.named
                + "The file or the folder of ~/missing/ledger does not exist; create the folder "
                + "or name another ledger. " + UnusableLedgerTests.meaning)
        try counter.expect(
            "audit --ledger ~", status: 9,
            complains: "the simulated reader is on the ledger ~.\ntapcard: ~ is no file; name a "
                + "ledger. " + UnusableLedgerTests.meaning)
        try counter.expect(
            "audit --ledger postgresql://ann:secret@localhost/x", status: 2,
            complains: "The address of the ledger has a password in it, which other users of this "
                + "machine can see. Nothing was done. Write it into ~/.pgpass, or into a file that "
                + "the address names with passfile=FILE, or into the variable PGPASSWORD.")
        for address in [
            "host=db.example user=ann password=secret dbname=x", "dbname=x password = secret",
            "service=house", "mysql://ann:secret@localhost/x", "PostgreSQL://ann:secret@db/x",
        ] {
            for words in [
                ["audit", "--ledger", address], ["config", "set", "ledger", address],
                ["ledger", "copy", "x", "--into", address],
            ] {
                let told = try counter.run(words)
                #expect(told.status == 2, "\(words)")
                #expect(!(told.output + told.errors).contains("secret"), "\(words)")
                #expect(
                    counter.masked(told.errors).hasSuffix(
                        "tapcard: The ledger is neither a file nor an address that tapcard "
                            + "understands. Nothing was done. Write a database as "
                            + "postgresql://LOGIN@HOST/DATABASE, and its password into ~/.pgpass.\n"
                    ),
                    "\(words): \(told.errors)")
            }
        }
    }

    @Test("no folder is known at all")
    func nothing() throws {
        let counter = try Counter()
        try counter.expect(
            "read", status: 2,
            complains: "There is no home folder to keep keys and ledger in. Nothing was done. Set "
                + "HOME, or XDG_DATA_HOME.", with: ["HOME": nil])
    }
}
