import BlockingLane
import TestSupport
import Testing
import TextCodecs

@Suite("Many clients at once", .timeLimit(.minutes(5)))
struct ManyClientsTests {
    /// Three thousand are more than there is room for, so the oldest are dropped.
    @Test(
        "A payment succeeds while many clients send only half of their requests",
        arguments: [1_000, 3_000])
    func halfOpen(count: Int) async throws {
        try await TillServerBench.withCard { bench in
            let lane = BlockingLane(label: "half open")
            let host = "Host: 127.0.0.1:\(bench.port)\r\n"
            let halves = [
                "", "POST /api/v1/pay HTTP/1.1\r\n", "GET /api/v1/card HTTP/1.1\r\n\(host)",
                "POST /api/v1/pay HTTP/1.1\r\n\(host)Authorization: Bearer \(bench.token)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"amount\"",
            ]
            var clients: [RawClient] = []
            for number in 0..<count {
                clients.append(
                    try RawClient(bench.port, saying: halves[number % halves.count], lane: lane))
            }
            let paid = try await bench.call("pay", #"{"amount":"4.50"}"#)
            #expect(paid.json["balance"]?.string == "15.50")
            for client in clients { await client.leave() }
            let history = try await bench.get("history").json["entries"]?.array
            #expect(history?.count { $0["kind"]?.string == "pay" } == 1)
        }
    }

    @Test("Pages that come and go leave no listener behind")
    func comingAndGoing() async throws {
        try await TillServerBench.with { bench in
            for _ in 0..<50 {
                let page = try await EventListener(bench)
                await page.leave()
            }
            while !(try await bench.ask("GET", "/metrics").text.contains("listeners 0\n")) {}
        }
    }
}
