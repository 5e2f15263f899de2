import BlockingLane
import CommandLine
import Glibc
import IdleDrivers
import Ledger
import OperatingSystem
import ReaderDiagnosis
import StationFiles
import Tags
import TapcardCore
import TapcardDomain
import TestSupport
import Testing
import TextCodecs
import TillServer
import Verbs
import WebServer

/// `tapcard serve` in this process, with a ledger and readers in memory.
final class TillServerBench: Sendable {
    let readers: [UnpluggableReader]
    var reader: UnpluggableReader { readers[0] }
    let port: UInt16
    let token: String
    /// Whether the station's own waits, such as the one before scratching, may end.
    let mayPass = Guarded(true)
    /// The station's clock, in milliseconds.
    let time = Guarded<Int64>(1_700_000_000_000)
    private let ledger: any LedgerStore
    private let services: Services
    private let served: ServedTillPage
    private let console: Guarded<String>
    private let running: Task<Int32, Never>
    private let folder: String
    private let options: [String]
    private let environment: [String: String]
    private let peers: (any PeerLine)?

    /// Runs a bench while the body runs.
    static func with(
        timeout: Int = 600, services: Services = NoServices.all,
        ledger: any LedgerStore = InMemoryLedger(), readers: Int = 1, options: [String] = [],
        environment: [String: String] = [:], peers: (any PeerLine)? = nil,
        _ body: (TillServerBench) async throws -> Void
    ) async throws {
        let bench = try await TillServerBench(
            timeout, services, ledger, (0..<readers).map { _ in UnpluggableReader() },
            "/tmp/tapcard-\(getpid())-\(UInt64.random(in: 0...UInt64.max))", options, environment,
            peers)
        try await bench.run(body)
    }

    private func run(_ body: (TillServerBench) async throws -> Void) async throws {
        do {
            try await body(self)
        } catch {
            _ = await end()
            throw error
        }
        #expect(await end() == 0)
    }

    /// Ends the program and starts it again with the same readers, ledger and keys.
    func startAgain(_ body: (TillServerBench) async throws -> Void) async throws {
        await end()
        try await TillServerBench(
            600, services, ledger, readers, folder, options, environment, peers
        ).run(body)
    }

    /// A bench with a card of 20.00 on its reader.
    static func withCard(
        timeout: Int = 600, services: Services = NoServices.all,
        _ body: (TillServerBench) async throws -> Void
    ) async throws {
        try await with(timeout: timeout, services: services) { bench in
            try await bench.issue()
            try await body(bench)
        }
    }

    private init(
        _ timeout: Int, _ services: Services, _ ledger: any LedgerStore,
        _ readers: [UnpluggableReader], _ folder: String, _ options: [String],
        _ environment: [String: String], _ peers: (any PeerLine)?
    ) async throws {
        (self.readers, self.ledger, self.services) = (readers, ledger, services)
        (self.folder, self.options, self.environment) = (folder, options, environment)
        self.peers = peers
        let names = readers.indices.map { readers.count == 1 ? "sim" : "sim:\($0 + 1)" }
        try DurableFile.makeFolder(folder)
        let (served, console) = (ServedTillPage(), Guarded(""))
        (self.served, self.console) = (served, console)
        let program = Program(
            drivers: TillServerBench.drivers(
                Dictionary(uniqueKeysWithValues: zip(names, readers)), services, mayPass, time,
                ledger),
            adding: [
                .serve(in: ServingProcess(whenServing: served.note, peers: { _ in peers }))
            ],
            console: Console(
                isTerminal: false, isErrorTerminal: false, columns: { nil }, write: { _ in },
                writeError: { text in console.withLock { $0 += text } }),
            environment: [
                "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "HOME": folder,
            ].merging(NoServices.addresses) { $1 }.merging(environment) { $1 })
        running = Task {
            defer { served.end() }
            return await program.run(
                ["--timeout", "\(timeout)", "serve"] + options + names.flatMap { ["--reader", $0] }
            ).status
        }
        port = try #require(await served.port)
        let session = try await TillServerBench.ask("POST", "/api/v1/session", [:], "{}", at: port)
        token = try #require(session.json["token"]?.string)
    }

