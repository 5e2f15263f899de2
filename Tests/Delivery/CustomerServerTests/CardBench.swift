import BlockingLane
import CardCryptography
import CustomerServer
import Ledger
import LedgerConformance
import PortDoubles
import Tags
import TapcardDomain
import WebServer

/// An issuer with its keys, a ledger and a clock, and the routes of its page.
struct CardBench {
    let keys: CustomerKeys
    let ledger: any LedgerStore
    let routes: CustomerRoutes
    let watch: CustomerWatch
    /// The events for an operator, oldest first.
    let told: Guarded<[CustomerWatch.Event]>
    private let uptime: Guarded<Int64>

    init(
        _ ledger: any LedgerStore = InMemoryLedger(), keys: CustomerKeys = CardBench.issuer,
        takesOfflinePayments: Bool = false
    ) {
        let uptime = Guarded<Int64>(1_000_000)
        let told = Guarded<[CustomerWatch.Event]>([])
        (self.keys, self.ledger, self.uptime, self.told) = (keys, ledger, uptime, told)
        watch = CustomerWatch(
            uptime: { uptime.withLock { $0 } },
            say: { event in told.withLock { $0.append(event) } })
        routes = CustomerRoutes(
            keys: keys, ledger: CustomerLedger(ledger),
            clocks: CustomerRoutes.Clocks(
                now: { .tick(0) }, uptime: { uptime.withLock { $0 } }), watch: watch,
            takesOfflinePayments: takesOfflinePayments)
    }

    /// A bench with one card, on a ledger that is offline while `isOffline` is true.
    static func onLedger(thatIsOffline isOffline: Guarded<Bool>) async throws -> CardBench {
        let ledger = InterposedLedger(InMemoryLedger()) { _ in
            isOffline.withLock { $0 }
                ? .refused(LedgerError(.offline, "offline")) : .passedOn
        }
        try await LedgerTill(ledger).complete(.issue(), id: 1)
        return CardBench(ledger)
    }

    static let issuer = CustomerKeys(of: .fresh(created: "2026-11-25"))

    /// Lets time pass.
    func pass(seconds: Int64) { uptime.withLock { $0 += seconds * 1_000 } }

    /// The address of a card, as its chip makes it.
    func address(_ uid: CardUID, _ reads: UInt32) -> TapMessage {
        CardBench.address(uid, reads, keys)
    }

    func address(_ reads: UInt32) -> TapMessage { address(.first, reads) }

    static func address(
        _ uid: CardUID, _ reads: UInt32, _ keys: CustomerKeys
    ) -> TapMessage {
        guard let pair = keys.pairs.last, let identity = TapIdentity(uid: uid, reads: reads)
        else { preconditionFailure("a number and a counter that a chip has") }
        return TapMessage(
            TapMessage.Content(
                identity: identity, fileData: [UInt8](repeating: 7, count: TapMessage.dataSize)),
            metaKey: pair.meta, fileKey: CustomerKeys.fileKey(of: uid, from: pair.file),
            filling: [1, 2, 3, 4, 5])
    }

    func get(_ query: [WebField]) async -> WebResponse {
        await answer(WebRequest(method: "GET", path: "/c", query: query, from: "192.0.2.1"))
    }

    /// Sends the form, as a script or its button does.
    func post(
        _ body: String, cookie: String? = nil, from client: String = "192.0.2.1",
        type: String = "application/x-www-form-urlencoded"
    ) async -> WebResponse {
        let headers =
            [WebField("Content-Type", type)] + (cookie.map { [WebField("Cookie", $0)] } ?? [])
        return await answer(
            WebRequest(
                method: "POST", path: "/c", headers: WebHeaders(headers), body: Array(body.utf8),
                from: client))
    }

    func show(
        _ message: TapMessage, cookie: String? = nil, from client: String = "192.0.2.1"
    ) async -> WebResponse {
        await post(message.query, cookie: cookie, from: client)
    }

    func answer(_ request: WebRequest) async -> WebResponse {
        switch routes.reply(to: request) {
        case .now(let response): response
        case .later(let work): await work()
        }
    }
}

extension WebResponse {
    var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    func header(_ name: String) -> String? { WebHeaders(headers)[name] }

    /// The cookie as a browser sends it back.
    var cookie: String? {
        header("Set-Cookie")?.split(separator: ";").first.map { String($0) }
    }

    /// Whether it contains anything about a card.
    var hasData: Bool { text.contains("Balance") || text.contains("$") }
}
