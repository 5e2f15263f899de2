import Glibc
import TestSupport
import Testing
import TextCodecs

/// A server without a reader, and tills whose readers are on other machines.
@Suite("Tills with readers on other machines", .ownThread)
struct RemoteTillTests {
    @Test("Machines without keys and a ledger can issue a card and take a payment from it")
    func whole() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let (office, bar) = (try Till(), try Till())
        let first = try office.connect(
            to: page, code: try server.code("tills add Office --trusted"))
        let second = try bar.connect(to: page, code: try server.code("tills add Bar"))
        try office.step("sim put NTAG424")
        let officeToken = try page.token(at: 101)
        let issued = try page.post(
            "/tills/101/api/v1/issue", #"{"balance":"20"}"#, officeToken)
        #expect(issued.hasSuffix(" 200"), "\(issued)")
        // The card is taken to the bar, whose reader is a different simulation.
        try office.step("sim take")
        let simulation = try office.text(of: "\(office.data)/simulation.txt")
        try bar.write(simulation, to: "\(bar.data)/simulation.txt")
        let uid = try #require(issued.firstMatch(of: /"uid":"([0-9A-F]{14})"/)).output.1
        try bar.step("sim put \(uid)")
        let barToken = try page.token(at: 102)
        let paid = try page.post("/tills/102/api/v1/pay", #"{"amount":"2.50"}"#, barToken)
        #expect(paid.hasSuffix(" 200") && paid.contains(#""balance":"17.50""#), "\(paid)")
        let operations = try server.step("export")
        #expect(operations.contains("Bar") && operations.contains("Office"), "\(operations)")
        for machine in [office, bar] {
            #expect(unsafe access(machine.ledger, F_OK) != 0)
            #expect(unsafe access(machine.keys, F_OK) != 0)
        }
        #expect(try server.step("audit").contains("rules: all hold"))
        for agent in [first, second] {
            agent.signal(SIGTERM)
            #expect(try agent.end().status == 0)
        }
        try page.stop()
    }

    @Test("Cards cannot be made at a till that is not trusted")
    func untrusted() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let bar = try Till()
        let agent = try bar.connect(to: page, code: try server.code("tills add Bar"))
        let token = try page.token(at: 101)
        for call in ["issue", "demo", "adopt"] {
            let answer = try page.post("/tills/101/api/v1/\(call)", "{}", token)
            #expect(answer.contains("Cards cannot be made at this till."), "\(call): \(answer)")
            #expect(answer.hasSuffix(" 409"), "\(call)")
        }
        _ = agent
        try page.stop()
    }

