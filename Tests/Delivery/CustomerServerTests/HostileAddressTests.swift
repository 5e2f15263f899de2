import CardCryptography
import CustomerServer
import Ledger
import LedgerConformance
import Tags
import TapcardDomain
import TestSupport
import Testing
import WebServer

/// Requests that no card and no honest browser makes.
@Suite("Hostile requests to the customer page") struct HostileAddressTests {
    private static func benchWithCard() async throws -> CardBench {
        let bench = CardBench()
        try await LedgerTill(bench.ledger).complete(.issue(2000), id: 1)
        return bench
    }

    private static func last(in bench: CardBench) async throws -> ReadCounter? {
        try await bench.ledger.read { rows throws(LedgerError) in
            try rows.readCounter(of: .first)
        }
    }

    @Test("Every forged or malformed address gets one identical refusal, and nothing is recorded")
    func areRefusedAlike() async throws {
        let bench = try await HostileAddressTests.benchWithCard()
        let good = bench.address(8)
        let (p, d, m) = (good.identity, good.data, good.code)
        let other = bench.address(.second, 8)
        let foreign = CardBench.address(.first, 8, CustomerKeys(of: .fresh(created: "x")))
        let flipped = (m.first == "0" ? "1" : "0") + m.dropFirst()
        let bodies = [
            // Another card's code, another issuer, a card that the ledger does not know.
            "p=\(p)&d=\(d)&m=\(other.code)", "p=\(p)&d=\(other.data)&m=\(m)",
            "p=\(other.identity)&d=\(d)&m=\(m)", foreign.query, other.query,
            "p=\(p)&d=\(d)&m=\(flipped)", "p=\(bench.address(9).identity)&d=\(d)&m=\(m)",
            // Wrong lengths.
            "p=\(p)00&d=\(d)&m=\(m)", "p=\(p.dropLast())&d=\(d)&m=\(m)",
            "p=\(p)&d=\(d.dropLast(2))&m=\(m)", "p=\(p)&d=\(d)&m=\(m)0", "p=\(p)&d=\(d)&m=",
            "p=&d=&m=", "p=\(p)&d=\(d)", "d=\(d)&m=\(m)", "p=\(p)", "",
            // Doubled and further fields.
            "p=\(p)&p=\(p)&d=\(d)&m=\(m)", "\(good.query)&m=\(m)", "\(good.query)&x=1",
            "\(good.query)&\(good.query)", "p=\(p)&d=\(d)&d=\(m)",
            // Not hexadecimal digits, or not as the chip writes them.
            "p=\(p.lowercased())&d=\(d)&m=\(m)", "p=\(p.dropLast())G&d=\(d)&m=\(m)",
            "p=\(p.dropLast())%00&d=\(d)&m=\(m)", "p=\(p.dropLast())+&d=\(d)&m=\(m)",
            "p=\(p.dropLast(2))é&d=\(d)&m=\(m)", "p=\(p)&d=\(d)&m=\(m)#", "p=%zz&d=\(d)&m=\(m)",
            "{\"p\":\"\(p)\"}", "p[]=\(p)&d=\(d)&m=\(m)", "P=\(p)&D=\(d)&M=\(m)",
            "p=\(p);d=\(d);m=\(m)", "p=\(p)\r\n&d=\(d)&m=\(m)",
        ]
        var answers: Set<String> = []
        for (number, body) in bodies.enumerated() {
            let answer = await bench.post(body, from: "192.0.2.\(number)")
            #expect(answer.status == 403 && !answer.hasData, "\(body)")
            #expect(answer.header("Set-Cookie") == nil, "\(body)")
            answers.insert(answer.text)
        }
        for type in ["application/json", "text/plain", "multipart/form-data; boundary=x", ""] {
            #expect(await bench.post(good.query, type: type).status == 403, "\(type)")
        }
        // An unknown card looks like a wrong code.
        #expect(answers.count == 1)
        #expect(try await HostileAddressTests.last(in: bench) == nil)
        #expect(await bench.show(good).status == 200)
    }

