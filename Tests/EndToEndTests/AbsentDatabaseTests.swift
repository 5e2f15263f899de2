import Glibc
import TestSupport
import Testing

/// The database is offline for a while or for good.
@Suite("A station whose database is offline", .ownThread) struct AbsentDatabaseTests {
    @Test(
        "The till page refuses payments while the database is offline and resumes when it is back")
    func serving() throws {
        let server = try PrivatePostgreSQL()
        let owner = try TestIssuer(try server.database("issuer"))
        try owner.step("ledger init --currency EUR")
        let till = try owner.station(1)
        try till.step("demo")
        try till.step("add 20")
        server.kill()
        let page = try CashierPage(till.till, ["--ledger", till.place])
        #expect(
            try page.process.errors.contains(
                "The server starts without the ledger and will use it as soon as it is available."))
        let token = try page.token()
        try Self.expectAway(page, token)

        let back = try server.recovered()
        try Self.waitForLedger(at: page, token)
        try Self.pay(at: page, token, leaving: "19.00")

        // Once more, while it runs.
        back.kill()
        try Self.expectAway(page, token)
        let again = try back.recovered()
        defer { again.kill() }
        try Self.waitForLedger(at: page, token)
        try Self.pay(at: page, token, leaving: "18.00")
        let health = try page.get("/api/v1/health", token)
        #expect(health.contains(#""database":{"currency":"EUR""#), "\(health)")
        try page.stop()
        try till.step("audit")
    }

    @Test("A server for several tills says only once that it started without the ledger")
    func tills() throws {
        let server = try PrivatePostgreSQL()
        let owner = try TestIssuer(try server.database("issuer"))
        try owner.step("ledger init --currency EUR")
        let till = try owner.station(1)
        try till.step("demo")
        server.kill()
        let readers = ["sim", "sim:\(till.home)/second.txt"].flatMap { ["--reader", $0] }
        let page = try CashierPage(till.till, ["--ledger", till.place] + readers)
        #expect(
            try page.process.errors.split(
                separator:
                    "The server starts without the ledger and will use it as soon as it is "
                    + "available."
            ).count == 2)
        try page.stop()
    }

    @Test("A station that was never set up is not served while its database is offline")
    func withoutKeys() throws {
        let server = try PrivatePostgreSQL()
        let till = try TestIssuer(try server.database("issuer"))
        server.kill()
        #expect(try till.status("--reader sim serve") == 9)
    }

    @Test("Commands on a ledger that was moved to a database say where it is now")
    func moved() throws {
        let server = try PrivatePostgreSQL.shared.get()
        let name = "moved_\(UInt32.random(in: 0...UInt32.max))"
        let address = try server.database(name)
        defer { try? server.remove(name) }
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("ledger copy \(till.ledger) --into \(address)")
        let place = address.replacing("postgresql:///", with: "postgresql://NAME@/")
            .replacing("&user=tapcard", with: "")
        let told =
            "The ledger at \(till.ledger) was moved to the database \(place). Nothing was changed, "
            + "and no money moved. Ask the owner of the ledger for a login for this machine "
            + "(tapcard servers add), then run this command here: tapcard config set ledger "
            + "'\(place)'"
        for line in ["pay 1", "serve", "keys list"] {
            let ended = try till.run(till.words(of: line))
            #expect(ended.status == 9 && ended.errors.contains(told), "\(line): \(ended.errors)")
        }
        let ended = try till.run(till.words(of: "--json pay 1"))
        #expect(ended.output.contains(#""next":[{"step":"use-database","ledger":""#))
    }

    private static func expectAway(_ page: CashierPage, _ token: [String]) throws {
        let health = try page.get("/api/v1/health", token)
        #expect(health.contains(#""status":"no-ledger""#), "\(health)")
        #expect(health.contains(#""error":"ledger-offline""#), "\(health)")
        #expect(health.contains(#""why":"The database is offline"#), "\(health)")
        let refused = try page.post("/api/v1/pay", #"{"amount":"1"}"#, token)
        #expect(refused.contains(#""error":"ledger-offline""#), "\(refused)")
    }

    private static func waitForLedger(at page: CashierPage, _ token: [String]) throws {
        try page.process.wait("the ledger is back") {
            try page.get("/api/v1/health", token).contains(#""status":"ok""#)
        }
        // The card is there, too: the page reads by itself what it could not read before.
        try page.process.wait("the card is read") {
            try page.get("/api/v1/card", token).contains(#""ledger":"known""#)
        }
    }

    private static func pay(
        at page: CashierPage, _ token: [String], leaving balance: String
    ) throws {
        let paid = try page.post("/api/v1/pay", #"{"amount":"1","again":true}"#, token)
        #expect(paid.contains(#""balance":"\#(balance)""#), "\(paid)")
    }
}
