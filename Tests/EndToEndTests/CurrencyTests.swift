import OperatingSystem
import TestSupport
import Testing

/// An issuer with stations in two currencies and one ring of keys.
@Suite("Stations in different currencies", .ownThread)
struct CurrencyTests {
    private static let words =
        "This is a genuine EUR card, but this machine uses USD. Its balance is in the ledger where "
        + "it was issued. Nothing was changed, and no money moved. The card is genuine, but its "
        + "currency is EUR; use it where that currency is accepted. To accept it here, specify the "
        + "card's ledger with --ledger LOCATION, or restore a copy of that ledger: tapcard "
        + "restore-backup FILE"

    /// A station in dollars with the keys of a station in euros, and a card in euros on its reader.
    private func stations() throws -> (euro: Till, dollar: Till) {
        let euro = try Till(["TAPCARD_CURRENCY": "EUR"])
        try euro.step("issue --balance 6.36 --name Ann")
        try euro.step("keys export ~/keys.json")
        let dollar = try Till()
        try dollar.step("keys import \(euro.file("keys.json")) --currency USD")
        try dollar.step("init --currency USD")
        try dollar.write(try euro.text(of: euro.simulation.path), to: dollar.simulation.path)
        return (euro, dollar)
    }

    @Test("A genuine card in another currency is refused as such and left unchanged")
    func named() throws {
        let (_, dollar) = try stations()
        let tag = try dollar.text(of: dollar.simulation.path)
        for line in [
            "pay 1", "add 1", "close", "issue", "issue --overwrite", "demo", "adopt", "tag format",
        ] {
            let ended = try dollar.run(dollar.words(of: line))
            #expect(ended.status == 4, "\(line): \(ended.errors)")
            #expect(dollar.masked(ended.errors) == "tapcard: \(CurrencyTests.words)\n", "\(line)")
        }
        #expect(try dollar.text(of: dollar.simulation.path) == tag)
    }

    @Test("A card reissued elsewhere in another currency is not reported as damaged")
    func issuedElsewhere() throws {
        let euro = try Till(["TAPCARD_CURRENCY": "EUR"])
        try euro.step("keys list")
        try euro.step("keys export ~/keys.json")
        let dollar = try Till()
        try dollar.step("--currency USD issue --balance 5")
        try dollar.write(try euro.text(of: euro.keys), to: dollar.keys)
        try euro.step("issue --balance 6.36")
        try dollar.write(try euro.text(of: euro.simulation.path), to: dollar.simulation.path)
        let ended = try dollar.run(["pay", "1"])
        #expect(ended.status == 4, "\(ended.errors)")
        #expect(
            ended.errors.hasPrefix(
                "tapcard: This tag is listed in this machine's USD ledger, but the card on it "
                    + "uses EUR; use the card where EUR is accepted. The full balance is safe in "
                    + "the ledger."), "\(ended.errors)")
        #expect(!ended.errors.contains("overwrite"))
    }

    @Test("Imported keys bring their currency to a station that has no ledger yet")
    func withTheKeys() throws {
        let (euro, dollar) = try stations()
        #expect(try euro.text(of: euro.file("keys.json")).contains(#""currency": "EUR""#))
        let third = try Till()
        #expect(
            try third.step("keys import \(euro.file("keys.json"))").hasPrefix("Keys imported: 1"))
        try third.step("init")
        try third.write(try euro.text(of: euro.simulation.path), to: third.simulation.path)
        #expect(try third.step("read").hasPrefix("Ann, €6.36\n"))
        let imported = try dollar.step("keys import \(euro.file("keys.json"))")
        #expect(
            imported.hasSuffix(
                "The keys come from a machine that uses EUR, and this one uses USD: that "
                    + "machine's cards are recognized here but refused"
            ), "\(imported)")
    }

    @Test("A backup in another currency is restored only where there are no cards yet")
    func restored() throws {
        let (euro, dollar) = try stations()
        try euro.step("backup ~/copy")
        let copy = euro.file("copy")
        try dollar.step("restore-backup \(copy)")
        #expect(try dollar.step("repair --card \(Till.firstUID)").contains("€6.36"))
        let used = try Till()
        try used.step("issue --balance 1")
        let ended = try used.run(["restore-backup", copy])
        #expect(ended.status == 9 && ended.errors.contains("EUR"), "\(ended.errors)")
    }

    @Test("A decimal comma is accepted if the currency or the locale uses one")
    func comma() throws {
        let euro = try Till(["TAPCARD_CURRENCY": "EUR"])
        try euro.step("issue --balance 20,50")
        #expect(try euro.step("pay 4,50").hasPrefix("Paid €4.50, €16.00 left\n"))
        let dollar = try Till()
        try dollar.step("issue --balance 20")
        #expect(try dollar.run(["pay", "4,5"]).status == 2)
        let spoken = try dollar.run(["pay", "4,5"], with: ["LANG": "de_DE.UTF-8"])
        #expect(spoken.output.hasPrefix("Paid $4.50, $15.50 left\n"), "\(spoken.errors)")
        #expect(try dollar.run(["pay", "4,5"], with: ["LANG": "de_CH.UTF-8"]).status == 2)
    }
}
