import Glibc
import OperatingSystem
import TestSupport
import Testing

/// A payment that a till reported as not paid is never taken under the same id.
@Suite("A payment that was reported as not paid", .ownThread)
struct NotDoneTests {
    private typealias TestIssuer = OfflineTests.TestIssuer
    private typealias OfflineTill = OfflineTests.OfflineTill
    private static let id = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"

    /// A till whose payment was torn.
    private func torn(_ issuer: TestIssuer) throws -> OfflineTill {
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("issue --balance 20")
        try till.step("sim tear 1 killed-before")
        #expect(try till.run("pay 5 --operation \(NotDoneTests.id)").status != 0)
        return till
    }

    private func expectRefused(_ ended: Ended, at location: SourceLocation = #_sourceLocation) {
        #expect(
            ended.status == 4 && ended.output.isEmpty
                && ended.errors.contains("The payment was not taken. The card was not charged."),
            "\(ended)",
            sourceLocation: location)
    }

    @Test("A voided payment stays voided while the ledger is offline")
    func offline() throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try torn(issuer)
        // Another tap resolves it, which this till says itself.
        try till.step("read")
        let again = "pay 5 --operation \(NotDoneTests.id)"
        expectRefused(try till.run(again))
        try till.step("offline snapshot")
        for _ in 0..<25 { try till.step("add 0.01") }
        issuer.server.kill()
        expectRefused(try till.run(again))
        let document = try till.run("\(again) --json").output
        #expect(document.contains(#""error":"operation-voided""#), "\(document)")
        #expect(try till.step("pay 5").hasPrefix("Paid €5.00 (offline)"))
        try issuer.recover()
        #expect(try till.step("offline book") == "Booked 1 offline payment, €5.00 in total.")
        expectRefused(try till.run(again))
        #expect(try till.step("read").contains("€15.25"))
        #expect(try till.step("audit").contains("rules: all hold"))
    }

    /// The second till voids the payment of the first and reports that when asked.
    @Test("A voided payment stays voided at a till that has only heard of it")
    func elsewhere() throws {
        let issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let first = try torn(issuer)
        let second = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try second.step("keys import \(first.till.keys)")
        try second.step("read")
        let third = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try third.step("keys import \(first.till.keys)")
        let again = "pay 5 --operation \(NotDoneTests.id)"
        let tills = [first, second, third]
        for till in tills {
            expectRefused(try till.run(again))
            try till.step("offline snapshot")
        }
        issuer.server.kill()
        for till in tills { expectRefused(try till.run(again)) }
    }

    @Test("A voided payment stays voided for a client of the till page")
    func page() throws {
        let issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try torn(issuer)
        try till.step("read")
        let page = try CashierPage(till.till, ["--ledger", till.place])
        let token = try page.token()
        func pay() throws -> String {
            try page.post(
                "/api/v1/pay", #"{"amount":"5.00","operation":"\#(NotDoneTests.id)"}"#, token)
        }
        let before = try pay()
        #expect(before.contains(#""error":"operation-voided""#), "\(before)")
        while try !page.get("/api/v1/health", token).contains(#""offered":true"#) {
            usleep(50_000)
        }
        issuer.server.kill()
        let after = try pay()
        #expect(after.contains(#""error":"operation-voided""#), "\(after)")
        let sold = try page.post("/api/v1/pay", #"{"amount":"5.00"}"#, token)
        #expect(sold.contains(#""offline":{"#), "\(sold)")
        try page.stop()
    }

    /// The journal cannot be booked when the server is back.
    @Test("Repeating an offline payment after the ledger is back replays it instead of voiding it")
    func soldBefore() throws {
        var issuer = try TestIssuer()
        defer { issuer.server.kill() }
        let till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("issue --balance 20")
        try till.step("offline snapshot")
        issuer.server.kill()
        try till.step("pay 5 --operation \(NotDoneTests.id)")
        try till.step("pay 1")
        let path = till.folder + "/deferred.journal"
        let whole = try #require(try DurableFile(path).read())
        var altered = whole
        altered[whole.count - 40] ^= 1
        try DurableFile(path).write(altered, mode: 0o600)
        try issuer.recover()
        // The payment before the altered line is booked, again and again, once.
        for _ in 0..<2 {
            let ended = try till.run("offline book")
            #expect(
                ended.status != 0
                    && ended.errors.contains("Line 3 of the offline payment journal")
            )
            #expect(
                ended.errors.contains(
                    "The payments before this line are booked (1); the rest are not."),
                "\(ended)")
        }
        let again = try till.run("pay 5 --operation \(NotDoneTests.id)")
        #expect(
            again.status == 0 && again.output.contains("(already done; last known balance)"),
            "\(again)")
        #expect(try till.run("read").output.contains("€15.00"))
        try DurableFile(path).write(whole, mode: 0o600)
        #expect(try till.step("offline book") == "Booked 1 offline payment, €1.00 in total.")
        #expect(try till.step("read").contains("€14.00"))
    }
}
