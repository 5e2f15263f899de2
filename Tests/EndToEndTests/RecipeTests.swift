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

    /// Runs a recipe in the till's folder after making these replacements.
    private func start(_ recipe: String, _ changes: [String: String] = [:]) throws -> ChildProcess {
        var text = recipe
        for (old, new) in changes {
            try #require(text.contains(old), "\(old) is not in the recipe")
            text = text.replacing(old, with: new)
        }
        // Without exec, the signal that ends the recipe would reach only the shell.
        text = text.replacing("\ntapcard ", with: "\nexec tapcard ")
        if text.hasPrefix("tapcard ") { text = "exec " + text }
        let folder = try Executable.path().split(separator: "/").dropLast().joined(separator: "/")
        return try ChildProcess(
            "/bin/sh", ["-c", "cd \(till.home)\n" + text],
            environment: [
                "HOME": till.home, "TAPCARD_READER": "sim", "TZ": "UTC",
                "PATH": "/\(folder):/usr/bin:/bin",
            ], folder: till.home)
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

    @Test("The door opens only for an NTAG 424 card of this station")
    func door() throws {
        let opened = till.file("opened")
        try till.write(
            "#!/bin/sh\necho $TAPCARD_UID >> \(opened)\n", to: till.file("open"), mode: 0o700)
        try till.step("issue --name Ann")
        try till.step("sim put NTAG424")
        let process = try start(
            try code(below: "A door"), ["/usr/local/bin/open-door": till.file("open")])
        try process.wait("the blank tag") { try process.output.hasSuffix("\n") }
        try till.step("sim put \(Till.firstUID)")
        try process.wait("a sealed card") { try process.output.contains("(sealed)") }
        process.signal(SIGTERM)
        #expect(try process.end().errors == "")
        #expect(try Self.text(opened) == nil)
        let uid = try till.step("sim put NTAG424").split(separator: " ")[1]
        try till.step("issue --name Ben")
        let second = try start(
            try code(below: "A door"), ["/usr/local/bin/open-door": till.file("open")])
        try second.wait("the door") { try Self.text(opened) != nil }
        second.signal(SIGTERM)
        _ = try second.end()
        #expect(try Self.text(opened) == "\(uid)\n")
        try till.step("block")
        let third = try start(
            try code(below: "A door"), ["/usr/local/bin/open-door": till.file("open")])
        try third.wait("the blocked card") { try third.output.hasSuffix("\n") }
        third.signal(SIGTERM)
        #expect(try third.end().output.contains("proved") == false)
        #expect(try Self.text(opened) == "\(uid)\n")
    }

    @Test("The MQTT recipe publishes events to a broker")
    func mqtt() throws {
        let port = try Loopback.portForProgram()
        try till.write(
            "listener \(port) 127.0.0.1\nallow_anonymous true\n", to: till.file("broker"))
        let broker = try tool("/usr/sbin/mosquitto", ["-v", "-c", till.file("broker")])
        defer { broker.signal(SIGTERM) }
        try broker.wait("the broker") { try broker.errors.contains("running") }
        let listener = try tool(
            "/usr/bin/mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(port)", "-t", "tapcard/taps", "-q", "1"])
        defer { listener.signal(SIGTERM) }
        try listener.wait("a subscription") { try broker.errors.contains("Sending SUBACK") }
        let process = try start(
            try code(below: "Home Assistant, Node-RED, and others over MQTT"),
            ["-h broker.local": "-h 127.0.0.1 -p \(port)"])
        try listener.wait("an event") {
            try listener.output.contains(#""uid":"04AC6B72BA6C80","kind":"NTAG213""#)
        }
        process.signal(SIGTERM)
        #expect(try process.end().errors == "")
    }

    @Test("The Python code in the webhook recipe verifies the signature")
    func webhook() throws {
        let check = try code(below: "A webhook", "python")
        try till.write(
            """
            import base64, hmac, http.server
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    secret = open("\(till.file("secret"))").read().strip()
                    headers = self.headers
                    body = self.rfile.read(int(headers["content-length"]))
                    \(check.replacing("\n", with: "\n        "))
                    print(genuine, body.decode(), flush=True)
                    self.send_response(204)
                    self.end_headers()
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            print("port", server.server_port, flush=True)
            server.serve_forever()
            """, to: till.file("server.py"))
        let server = try tool(
            Repository.path(".build/python/bin/python"), [till.file("server.py")])
        defer { server.signal(SIGTERM) }
        try server.wait("its port") { try server.output.hasSuffix("\n") }
        let port = try server.output.dropFirst("port ".count).prefix { $0.isNumber }
        let process = try start(
            try code(below: "A webhook"),
            ["https://example.com/taps": "http://127.0.0.1:\(port)/taps"])
        try server.wait("an event") { try server.output.contains("}\n") }
        process.signal(SIGTERM)
        #expect(try process.end().errors == "")
        let line = try #require(try server.output.split(separator: "\n").last)
        #expect(line.hasPrefix("True {") && line.contains(#""uid":"04AC6B72BA6C80""#))
    }

    private func tool(_ program: String, _ words: [String]) throws -> ChildProcess {
        try ChildProcess(program, words, environment: ["HOME": till.home], folder: till.home)
    }
}
