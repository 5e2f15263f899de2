import BlockingLane
import Ledger
import PortDoubles
import ReaderProcess
import RemoteReader
import StationFiles
import Tags
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

@Suite("Tills of a server whose readers are on other machines", .timeLimit(.minutes(5)))
struct EnrolledTillsTests {
    private static let till = "/tills/101/api/v1/"

    private func add(_ name: String, to bench: TillServerBench) async throws -> String {
        let added = try await bench.call("tills/add", #"{"name":"\#(name)"}"#)
        return try #require(added.json["code"]?.string, "\(added.text)")
    }

    /// Sends the code as a machine with a real reader does.
    private func enroll(_ code: String, _ bench: TillServerBench) async throws -> Asked {
        let hash = String(repeating: "0", count: 64)
        return try await bench.ask(
            "POST", "/agent/v1/enroll",
            #"{"code":"\#(code)","token_hash":"\#(hash)","simulated":false}"#)
    }

    private func metrics(_ bench: TillServerBench) async throws -> [Substring] {
        try await bench.ask("GET", "/metrics").text.split(separator: "\n")
    }

    /// Waits until the metrics have these lines.
    private func wait(for lines: [Substring], _ bench: TillServerBench) async throws {
        while try await !Set(lines).isSubset(of: metrics(bench)) {}
    }

    /// The till with a reader on another machine, as the health report has it.
    private func report(_ bench: TillServerBench) async throws -> JSONValue? {
        try await bench.get("health").json["tills"]?.array?.first { $0["number"] == .number("101") }
    }

    @Test("The metrics and the health report say how the connection to a till's machine is")
    func line() async throws {
        try await TillServerBench.with { bench in
            let machine = try await BenchMachine(bench, code: try await add("Bar", to: bench))
            let noTag = ReaderReply.failed(ReaderError(.noTag))
            let first = try await machine.reply(noTag, after: 0)
            #expect(first.answer == .nothing)
            try await wait(
                for: [
                    "tapcard_tills_attached 1", #"tapcard_till_attached{till="101"} 1"#,
                    #"tapcard_till_round_trips_total{till="101"} 1"#,
                    #"tapcard_till_seen_timestamp_seconds{till="101"} 1700000000"#,
                    // A machine cannot add lines of its own.
                    #"tapcard_till_info{till="101",version="9 \"\\"} 1"#,
                    "tapcard_ledger_up 1", "tapcard_connections 1",
                    #"tapcard_forwarded_total{outcome="lost"} 0"#,
                ], bench)
            var health = try #require(try await report(bench))
            #expect(health["name"]?.string == "Bar" && health["elsewhere"] == .bool(false))
            #expect(health["reader"]?["line"]?["attached"] == .bool(true))
            let page = try await EventListener(bench, at: 101)
            let state = try await page.next("state")
            #expect(state["till"]?.string == "Bar" && state["makesCards"] == .bool(false))
            // The answer is not one to the command, so the reader is detached.
            bench.time.withLock { $0 += 5_000 }
            let second = try await machine.reply(.released, after: first.number)
            #expect(second.answer == .detached)
            try await wait(
                for: [
                    "tapcard_tills_attached 0", #"tapcard_till_attached{till="101"} 0"#,
                    #"tapcard_till_round_trips_total{till="101"} 1"#,
                    #"tapcard_till_seen_timestamp_seconds{till="101"} 1700000005"#,
                ], bench)
            #expect(try await !metrics(bench).contains { $0.hasPrefix("tapcard_till_info{") })
            var reader = try await page.next("reader")
            while reader["state"]?.string != "missing" { reader = try await page.next("reader") }
            let line: JSONValue = ["attached": false, "lastSeen": "2023-11-14T22:13:25Z"]
            #expect(reader["line"] == line)
            health = try #require(try await report(bench))
            #expect(health["reader"]?["line"] == line && health["status"]?.string == "no-reader")
            // The server itself is well, and its own reader has no such line.
            let whole = try await bench.get("health").json
            #expect(whole["status"]?.string == "ok")
            #expect(whole["tills"]?.array?.first?["reader"]?["line"] == .null)
        }
    }

    @Test("A removed till is cut off, and nothing of it stays in the metrics")
    func removed() async throws {
        try await TillServerBench.with { bench in
            let machine = try await BenchMachine(bench, code: try await add("Bar", to: bench))
            let page = try await EventListener(bench, at: 101)
            #expect(try await bench.call("tills/remove", #"{"name":"Bar"}"#).status == 200)
            await #expect(throws: EventListener.Ended.self) { try await page.next("nothing") }
            #expect(try await machine.attachAgain() == 401)
            while try await metrics(bench).contains(where: { $0.contains(#"till="101""#) }) {}
            while !bench.log.contains(#""event":"till-removed","till":101"#) {
                try await Task.sleep(for: .milliseconds(5))
            }
            let refused = try await bench.ask("GET", Self.till + "card")
            #expect(refused.word == "no-such-till")
            #expect(
                refused.json["title"]?.string
                    == "There is no till at this path, or its code has not been used yet.")
        }
    }

    @Test("An agent is replaced by another one at another server, but not if it moves there itself")
    func attachedElsewhere() async throws {
        for isOther in [false, true] {
            let ledger = InMemoryLedger()
            try await TillServerBench.with(ledger: ledger) { bench in
                let machine = try await BenchMachine(bench, code: try await add("Bar", to: bench))
                let tills = try await ledger.read { rows throws(LedgerError) in
                    try rows.currentTills()
                }
                _ = try await ledger.attach(
                    tokenHash: try #require(tills.first?.token),
                    EnrolledTill.Attachment(
                        at: Timestamp(milliseconds: bench.time.withLock { $0 }), server: "north",
                        serverAddress: nil, run: BenchMachine.run.map { isOther ? $0 + 1 : $0 },
                        release: "1", reader: "far reader", address: "192.0.2.1"))
                // One poll is open when the server learns of it, and one comes afterward.
                for _ in 1...2 {
                    #expect(try await machine.end() == (isOther ? .replaced : .detached))
                }
                if isOther {
                    let line = #""event":"till-replaced","till":101,"client":"192.0.2.1""#
                    while !bench.log.contains(line) {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                } else {
                    #expect(try await machine.attachAgain() == 200)
                    #expect(!bench.log.contains("till-replaced"))
                }
            }
        }
    }

    @Test("Unknown tokens from its address do not keep a till from connecting")
    func unknownTokens() async throws {
        try await TillServerBench.with { bench in
            let machine = try await BenchMachine(bench, code: try await add("Bar", to: bench))
            let unknown = AgentToken.text([UInt8](repeating: 2, count: AgentToken.randomBytes))
            var statuses: [Int] = []
            while statuses.last != 429 {
                statuses.append(try await machine.attachAgain(with: unknown))
            }
            #expect(statuses.dropLast() == Array(repeating: 401, count: 5)[...])
            #expect(try await enroll("0000-0000-0000", bench).word == "too-many-attempts")
            #expect(try await machine.attachAgain() == 200)
            #expect(try await machine.check([1]).status == 200)
        }
    }

    @Test("A machine that asks whether its reader would be attached learns why it would not")
    func inquiry() async throws {
        try await TillServerBench.with { bench in
            let code = try await add("Bar", to: bench)
            let refused = try await enroll(code, bench)
            #expect(refused.status == 409 && refused.word == "wrong-reader", "\(refused.text)")
            // The code can still be used, also by a machine that does not say what its reader is.
            let machine = try await BenchMachine(bench, code: code)
            #expect(try await machine.check([1]).text.contains(#""till":"Bar""#))
            let real = try await machine.check([0])
            #expect(real.status == 409 && real.text.contains(#""error":"wrong-reader""#))
            #expect(try await machine.attachAgain(isSimulated: false) == 409)
            for message in [[], [2], [1, 1]] as [[UInt8]] {
                #expect(try await machine.check(message).status == 400)
            }
            #expect(try await bench.ask("GET", "/agent/v1/check").status == 405)
        }
    }

    @Test("An owner adds, renames, confirms, and removes tills")
    func calls() async throws {
        try await TillServerBench.with(timeout: 0) { bench in
            let added = try await bench.call("tills/add", #"{"name":"Bar","trusted":true}"#)
            #expect(added.status == 200 && added.json["number"] == .number("101"))
            let code = try #require(added.json["code"]?.string)
            let renewed = try await bench.call("tills/code", #"{"name":"Bar"}"#)
            #expect(renewed.json["code"] != nil && renewed.json["code"]?.string != code)
            let renamed = try await bench.call("tills/rename", #"{"name":"Bar","new":"Inn"}"#)
            #expect(renamed.json["name"]?.string == "Inn", "\(renamed.text)")
            let confirmed = try await bench.call("tills/confirm", #"{"name":"Inn"}"#)
            #expect(confirmed.json["suspended"] == .bool(false), "\(confirmed.text)")
            let listed = try await bench.get("tills").json["tills"]?.array ?? []
            #expect(listed.map { $0["path"]?.string } == ["/tills/101/"])
            #expect(listed.map { $0["trusted"] } == [.bool(true)])
            #expect(try await bench.call("tills/remove", #"{"name":"Inn"}"#).status == 200)
            #expect(try await bench.get("tills").json["tills"] == .array([]))
            #expect(!bench.log.contains(code))
        }
    }

    @Test("A name that is taken, unknown, malformed, or missing is refused")
    func refused() async throws {
        try await TillServerBench.with(timeout: 0) { bench in
            _ = try await add("Bar", to: bench)
            for (call, body, word, status) in [
                ("add", #"{"name":"Bar"}"#, "bad-name", 400),
                ("add", #"{"name":"7"}"#, "bad-name", 400),
                ("add", #"{"name":"\n"}"#, "usage", 400),
                ("add", #"{"name":7}"#, "usage", 400),
                ("add", "{}", "usage", 400),
                ("add", #"{"name":"Inn","code":"1"}"#, "usage", 400),
                ("rename", #"{"name":"Bar"}"#, "usage", 400),
                ("rename", #"{"name":"Inn","new":"Bar"}"#, "wrong-state", 409),
                ("code", #"{"name":"Inn"}"#, "wrong-state", 409),
                ("confirm", #"{"name":"Inn"}"#, "wrong-state", 409),
                ("remove", #"{"name":"Inn"}"#, "wrong-state", 409),
            ] {
                let refused = try await bench.call("tills/\(call)", body)
                #expect(refused.word == word && refused.status == status, "\(call): \(body)")
            }
            #expect(try await bench.get("tills").json["tills"]?.array?.count == 1)
        }
    }

    @Test("One question to the ledger serves the metrics and the health of all tills")
    func oneCheck() async throws {
        let (readers, rounds) = (16, 10)
        let count = Guarded(0)
        let ledger = InterposedLedger(InMemoryLedger()) { call in
            if call == .query { count.withLock { $0 += 1 } }
            return .passedOn
        }
        try await TillServerBench.with(ledger: ledger, readers: readers) { bench in
            // Each till has looked at its reader.
            for number in 1...readers {
                let path = "/tills/\(number)/api/v1/card"
                while try await bench.ask("GET", path).json["problem"] == .null {}
            }
            let before = count.withLock { $0 }
            for _ in 1...rounds {
                _ = try await metrics(bench)
                _ = try await bench.ask("GET", "/api/v1/health")
            }
            // The server also asks for itself, every second.
            #expect(count.withLock { $0 } - before < rounds * readers)
        }
    }

    @Test("The log says once that the tills could not be loaded, and once that they were")
    func notLoaded() async throws {
        let isOffline = Guarded(false)
        let ledger = InterposedLedger(InMemoryLedger()) { _ in
            isOffline.withLock { $0 } ? .refused(LedgerError(.offline, "for a test")) : .passedOn
        }
        try await TillServerBench.with(ledger: ledger) { bench in
            isOffline.withLock { $0 = true }
            while !bench.log.contains("tills-not-loaded") {
                try await Task.sleep(for: .milliseconds(1))
            }
            isOffline.withLock { $0 = false }
            while !bench.log.contains("tills-loaded") {
                try await Task.sleep(for: .milliseconds(1))
            }
            let lines = bench.log.split(separator: "\n").filter { $0.contains("loaded") }
            #expect(lines.count == 2)
            #expect(lines.first?.contains(#""error":"ledger-offline""#) == true)
        }
    }
}
