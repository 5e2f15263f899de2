import Glibc
import TestSupport
import Testing

@Suite("A till page with cashiers", .ownThread)
struct CashierPageTests {
    private static let password = "sesame-open"

    private func till() throws -> Till {
        let till = try Till()
        try till.step("issue --balance 20")
        // What `cashiers add` would write, without the time that its hash takes.
        try till.write(Self.ann(lanes: 3, hash: Self.hash), to: "\(till.data)/cashiers.json")
        return till
    }

    private static let salt = "000102030405060708090A0B0C0D0E0F"
    private static let hash = "F6E66AAF0BF50A81093B2A22C0736F800B7130301CB73787765B5D70226E6714"

    private static func ann(lanes: Int, hash: String) -> String {
        #"{"format":"tapcard cashiers 1","cashiers":[{"name":"Ann","scrypt":{"rounds":32768,"#
            + #""blockSize":8,"lanes":\#(lanes)},"salt":"\#(salt)","hash":"\#(hash)"}]}"#
    }

    private func add(_ name: String, _ password: String = password, to till: Till) throws {
        let ended = try till.run(
            ["cashiers", "add", name], with: ["TAPCARD_CASHIER_PASSWORD": password])
        #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test("The page requires a login, and a payment carries the cashier's name")
    func login() throws {
        let till = try till()
        let page = try CashierPage(till)
        #expect(try page.get("/api/v1/settings").contains(#""login":"password""#))
        for path in ["/", "/api/v1/settings", "/api/v1/health", "/metrics"] {
            #expect(try page.get(path).hasSuffix(" 200"), "\(path)")
        }
        for path in ["card", "history", "takings", "events", "taps", "audit", "doctor"] {
            let answer = try page.get("/api/v1/\(path)")
            #expect(answer.contains(#""error":"login-needed""#) && answer.hasSuffix(" 401"))
        }
        for body in ["{}", #"{"cashier":"Ann"}"#, #"{"password":"sesame-open"}"#] {
            #expect(try page.post("/api/v1/session", body).contains("login-needed"), "\(body)")
        }
        #expect(try page.post("/api/v1/pay", #"{"amount":"4.50"}"#).contains("login-needed"))
        #expect(
            try page.post("/api/v1/session", #"{"cashier":1,"password":"x"}"#).hasSuffix(" 400"))
        #expect(try page.post("/api/v1/session", #"{"user":"Ann"}"#).hasSuffix(" 400"))
        let token = try page.token(of: "Ann", Self.password)
        let paid = try page.post("/api/v1/pay", #"{"amount":"4.50"}"#, token)
        #expect(paid.contains(#""balance":"15.50""#) && paid.hasSuffix(" 200"), "\(paid)")
        #expect(try page.get("/api/v1/card", token).hasSuffix(" 200"))
        #expect(try page.get("/api/v1/history?last=1", token).contains(#""cashier":"Ann""#))
        #expect(try page.get("/api/v1/session", ["--request", "DELETE"] + token).hasSuffix(" 204"))
        #expect(try page.get("/api/v1/card", token).contains("stale-token"))
        #expect(
            try page.post("/api/v1/pay", #"{"amount":"1"}"#, token).contains("stale-token"))
        try page.stop()
        #expect(try till.step("history --last 1").hasSuffix("  by Ann"))
        let log = try page.process.errors
        #expect(!log.contains("sesame") && log.contains(#""event":"login"}"#))
    }

    @Test("Logging out ends the event stream of the page")
    func streams() throws {
        let page = try CashierPage(try till())
        let token = try page.token(of: "Ann", Self.password)
        let stream = try page.begin("/api/v1/events", ["--no-buffer"] + token)
        try stream.wait("it follows") { try stream.output.contains("event: state") }
        #expect(try page.get("/metrics").contains("tapcard_listeners 1\n"))
        #expect(try page.get("/api/v1/session", ["--request", "DELETE"] + token).hasSuffix(" 204"))
        #expect(try stream.end().status == 0)
        #expect(try page.get("/metrics").contains("tapcard_listeners 0\n"))
        try page.stop()
    }

    @Test("The session cookie allows reading but no changes")
    func cookie() throws {
        let page = try CashierPage(try till())
        let answer = try page.logIn("Ann", Self.password, ["--include"])
        let pattern =
            #/Set-Cookie: (tapcard-session=([0-9a-f]{48})); Path=/; Max-Age=43200; HttpOnly; SameSite=Strict\s/#
        let cookie = try #require(answer.firstMatch(of: pattern)).output
        let shown = ["--header", "Cookie: other=1; \(cookie.1)"]
        #expect(try page.get("/api/v1/card", shown).hasSuffix(" 200"))
        #expect(try page.post("/api/v1/pay", #"{"amount":"1"}"#, shown).contains("login-needed"))
        let asToken = ["--header", "Authorization: Bearer \(cookie.2)"]
        #expect(try page.post("/api/v1/pay", #"{"amount":"1"}"#, asToken).contains("stale-token"))
        let other = ["--header", "Cookie: tapcard-session=\(String(repeating: "0", count: 48))"]
        #expect(try page.get("/api/v1/card", other).contains("login-needed"))
        try page.stop()
    }

    @Test("A removed cashier or a changed password ends the session, and the page stays closed")
    func removed() throws {
        let till = try till()
        let page = try CashierPage(till)
        let old = try page.token(of: "Ann", Self.password)
        try add("Ann", "another-one", to: till)
        #expect(try page.get("/api/v1/card", old).contains("stale-token"))
        #expect(try page.logIn("Ann", Self.password).contains("wrong-password"))
        let new = try page.token(of: "Ann", "another-one")
        #expect(try page.get("/api/v1/card", new).hasSuffix(" 200"))
        try till.step("cashiers remove Ann")
        #expect(try page.get("/api/v1/card", new).contains("stale-token"))
        #expect(try page.post("/api/v1/session", "{}").contains("login-needed"))
        #expect(try page.get("/api/v1/card").contains("login-needed"))
        // With a file that cannot be trusted no login succeeds.
        try till.write("{}", to: "\(till.data)/cashiers.json")
        let closed = try page.get("/api/v1/card")
        #expect(closed.contains(#""error":"file-unusable""#) && closed.hasSuffix(" 500"))
        try page.stop()
    }

    @Test("Adding the first cashier closes a page that was open to everybody")
    func first() throws {
        let till = try Till()
        let page = try CashierPage(till)
        let answer = try page.post("/api/v1/session", "{}")
        #expect(answer.contains(#""cashier":null"#) && answer.hasSuffix(" 200"))
        let token = try #require(answer.firstMatch(of: /"token":"([0-9a-f]+)"/)).output.1
        let shown = ["--header", "Authorization: Bearer \(token)"]
        #expect(try page.get("/api/v1/card").hasSuffix(" 200"))
        #expect(try page.post("/api/v1/simulator/take", "{}").contains("token-missing"))
        #expect(try page.post("/api/v1/simulator/take", "{}", shown).hasSuffix(" 200"))
        try add("Ann", to: till)
        #expect(try page.get("/api/v1/card").contains("login-needed"))
        #expect(try page.post("/api/v1/simulator/take", "{}", shown).contains("stale-token"))
        try page.stop()
    }

    @Test("Login attempts are limited and do not reveal the cashiers' names")
    func limits() throws {
        let page = try CashierPage(try till())
        let unknown = try page.logIn("Bob", "wrong-password")
        #expect(try page.logIn("Ann", "wrong-password") == unknown)
        #expect(unknown.contains(#""error":"wrong-password""#) && unknown.hasSuffix(" 401"))
        let long = String(repeating: "x", count: 2_000)
        #expect(try page.logIn("Ann", long) == unknown)
        #expect(try page.logIn(long, "wrong-password") == unknown)
        for _ in 0..<3 { #expect(try page.logIn("Ann", "wrong-password") == unknown) }
        // Also with the right one: otherwise trying would go on.
        let stopped = try page.logIn("Ann", Self.password, ["--include"])
        #expect(stopped.contains(#""error":"too-many-attempts""#) && stopped.hasSuffix(" 429"))
        let wait = try #require(stopped.firstMatch(of: /Retry-After: ([0-9]+)\s/)).output.1
        #expect((1...60).contains(try #require(Int(wait))))
        #expect(try page.logIn("ANN", Self.password).contains("too-many-attempts"))
        #expect(try page.logIn("Bob", "wrong-password") == unknown)
        // A stranger elsewhere keeps no cashier out.
        let elsewhere = ["--interface", "127.0.0.2"]
        #expect(try page.logIn("Ann", Self.password, elsewhere).hasSuffix(" 200"))
        try page.stop()
        let log = try page.process.errors
        #expect(log.contains(#""event":"login-refused","client":"127.0.0.1"}"#))
        #expect(log.contains(#""event":"login-limited","client":"127.0.0.1"}"#))
    }

    @Test("A password hash with weaker parameters still works and is renewed at login")
    func renewed() throws {
        let till = try Till()
        // Of "sesame-open", with one lane.
        let hash = "42A9DBCF27F3FD1B9D26C4D5F395AC8D548B79EF1068D9C293B785ADA1A1064F"
        let old = Self.ann(lanes: 1, hash: hash)
        let file = "\(till.data)/cashiers.json"
        try till.write(old, to: file)
        let page = try CashierPage(till)
        #expect(try page.logIn("Ann", "wrong-password").contains("wrong-password"))
        #expect(try till.text(of: file) == old)
        let token = try page.token(of: "ann", Self.password)
        #expect(try page.get("/api/v1/card", token).hasSuffix(" 200"))
        let kept = try till.text(of: file)
        #expect(kept.contains(#""lanes": 3"#) && !kept.contains(Self.salt), "\(kept)")
        let next = try page.token(of: "Ann", Self.password)
        #expect(try page.get("/api/v1/card", next).hasSuffix(" 200"))
        #expect(try page.get("/api/v1/card", token).hasSuffix(" 200"))
        #expect(try till.text(of: file) == kept)
        try page.stop()
    }

    @Test("Without a login no file path or device is revealed")
    func places() throws {
        // No reader is plugged in: what is wrong with it is said in words with devices and files.
        let till = try Till(["TAPCARD_READER": "pn532_uart:/dev/nowhere"])
        try till.step("init --currency USD")
        try add("Ann", to: till)
        let page = try CashierPage(till)
        let token = try page.token(of: "Ann", Self.password)
        try page.process.wait("it has no reader") {
            try page.get("/api/v1/health").contains("no-reader")
        }
        #expect(try page.get("/api/v1/health", token).contains("/dev/nowhere"))
        for words in [[], ["--header", "Authorization: Bearer 0"]] {
            for path in ["/api/v1/health", "/api/v1/settings", "/api/v1/card"] {
                let answer = try page.get(path, ["--include"] + words)
                for place in ["/dev/", till.home, "cashiers.json"] {
                    #expect(!answer.contains(place), "\(answer)")
                }
                #expect(answer.contains("X-Content-Type-Options: nosniff\r\n"))
            }
        }
        try till.write("{}", to: "\(till.data)/cashiers.json")
        for path in ["/api/v1/health", "/api/v1/settings", "/api/v1/card"] {
            #expect(try !page.get(path).contains(till.home), "\(path)")
        }
        #expect(try !page.logIn("Ann", Self.password).contains(till.home))
        try page.stop()
    }

    @Test("A page on the network uses TLS, answers only under its names, and requires a login")
    func offLoopback() throws {
        let till = try till()
        let page = try CashierPage(
            till, ["--listen", "0.0.0.0", "--name", "Till.example,till"],
            certificate: try Certificate(till))
        #expect(page.address == "https://Till.example:\(page.port)")
        func settings(_ host: String) throws -> String {
            try page.get("/api/v1/settings", ["--header", "Host: \(host):\(page.port)"])
        }
        for host in ["till.example", "till", "localhost"] {
            #expect(try settings(host).hasSuffix(" 200"), "\(host)")
        }
        #expect(try settings("evil.example").contains("forbidden-host"))
        // Reading the metrics from another machine needs a login, too.
        #expect(try page.get("/metrics").contains("login-needed"))
        let answer = try page.logIn("Ann", Self.password, ["--include"])
        #expect(answer.contains("; SameSite=Strict; Secure\r\n"))
        #expect(answer.contains("Set-Cookie: __Host-tapcard-session="))
        #expect(answer.contains("Strict-Transport-Security: max-age=31536000\r\n"))
        try till.step("cashiers remove Ann")
        #expect(try page.post("/api/v1/session", "{}").contains("login-needed"))
        try page.stop()
        #expect(
            try page.process.errors.contains(
                #""event":"off-loopback","encrypted":true,"login":true}"#))
    }

    @Test("SIGHUP loads a renewed certificate and keeps the old one if the new one is invalid")
    func certificates() throws {
        let till = try till()
        let certificate = try Certificate(till)
        let page = try CashierPage(till, certificate: certificate)
        let token = try page.token(of: "Ann", Self.password)
        let stream = try page.begin("/api/v1/events", ["--no-buffer"] + token)
        try stream.wait("it follows") { try stream.output.contains("event: state") }
        let other = try Certificate(till, "other")
        for (new, old) in [(other.path, certificate.path), (other.key, certificate.key)] {
            try till.write(till.text(of: new), to: old)
        }
        func isTrusted() throws -> Bool { try page.begin("/").end().status == 0 }
        #expect(try !isTrusted())
        page.process.signal(SIGHUP)
        try page.process.wait("it shows the other one", until: isTrusted)
        // Half of a renewal: the key is not this certificate's.
        let third = try Certificate(till, "third")
        try till.write(till.text(of: third.path), to: certificate.path)
        page.process.signal(SIGHUP)
        try page.process.wait("it says that they do not fit, and which they are") {
            let log = try page.process.errors
            return log.contains("the key may belong to a different certificate.")
                && log.contains(
                    #","certificate":"\#(certificate.path)","key":"\#(certificate.key)"}"#)
        }
        try till.write("none", to: certificate.path)
        page.process.signal(SIGHUP)
        try page.process.wait("it says what is wrong") {
            try page.process.errors.contains("certificate.pem contains no certificate.")
        }
        try till.write(till.text(of: other.path), to: certificate.path)
        #expect(try isTrusted())
        #expect(try page.process.errors.contains(#""event":"certificate-renewed"}"#))
        // Earlier connections are still open.
        #expect(!stream.hasEnded())
        try page.stop()
        #expect(try stream.end().status == 0)
    }

    @Test("SIGHUP without a certificate is logged, and the page goes on")
    func reloaded() throws {
        let page = try CashierPage(try Till())
        page.process.signal(SIGHUP)
        try page.process.wait("it says so") {
            try page.process.errors.contains(#""event":"nothing-to-reload"}"#)
        }
        #expect(try page.get("/api/v1/health").hasSuffix(" 200"))
        try page.stop()
    }

    @Test("A server ends when its terminal is closed")
    func hungUp() throws {
        let till = try Till()
        var terminal: Terminal? = try Terminal()
        let process = try till.start(["serve"], streams: .init(terminal: terminal?.path))
        var shown = ""
        try process.wait("it answers") {
            shown += terminal?.read() ?? ""
            return shown.contains("To stop it, press Ctrl-C")
        }
        terminal = nil
        _ = try process.end()
    }

    @Test("Serving is refused with a bad certificate, an unnamed host or a taken port")
    func refusals() throws {
        let till = try till()
        let certificate = try Certificate(till)
        let other = try Certificate(till, "other")
        for (path, key, why) in [
            (
                certificate.key, certificate.path,
                "The file ~/certificate.key.pem contains no certificate."
            ),
            (
                certificate.path, certificate.path,
                "The file ~/certificate.pem contains no private key."
            ),
            (certificate.path, other.key, "The till page cannot be served. "),
            ("none.pem", other.key, "The file none.pem for the certificate does not exist."),
        ] {
            let ended = try till.run(["serve", "--tls-certificate", path, "--tls-key", key])
            #expect(ended.status == 1)
            let line = till.masked(ended.errors)
            #expect(line.hasPrefix("tapcard: \(why)"), "\(line)")
            #expect(line.contains("The server was not started. Specify a "), "\(line)")
        }
        try till.setMode(of: other.key, 0o640)
        let open = try till.run(
            ["serve", "--tls-certificate", other.path, "--tls-key", other.key])
        #expect(open.status == 1)
        #expect(
            till.masked(open.errors).hasPrefix(
                "tapcard: The private key in ~/other.key.pem can be read by others (mode 640). The "
                    + "server was not started. Anyone who has it can impersonate this server. If "
                    + "nobody has read it, run: chmod 600 ~/other.key.pem\n"),
            "\(open.errors)")
        // The lengths of RSA keys of 3072 and of 4096 bits.
        for (length, isTooSlow) in [(2_356, false), (3_132, true)] {
            let text = String(repeating: "A", count: length)
            try till.write(
                "-----BEGIN PRIVATE KEY-----\n\(text)\n-----END PRIVATE KEY-----\n", to: other.key)
            try till.setMode(of: other.key, 0o600)
            let ended = try till.run(
                ["serve", "--tls-certificate", other.path, "--tls-key", other.key])
            #expect(ended.status == 1)
            #expect(ended.errors.contains("is longer than 3072 bits") == isTooSlow)
        }
        let unnamed = try till.run(["serve", "--listen", "0.0.0.0", "--insecure"])
        #expect(unnamed.status == 2 && unnamed.errors.contains("--name HOST"))
        let page = try CashierPage(till)
        let taken = try till.run(
            ["serve", "--port", page.port, "--reader", "sim:\(till.file("other.txt"))"])
        #expect(taken.status == 1 && taken.errors.contains("Choose another --port"))
        try page.stop()
    }

    @Test("A new password is typed twice at a terminal and never shown")
    func typed() throws {
        let till = try Till()
        let terminal = try Terminal()
        let process = try till.start(
            ["cashiers", "add", "Ann"], streams: .init(terminal: terminal.path))
        var shown = ""
        for question in ["Password for Ann: ", "Repeat the password: "] {
            try process.wait("it asks") {
                shown += terminal.read()
                return shown.contains(question) && !terminal.showsKeys
            }
            terminal.type("sesame-open\r")
        }
        #expect(try process.end().status == 0)
        shown += terminal.read()
        #expect(!shown.contains("sesame"))
        let page = try CashierPage(till)
        #expect(try page.logIn("Ann", Self.password).hasSuffix(" 200"))
        try page.stop()
    }
}
