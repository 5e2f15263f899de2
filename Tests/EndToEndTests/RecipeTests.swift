import Glibc
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

/// Runs the recipes from docs/BRIDGE.md as printed; only addresses and paths are replaced.
@Suite("Recipes in docs/BRIDGE.md", .ownThread)
struct RecipeTests {
    private let till: Till
    private let page: String

    init() throws {
        till = try Till()
        page = try #require(try Self.text(Repository.path("docs/BRIDGE.md")))
    }

    private static func text(_ path: String) throws -> String? {
        try DurableFile(path).read().map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first code block in this language below a heading.
    private func code(below heading: String, _ language: String = "sh") throws -> String {
        let section = try #require(page.split(separator: "### \(heading)\n").last)
        let block = try #require(section.split(separator: "```\(language)\n").dropFirst().first)
        return String(try #require(block.split(separator: "```").first))
    }

    private func changed(_ recipe: String, _ changes: [String: String]) throws -> String {
        var text = recipe
        for (old, new) in changes {
            try #require(text.contains(old), "\(old) is not in the recipe")
            text = text.replacing(old, with: new)
        }
        return text
    }

    /// Installs the script below a heading after making these replacements, and returns its path.
    private func install(below heading: String, _ changes: [String: String]) throws -> String {
        let path = till.file("script")
        try till.write(
            changed(code(below: heading, "shell"), changes), to: path, mode: 0o700)
        return path
    }

    /// Runs a recipe in the till's folder after making these replacements.
    private func start(
        _ recipe: String, _ changes: [String: String] = [:], with more: [String: String] = [:]
    ) throws -> ChildProcess {
        var text = try changed(recipe, changes)
        // Without exec, the signal that ends the recipe would reach only the shell.
        text = text.replacing("\ntapcard ", with: "\nexec tapcard ")
        if text.hasPrefix("tapcard ") { text = "exec " + text }
        let folder = try Executable.path().split(separator: "/").dropLast().joined(separator: "/")
        return try ChildProcess(
            "/bin/sh", ["-c", "cd \(till.home)\n" + text],
            environment: [
                "HOME": till.home, "TAPCARD_READER": "sim", "TZ": "UTC",
                "PATH": "/\(folder):/usr/bin:/bin",
            ].merging(more) { $1 }, folder: till.home)
    }

    @Test("The spreadsheet recipe writes one line per tag")
    func spreadsheet() throws {
        let process = try start(try code(below: "A spreadsheet"))
        let file = till.file("taps.csv")
        try process.wait("a line") { try Self.text(file)?.hasSuffix("\n") == true }
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
        let fields = try #require(try Self.text(file)).split(separator: ",")
        #expect(fields.count == 3 && fields[1] == "04AC6B72BA6C80" && fields[2] == "NTAG213\n")
    }

    @Test("The door opens only for an NTAG 424 card of this station that is in the list")
    func door() throws {
        let (server, address) = try standIn()
        defer { server.signal(SIGTERM) }
        let list = till.file("list")
        let script = try install(
            below: "A door", ["/etc/door-list": list, "http://door.local": address])
        func tap(_ what: Comment, until isSo: (ChildProcess) throws -> Bool) throws {
            let process = try start(
                try code(below: "A door"), ["/usr/local/bin/open-door": script])
            try process.wait(what) { try isSo(process) }
            process.signal(SIGTERM)
            #expect(try process.end().errors == "")
        }
        func openings() throws -> Int { try server.output.ranges(of: "POST /open ").count }
        try till.step("issue --name Ann")
        try till.write(Till.firstUID + "\n", to: list)
        try tap("a sealed card") { try $0.output.contains("(sealed)") }
        let uid = try till.step("sim put NTAG424").split(separator: " ")[1]
        try till.write("\(Till.firstUID)\n\(uid)\n", to: list)
        try tap("a blank tag") { try $0.output.hasSuffix("\n") }
        try till.step("issue --name Ben")
        try till.write("\(Till.firstUID)\n\(uid)0\n", to: list)
        try tap("a card that is not in the list") { try $0.output.contains("(proved)") }
        #expect(try openings() == 0)
        try till.write("\(Till.firstUID)\n\(uid)\n", to: list)
        try tap("the door") { _ in try openings() > 0 }
        try till.step("block")
        try tap("the blocked card") { try $0.output.hasSuffix("\n") }
        #expect(try openings() == 1)
    }

    @Test("Spoolman's table becomes tags, and a tap of one selects its spool")
    func spools() throws {
        // The header has these columns and others, sorted by name.
        let (server, address) = try standIn(
            "archived,filament.name,filament.vendor.name,id,remaining_weight\n"
                + "False,PLA,\"Maker, Inc.\",7,1000.0\nFalse,PETG,Maker,12,\n")
        defer { server.signal(SIGTERM) }
        try till.step("sim take")
        let spoolman = ["http://spoolman.local:7912": address]
        let job = try start(try code(below: "Filament spools"), spoolman)
        for row in 1...2 {
            try job.wait("row \(row)") { try job.errors.contains("Next: row \(row),") }
            try till.step("sim put NTAG213")
            try job.wait("row \(row) is written") {
                try job.errors.contains("Written: row \(row) to")
            }
            try till.step("sim take")
        }
        #expect(try job.end().status == 0)
        #expect(try server.output.contains("GET /api/v1/export/spools?fmt=csv\n"))
        let script = try install(
            below: "Filament spools",
            spoolman.merging(["http://printer.local:7125": address]) { $1 })
        // A blank tag, and tags with other addresses, select nothing.
        let watch = try start(
            "tapcard watch --exec /usr/local/bin/load-spool\n",
            ["/usr/local/bin/load-spool": script])
        try #require(page.contains("`tapcard watch --exec /usr/local/bin/load-spool`"))
        let result = try till.text(of: till.file("spools.result.csv"))
            .split(whereSeparator: \.isNewline)
        let uid = try #require(try result.last?.firstMatch(of: Regex("04[0-9A-F]{12}"))).0
        for tag in [Till.firstUID, String(uid)] {
            try till.step("sim put \(tag)")
            try watch.wait("the tag") { try watch.output.contains(tag) }
        }
        try server.wait("the spool") { try server.output.contains("spool_id") }
        watch.signal(SIGTERM)
        #expect(try watch.end().errors == "")
        #expect(
            try server.output.split(separator: "\n").filter { $0.hasPrefix("POST") } == [
                "POST /server/spoolman/spool_id application/json None {\"spool_id\":12}"
            ])
    }

    @Test("The MQTT recipes publish events to a broker, with a password over TLS, or a command")
    func mqtt() throws {
        let port = try Loopback.portForProgram()
        let secure = try Loopback.portForProgram()
        let certificate = try Certificate(till)
        try till.write("tapcard:secret\n", to: till.file("users"))
        #expect(
            try tool("/usr/bin/mosquitto_passwd", ["-U", till.file("users")]).end().status == 0)
        try till.write("tapcard:secret\n", to: till.file("login"))
        try till.write(
            """
            user root
            per_listener_settings true
            listener \(port) 127.0.0.1
            allow_anonymous true
            listener \(secure) 127.0.0.1
            certfile \(certificate.path)
            keyfile \(certificate.key)
            password_file \(till.file("users"))

            """, to: till.file("broker"))
        let broker = try tool("/usr/sbin/mosquitto", ["-v", "-c", till.file("broker")])
        defer { broker.signal(SIGTERM) }
        try broker.wait("the broker") { try broker.errors.contains("running") }
        let listener = try tool(
            "/usr/bin/mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(port)", "-t", "#", "-q", "1", "-v"])
        defer { listener.signal(SIGTERM) }
        try listener.wait("a subscription") { try broker.errors.contains("Sending SUBACK") }
        func run(_ language: String, _ changes: [String: String], _ count: Int) throws {
            let process = try start(
                try code(below: "Home Assistant, Node-RED, and others over MQTT", language),
                changes, with: ["TAPCARD_CA_FILE": certificate.path])
            try listener.wait("an event") {
                try listener.output.ranges(of: #""uid":"04AC6B72BA6C80","kind":"NTAG213""#).count
                    == count
            }
            process.signal(SIGTERM)
            #expect(try process.end().errors == "")
        }
        try run("shell", ["mqtts://broker.example": "mqtts://127.0.0.1:\(secure)"], 1)
        let topics = Set(try listener.output.split(separator: "\n").map { $0.prefix { $0 != " " } })
        #expect(topics.contains("tapcard/taps/availability"))
        #expect(topics.count { $0.hasPrefix("homeassistant/") } == 2)
        try run("sh", ["-h broker.local": "-h 127.0.0.1 -p \(port)"], 2)
    }

