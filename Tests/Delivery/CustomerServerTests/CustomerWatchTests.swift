import BlockingLane
import CardCryptography
import CustomerServer
import Ledger
import LedgerConformance
import Tags
import TapcardDomain
import Testing
import WebServer

@Suite("Monitoring the customer page") struct CustomerWatchTests {
    private static func count(_ bench: CardBench) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: bench.watch.state.counts.map { ($0.rawValue, $1) })
    }

    @Test("Every request is counted by its result")
    func isWhatCameOfEachRequest() async throws {
        let bench = CardBench()
        try await LedgerTill(bench.ledger).complete(.issue(), id: 1)
        let good = bench.address(7)
        let fields = [
            WebField("p", good.identity), WebField("d", good.data), WebField("m", good.code),
        ]
        for _ in 0..<3 { _ = await bench.get(fields) }
        #expect(CustomerWatchTests.count(bench) == ["opened": 3])
        let cookie = try #require(await bench.show(good).cookie)
        _ = await bench.show(good, cookie: cookie)
        for reads in [7, 6] as [UInt32] { _ = await bench.show(bench.address(reads)) }
        // A wrong code, another issuer, and a card that the ledger does not know.
        let foreign = CardBench.address(.first, 8, CustomerKeys(of: .fresh(created: "x")))
        for message in [foreign, bench.address(.second, 8)] { _ = await bench.show(message) }
        _ = await bench.post("p=1")
        _ = await bench.get([])
        for (method, path) in [("PUT", "/c"), ("GET", "/"), ("POST", "/metrics")] {
            _ = await bench.answer(
                WebRequest(method: method, path: path, from: "192.0.2.1"))
        }
        #expect(
            CustomerWatchTests.count(bench) == [
                "opened": 3, "fresh": 1, "again": 1, "counter": 2, "code": 2, "form": 2,
                "elsewhere": 3,
            ])
        #expect(bench.told.withLock(\.isEmpty) && bench.watch.state.ledgerWorks)
    }

    @Test("Limited requests are counted")
    func countsWhatIsLimited() async throws {
        let bench = CardBench()
        try await LedgerTill(bench.ledger).complete(.issue(), id: 1)
        for reads in 1...UInt32(CustomerRoutes.maximumPerCard + 2) {
            _ = await bench.show(bench.address(reads))
        }
        #expect(
            CustomerWatchTests.count(bench)
                == ["fresh": CustomerRoutes.maximumPerCard, "limited": 2])
        for _ in 0..<(CustomerRoutes.maximumPerAddress + 1) {
            _ = await bench.post("", from: "192.0.2.9")
        }
        let counts = CustomerWatchTests.count(bench)
        #expect(counts["form"] == CustomerRoutes.maximumPerAddress && counts["limited"] == 3)
    }

    /// One event when the ledger goes offline, one when it is back, and at most one pair a minute.
    @Test("An outage of the ledger is reported once, and so is its end")
    func tellsOnceThatTheLedgerIsOffline() async throws {
        let isOffline = Guarded(false)
        let bench = try await CardBench.onLedger(thatIsOffline: isOffline)
        func told() -> [String] {
            bench.told.withLock { events in
                defer { events = [] }
                return events.map { event in
                    switch event {
                    case .ledgerLost(let error): "lost \(error.kind == .offline)"
                    case .ledgerBack(let failed): "back \(failed)"
                    case .codesRefused: "codes"
                    }
                }
            }
        }
        var reads: UInt32 = 0
        func show() async -> Int {
            reads += 1
            return await bench.show(bench.address(reads)).status
        }
        isOffline.withLock { $0 = true }
        for _ in 0..<3 { #expect(await show() == 503) }
        #expect(told() == ["lost true"] && !bench.watch.state.ledgerWorks)
        isOffline.withLock { $0 = false }
        for _ in 0..<2 { #expect(await show() == 200) }
        #expect(told() == ["back 3"] && bench.watch.state.ledgerWorks)
        // It comes and goes within the minute: that is not told each time.
        for isGone in [true, false, true, false] {
            isOffline.withLock { $0 = isGone }
            _ = await show()
        }
        #expect(told().isEmpty)
        bench.pass(seconds: 60)
        isOffline.withLock { $0 = true }
        _ = await show()
        #expect(told() == ["lost true"])
        #expect(CustomerWatchTests.count(bench)["ledger"] == 6)
        // Of the requests that failed, those in the outages that were not told count for no other.
        isOffline.withLock { $0 = false }
        _ = await show()
        #expect(told() == ["back 1"])
    }

    @Test("A burst of wrong codes is reported once a minute, whoever sends them")
    func tellsABurstOfWrongCodes() async throws {
        let bench = CardBench()
        let foreign = CardBench.address(.first, 8, CustomerKeys(of: .fresh(created: "x")))
        func bursts() -> [Int] {
            bench.told.withLock { events in
                events.map { event in
                    if case .codesRefused(let count, let seconds) = event {
                        count * 1_000 + seconds
                    } else {
                        -1
                    }
                }
            }
        }
        for sender in 1..<CustomerWatch.burst {
            _ = await bench.show(foreign, from: "192.0.2.\(sender)")
        }
        #expect(bursts().isEmpty)
        bench.pass(seconds: 12)
        _ = await bench.show(foreign)
        #expect(bursts() == [CustomerWatch.burst * 1_000 + 12])
        for _ in 0..<200 { _ = await bench.show(foreign) }
        #expect(bursts().count == 1)
        bench.pass(seconds: 60)
        for _ in 1..<CustomerWatch.burst { _ = await bench.show(foreign) }
        #expect(bursts().count == 1)
        // Also those of a sender who gets no other answer any more than to wait.
        _ = await bench.show(foreign)
        #expect(bursts().count == 2)
    }

    /// A burst at the end of a counted minute and one at the start of the next are one report.
    @Test("No two bursts of wrong codes are reported within a minute")
    func tellsNoTwoBurstsWithinAMinute() async throws {
        let bench = CardBench()
        let foreign = CardBench.address(.first, 8, CustomerKeys(of: .fresh(created: "x")))
        func show(_ count: Int) async -> Int {
            for _ in 0..<count { _ = await bench.show(foreign) }
            return bench.told.withLock(\.count)
        }
        #expect(await show(1) == 0)
        bench.pass(seconds: 59)
        #expect(await show(CustomerWatch.burst - 1) == 1)
        bench.pass(seconds: 2)
        #expect(await show(CustomerWatch.burst) == 1)
        // The burst goes on, and its minute is not over yet.
        bench.pass(seconds: 58)
        #expect(await show(1) == 2)
        guard case .codesRefused(let count, 58) = bench.told.withLock(\.last) else {
            Issue.record("the second burst is not told")
            return
        }
        #expect(count == CustomerWatch.burst + 1)
    }
}