    deinit {
        let names = ["keys.json", "mastermind.json", "tokens.json", "cashiers.json"]
        for name in names + names.map({ $0 + ".lock" }) {
            // Nothing else lies in the folder; one that stays in /tmp does no harm.
            try? DurableFile("\(folder)/tapcard/simulated/\(name)").remove()
        }
        unsafe rmdir("\(folder)/tapcard/simulated")
        unsafe rmdir("\(folder)/tapcard")
        unsafe rmdir(folder)
    }

    /// Stops the program and waits until it has ended.
    @discardableResult
    func end() async -> Int32 {
        running.cancel()
        return await running.value
    }

    /// Checks the whole ledger, as in a quiet hour.
    func checkLedger() async { await served.service.withLock { $0 }?.checkLedger() }

    /// The file with the API tokens.
    var tokenFile: TokenFile { TokenFile(path: "\(folder)/tapcard/simulated/tokens.json") }

    /// The file with the cashiers.
    var cashierFile: CashierFile { CashierFile(path: "\(folder)/tapcard/simulated/cashiers.json") }

    /// The file with the keys.
    var keyFile: KeyFile { KeyFile(path: "\(folder)/tapcard/simulated/keys.json") }

    /// The program's log.
    var log: String { console.withLock { $0 } }

    private static func drivers(
        _ readers: [String: UnpluggableReader], _ services: Services,
        _ mayPass: Guarded<Bool>, _ time: Guarded<Int64>, _ ledger: any LedgerStore
    ) -> Drivers {
        Drivers(
            openReader: { name, _, _ throws(ReaderError) in
                guard let reader = readers[name?.text ?? ""] else { throw ReaderError(.noReader) }
                return reader
            },
            openLedger: { _, _, _, _ in ledger },
            awaitLedger: { _, currency, _ in InMemoryLedger(currency: currency) },
            database: { _ in NoDatabase() }, backUp: { _, _ in },
            restore: { _, _, _ in Restoration(exhausted: [], stopped: nil) },
            setAside: { path throws(LedgerError) in path },
            simulatedTags: FullDrawer(), readers: NoReaders(),
            checkConnections: { _ in ConnectionCheck() },
            services: { _ in services },
            dependencies: { progress in
                Station.Dependencies(
                    now: { Timestamp(milliseconds: time.withLock { $0 }) },
                    sleep: { _ in
                        repeat {
                            try await Task.sleep(for: .milliseconds(1))
                        } while !mayPass
                            .withLock { $0 }
                    }, progress: progress)
            })
    }
}

/// The answer to a request.
struct Asked: Sendable {
    let status: Int
    let headers: [String: String]
    let text: String

    /// The body as JSON, or null if it is not JSON.
    var json: JSONValue { (try? JSONValue.parsing(Array(text.utf8))) ?? .null }
    var word: String? { json["error"]?.string }
}

extension TillServerBench {
    static func ask(
        _ method: String, _ path: String, _ headers: [String: String], _ body: String?,
        at port: UInt16
    ) async throws -> Asked {
        var fields = ["Host": "127.0.0.1:\(port)", "Connection": "close"]
        if let body {
            fields["Content-Length"] = String(body.utf8.count)
            fields["Content-Type"] = "application/json"
        }
        fields.merge(headers) { $1 }
        let lines = fields.filter { !$0.value.isEmpty }.map { "\($0): \($1)\r\n" }.joined()
        let client = try RawClient(
            port, saying: "\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body ?? "")")
        let answer = try await client.answer(toHead: method == "HEAD")
        return Asked(status: answer.status, headers: answer.headers, text: answer.text)
    }

