import BlockingLane
import CardCryptography
import Ledger
import StationFiles
import TapcardDomain
import Testing
import TextCodecs
import TillServer
import WebServer

@Suite("Requests that one server forwards to another", .timeLimit(.minutes(5)))
struct ForwardedRequestTests {
    private static let own = "http://127.0.0.1:9"
    private static let other = "http://127.0.0.1:10"
    private static let app = "https://app.example"
    /// Tills whose readers are attached at the bench's own address, at another one without a valid
    /// seal, and at another server.
    private static let (here, forged, there) = ("/tills/101", "/tills/102", "/tills/103")

    /// The line to the other server, which answers every request.
    private final class Peer: PeerLine {
        private let guarded = Guarded<[PeerRequest]>([])
        var requests: [PeerRequest] { guarded.withLock { $0 } }

        func forget() { guarded.withLock { $0 = [] } }

        func send(
            _ request: PeerRequest, _ take: @escaping @Sendable ([UInt8]) -> Void
        ) async throws(PeerError) -> PeerResponse {
            guarded.withLock { $0.append(request) }
            return PeerResponse(status: 200, headers: [], body: Array("there".utf8))
        }
    }

    private func with(
        _ body: (TillServerBench, Peer, _ keys: KeyRing) async throws -> Void
    ) async throws {
        let (ledger, peer) = (InMemoryLedger(), Peer())
        try await TillServerBench.with(
            ledger: ledger, options: ["--peer-address", Self.own, "--allow-origin", Self.app],
            peers: peer
        ) { bench in
            let keys = try #require(try bench.keyFile.load())
            func sealed(_ address: String) -> String {
                let seal = keys.sealing.masters.seal(of: Array(address.utf8), for: "peer address")
                return "\(address) \(keys.sealing.id) \(Hexadecimal.encode(seal))"
            }
            let forged = sealed(Self.own).replacing(Self.own, with: Self.other)
            let now = Timestamp(milliseconds: bench.time.withLock { $0 })
            let end = Timestamp(milliseconds: now.milliseconds + EnrolledTill.Code.lifetime)
            for (name, address) in [
                ("Here", sealed(Self.own)), ("Forged", forged), ("There", sealed(Self.other)),
            ] {
                let secret = Array(name.utf8)
                _ = try await ledger.addTill(
                    try TillName(name), isTrusted: false,
                    code: EnrolledTill.Code(hash: secret, expires: end), at: now)
                _ = try await ledger.enroll(codeHash: secret, tokenHash: secret, at: now)
                _ = try await ledger.attach(
                    tokenHash: secret,
                    EnrolledTill.Attachment(
                        at: now, server: "north", serverAddress: address,
                        run: BenchMachine.run, release: "1", reader: "far reader",
                        address: "192.0.2.1"))
            }
            // The server learns of the last till together with the others, or after them.
            while peer.requests.isEmpty {
                _ = try await bench.ask("GET", Self.there + "/api/v1/card")
            }
            peer.forget()
            try await body(bench, peer, keys)
        }
    }

    @Test("Pages' requests are forwarded; those that no server accepts are refused at once")
    func refusals() async throws {
        try await with { bench, peer, _ in
            let pay = Self.there + "/api/v1/pay"
            for (method, headers) in [
                ("PUT", [:]), ("POST", ["Content-Type": "text/plain"]),
                ("POST", ["Content-Length": "70000"]), ("POST", ["Origin": Self.app]),
                ("POST", ["Origin": "https://other.example"]), ("POST", ["Host": "evil.example"]),
            ] as [(String, [String: String])] {
                let asked = try await bench.ask(method, pay, "{}", headers: headers)
                #expect((400..<500).contains(asked.status), "\(method) \(headers)")
            }
            #expect(peer.requests.isEmpty)
            for (method, body) in [
                ("GET", nil), ("POST", "{}"), ("DELETE", nil),
            ] as [(String, String?)] {
                #expect(try await bench.ask(method, pay, body).text == "there")
            }
            #expect(peer.requests.map(\.method) == ["GET", "POST", "DELETE"])
            #expect(Set(peer.requests.map(\.url)) == [Self.other + pay])
        }
    }

