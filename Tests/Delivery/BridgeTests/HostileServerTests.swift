import BlockingLane
import Bridge
import Foundation
import OperatingSystem
import RemoteServices
import TapcardCore
import TapcardDomain
import TestSupport
import Testing

@Suite("Webhooks to servers that misbehave, over real connections", .timeLimit(.minutes(2)))
struct HostileServerTests {
    private let events = SampleEvents()
    private let said = Guarded<[String]>([])
    /// Long enough for a response on a busy machine. Tests with a silent server use shorter limits.
    private static let limits = HTTPLimits(connecting: .seconds(60), whole: .seconds(60))

    private func output(
        to url: String, by limits: HTTPLimits = limits, believing authorities: String? = nil
    ) throws -> QueuedOutput {
        let queue = try #require(try EventQueue(events.folder(), limit: 100, events.stamp))
        let client = HTTPClient(.init(version: "1", authorities: authorities, proxy: ""))
        let courier = WebhookCourier(
            to: url, secret: [UInt8](repeating: 7, count: 32), through: client, by: limits,
            now: events.dependencies.now)
        return QueuedOutput(
            courier, queue, maximumAge: nil, now: events.dependencies.now,
            sleep: { try await Task.sleep(for: min($0, .milliseconds(10))) },
            say: { [said] text in said.withLock { $0.append(text) } })
    }

    /// Sends two events to a server that answers the first request with this script and all others
    /// with 204. Returns whether the first event was sent again, with the same ID and body.
    private func isRepeated(
        after script: [ScriptedServer.Step], by limits: HTTPLimits = limits
    ) async throws -> Bool {
        try await ScriptedServer.serving(script, .answer("204 No Content")) { server in
            let output = try output(to: server.address, by: limits)
            for _ in 1...2 { _ = await output.take(events.arrival()) }
            await server.received(2)
            let ids = server.requests.map { $0.value("webhook-id") }
            let isRepeated = ids[0] == ids[1]
            await server.received(isRepeated ? 3 : 2)
            await output.end()
            let requests = server.requests
            #expect(requests.count == (isRepeated ? 3 : 2))
            #expect((requests[0].body == requests[1].body) == isRepeated)
            #expect(said.withLock { $0.count } == (isRepeated ? 2 : 0))
            return isRepeated
        }
    }

    private static let piece = [UInt8](repeating: 0x20, count: 65_536)
    /// More than any memory can hold, so the test ends only if the client stops receiving.
    private static let endless = ScriptedServer.Step.flood(piece, times: .max)
    private static func head(_ line: String, _ status: String = "200 OK") -> ScriptedServer.Step {
        .text("HTTP/1.1 \(status)\r\n\(line)\r\n\r\n")
    }

    @Test(
        "After the headers of a 200 response, nothing that follows matters",
        arguments: [
            [head("Connection: close"), endless],
            [head("Content-Length: 5000000000"), endless],
            [head("Transfer-Encoding: chunked"), .text("not a chunk")],
            [head("Content-Length: 10"), .text("half"), .close],
            [head("Content-Length: 10"), .reset],
        ])
    func accepted(_ script: [ScriptedServer.Step]) async throws {
        let isRepeated = try await isRepeated(after: script)
        #expect(!isRepeated)
    }

    @Test(
        "An event is sent again if its response is incomplete or not HTTP",
        arguments: [
            [.close], [.reset], [.text("HTTP/1.1 200 OK\r\nContent-Le"), .close],
            [.text("HTTP/1.1 200 OK\r\nX: "), endless], [.text("220 mail.example ESMTP\r\n")],
            [.text("HTTP/1.1 100 Continue\r\n\r\n"), .close],
            [head("Connection: close", "503 Service Unavailable"), endless],
        ])
    func resent(_ script: [ScriptedServer.Step]) async throws {
        let isRepeated = try await isRepeated(after: script)
        #expect(isRepeated)
    }

    @Test("If a server accepts a connection but never responds, the time limit applies")
    func silent() async throws {
        let limits = HTTPLimits(connecting: .seconds(60), whole: .seconds(1))
        let isRepeated = try await isRepeated(after: [.hold], by: limits)
        #expect(isRepeated)
        #expect(said.withLock { $0[0].contains("no complete response arrived within 1 s") })
    }

    @Test("A redirect is not followed")
    func redirect() async throws {
        try await ScriptedServer.serving(.answer()) { other in
            let script = [ScriptedServer.Step].answer(
                "307 Temporary Redirect", head: ["Location: \(other.address)/taps"])
            let isRepeated = try await isRepeated(after: script)
            #expect(isRepeated)
            #expect(other.connections == 0)
        }
    }

    @Test("Nothing is sent to a server unless its certificate is trusted and names it")
    func certificate() async throws {
        for (names, isTrusted) in [("IP:127.0.0.1", false), ("DNS:bank.example", true)] {
            said.withLock { $0 = [] }
            let folder = TestPath.new("tls")
            try DurableFile.makeFolder(folder)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let server = try SecureEcho(in: folder, names)
            try await server.start()
            let output = try output(
                to: "https://127.0.0.1:\(server.port)",
                believing: isTrusted ? server.certificate : nil)
            _ = await output.take(events.arrival())
            while said.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
            await output.end()
            #expect(said.withLock { $0[0].contains("could not prove its identity") })
            #expect(server.received == "")
        }
    }
}

/// `openssl s_server`, which prints what it receives.
private final class SecureEcho {
    let port: UInt16
    let certificate: String
    private let key: String
    private let process = Process()
    private let output = Pipe()

    init(in folder: String, _ names: String) throws {
        port = try Loopback.portForProgram()
        (certificate, key) = (folder + "/c.pem", folder + "/c.key")
        let maker = Process()
        maker.executableURL = URL(filePath: "/usr/bin/openssl")
        maker.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", "/CN=tapcard test", "-addext", "subjectAltName=\(names)",
            "-keyout", key, "-out", certificate,
        ]
        maker.standardError = FileHandle.nullDevice
        try maker.run()
        maker.waitUntilExit()
        try #require(maker.terminationStatus == 0)
    }

    func start() async throws {
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = Pipe()
        try process.run()
        while true {
            let socket = Loopback.socket()
            defer { close(socket) }
            if Loopback.connect(socket, to: port) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Stops the server and returns what it printed.
    var received: String {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