    @Test("A malformed address is refused when it is opened, and its text is not repeated")
    func areRefusedInAnAddressToo() async throws {
        let bench = try await HostileAddressTests.benchWithCard()
        let good = bench.address(8)
        let fields = [
            WebField("p", good.identity), WebField("d", good.data), WebField("m", good.code),
        ]
        for query in [
            [], [fields[0]], Array(fields.dropLast()), fields + [fields[2]],
            fields + [WebField("x", "1")], [fields[0], fields[1], WebField("m", "<script>")],
            [WebField("p", String(repeating: "A", count: 10_000)), fields[1], fields[2]],
        ] {
            let answer = await bench.get(query)
            #expect(answer.status == 403 && !answer.text.contains("<script>alert"), "\(query)")
            #expect(!answer.text.contains("AAAA"), "\(query)")
        }
    }

    @Test("A thousand guesses from one address are limited without locking out the customer")
    func gainNothingByAThousandAttempts() async throws {
        let bench = try await HostileAddressTests.benchWithCard()
        let good = bench.address(8)
        var statuses: [Int: Int] = [:]
        for number in 0..<1_000 {
            let guess = String(number, radix: 16, uppercase: true)
            let code = String(repeating: "0", count: 16 - guess.count) + guess
            let answer = await bench.post(
                "p=\(good.identity)&d=\(good.data)&m=\(code)", from: "203.0.113.7")
            statuses[answer.status, default: 0] += 1
            #expect(!answer.hasData)
        }
        let most = CustomerRoutes.maximumPerAddress
        #expect(statuses == [403: most, 429: 1_000 - most])
        let locked = await bench.post("p=1", from: "203.0.113.7")
        #expect(locked.status == 429 && locked.header("Retry-After") == "60" && !locked.hasData)
        // A customer is not locked out, even at the same address.
        #expect(await bench.show(good, from: "203.0.113.7").status == 200)
        bench.pass(seconds: 60)
        #expect(await bench.post("p=1", from: "203.0.113.7").status == 403)
    }

    @Test("Repeating an old address does not lock out the cardholder")
    func withAnOldAddressDoNotLockTheCard() async throws {
        let bench = try await HostileAddressTests.benchWithCard()
        #expect(await bench.show(bench.address(8), from: "192.0.2.1").status == 200)
        var statuses: [Int: Int] = [:]
        for _ in 0..<(CustomerRoutes.maximumPerAddress + 5) {
            let again = await bench.show(bench.address(8), from: "203.0.113.7")
            statuses[again.status, default: 0] += 1
        }
        #expect(statuses == [410: CustomerRoutes.maximumPerAddress, 429: 5])
        #expect(await bench.show(bench.address(9), from: "192.0.2.1").status == 200)
    }

    /// A cardholder cannot keep the ledger busy with one card.
    @Test("Requests for one card are limited without affecting another card")
    func ofOneCardAreLimited() async throws {
        let bench = try await HostileAddressTests.benchWithCard()
        try await LedgerTill(bench.ledger).complete(.issue(), id: 2, on: .second)
        for number in 0..<CustomerRoutes.maximumPerCard {
            let page = await bench.show(
                bench.address(UInt32(number)), from: "192.0.2.\(number)")
            #expect(page.status == 200)
        }
        #expect(await bench.show(bench.address(100), from: "192.0.2.200").status == 429)
        #expect(await bench.show(bench.address(.second, 1), from: "192.0.2.200").status == 200)
        bench.pass(seconds: 60)
        #expect(await bench.show(bench.address(100), from: "192.0.2.200").status == 200)
    }

    @Test("Only one of many simultaneous requests with one address is shown the card")
    func showACardOnceToACrowd() async throws {
        let bench = try await HostileAddressTests.benchWithCard()
        let message = bench.address(3)
        let count = CustomerRoutes.maximumPerCard
        let shown = await withTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                group.addTask { await bench.show(message, from: "192.0.2.\(number)").status }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(shown == [200: 1, 410: count - 1])
    }
}