    @Test("A removed till is cut off, and neither its sessions nor its token work any longer")
    func removed() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let bar = try Till()
        let agent = try bar.connect(to: page, code: try server.code("tills add Bar"))
        let token = try page.token(at: 101)
        #expect(try page.get("/tills/101/api/v1/card", token).hasSuffix(" 200"))
        try server.step("tills remove Bar")
        let ended = try agent.end()
        #expect(ended.status == 8)
        #expect(ended.errors.contains("The server does not accept this till"), "\(ended.errors)")
        try page.process.wait("its session is over") {
            try page.get("/tills/101/api/v1/card", token).hasSuffix(" 404")
        }
        let again = try bar.run(["reader", "--server", page.address])
        #expect(again.errors.contains("The server does not accept this till"), "\(again.errors)")
        try page.stop()
    }

    @Test("A session at one till does not work at another one")
    func otherTill() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let (one, two) = (try Till(), try Till())
        let agents = [
            try one.connect(to: page, code: try server.code("tills add One")),
            try two.connect(to: page, code: try server.code("tills add Two")),
        ]
        let token = try page.token(at: 101)
        #expect(try page.get("/tills/101/api/v1/card", token).hasSuffix(" 200"))
        #expect(try page.get("/tills/102/api/v1/card", token).hasSuffix(" 401"))
        #expect(try page.post("/tills/102/api/v1/pay", #"{"amount":"1"}"#, token).hasSuffix(" 401"))
        _ = agents
        try page.stop()
    }

    @Test("If two machines use one token, the later one gets the till, and the earlier one is told")
    func copied() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"], errors: .kept)
        let bar = try Till()
        let agent = try bar.connect(to: page, code: try server.code("tills add Bar"))
        let thief = try Till()
        try thief.takeFiles(of: bar)
        let other = try thief.start(["reader", "--server", page.address])
        let ended = try agent.end()
        #expect(ended.errors.contains("Another machine has connected as this till"))
        try other.wait("it is connected") { try other.errors.contains("Connected to") }
        #expect(try page.process.errors.contains(#""event":"till-replaced","till":101"#))
        try page.stop()
    }

    @Test("A till also has only one machine if two machines use one token at different servers")
    func copiedElsewhere() throws {
        let server = try Till()
        try server.addCashier()
        let (north, south) = (try server.servePeers(), try server.servePeers())
        let bar = try Till()
        let agent = try bar.connect(to: north, code: try server.code("tills add Bar --trusted"))
        let thief = try Till()
        try thief.takeFiles(of: bar)
        let other = try thief.connect("--server", south.address)
        let ended = try agent.end()
        #expect(ended.status == 8)
        #expect(ended.errors.contains("Another machine has connected as this till"))
        try north.process.wait("it says so") {
            try north.process.errors.contains(#""event":"till-replaced","till":101"#)
        }
        try thief.step("sim put NTAG213")
        let token = try south.token(at: 101, #"{"cashier":"Ann","password":"sesame-open"}"#)
        for (call, body, balance) in [
            ("issue", #"{"balance":"20"}"#, "20.00"), ("pay", #"{"amount":"2.50"}"#, "17.50"),
        ] {
            let answer = try south.post("/tills/101/api/v1/\(call)", body, token)
            #expect(answer.contains(#""balance":"\#(balance)""#), "\(answer)")
        }
        // The later machine has stayed connected all the time.
        other.signal(SIGTERM)
        let stopped = try other.end()
        #expect(stopped.status == 0 && stopped.errors.ranges(of: "Connected to").count == 1)
        try north.stop()
        try south.stop()
    }

    @Test("A code works once; wrong, used, and malformed codes are refused")
    func codes() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let code = try server.code("tills add Bar")
        let (bar, other) = (try Till(), try Till())
        _ = try bar.connect(to: page, code: code.lowercased())
        for wrong in [code, "0000-0000-0000", "?"] {
            let ended = try other.run(["reader", "--server", page.address, "--code", wrong])
            #expect(ended.status != 0)
            #expect(ended.errors.contains("did not accept the code"), "\(ended.errors)")
        }
        let nothing = try Till().run(["reader"])
        #expect(nothing.status == 2 && nothing.errors.contains("has not been connected"))
        for address in [
            "", "ftp://x", "http://192.0.2.1", "https://", "https://a/b",
            "http://localhost:1@192.0.2.1", "https://a?b",
        ] {
            let ended = try other.run(["reader", "--server", address, "--code", code])
            #expect(ended.status == 2, "\(address): \(ended.errors)")
        }
        try page.stop()
    }

    @Test("The page works at any server, and moves with the reader when a server is killed")
    func twoServers() throws {
        let server = try Till()
        try server.step("tills add Bar --trusted")
        try server.addCashier()
        let (north, south) = (try server.servePeers(), try server.servePeers())
        let bar = try Till()
        let code = try server.code("tills code Bar")
        let agent = try bar.start([
            "reader", "--server", "\(north.address),\(south.address)", "--code", code,
        ])
        try agent.wait("it is connected") { try agent.errors.contains("Connected to") }
        try bar.step("sim put NTAG213")
        let path = "/tills/101/api/v1/"
        // South learns within a second where the reader is, and then forwards.
        let who = #"{"cashier":"Ann","password":"sesame-open"}"#
        var token: [String] = []
        try south.process.wait("it forwards") {
            let answer = try south.post(path + "session", who)
            guard answer.hasSuffix(" 200") else { return false }
            token = try south.token(at: 101, who)
            return try north.get(path + "card", token).hasSuffix(" 200")
        }
        let events = try south.begin(path + "events", ["--no-buffer"] + token)
        let issued = try south.post(path + "issue", #"{"balance":"20"}"#, token)
        #expect(issued.hasSuffix(" 200"), "\(issued)")
        try events.wait("the card is told") { try events.output.contains(#""balance":"20.00""#) }
        let paid = try south.post(path + "pay", #"{"amount":"2.50"}"#, token)
        #expect(paid.hasSuffix(" 200") && paid.contains(#""balance":"17.50""#), "\(paid)")
        let metrics = try south.get("/metrics")
        #expect(metrics.contains(/tapcard_forwarded_total\{outcome="done"\} [1-9]/), "\(metrics)")
        #expect(try south.get("/api/v1/health").contains(#""elsewhere":true"#))
        // A refusal and a stopped session are forwarded, too.
        let refused = try south.post(path + "pay", #"{"amount":"0"}"#, token)
        #expect(
            refused.hasSuffix(" 400") && refused.contains(#""error":"bad-amount""#), "\(refused)")
        let other = try south.token(at: 101, who)
        #expect(try south.get(path + "session", ["--request", "DELETE"] + other).hasSuffix(" 204"))
        for page in [north, south] {
            #expect(try page.get(path + "card", other).hasSuffix(" 401"))
        }
        north.process.signal(SIGKILL)
        _ = try north.process.end()
        try agent.wait("it is connected to the other server") {
            try agent.errors.contains("Connected to \(south.address)")
        }
        // The cashier is still logged in, although South never checked the password, and South
        // learns from the ledger what was done for the card on the reader.
        let asked = try south.post(path + "pay", #"{"amount":"3"}"#, token)
        #expect(asked.contains(#""error":"same-card""#), "\(asked)")
        let more = try south.post(path + "pay", #"{"amount":"3","again":true}"#, token)
        #expect(more.hasSuffix(" 200") && more.contains(#""balance":"14.50""#), "\(more)")
        #expect(try server.step("audit").contains("rules: all hold"))
        try south.stop()
    }

    @Test("Wrong passwords at a till count together, whichever server receives them")
    func wrongPasswords() throws {
        let server = try Till()
        try server.addCashier()
        let (north, south) = (try server.servePeers(), try server.servePeers())
        let bar = try Till()
        let agent = try bar.connect(to: north, code: try server.code("tills add Bar"))
        let path = "/tills/101/api/v1/session"
        try south.process.wait("it forwards") {
            try south.post(path, #"{"cashier":"Ann","password":"sesame-open"}"#).hasSuffix(" 200")
                && south.get("/metrics").contains(/forwarded_total\{outcome="done"\} [1-9]/)
        }
        let wrong = #"{"cashier":"Ann","password":"wrong"}"#
        for page in [south, north, south, north, south] {
            #expect(try page.post(path, wrong).hasSuffix(" 401"))
        }
        for page in [south, north] { #expect(try page.post(path, wrong).hasSuffix(" 429")) }
        agent.signal(SIGTERM)
        #expect(try agent.end().status == 0)
        try north.stop()
        try south.stop()
    }

    @Test("If a server stops responding, the till's reader and its page move to the next one")
    func silentServer() throws {
        let server = try Till()
        try server.addCashier()
        let (north, south) = (try server.servePeers(), try server.servePeers())
        let bar = try Till()
        let agent = try bar.start([
            "reader", "--server", "\(north.address),\(south.address)", "--code",
            try server.code("tills add Bar --trusted"),
        ])
        try agent.wait("it is connected") { try agent.errors.contains("Connected to") }
        try bar.step("sim put NTAG213")
        let path = "/tills/101/api/v1/"
        let who = #"{"cashier":"Ann","password":"sesame-open"}"#
        try south.process.wait("it knows the till") {
            try south.post(path + "session", who).hasSuffix(" 200")
        }
        let token = try south.token(at: 101, who)
        let events = try south.begin(path + "events", ["--no-buffer"] + token)
        try events.wait("it is told something") { try !events.output.isEmpty }
        north.process.signal(SIGSTOP)
        // A sale without a card gets no answer either.
        let sale =
            #"{"lines":[{"price":"4.50"}],"tender":"cash","#
            + #""operation":"0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"}"#
        let json = ["--header", "Content-Type: application/json", "--data"]
        let sold = try south.begin(path + "sell", json + [sale] + token)
        // This request is never answered by North. Once the till has moved, it is lost.
        let waiting = try south.begin(
            path + "issue",
            ["--header", "Content-Type: application/json", "--data", #"{"balance":"20"}"#] + token)
        try agent.wait("it is connected to the other server") {
            try agent.errors.contains("Connected to \(south.address)")
        }
        #expect(try waiting.end().output.hasSuffix(" 502"))
        _ = try events.end()
        // The page asks again, and is still logged in.
        let issued = try south.post(path + "issue", #"{"balance":"20"}"#, token)
        #expect(issued.hasSuffix(" 200"), "\(issued)")
        // The sale is asked for again, and is not called lost, because North may still book it.
        #expect(try sold.end().output.hasSuffix(" 502"))
        let repeated = String(sale.dropLast()) + #","repeated":true}"#
        let booked = try south.post(path + "sell", repeated, token)
        #expect(booked.contains(#""result":"done""#), "\(booked)")
        // What North wakes up with is no longer its till.
        north.process.signal(SIGCONT)
        let paid = try north.post(path + "pay", #"{"amount":"2"}"#, token)
        // North may still be giving the till up, and then starts nothing.
        let isRefused = paid.contains(#""error":"closing""#)
        #expect(
            paid.contains(#""balance":"18.00""#) || paid.hasSuffix(" 502") || isRefused, "\(paid)")
        var last = ""
        try north.process.wait("it forwards") {
            // An answer may be lost, so each try has the same ID.
            let again =
                #"{"amount":"1","again":true,"#
                + #""operation":"1b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"}"#
            last = try north.post(path + "pay", again, token)
            return last.contains(#""result":"done""#)
        }
        if isRefused { #expect(last.contains(#""balance":"19.00""#), "\(last)") }
        if paid.contains("18.00") { #expect(last.contains(#""balance":"17.00""#), "\(last)") }
        #expect(try server.step("audit").contains("rules: all hold"))
        let sales = try server.step("export").split(separator: "\n")
            .filter { $0.contains("0b9f1f6e") }
        #expect(sales.count == 1, "\(sales)")
        try north.stop()
        try south.stop()
    }

    @Test("Whoever can write to the ledger, but has no keys, cannot log in")
    func forgedSession() throws {
        let server = try Till()
        try server.addCashier()
        let north = try server.servePeers()
        _ = try Till().connect(to: north, code: try server.code("tills add Bar"))
        let path = "/tills/101/api/v1/card"
        let token = try north.token(at: 101, #"{"cashier":"Ann","password":"sesame-open"}"#)
        // The hash of a token that was made up, beside what Ann's session has.
        let forged = String(repeating: "ab", count: 24)
        let hash = "5e00ea51cf17ae5f52490c2be595cbcd6efdf5c30c17e1956e89e30e5047c7c9"
        try OpenDatabase(server.ledger).execute(
            """
            INSERT INTO session SELECT x'\(hash)', randomblob(32), till, cashier, login, opened_at,
                used_at FROM session
            """)
        // This server has not searched the ledger for sessions yet, and finds both.
        let south = try CashierPage(server, ["--no-reader"])
        try south.process.wait("it knows the session") {
            try south.get(path, token).hasSuffix(" 200")
        }
        let header = ["--header", "Authorization: Bearer \(forged)"]
        #expect(try south.get(path, header).hasSuffix(" 401"))
        try north.stop()
        try south.stop()
    }

    @Test("Nobody without the keys can state another client's address")
    func forgedForwarding() throws {
        let server = try Till()
        try server.addCashier()
        let page = try server.servePeers()
        _ = try Till().connect(to: page, code: try server.code("tills add Bar"))
        let wrong = #"{"cashier":"Ann","password":"wrong"}"#
        var answers: [String] = []
        for number in 1...6 {
            let seal = String(repeating: "AB", count: 32)
            let header = "Tapcard-Forwarded: 1 \(Int(time(nil)) * 1_000) 192.0.2.\(number) \(seal)"
            answers.append(
                try page.post("/tills/101/api/v1/session", wrong, ["--header", header]))
        }
        // All were counted for one client.
        #expect(answers.last?.hasSuffix(" 429") == true, "\(answers)")
        try page.stop()
    }

    @Test("A till works again after its agent or the server was killed and restarted")
    func killed() throws {
        let server = try Till()
        let page = try CashierPage(server, ["--no-reader"])
        let bar = try Till()
        let first = try bar.connect(to: page, code: try server.code("tills add Bar --trusted"))
        try bar.step("sim put NTAG213")
        let token = try page.token(at: 101)
        #expect(
            try page.post("/tills/101/api/v1/issue", #"{"balance":"20"}"#, token)
                .hasSuffix(" 200"))
        first.signal(SIGKILL)
        _ = try first.end()
        let second = try bar.start(["reader", "--server", page.address])
        try second.wait("it is connected") { try second.errors.contains("Connected to") }
        let paid = try page.post("/tills/101/api/v1/pay", #"{"amount":"2"}"#, token)
        #expect(paid.hasSuffix(" 200"), "\(paid)")
        page.process.signal(SIGKILL)
        _ = try page.process.end()
        let next = try CashierPage(server, ["--no-reader", "--port", page.port])
        try second.wait("it is connected again") {
            try second.errors.ranges(of: "Connected to").count == 2
        }
        let newToken = try next.token(at: 101)
        let more = try next.post(
            "/tills/101/api/v1/pay", #"{"amount":"3","again":true}"#, newToken)
        #expect(more.hasSuffix(" 200") && more.contains(#""balance":"15.00""#), "\(more)")
        #expect(try server.step("audit").contains("rules: all hold"))
        try next.stop()
    }
}
