import Glibc
import Testing

/// The three services in a process of their own: `tapcard sandbox`, on a port that was free.
final class PlayedServices {
    let process: ChildProcess
    let address: String
    private let till: Till
    private let certificate: Certificate?

    /// With a certificate they answer over TLS.
    init(_ till: Till, _ words: [String] = [], certificate: Certificate? = nil) throws {
        self.till = till
        self.certificate = certificate
        let protection =
            certificate.map { ["--tls-certificate", $0.path, "--tls-key", $0.key] } ?? []
        process = try till.start(
            ["sandbox"] + words + protection, with: ["TAPCARD_JSON": nil])
        let process = process
        try process.wait("it answers") { try process.output.hasSuffix("press Ctrl-C\n") }
        let line = try process.output.split(separator: "\n").first
        address = String(try #require(line?.split(separator: " ").last))
    }

    func stop() throws {
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    /// The answer to another program: the status, and the body in front of it.
    func curl(_ path: String, _ words: [String] = []) throws -> String {
        let process = try ChildProcess(
            "/usr/bin/curl",
            ["--silent", "--max-time", "50", "--write-out", " %{http_code}"]
                + (certificate.map { ["--cacert", $0.path] } ?? []) + words
                + [address + path],
            environment: [:], folder: till.home)
        let ended = try process.end()
        #expect(ended.status == 0, "curl \(path): \(ended.status)")
        return ended.output
    }
}

/// Commands that use these services.
extension PlayedServices {
    /// Sets the fault from now on; "none" ends it.
    func fail(_ what: String) throws {
        let words = ["--request", "PUT", "--data", what]
        #expect(try curl("/sandbox/failure", words).hasSuffix(" 200"))
    }

    func draw() throws {
        #expect(try curl("/sandbox/draw", ["--request", "POST"]).hasSuffix(" 200"))
    }

    /// The codes that they were asked to activate, in order.
    var codes: [String] {
        get throws {
            let list = try #require(try curl("/sandbox").firstMatch(of: /"codes":\[([^\]]*)\]/))
            return list.output.1.split(separator: ",").map { $0.filter { $0 != "\"" } }
        }
    }

    /// A step that must succeed; returns its output without the last line feed.
    @discardableResult
    func step(
        _ line: String, with more: [String: String?] = [:],
        at location: SourceLocation = #_sourceLocation
    ) throws -> String {
        let ended = try run(line, with: more)
        #expect(
            ended.status == 0, "\(line): \(ended.output)\(ended.errors)",
            sourceLocation: location)
        return String(ended.output.dropLast())
    }

    func run(_ line: String, with more: [String: String?] = [:]) throws -> Ended {
        try start(line, with: more).end()
    }

    func start(_ line: String, with more: [String: String?] = [:]) throws -> ChildProcess {
        let password = ["TAPCARD_MASTERMIND_PASSWORD": "sandbox" as String?]
        return try till.start(
            till.words(of: line),
            with: addresses.merging(password) { $1 }.merging(more) { $1 })
    }

    /// The variables that point a command to them.
    var addresses: [String: String?] {
        [
            "TAPCARD_ACTIVATION_URL": "\(address)/activation",
            "TAPCARD_LOTTERY_URL": "\(address)/lottery",
            "TAPCARD_MASTERMIND_URL": "\(address)/mastermind/api/v2",
            "TAPCARD_CA_FILE": certificate?.path,
        ]
    }
}
