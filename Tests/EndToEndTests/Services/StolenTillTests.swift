import Glibc
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

/// A thief has a till's machine, or a copy of what is on it.
@Suite("A stolen till", .ownThread)
struct StolenTillTests {
    private static let calls = "/tills/101/api/v1/"
    private static let card = calls + "card"

    /// A server with a cashier, and the machine of its only till, which is trusted.
    private struct Scene {
        let server, machine: Till
        let page: CashierPage
        let agent: ChildProcess

        init() throws {
            (server, machine) = (try Till(), try Till())
            try server.addCashier()
            page = try CashierPage(server, ["--no-reader"])
            agent = try machine.connect(to: page, code: try server.code("tills add Bar --trusted"))
        }

        /// The token with which the machine authenticates, as a header.
        var stolen: [String] {
            get throws {
                let file = try machine.text(of: "\(machine.data)/connections.json")
                let token = try #require(file.firstMatch(of: /"token": ?"([^"]+)"/)).output.1
                return ["--header", "Authorization: Bearer \(token)"]
            }
        }

        /// Ann's session at the till.
        func logIn() throws -> [String] {
            try page.token(at: 101, #"{"cashier":"Ann","password":"sesame-open"}"#)
        }

        /// Issues a card with 20.00 at the till, takes it away, and returns its number.
        func issue(_ session: [String]) throws -> String {
            try machine.step("sim put NTAG213")
            let issued = try page.post(
                StolenTillTests.calls + "issue", #"{"balance":"20"}"#, session)
            #expect(issued.hasSuffix(" 200"), "\(issued)")
            try machine.step("sim take")
            return String(try #require(issued.firstMatch(of: /"uid":"([0-9A-F]{14})"/)).output.1)
        }

        func end() throws {
            #expect(try server.step("audit").contains("rules: all hold"))
            try page.stop()
        }
    }

    @Test("Its token opens only what is open to everyone")
    func routes() throws {
        let scene = try Scene()
        let document = try JSONValue.parsing(
            Array(try scene.machine.text(of: Repository.path("docs/openapi.json")).utf8))
        // On the server's own machine, some routes need no login.
        let thief = try scene.stolen + ["--header", "X-Forwarded-For: 192.0.2.1"]
        var (count, open) = (0, [String]())
        for path in document["paths"]?.members ?? [] {
            let place = "/tills/101" + path.key.replacing(/\{\w+\}/, with: "1")
            for method in (path.value.members ?? []).map({ $0.key.uppercased() }) {
                let body = method == "GET" ? [] : ["--json", "{}"]
                let answer = try scene.page.get(place, ["--request", method] + body + thief)
                count += 1
                if !answer.hasSuffix(" 401") { open.append("\(method) \(path.key)") }
            }
        }
        #expect(count > 60)
        #expect(
            open == ["GET /api/v1/settings", "GET /api/v1/health", "GET /api/openapi.json"])
        try scene.end()
    }

    @Test("Messages that name another attachment are refused, and the till goes on")
    func otherAttachment() throws {
        let scene = try Scene()
        let session = try scene.logIn()
        let uid = try scene.issue(session)
        try scene.machine.step("sim put \(uid)")
        // The ID of an agent's run cannot be guessed.
        let attachment = [16] + [UInt8](repeating: 7, count: 16) + MessageBytes.number(2)
        let poll = attachment + MessageBytes.number(0)
        let report = attachment + MessageBytes.number(1) + MessageBytes.released
        for (call, message, answer) in [
            ("poll", poll, "\(MessageBytes.replaced) 200"),
            ("report", report, "\(MessageBytes.replaced) 200"),
            ("poll", Array(poll.dropLast()), " 400"), ("report", [], " 400"),
            ("attach", poll, " 400"),
        ] as [(String, [UInt8], String)] {
            let file = scene.machine.file("message")
            try DurableFile(file).write(message, mode: 0o600)
            let told = try scene.page.get(
                "/agent/v1/\(call)", ["--data-binary", "@\(file)"] + scene.stolen)
            #expect(told.hasSuffix(answer), "\(call): \(told)")
        }
        let paid = try scene.page.post(Self.calls + "pay", #"{"amount":"1"}"#, session)
        #expect(paid.contains(#""balance":"19.00""#), "\(paid)")
        try scene.end()
    }

    @Test("A balance or a number that its machine makes up is not believed")
    func madeUpCard() throws {
        let scene = try Scene()
        let session = try scene.logIn()
        let uid = try scene.issue(session)
        let machine = scene.machine
        // The first digits of the balance that phones read: 99.0 in place of 20.0.
        #expect(try machine.simulation.page(9, on: uid) == "32 30 2E 30")
        try machine.simulation.set(["page 09": "39 39 2E 30"], on: uid)
        try machine.step("sim put \(uid)")
        let paid = try scene.page.post(Self.calls + "pay", #"{"amount":"1"}"#, session)
        #expect(paid.contains(#""balance":"19.00""#), "\(paid)")
        try machine.step("sim take")
        // The number's check bytes stay the same.
        var number = try #require(Hexadecimal.decode(uid))
        for index in 3...4 { number[index] ^= 1 }
        let other = Hexadecimal.encode(number)
        func page(_ uid: String) -> String {
            let bytes = stride(from: 6, to: 14, by: 2).map { uid.dropFirst($0).prefix(2) }
            return "page 01: " + bytes.joined(separator: " ")
        }
        let file = machine.simulation.path
        try machine.write(
            try machine.text(of: file).replacing(uid, with: other)
                .replacing(page(uid), with: page(other)), to: file)
        try machine.step("sim put \(other)")
        let refused = try scene.page.post(Self.calls + "pay", #"{"amount":"1"}"#, session)
        #expect(refused.contains(#""error":"copied""#), "\(refused)")
        try scene.end()
    }

    @Test("Once it is removed, its sessions end at every server, and its token is refused")
    func removed() throws {
        let scene = try Scene()
        let other = try CashierPage(scene.server, ["--no-reader"])
        let session = try scene.logIn()
        for page in [scene.page, other] {
            try page.process.wait("it knows the session") {
                try page.get(Self.card, session).hasSuffix(" 200")
            }
        }
        try scene.server.step("tills remove Bar")
        #expect(try scene.agent.end().errors.contains("The server does not accept this till"))
        for page in [scene.page, other] {
            try page.process.wait("its session is over") {
                try page.get(Self.card, session).hasSuffix(" 404")
            }
            let file = scene.machine.file("message")
            let greeting = [1, 16] + [UInt8](repeating: 7, count: 16) + [1, 0x39, 1, 0x39, 1]
            try DurableFile(file).write(greeting, mode: 0o600)
            let told = try page.get(
                "/agent/v1/attach", ["--data-binary", "@\(file)"] + scene.stolen)
            #expect(told.hasSuffix(" 401"), "\(told)")
        }
        try other.stop()
        try scene.end()
    }

    @Test("A till sends its token to no server whose certificate is from another authority")
    func falseServer() throws {
        let (server, machine) = (try Till(), try Till())
        let own = try Certificate(server)
        let page = try CashierPage(server, ["--no-reader"], certificate: own)
        try machine.step("config set ca-file \(own.path)")
        let connected = try machine.connect(
            "--server", "https://127.0.0.1:\(page.port)", "--code",
            try server.code("tills add Bar --trusted"))
        connected.signal(SIGTERM)
        #expect(try connected.end().status == 0)
        try page.stop()
        let other = try Till()
        let impostor = try CashierPage(
            other, ["--no-reader", "--port", page.port], certificate: try Certificate(other))
        let agent = try machine.start(["reader"])
        try agent.wait("it refuses the server") {
            try agent.errors.contains("the server could not prove its identity")
        }
        // The impostor counts each request that it gets, and has got none before these.
        let count = "tapcard_requests_total{"
        #expect(try !impostor.get("/metrics").contains(count))
        #expect(try impostor.get("/metrics").contains(count + #"status="200"} 1"#))
        try impostor.stop()
    }
}

/// Parts of the messages between an agent and its server.
private enum MessageBytes {
    /// The reply to a command that released the tag.
    static let released: [UInt8] = [4]
    /// The answer that another agent has attached its reader.
    static let replaced = "\u{5}"

    /// A number in eight bytes.
    static func number(_ number: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 7) + [number] }
}