    /// Sends a request with the page's token. An empty header is left out.
    func ask(
        _ method: String, _ path: String, _ body: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Asked {
        let all = ["Authorization": "Bearer \(token)"].merging(headers) { $1 }
        return try await TillServerBench.ask(method, path, all, body, at: port)
    }

    /// Logs in at the till page.
    func logIn(_ name: String, _ password: String) async throws -> Asked {
        let body = "{\"cashier\":\"\(name)\",\"password\":\"\(password)\"}"
        return try await ask("POST", "/api/v1/session", body, headers: ["Authorization": ""])
    }

    /// The status and, unless the answer is a stream, the body of a request.
    func head(
        _ method: String, _ path: String, headers: [String: String]
    ) async throws -> Asked {
        guard path.hasSuffix("/events") || path.hasSuffix("/taps") else {
            return try await ask(method, path, method == "POST" ? "{}" : nil, headers: headers)
        }
        let all = ["Host": "127.0.0.1:\(port)"].merging(headers) { $1 }
        let lines = all.filter { !$0.value.isEmpty }.map { "\($0): \($1)\r\n" }.joined()
        let client = try RawClient(port, saying: "GET \(path) HTTP/1.1\r\n\(lines)\r\n")
        let head = try await client.answerHead()
        await client.leave()
        return Asked(status: head.status, headers: head.headers, text: "")
    }

    func call(_ verb: String, _ body: String = "{}") async throws -> Asked {
        try await ask("POST", "/api/v1/\(verb)", body)
    }

    func get(_ path: String) async throws -> Asked { try await ask("GET", "/api/v1/\(path)") }

    /// Issues a card with 20.00 on the reader.
    func issue() async throws {
        try await reader.put()
        let issued = try await call("issue", #"{"name":"Amanda","balance":"20.00"}"#)
        #expect(issued.status == 200, "\(issued.text)")
    }

    /// Takes the card away once the till has noticed it, and waits until the till has noticed that.
    func takeCard() async throws {
        // Taken before the till has looked, it would be counted or not, as the two threads run.
        while try await get("card").json["session"] == .null {}
        try await reader.take()
        while try await get("card").json["session"] != .null {}
    }

    /// The audit and the history, to compare with later.
    func books() async throws -> String {
        let audit = try await get("audit")
        #expect(audit.status == 200 && audit.json["result"]?.string == "done", "\(audit.text)")
        return audit.text + (try await get("history").text)
    }
}

/// The till page that is served, once it is up.
private final class ServedTillPage: Sendable {
    let service = Guarded<TillService?>(nil)
    private let started: AsyncStream<UInt16>
    private let starting: AsyncStream<UInt16>.Continuation

    init() { (started, starting) = AsyncStream.makeStream() }

    func note(_ pages: ServedPages) {
        let digits = pages.service?.address.split { !$0.isNumber }.last
        let service = pages.service
        self.service.withLock { $0 = service }
        if let port = digits.flatMap({ UInt16($0) }) { starting.yield(port) }
        starting.finish()
    }

    /// Notes that the program has ended.
    func end() { starting.finish() }

    /// The port, or nil if nothing was served.
    var port: UInt16? {
        get async {
            for await port in started { return port }
            return nil
        }
    }
}

/// A drawer with so many tags that listing them takes long.
struct FullDrawer: SimulatedTags {
    static let tags = (0..<400).map { number in
        SimulatedTag(
            uid: String(format(number).suffix(14)), chip: "NTAG213", isOnReader: false)
    }

    private static func format(_ number: Int) -> String {
        "04000000000000" + String(number, radix: 16, uppercase: true)
    }

    func put(
        _ which: [String], _ reader: String, nextTo others: [String]
    ) -> [SimulatedTag] { FullDrawer.tags }
    func take(_ reader: String) {}
    func tear(_ fault: String?, _ reader: String) {}
    func list(
        _ reader: String, nextTo others: [String]
    ) -> (tags: [SimulatedTag], fault: String?) {
        (FullDrawer.tags, nil)
    }
    func showToPhone(_ uid: String?, _ reader: String) -> SeenByPhone {
        SeenByPhone(tag: FullDrawer.tags[0], content: .area([]), reads: nil)
    }
}

/// A machine without USB.
private struct NoReaders: ReaderInventory {
    func survey(naming name: ReaderName?) -> ReaderSurvey {
        ReaderSurvey(bus: .absent, user: "amanda")
    }
    func firmware(of reader: any TagReader) -> String? { nil }
}
