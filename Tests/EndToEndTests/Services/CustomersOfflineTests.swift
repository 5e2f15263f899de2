import Glibc
import TestSupport
import Testing

/// The customer page over a database that goes offline and comes back while one card is tapped on
/// phones and at a till.
@Suite("The customer page and an offline database", .ownThread)
struct CustomersOfflineTests {
    /// An issuer whose server can be killed, a till with one card, and the page with a login that
    /// can only show balances.
    private final class Bench {
        var issuer: OfflineTests.TestIssuer
        let till: OfflineTests.OfflineTill
        let card: String
        private let page: (process: ChildProcess, address: String)

        init() throws {
            issuer = try OfflineTests.TestIssuer()
            till = try issuer.till(["TAPCARD_OFFLINE_PAYMENTS": "true"])
            try till.step("sim put NTAG424")
            try till.step("issue --name Amanda --balance 20")
            card = try SimulationFileText(path: till.tags).uidOnReader()
            try till.step("keys customers ~/customer-keys.json")
            try till.step("offline snapshot")
            let role = try issuer.server.answer(
                to: "SELECT roles || 'customers' FROM setting", in: "issuer")
            _ = try issuer.server.answer(
                to: "CREATE ROLE web LOGIN PASSWORD 'web' IN ROLE \"\(role)\"", in: "issuer")
            let place = issuer.owner.place.replacing("user=tapcard", with: "user=web")
            page = try CustomersServedTests.serving(
                till.till, ["--ledger", place] + CustomersServedTests.alone(till.till),
                with: ["PGPASSWORD": "web"])
        }

        /// The page that a phone shows of the card at this reading, and the status.
        func open(_ reads: Int) throws -> String {
            let query = try CustomersServedTests.query(till.till, reads, of: card)
            return try CustomersServedTests.post(page.address, query)
        }

        /// Opens it until the page has its database again.
        func openPatiently(_ reads: Int) throws -> String {
            while true {
                let shown = try open(reads)
                guard shown.hasSuffix(" 503") else { return shown }
                usleep(100_000)
            }
        }

        /// Starts to open it without waiting for the answer.
        func begin(_ reads: Int) throws -> ChildProcess {
            try ChildProcess(
                "/usr/bin/curl",
                [
                    "--silent", "--max-time", "50", "--write-out", " %{http_code}", "--data",
                    try CustomersServedTests.query(till.till, reads, of: card), page.address,
                ], environment: [:], folder: "/tmp")
        }

        func stop() throws {
            page.process.signal(SIGTERM)
            #expect(try page.process.end().status == 0)
            issuer.server.kill()
        }
    }

    @Test(
        "An offline page shows no balance and uses up no address, and later shows what was booked")
    func comesBack() throws {
        let bench = try Bench()
        let first = try bench.open(1)
        #expect(first.contains("€20,00") && first.hasSuffix(" 200"))
        bench.issuer.server.kill()
        // Taps of phones, and of the till, which books later.
        for reads in [2, 1, 2, 3, 2] {
            let shown = try bench.open(reads)
            #expect(shown.hasSuffix(" 503") && !shown.contains("€"), "\(shown)")
            #expect(shown.contains("Not available right now"))
        }
        #expect(try bench.till.step("pay 4.50").hasPrefix("Paid €4.50 (offline)"))
        #expect(try bench.open(2).hasSuffix(" 503"))
        try bench.issuer.recover()
        // The page has the ledger's word: the payment is not booked yet.
        let back = try bench.openPatiently(2)
        #expect(back.contains("€20,00") && back.hasSuffix(" 200"), "\(back)")
        for used in [1, 2] { #expect(try bench.open(used).hasSuffix(" 410")) }
        #expect(
            try bench.till.step("offline book") == "Booked 1 offline payment, €4.50 in total.")
        try bench.till.step("pay 1")
        let next = try bench.open(3)
        #expect(next.contains("€14,50") && next.contains("€4,50"), "\(next)")
        #expect(try bench.till.step("audit").contains("rules: all hold"))
        try bench.stop()
    }

    /// The server is killed at an arbitrary moment, and the page goes on with the next address.
    @Test("No address is shown twice when the database is killed while pages are opened")
    func diesInBetween() throws {
        let bench = try Bench()
        var shown: [Int: Int] = [:]
        for round in 0..<2 {
            // A card has twelve pages a minute.
            let readings = (1...(3 - round)).map { 10 * round + $0 }
            let open = try readings.map { try bench.begin($0) }
            let payment = try bench.till.start("pay 1")
            bench.issuer.server.kill()
            let paid = try payment.end()
            #expect([0, 6, 9].contains(paid.status), "\(paid)")
            for (reads, process) in zip(readings, open) {
                let answer = try process.end().output
                #expect(
                    [" 200", " 410", " 503"].contains { answer.hasSuffix($0) }, "\(answer)")
                if answer.hasSuffix(" 200") { shown[reads, default: 0] += 1 }
                #expect(answer.hasSuffix(" 200") == answer.contains("€"), "\(answer)")
            }
            try bench.issuer.recover()
            for reads in readings where try bench.openPatiently(reads).hasSuffix(" 200") {
                shown[reads, default: 0] += 1
            }
            #expect(try bench.till.run("read").status == 0)
        }
        #expect(shown.values.allSatisfy { $0 == 1 }, "\(shown)")
        #expect(try bench.openPatiently(30).hasSuffix(" 200"))
        #expect(try bench.till.step("audit").contains("rules: all hold"))
        try bench.stop()
    }
}