    @Test("The Python code in the webhook recipe verifies the signature")
    func webhook() throws {
        let (server, address) = try standIn(checking: try code(below: "A webhook", "python"))
        defer { server.signal(SIGTERM) }
        let process = try start(
            try code(below: "A webhook"), ["https://example.com": address])
        try server.wait("an event") { try server.output.contains("}\n") }
        process.signal(SIGTERM)
        #expect(try process.end().errors == "")
        let line = try #require(try server.output.split(separator: "\n").last)
        #expect(line.hasPrefix("POST /taps application/json True {"))
        #expect(line.contains(#""uid":"04AC6B72BA6C80""#))
    }

    /// These paths are also in the printed configuration.
    @Test(
        "Home Assistant and Node-RED receive the event as JSON at the printed path",
        arguments: [
            ("http://homeassistant.local:8123", "/api/webhook/tapcard-4f1c9e"),
            ("http://localhost:1880", "/taps"),
        ])
    func posted(_ host: String, _ path: String) throws {
        let heading = "Home Assistant and Node-RED by webhook"
        let (server, address) = try standIn()
        defer { server.signal(SIGTERM) }
        try #require(page.contains("--webhook \(host)\(path)"))
        #expect(try code(below: heading, "yaml").contains("webhook_id: tapcard-4f1c9e}"))
        let secret = try #require(try code(below: "A webhook").split(separator: "\n").first)
        let command = try code(below: heading)
        let printed = try #require(command.firstMatch(of: /http:\S+/)).0
        let process = try start(
            "\(secret)\n\(command)", [String(printed): address + path])
        try server.wait("an event") { try server.output.contains("}\n") }
        process.signal(SIGTERM)
        #expect(try process.end().errors == "")
        let line = try #require(try server.output.split(separator: "\n").last)
        let start = "POST \(path) application/json None "
        try #require(line.hasPrefix(start))
        let event = try JSONValue.parsing(Array(line.dropFirst(start.count).utf8))
        // Home Assistant's condition and message use these members.
        #expect(event["event"]?.string == "arrived" && event["uid"]?.string == Till.firstUID)
        #expect(event["reader"]?.string != nil)
    }

