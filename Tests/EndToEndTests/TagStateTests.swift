import TestSupport
import Testing

/// Tags that are unformatted, written by others or torn. Whatever is not a card is left unchanged.
@Suite("Unformatted, foreign and torn tags", .ownThread)
struct TagStateTests {
    private static let another = "Use another tag, or make this one a card: tapcard issue"

    @Test("An unformatted tag is refused with advice to format it")
    func unformatted() throws {
        let till = try Till()
        try till.step("keys list")
        try till.step("sim put")
        try till.simulation.set(["page 03": "00 00 00 00"])
        try till.expect(
            "demo", status: 4,
            complains: "The tag cannot be used as a card: it has no NDEF format (no capability "
                + "container). Nothing was written to the tag. Format it with a phone, for example "
                + "with the NFC Tools app, or use another tag.")
    }

    @Test("A tag with other content is named and kept unless --overwrite is given")
    func foreign() throws {
        let till = try Till()
        try till.step("keys list")
        try till.step("sim put")
        let link = SimulationFileText.message("U", [0x04] + Array("debian.org".utf8))
        try till.simulation.write(link)
        try till.expect(
            "read", status: 4,
            complains: "This tag holds a link instead of a card. Nothing was changed, and no money "
                + "moved. "
                + TagStateTests.another)
        #expect(try till.step("tag info").contains("\nContent: uri\n"))
        for line in ["demo", "issue --name X", "pay 1", "adopt"] {
            #expect(try till.run(till.words(of: line)).status == 4, "\(line)")
        }
        try till.expect(
            "tag format", status: 4,
            complains:
                "The tag was not overwritten: it holds other content (uri). Nothing was written to "
                + "the tag. To overwrite the tag and destroy its content, add --overwrite to this "
                + "command.")
        try till.simulation.write(
            SimulationFileText.message("T", [0x02] + Array(#"en{"balance":"much"}"#.utf8)))
        try till.expect(
            "read", status: 4,
            complains: "This tag holds invalid card data: balance is not an amount that a card can "
                + "hold. Nothing was changed, and no money moved. " + TagStateTests.another)
        #expect(try till.step("demo --overwrite").hasPrefix("The demo card is ready"))
        #expect(try till.step("read").hasPrefix("Amanda Gonzalez (id 1), $0.00\n"))
    }

    @Test("An adopted card keeps the form that the phone app reads")
    func app() throws {
        let till = try Till()
        try till.step("keys list")
        try till.step("sim put")
        let json = #"{"firstName":"Amanda","lastName":"Gonzalez","accountValue":12.5,"id":1}"#
        try till.simulation.write(SimulationFileText.message("T", Array(json.utf8)))
        #expect(
            try till.step("adopt --accept-balance 12.50 --display ios-app")
                .hasPrefix("Converted: Amanda Gonzalez (id 1), $12.50\n"))
        #expect(try till.step("pay 2.50").hasPrefix("Paid $2.50, $10.00 left"))
        // What the app reads is its own form again, with the new balance at the same place.
        #expect(try till.simulation.page(5).hasSuffix("54 7B 22"))
        #expect(try till.step("tag info").contains("\nContent: json\n"))
        #expect(try till.step("audit").contains("rules: all hold"))
    }

    @Test("Torn text for phones is rewritten, and torn records need a repair")
    func torn() throws {
        let till = try Till()
        try till.step("issue --balance 20 --name Ann")
        try till.step("pay 1")
        try till.simulation.set(["page 04": "03 00 FE 00", "page 09": "00 00 00 00"])
        try till.expect(
            "read --no-resolve",
            prints: """
                Ann, $19.00
                Card 04AC6B72BA6C80, NTAG213
                Scratch card: unscratched
                Seal: valid; ledger: card found
                The text for phones on this tag is out of date and could not be rewritten. The card and its balance are fine, and the next tap tries again; if the text stays out of date, run tapcard tag info to see whether the tag is locked.
                """)
        #expect(
            try till.step("read").hasSuffix(
                "\nThe text for phones on this tag was out of date and has been rewritten."))
        #expect(try till.simulation.page(9) == "31 39 2E 30")
        try till.simulation.set(["page 21": "00 00 00 00", "page 25": "FF FF FF FF"])
        let damaged =
            "This card is in the ledger, but all records on it are damaged or altered. The full "
            + "balance is safe in the ledger. An operator can rewrite the card from the ledger and "
            + "make it valid: tapcard repair --card 04AC6B72BA6C80"
        try till.expect("pay 1", status: 7, complains: damaged)
        try till.expect("repair", status: 7, complains: damaged)
        #expect(
            try till.step("repair --card 04AC6B72BA6C80").hasPrefix("Repaired: Ann, $19.00\n"))
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $18.00 left"))
    }

    @Test("A simulation file that cannot be understood is reported")
    func simulation() throws {
        let till = try Till()
        try till.step("demo")
        try till.write("tapcard simulation 2\n", to: till.simulation.path)
        for line in ["read", "pay 1", "sim list", "sim put"] {
            try till.expect(
                line, status: 5,
                complains:
                    "The simulated reader's file cannot be used: "
                    + "~/.local/share/tapcard/simulated/simulation.txt: the file is not "
                    + "a tapcard simulation. Nothing was done. Repair or delete the file; if "
                    + "you delete it, the simulated reader starts over with a blank tag.")
        }
    }
}
