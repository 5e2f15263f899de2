import TestSupport
import Testing

/// Two stations on one ledger, from the empty database to the end of one of them.
@Suite("Stations that share a ledger") struct StationsStoryTests {
    @Test("Stations accept each other's cards until the database is replaced or they are revoked")
    func story() throws {
        let server = try PrivatePostgreSQL.shared.get()
        let name = "story_\(UInt32.random(in: 0...UInt32.max))"
        let address = try server.database(name)
        defer { try? server.remove(name) }
        let owner = try TestIssuer(address)
        try owner.step("ledger init --currency EUR")

        let (first, second) = (try owner.station(1), try owner.station(2))
        try first.step("demo")
        try first.step("keys export ~/keys.json")
        #expect(try second.status("add 20") == 1)
        try second.step("keys import \(first.home)/keys.json")
        #expect(try second.step("add 20").hasPrefix("Added €20.00, €20.00 left"))
        #expect(try first.step("pay 4.50").hasPrefix("Paid €4.50, €15.50 left"))
        let stations = try owner.step("servers list").split(separator: "\n")
        #expect(
            stations.contains { $0.hasPrefix("2  \(second.name) ") && $0.contains("last seen") })

        try StationsStoryTests.refuseOtherKeys(at: try owner.station(3))

        _ = try server.answer(to: "UPDATE opening SET server = 'another'", in: name)
        let undeclared =
            "The database was promoted or restored; the owner must run `tapcard ledger reopen`. "
            + "Payments, top-ups, and other money operations are not possible until the ledger can "
            + "be used again."
        try second.expect("pay 1", status: 9, complains: undeclared)
        try owner.step("ledger reopen --lossless")
        #expect(try second.step("pay 1").hasPrefix("Paid €1.00, €14.50 left"))
        try owner.step("ledger reopen --after-loss")
        #expect(try first.step("pay 1").hasPrefix("Paid €1.00, €13.50 left"))
        try first.step("audit")
        #expect(try first.step("doctor").contains("ok       The ledger is in PostgreSQL "))

        try owner.step("servers remove \(second.name)")
        try StationsStoryTests.expectRevoked(second)
        #expect(try first.step("pay 1").hasPrefix("Paid €1.00, €12.50 left"))
    }

    /// The database is restored from an older copy.
    @Test("A station lists the operations that a database lost until the card is repaired")
    func loss() throws {
        try TestIssuer.opened { owner, server, name in
            let till = try owner.station(1)
            try till.step("demo")
            try till.step("add 20")
            let kept = "\(name)_kept"
            _ = try server.database(kept, copying: name)
            defer { try? server.remove(kept) }
            try till.step("add 5")
            try till.step("pay 4.50")
            #expect(try !till.step("ledger status").contains("has lost"))
            try server.remove(name)
            _ = try server.database(name, copying: kept)
            #expect(try till.status("pay 1") == 9)
            let reopened = try owner.step("ledger reopen --after-loss")
            #expect(reopened.contains("run this on each server: tapcard ledger status"))

            let lines = try till.step("ledger status").split(separator: "\n")
            let lost = lines.filter { $0.contains("has lost") }
            #expect(lost.count == 2)
            let done = "has lost an operation that this machine completed: "
            #expect(lost.first?.contains("\(done)top-up of $5.00, card ") == true)
            #expect(lost.last?.contains("\(done)payment of $4.50, card ") == true)
            #expect(lost.last?.contains(/, card [0-9A-F]{14}, [0-9a-f-]{36}\.$/) == true)
            #expect(try till.step("doctor").contains("\(done)payment of $4.50"))
            #expect(try owner.step("ledger status").contains("has lost") == false)

            #expect(try till.status("pay 1") != 0)
            let repair = try #require(lines.first { $0.contains("tapcard repair --card ") })
            try till.step(String(repair).replacing("tapcard ", with: ""))
            #expect(try !till.step("ledger status").contains("has lost"))
            #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $19.00 left"))
        }
    }

    private static func expectRevoked(_ station: TestIssuer) throws {
        let told = try station.till.run(station.words(of: "pay 1"))
        #expect(told.status == 9)
        #expect(
            told.errors.contains("This machine was permanently removed by the owner"),
            "\(told)")
        #expect(told.errors.contains("add it under another name. Payments, top-ups"))
    }

    private static func refuseOtherKeys(at stranger: TestIssuer) throws {
        try stranger.till.step("keys list")
        try stranger.expect(
            "pay 1", status: 1,
            complains:
                "Key 1 in ~/.local/share/tapcard/simulated/keys.json differs from key 1 on the "
                + "other servers of this ledger. Servers with different keys reject each other's "
                + "cards. The card and the ledger were not changed. Move the key file out of the "
                + "way. Run tapcard keys export FILE on another server, then import the file "
                + "here: tapcard keys import FILE")
    }
}
