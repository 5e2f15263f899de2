import BlockingLane
import Ledger
import PortDoubles
import TapcardDomain
import Testing
import TextCodecs
import TillServer

@Suite("The quiet hour of a till")
struct QuietHourTests {
    @Test("The quiet hour begins an hour after the last use, once a day")
    func hour() {
        let start = ContinuousClock.now
        var hour = QuietHour(start)
        func begins(_ seconds: Int) -> Bool { hour.begins(at: start + .seconds(seconds)) }
        #expect(!begins(0) && !begins(3_599))
        hour.use(at: start + .seconds(3_000))
        #expect(!begins(3_600) && !begins(6_599))
        #expect(begins(6_600))
        #expect(!begins(6_601) && !begins(20_000))
        let nextDay = 6_600 + 24 * 3_600
        hour.use(at: start + .seconds(nextDay - 10))
        #expect(!begins(nextDay) && !begins(nextDay + 3_589))
        #expect(begins(nextDay + 3_590) && !begins(nextDay + 3_591))
    }

    @Test("Checking the ledger reports damage in health and in the log")
    func damage() async throws {
        // A part that no tap reads is damaged later.
        let isDamaged = Guarded(false)
        let ledger = InterposedLedger(InMemoryLedger()) { call in
            call == .check && isDamaged.withLock { $0 }
                ? .refused(LedgerError(.corrupt, "page 7 is damaged")) : .passedOn
        }
        try await TillServerBench.with(ledger: ledger) { bench in
            await bench.checkLedger()
            #expect(try await bench.ask("GET", "/api/v1/health").json["status"] == "ok")
            isDamaged.withLock { $0 = true }
            await bench.checkLedger()
            let health = try await bench.ask("GET", "/api/v1/health").json
            #expect(health["status"] == "no-ledger")
            #expect(health["ledger"]?["error"] == "ledger-corrupt")
            await bench.end()
            let lines = bench.log.split(separator: "\n").filter { $0.contains("ledger-checked") }
            #expect(lines.map { $0.contains(#""error":null"#) } == [true, false])
            #expect(lines.last?.contains(#""error":"ledger-corrupt""#) == true)
        }
    }
}
