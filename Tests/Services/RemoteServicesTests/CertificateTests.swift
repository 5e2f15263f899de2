import Foundation
import RemoteServices
import TapcardDomain
import TestSupport
import Testing

/// The server is `openssl s_server`, with certificates made for each test.
@Suite("Certificates of servers over https", .timeLimit(.minutes(2)))
struct CertificateTests {
    private func failure(
        _ server: SecureServer, host: String = "localhost", believing authorities: String? = nil,
        pins: [[UInt8]] = []
    ) async -> ServiceError? {
        let client = HTTPClient(
            .init(version: "1", authorities: authorities, proxy: "", pins: pins))
        do {
            let answer = try await client.send(
                HTTPRequest(.get, "https://\(host):\(server.port)/answer"),
                by: HTTPClientTests.limits)
            return answer.body == Array("{}".utf8) ? nil : ServiceError(.wrongShape, "other body")
        } catch {
            return error
        }
    }

    @Test("A self-signed certificate is refused unless it is among the authorities")
    func selfSigned() async throws {
        try await SecureServer.serving(names: "DNS:localhost") { server in
            let stranger = try #require(await failure(server, believing: nil))
            #expect(stranger.kind == .certificate)
            #expect(
                stranger.detail.hasPrefix(
                    "the server could not prove its identity with its certificate "
                        + "(SSL certificate problem"))
            #expect(await failure(server, believing: server.certificate) == nil)
        }
    }

    @Test("A certificate for another host is refused")
    func otherName() async throws {
        try await SecureServer.serving(names: "DNS:bank.example") { server in
            let failure = try #require(await failure(server, believing: server.certificate))
            #expect(failure.kind == .certificate)
            #expect(failure.detail.contains("localhost"))
        }
    }

    @Test("An expired certificate is refused")
    func expired() async throws {
        try await SecureServer.serving(names: "DNS:localhost", days: -1) { server in
            let failure = try #require(await failure(server, believing: server.certificate))
            #expect(failure.kind == .certificate)
            #expect(failure.cause == .certificateDates)
        }
    }

    @Test("A server with a pinned key is believed, whatever else its certificate says")
    func pinned() async throws {
        try await SecureServer.serving(names: "DNS:bank.example", days: -1) { server in
            let pin = try server.pin()
            let other = [UInt8](repeating: 7, count: pin.count)
            #expect(await failure(server, pins: [pin]) == nil)
            #expect(await failure(server, pins: [other, pin]) == nil)
            // An authority that vouches for the server is not enough.
            let failure = try #require(
                await failure(server, believing: server.certificate, pins: [other]))
            #expect(failure.kind == .certificate && failure.cause == .pinnedKey)
            #expect(failure.isUnsent)
        }
    }

    @Test("A missing or empty file of authorities is a certificate error")
    func badFile() async throws {
        try await SecureServer.serving(names: "DNS:localhost") { server in
            for file in ["/nonexistent/authorities.pem", "/etc/hostname"] {
                let failure = try #require(await failure(server, believing: file))
                #expect(failure.kind == .certificate)
            }
        }
    }

    @Test("A server that does not speak TLS times out")
    func plain() async throws {
        try await ScriptedServer.serving([.text("HTTP/1.1 400 Bad Request\r\n\r\n"), .close]) {
            server in
            let client = HTTPClient(.init(version: "1", proxy: ""))
            let failure = await #expect(throws: ServiceError.self) {
                // The greeting of TLS has no empty line, so the script is never played.
                try await client.send(
                    HTTPRequest(.get, "https://127.0.0.1:\(server.port)/"),
                    by: HTTPLimits(connecting: .milliseconds(300), whole: .seconds(20)))
            }
            #expect(failure?.kind == .timedOut)
        }
    }
}

/// A server that answers "{}" over TLS.
final class SecureServer {
    let port: UInt16
    /// The server's self-signed certificate.
    let certificate: String
    private let process = Process()
    private let folder: URL

    private init(names: String, days: Int) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "tapcard-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appending(path: "certificate.pem").path
        let key = folder.appending(path: "key.pem").path
        let request = folder.appending(path: "request.pem").path
        try SecureServer.run([
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/CN=tapcard test", "-addext", "subjectAltName=\(names)", "-keyout", key,
            "-out", request,
        ])
        try SecureServer.run([
            "x509", "-req", "-in", request, "-signkey", key, "-copy_extensions", "copy",
            "-days", "\(days)", "-out", certificate,
        ])
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
        try answer.write(
            to: folder.appending(path: "answer"), atomically: true, encoding: .utf8)
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-HTTP", "-cert", certificate, "-key", key,
        ]
        process.currentDirectoryURL = folder
        process.standardInput = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        port = try SecureServer.port(in: output)
    }

    /// The SHA-256 hash of its public key.
    func pin() throws -> [UInt8] {
        let key = folder.appending(path: "public.pem").path
        let der = folder.appending(path: "public.der").path
        let hash = folder.appending(path: "public.sha256")
        try SecureServer.run(["x509", "-in", certificate, "-noout", "-pubkey", "-out", key])
        try SecureServer.run(["pkey", "-pubin", "-in", key, "-outform", "DER", "-out", der])
        try SecureServer.run(["dgst", "-sha256", "-binary", "-out", hash.path, der])
        return Array(try Data(contentsOf: hash))
    }

    /// Runs a server while the body runs.
    static func serving(
        names: String, days: Int = 1, body: (SecureServer) async throws -> Void
    ) async throws {
        let server = try SecureServer(names: names, days: days)
        defer { server.stop() }
        try await body(server)
    }

    private func stop() {
        // It may have been started by a thread that blocks all signals that can be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // What is left of it lies in the folder for temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The port from the line "ACCEPT 127.0.0.1:PORT", which openssl prints once it listens.
    private static func port(in output: Pipe) throws -> UInt16 {
        var text = ""
        while true {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "openssl s_server said \(text)")
            text += String(decoding: more, as: UTF8.self)
            if let match = text.firstMatch(of: /ACCEPT 127\.0\.0\.1:([0-9]+)\n/) {
                return try #require(UInt16(match.output.1))
            }
        }
    }

    private static func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