    /// Starts a server that answers GET with a table, and prints each request: the method, path,
    /// content type, result of the check, and body. Returns it with its address.
    private func standIn(
        _ table: String = "", checking check: String = "genuine = None"
    ) throws -> (ChildProcess, address: String) {
        try till.write(table, to: till.file("table"))
        try till.write(
            """
            import base64, hmac, http.server
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    print("GET", self.path, flush=True)
                    self.answer(open("\(till.file("table"))", "rb").read())
                def do_POST(self):
                    headers = self.headers
                    body = self.rfile.read(int(headers.get("content-length", 0)))
                    if "webhook-id" in headers:
                        secret = open("\(till.file("secret"))").read().strip()
                    \(check.replacing("\n", with: "\n        "))
                    kind = headers["content-type"]
                    print("POST", self.path, kind, genuine, body.decode(), flush=True)
                    self.answer(b"")
                def answer(self, body):
                    self.send_response(200)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print("port", server.server_port, flush=True)
            server.serve_forever()
            """, to: till.file("server.py"))
        let server = try tool(
            Repository.path(".build/python/bin/python"), [till.file("server.py")])
        try server.wait("its port") { try server.output.hasSuffix("\n") }
        let port = try server.output.dropFirst("port ".count).prefix { $0.isNumber }
        return (server, "http://127.0.0.1:\(port)")
    }

    private func tool(_ program: String, _ words: [String]) throws -> ChildProcess {
        try ChildProcess(program, words, environment: ["HOME": till.home], folder: till.home)
    }
}
