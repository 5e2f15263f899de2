import Glibc
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

/// Runs `tapcard watch --webhook` while its server, tapcard itself, or the disk fails.
@Suite("Webhooks through crashes", .ownThread)
struct WebhookRunTests {
    private let till: Till
    private let port: UInt16
    /// The server's log: one line for each request that it has received.
    private let log: String

    init() throws {
        till = try Till()
        port = try Loopback.portForProgram()
        log = till.file("received")
        try till.write("whsec_" + String(repeating: "A", count: 32), to: till.file("secret"))
        try till.write(
            """
            import http.server
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    body = self.rfile.read(int(self.headers["content-length"]))
                    with open("\(log)", "ab") as file:
                        file.write(body + b"\\n")
                    self.send_response(204)
                    self.end_headers()
            http.server.HTTPServer(("127.0.0.1", \(port)), Handler).serve_forever()
            """, to: till.file("server.py"))
    }

    private func server() throws -> ChildProcess {
        try ChildProcess(
            Repository.path(".build/python/bin/python"), [till.file("server.py")],
            environment: ["HOME": till.home], folder: till.home)
    }

    private func watch(with more: [String: String?] = [:]) throws -> ChildProcess {
        try till.start(
            [
                "watch", "--json", "--webhook-secret", till.file("secret"), "--webhook",
                "http://127.0.0.1:\(port)/taps",
            ], with: more)
    }

    private func lines(_ path: String) throws -> [String] {
        String(decoding: try DurableFile(path).read() ?? [], as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    private func printed(_ watch: ChildProcess) throws -> [String] {
        try watch.output.split(separator: "\n").map(String.init)
    }

    /// The events that are stored in the queue.
    private func queued() throws -> Set<String> {
        let folder = till.data + "/watch"
        // The folder does not exist before the watch has started.
        guard let name = (try? DurableFile.names(in: folder))?.first else { return [] }
        let queue = "\(folder)/\(name)"
        var bodies: Set<String> = []
        for name in try DurableFile.names(in: queue) where name.hasSuffix(".json") {
            bodies.insert(try lines("\(queue)/\(name)").last ?? "")
        }
        return bodies
    }

    /// Puts a tag on the reader and removes it until this many events have been printed. Each event
    /// is then in the queue or has been received.
    private func tap(_ count: Int, _ watch: ChildProcess) throws {
        try watch.wait("the tag that is there") { try !printed(watch).isEmpty }
        for number in try printed(watch).count..<count {
            let isOn = try printed(watch).last?.contains(#""event":"arrived""#) == true
            try till.step(isOn ? "sim take" : "sim put \(Till.firstUID)")
            try watch.wait("event \(number)") { try printed(watch).count > number }
        }
        try watch.wait("all are stored") {
            let all = try queued().union(lines(log))
            return try printed(watch).allSatisfy(all.contains)
        }
    }

    @Test("Every event arrives in order, even if the server and tapcard are killed repeatedly")
    func killed() throws {
        var random = SeededGenerator(seed: 5)
        var (all, current) = ([String](), nil as ChildProcess?)
        var server: ChildProcess?
        for round in 0..<(Thoroughness.asked > .check ? 60 : 12) {
            let watch = try current ?? watch()
            let before = try printed(watch).count
            if round.isMultiple(of: 2) { server = try self.server() }
            try tap(before + 3, watch)
            // The signal may arrive before, during, or after a request.
            usleep(UInt32.random(in: 0..<40_000, using: &random))
            (round.isMultiple(of: 3) ? watch : server)?.signal(SIGKILL)
            current = watch
            if round.isMultiple(of: 3) {
                all += try printed(watch)
                _ = try watch.end()
                current = nil
                // The next watch reports a tag that is already there, but not an empty reader.
                try till.step("sim put \(Till.firstUID)")
            } else {
                _ = try server?.end()
                server = nil
            }
        }
        let last = try current ?? watch()
        if server == nil { server = try self.server() }
        try last.wait("the first event") { try !printed(last).isEmpty }
        all += try printed(last)
        try last.wait("the last event") { try lines(log).last == all.last }
        last.signal(SIGTERM)
        #expect(try last.end().status == 0)
        var received: [String] = []
        for line in try lines(log) where line != received.last { received.append(line) }
        #expect(received == all)
        server?.signal(SIGKILL)
    }

    @Test("A full disk is reported, other outputs continue, and missing events are counted")
    func fullDisk() throws {
        let disk = try KillSwitch(till, files: till.data + "/watch")
        // Only the files of the lock and the first event can be created.
        let watch = try watch(with: disk.variables(.failOn(ENOSPC), at: 3, calls: "create"))
        try watch.wait("the first event") { try queued().count == 1 }
        for count in 2...4 {
            try till.step(count.isMultiple(of: 2) ? "sim take" : "sim put \(Till.firstUID)")
            try watch.wait("event \(count)") { try printed(watch).count == count }
        }
        try watch.wait("the message") {
            try watch.errors.contains("The webhook's queue cannot be written: ")
        }
        #expect(try watch.errors.contains("No space left on device"))
        let server = try server()
        try watch.wait("the gap") { try lines(log).last?.contains(#""missed":3"#) == true }
        #expect(try lines(log).first == printed(watch).first)
        watch.signal(SIGTERM)
        #expect(try watch.end().status == 0)
        #expect(try lines(log).count == 2)
        server.signal(SIGKILL)
    }
}
