import Glibc
import Testing
import TextCodecs

/// The till page in a process of its own: `tapcard serve`, on a port that was free.
final class CashierPage {
    let process: ChildProcess
    /// Without the slash at its end.
    let address: String
    private let till: Till
    private let certificate: Certificate?

    init(
        _ till: Till, _ words: [String] = [], certificate: Certificate? = nil,
        with more: [String: String?] = [:], errors: ChildProcess.Stream = .kept,
        files: Int? = nil
    ) throws {
        (self.till, self.certificate) = (till, certificate)
        let protection =
            certificate.map { ["--tls-certificate", $0.path, "--tls-key", $0.key] } ?? []
        process = try till.start(
            ["serve"] + words + protection, with: more, streams: .init(errors: errors),
            files: files)
        let process = process
        try process.wait("it answers") { try process.output.hasSuffix("press Ctrl-C\n") }
        let line = try process.output.split(separator: "\n").first
        address = String(try #require(line?.split(separator: " ").last).dropLast())
    }

    var port: String { String(address.split(separator: ":").last ?? "") }

    func stop() throws {
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    /// The answer to a browser: the body, and then the status.
    func get(_ path: String, _ words: [String] = []) throws -> String {
        let ended = try begin(path, words).end()
        #expect(ended.status == 0, "curl \(path): \(ended.status)")
        return ended.output
    }

    /// Starts a request whose answer may be a stream.
    func begin(_ path: String, _ words: [String] = []) throws -> ChildProcess {
        let place = certificate == nil ? address : "https://127.0.0.1:\(port)"
        return try ChildProcess(
            "/usr/bin/curl",
            ["--silent", "--max-time", "50", "--write-out", " %{http_code}"]
                + (certificate.map { ["--cacert", $0.path] } ?? []) + words + [place + path],
            environment: [:], folder: till.home)
    }

    /// Waits until the card on the reader meets a condition, and returns what the page receives
    /// about it. Only for a station without cashiers.
    @discardableResult
    func card(_ what: Comment, until isSo: (JSONValue) -> Bool) throws -> JSONValue {
        let token = try token()
        var card = JSONValue.null
        try process.wait(what) {
            card = try JSONValue.parsing(Array(get("/api/v1/card", token).utf8.dropLast(4)))
            return isSo(card)
        }
        return card
    }

    func post(_ path: String, _ body: String, _ words: [String] = []) throws -> String {
        try get(path, ["--header", "Content-Type: application/json", "--data", body] + words)
    }

    func logIn(_ cashier: String, _ password: String, _ words: [String] = []) throws -> String {
        try post(
            "/api/v1/session", #"{"cashier":"\#(cashier)","password":"\#(password)"}"#, words)
    }

    /// The options that make a request one of a cashier who has just logged in.
    func token(of cashier: String, _ password: String) throws -> [String] {
        try header(logIn(cashier, password))
    }

    /// A token where there are no cashiers.
    func token() throws -> [String] { try header(post("/api/v1/session", "{}")) }

    /// A token for the page of this till.
    func token(at till: Int, _ who: String = "{}") throws -> [String] {
        try header(post("/tills/\(till)/api/v1/session", who))
    }

    private func header(_ answer: String) throws -> [String] {
        let token = try #require(answer.firstMatch(of: /"token":"([0-9a-f]+)"/)).output.1
        return ["--header", "Authorization: Bearer \(token)"]
    }
}
