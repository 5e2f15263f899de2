import Glibc
import OperatingSystem
import TestSupport
import Testing

/// The customer page as a process of its own, or next to the till's.
@Suite("Serving the customer page", .ownThread) struct CustomersServedTests {
    /// A station with a card of 20.00, and the key file of the page.
    private static func station() throws -> Till {
        let till = try Till()
        try till.step("issue --name Amanda --balance 20")
        try till.step("keys customers ~/customer-keys.json")
        return till
    }

    /// The query that the card shows at this reading.
    static func query(
        _ till: Till, _ reads: Int, of card: String = Till.firstUID
    ) throws -> String {
        let chip = try ChildProcess(
            try Executable.path(of: "TapAddress"),
            [till.file("customer-keys.json"), card, String(reads)],
            environment: [:], folder: till.home)
        let ended = try chip.end()
        try #require(ended.status == 0)
        return ended.output.filter { !$0.isNewline }
    }

    /// The words of `serve` for the page alone.
    static func alone(_ till: Till) -> [String] {
        [
            "serve", "--no-till", "--customers", "127.0.0.1:0", "--customers-keys",
            till.file("customer-keys.json"),
        ]
    }

    /// Starts a server, and returns the address of its customer page.
    static func serving(
        _ till: Till, _ words: [String], with more: [String: String?] = [:]
    ) throws -> (process: ChildProcess, address: String) {
        let process = try till.start(words, with: more)
        try process.wait("it answers") { try process.output.hasSuffix("press Ctrl-C\n") }
        let line = try process.output.split(separator: "\n").first { $0.contains("Customer page") }
        return (process, String(try #require(line?.split(separator: " ").last)))
    }

    /// Body and status, as curl gets them.
    static func post(
        _ address: String, _ query: String, _ words: [String] = []
    ) throws -> String {
        let curl = try ChildProcess(
            "/usr/bin/curl",
            [
                "--silent", "--max-time", "50", "--write-out", " %{http_code}", "--data", query,
            ] + words + [address], environment: [:], folder: "/tmp")
        let ended = try curl.end()
        #expect(ended.status == 0)
        return ended.output
    }

    @Test("The customer page runs next to the till with its own certificate and settings")
    func nextToTheTill() throws {
        let till = try CustomersServedTests.station()
        let certificate = try Certificate(till)
        for (name, value) in [
            ("customers", "127.0.0.1:0"), ("customers-keys", till.file("customer-keys.json")),
            ("customers-name", "cards.example"),
            ("customers-tls-certificate", certificate.path),
        ] {
            try till.step("config set \(name) \(value)")
        }
        let (process, address) = try CustomersServedTests.serving(
            till, ["serve"], with: ["TAPCARD_CUSTOMERS_TLS_KEY": certificate.key])
        #expect(address.hasPrefix("https://cards.example:") && address.hasSuffix("/c"))
        let port = try #require(address.firstMatch(of: /:(\d+)\//)).output.1
        let local = "https://127.0.0.1:\(port)/c"
        let trusted = ["--cacert", certificate.path]
        let query = try CustomersServedTests.query(till, 1)
        let shown = try CustomersServedTests.post(local, query, trusted)
        #expect(shown.contains("$20.00") && shown.hasSuffix(" 200"))
        #expect(try CustomersServedTests.post(local, query, trusted).hasSuffix(" 410"))
        // The till knows nothing of it, and it nothing of the till.
        let page = try #require(try process.output.firstMatch(of: /Till page: (http:\S+)\/\n/))
            .output.1
        #expect(try CustomersServedTests.post("\(page)/c", query).hasSuffix(" 404"))
        let session = "https://127.0.0.1:\(port)/api/v1/session"
        #expect(try CustomersServedTests.post(session, "{}", trusted).hasSuffix(" 404"))
        process.signal(SIGHUP)
        try process.wait("the certificate is read again") {
            try process.errors.contains(#""event":"customers-certificate-renewed""#)
        }
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
        #expect(try till.step("audit").contains("operations: 1"))
    }

    @Test("The customer page runs alone on a machine without the station's keys")
    func alone() throws {
        let till = try CustomersServedTests.station()
        let web = try Till(["TAPCARD_READER": ""])
        try DurableFile.makeFolder(web.file("keys"))
        let moved = web.file("keys/customer-keys.json")
        let bytes = try #require(try DurableFile(till.file("customer-keys.json")).read())
        try DurableFile(moved).write(bytes, mode: 0o600)
        let (process, address) = try CustomersServedTests.serving(
            web,
            [
                "--ledger", till.ledger, "serve", "--no-till", "--customers", "127.0.0.1:0",
                "--customers-keys", moved,
            ])
        #expect(try process.output.split(separator: "\n").count == 2)
        let query = try CustomersServedTests.query(till, 1)
        #expect(try CustomersServedTests.post(address, query).contains("$20.00"))
        // The till goes on next to it.
        try till.step("pay 5")
        let next = try CustomersServedTests.query(till, 2)
        #expect(try CustomersServedTests.post(address, next).contains("$15.00"))
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
        #expect(try DurableFile(web.keys).read() == nil)
    }

    /// The page of a local server, as curl gets it, with its status.
    private static func get(_ address: String, _ words: [String] = []) throws -> String {
        let curl = try ChildProcess(
            "/usr/bin/curl",
            ["--silent", "--max-time", "50", "--write-out", " %{http_code}"] + words + [address],
            environment: [:], folder: "/tmp")
        return try curl.end().output
    }

    @Test("A standalone customer page serves its metrics on a local port only")
    func counts() throws {
        let till = try CustomersServedTests.station()
        let (process, address) = try CustomersServedTests.serving(
            till, CustomersServedTests.alone(till) + ["--port", "0"])
        let line = try #require(
            try process.output.firstMatch(
                of: /Metrics of the customer page: (http:\/\/127\.0\.0\.1:\d+\/metrics)\n/))
        let counts = String(line.output.1)
        func value(_ outcome: String) throws -> String? {
            try CustomersServedTests.get(counts)
                .firstMatch(of: try Regex(#"outcome="\#(outcome)"} (\d+)"#))?
                .output[1].substring.map { String($0) }
        }
        #expect(try value("fresh") == "0")
        let query = try CustomersServedTests.query(till, 1)
        _ = try CustomersServedTests.get("\(address)?\(query)")
        #expect(try CustomersServedTests.post(address, query).hasSuffix(" 200"))
        #expect(try CustomersServedTests.post(address, query).hasSuffix(" 410"))
        let text = try CustomersServedTests.get(counts)
        for line in [
            #"tapcard_customer_requests_total{outcome="opened"} 1"#,
            #"tapcard_customer_requests_total{outcome="fresh"} 1"#,
            #"tapcard_customer_requests_total{outcome="counter"} 1"#,
            "tapcard_customer_ledger_up 1",
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line): \(text)")
        }
        #expect(!text.contains("operations") && !text.contains(Till.firstUID))
        // Not for another site's page, under another name, or to change anything.
        let host = ["--header", "Host: cards.example"]
        #expect(try CustomersServedTests.get(counts, host).hasSuffix(" 403"))
        #expect(
            try CustomersServedTests.get(counts, ["--header", "Origin: http://evil.example"])
                .hasSuffix(" 403"))
        #expect(try CustomersServedTests.get(counts, ["--data", "x=1"]).hasSuffix(" 405"))
        #expect(try CustomersServedTests.get("\(counts)/x").hasSuffix(" 404"))
        let own = address.replacing("/c", with: "/metrics")
        #expect(try CustomersServedTests.get(own).hasSuffix(" 404"))
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("The till's metrics include the customer page, and refused codes are logged")
    func countsNextToTheTill() throws {
        let till = try CustomersServedTests.station()
        let (process, address) = try CustomersServedTests.serving(
            till,
            [
                "serve", "--customers", "127.0.0.1:0", "--customers-keys",
                till.file("customer-keys.json"),
            ])
        let page = try #require(try process.output.firstMatch(of: /Till page: (http:\S+)\/\n/))
            .output.1
        let query = try CustomersServedTests.query(till, 1)
        let wrong = query.dropLast() + (query.hasSuffix("0") ? "1" : "0")
        for _ in 0..<40 { _ = try CustomersServedTests.post(address, String(wrong)) }
        #expect(try CustomersServedTests.post(address, query).hasSuffix(" 200"))
        let text = try CustomersServedTests.get("\(page)/metrics")
        #expect(text.contains(#"outcome="code"} 40"#) && text.contains(#"outcome="fresh"} 1"#))
        #expect(text.contains("tapcard_cards_total") && text.contains("tapcard_ledger_up 1"))
        try process.wait("the burst is told") {
            try process.errors.contains(#""event":"customers-codes-refused","codes":30,"#)
        }
        #expect(try process.errors.matches(of: /customers-codes-refused/).count <= 2)
        #expect(try !process.errors.contains(Till.firstUID))
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("The customer page is not served with unusable keys or half a certificate")
    func refused() throws {
        let till = try CustomersServedTests.station()
        let path = till.file("customer-keys.json")
        let bytes = try #require(try DurableFile(path).read())
        func refusal(_ more: [String] = []) throws -> String {
            let ended = try till.run(CustomersServedTests.alone(till) + more)
            #expect(ended.status != 0 && ended.output.isEmpty)
            #expect(ended.errors.contains("The server was not started."))
            return ended.errors
        }
        #expect(try refusal(["--customers-tls-key", path]).contains("can only be used together"))
        try DurableFile(path).write(bytes, mode: 0o644)
        #expect(try refusal().contains("can be read by other users (mode 644)"))
        try DurableFile(path).write(Array(bytes.dropLast(2)), mode: 0o600)
        #expect(try refusal().contains("is damaged"))
        try DurableFile(path).remove()
        #expect(try refusal().contains("of the customer page does not exist"))
        try DurableFile(path).write(try #require(try DurableFile(till.keys).read()), mode: 0o600)
        // The keys of the issuer themselves are not for this machine.
        #expect(try refusal().contains("is damaged"))
    }
}