    @Test("API tokens and customer's displays are forwarded, with the origin that is checked there")
    func shared() async throws {
        try await with { bench, peer, _ in
            let token = "Bearer \(APIToken.text([1, 2, 3]))"
            let headers = ["Authorization": token, "Origin": Self.app]
            _ = try await bench.ask("POST", Self.there + "/api/v1/tag/read", "{}", headers: headers)
            _ = try await bench.ask(
                "GET", Self.there + "/api/v1/display/events", headers: ["Authorization": ""])
            let sent = peer.requests.map { request in
                Dictionary(request.headers.map { ($0.name, $0.value) }) { first, _ in first }
            }
            #expect(sent.map { $0["Authorization"] } == [token, nil])
            #expect(sent.map { $0["Origin"] } == [Self.app, nil])
            // The address of the client, for the other server's limits and displays.
            #expect(sent.allSatisfy { $0["Tapcard-Forwarded"]?.contains(" 127.0.0.1 ") == true })
        }
    }

    @Test("A request goes no further than one server, and only to an address with a valid seal")
    func places() async throws {
        try await with { bench, peer, _ in
            for (till, headers) in [
                (Self.here, [:]), (Self.forged, [:]), (Self.there, ["Tapcard-Forwarded": "x"]),
            ] as [(String, [String: String])] {
                let asked = try await bench.ask(
                    "POST", till + "/api/v1/pay", "{}", headers: headers)
                #expect(asked.status == 401, "\(till): \(asked.text)")
            }
            #expect(peer.requests.isEmpty)
        }
    }

    /// Tries a code that is not valid, with a header that states the client's address.
    @discardableResult
    private func enroll(
        _ bench: TillServerBench, _ header: String, _ body: String = Self.code
    ) async throws -> Int {
        let asked = try await bench.ask(
            "POST", "/agent/v1/enroll", body, headers: ["Tapcard-Forwarded": header])
        return asked.status
    }

    private static let code = #"{"code":"x","token_hash":"\#(String(repeating: "0", count: 64))"}"#

    /// The header of a forwarded request.
    private func header(
        _ client: String, _ entry: KeyEntry, at time: Int64, to place: String = Self.own,
        path: String = "/agent/v1/enroll"
    ) -> String {
        let text = "POST \(place) \(client) \(time) \(path)?\n\(Self.code)"
        let seal = entry.masters.seal(of: Array(text.utf8), for: "forwarding")
        return "\(entry.id) \(time) \(client) \(Hexadecimal.encode(seal))"
    }

    @Test("Another client's address is believed for a minute, with a seal over the whole request")
    func seals() async throws {
        try await with { bench, _, keys in
            let (entry, now) = (keys.sealing, bench.time.withLock { $0 })
            func isBelieved(_ client: String) -> Bool {
                bench.log.contains(#""event":"agent-refused","client":"\#(client)""#)
            }
            let minute: Int64 = 60_000
            for (number, time) in [now, now - minute, now + minute].enumerated() {
                let status = try await enroll(bench, header("192.0.2.\(number)", entry, at: time))
                #expect(status == 400)
                while !isBelieved("192.0.2.\(number)") {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            let valid = header("192.0.2.10", entry, at: now)
            for wrong in [
                header("192.0.2.10", entry, at: now - minute - 1),
                header("192.0.2.10", entry, at: now + minute + 1),
                header("192.0.2.10", entry, at: now, to: Self.other),
                header("192.0.2.10", entry, at: now, path: "/agent/v1/attach"),
                valid.replacing("\(entry.id) \(now)", with: "\(entry.id) \(now - 1)"),
                valid.replacing("\(entry.id) \(now)", with: "9 \(now)"),
                header("192.0.2.11", entry, at: now).replacing("192.0.2.11", with: "192.0.2.10"),
                String(valid.dropLast(2)), valid + " x",
            ] { try await enroll(bench, wrong) }
            // All of these count for the sender, which has to wait by now.
            #expect(try await enroll(bench, valid, Self.code + " ") == 429)
            // Whoever has a key that was retired cannot seal with it.
            let rotated = try keys.rotated(created: "2026-01-01")
            try bench.keyFile.save(try rotated.retiring(entry.id))
            try await enroll(bench, valid)
            try await enroll(bench, header("192.0.2.12", rotated.sealing, at: now))
            // Lines are written in order, so the others would be there by now.
            while !isBelieved("192.0.2.12") { try await Task.sleep(for: .milliseconds(5)) }
            #expect(!isBelieved("192.0.2.10"))
        }
    }
}
