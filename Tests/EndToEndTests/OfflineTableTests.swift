import OperatingSystem
import TestSupport
import Testing

extension OfflineTests {
    /// The till has no issuer keys, so a key from its table seals its journal and its snapshot.
    @Test("Offline payments taken with a table of card keys are booked even after a newer table")
    func withTable() throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let first = try issuer.till()
        try first.step("sim put NTAG424")
        try first.step("issue --balance 20")
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        func bring(_ name: String) throws {
            let told = try first.step("keys table ~/\(name)").split(separator: "\n")
            let passphrase = String(try #require(told[1].split(separator: " ").last))
            let ended = try till.run(
                "keys import \(first.till.file(name))",
                with: ["TAPCARD_TABLE_PASSPHRASE": passphrase])
            #expect(ended.status == 0, "\(ended)")
        }
        try bring("table")
        #expect(try till.step("station snapshot") == "The snapshot has 1 card")
        issuer.server.kill()
        #expect(try till.step("pay 4.50").hasPrefix("Paid €4.50 (offline), €15.50 left"))
        #expect(try till.run("pay 6").status == 9)
        let read = try till.run("read")
        #expect(read.status == 9 && read.output.contains("€15.50"), "\(read)")
        let journal = till.folder + "/deferred.journal"
        let copy = first.till.file("copy")
        try DurableFile(copy).write(try #require(try DurableFile(journal).read()))
        try issuer.recover()
        // The payment still waits when other keys come, which lack the one that sealed it.
        try issuer.owner.step("keys import \(first.till.keys)")
        try issuer.owner.step("keys rotate --now")
        try issuer.owner.step("keys export ~/new")
        try first.step("keys import \(issuer.owner.till.file("new"))")
        try first.step("pay 1")
        try bring("newer")
        try issuer.owner.step("keys retire 1 --for-ever")
        #expect(try till.step("station book") == "Booked 1 offline payment, €4.50 in total.")
        #expect(try till.step("pay 0.50").hasPrefix("Paid €0.50, €14.00 left"))
        // A station of the issuer books a copy of it, once.
        #expect(try first.step("station book \(copy)") == "No offline payments to book")
        #expect(try till.step("audit").contains("rules: all hold"))
    }
}
