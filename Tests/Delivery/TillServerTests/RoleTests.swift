import BlockingLane
import CardCryptography
import StationFiles
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

@Suite("Roles at the till page", .timeLimit(.minutes(5)))
struct RoleTests {
    static let password = "sesame-open"

    /// The lowest role that may make each request; nil if it needs no login.
    private static let rules: [String: CashierRole?] = [
        "GET settings": nil, "POST session": nil, "DELETE session": nil, "GET health": nil,
        "GET /api/openapi.json": nil, "GET /metrics": nil, "POST settings": .owner,
        "POST consent": .seller, "GET events": .seller, "GET taps": .seller, "GET card": .seller,
        "POST display": .seller,
        "GET display/events": nil,
        "GET operations/{id}": .seller, "DELETE operations/{id}": .seller,
        "POST read": .seller, "POST pay": .seller, "POST scratch": .seller,
        "GET armed": .seller, "POST armed": .seller, "DELETE armed": .seller,
        "GET receipt/{of}": .seller, "POST receipt": .seller,
        "POST sell": .seller, "POST shift/cash": .cashier,
        "GET shift": .seller, "GET shifts": .owner, "POST shift/open": .cashier,
        "POST shift/close": .cashier, "GET products": .seller,
        "POST products/add": .owner,
        "POST products/change": .owner, "POST products/retire": .owner,
        "POST activate": .seller, "POST refund": .seller, "GET history": .cashier,
        "POST add": .cashier, "POST demo": .cashier, "POST issue": .cashier,
        "POST close": .owner, "POST block": .cashier, "POST adopt": .owner,
        "POST unblock": .owner, "POST repair": .owner, "POST replace": .owner,
        "POST forget": .owner, "GET takings": .owner, "GET audit": .owner,
        "GET reports/{report}": .owner, "GET find": .cashier,
        "GET tills": .owner, "POST tills/add": .owner, "POST tills/code": .owner,
        "POST tills/rename": .owner, "POST tills/remove": .owner, "POST tills/confirm": .owner,
        "GET tickets": .seller, "POST ticket/buy": .seller, "POST ticket/check": .seller,
        "POST ticket/claim": .cashier, "GET draws": .seller, "GET draws/{id}": .seller,
        "GET doctor": .seller, "POST tag/read": .cashier, "POST tag/info": .cashier,
        "POST tag/write": .owner, "POST mastermind/login": .seller,
        "POST mastermind/start": .seller, "POST mastermind/guess": .seller,
        "GET mastermind/game": .seller, "GET mastermind/ranking": .seller,
        "POST mastermind/resume": .seller, "POST simulator/put": .seller,
        "POST simulator/take": .seller, "POST simulator/tear": .seller, "GET simulator": .seller,
    ]

    static let names: [CashierRole: String] = [
        .seller: "Sam", .cashier: "Cat", .owner: "Ola",
    ]

    /// A till with a cashier in each role, and their tokens.
    func with(
        card: Bool = true, timeout: Int = 600,
        _ body: (TillServerBench, [CashierRole: String]) async throws -> Void
    ) async throws {
        try await TillServerBench.with(timeout: timeout) { bench in
            if card { try await bench.issue() }
            var tokens: [CashierRole: String] = [:]
            let hash = PasswordHash(Self.password, salt: [UInt8](repeating: 1, count: 16))
            // The first one has to be an owner.
            for (role, name) in Self.names.sorted(by: { $0.key > $1.key }) {
                _ = try bench.cashierFile.add(try CashierName(name), hash, role)
            }
            for (role, name) in Self.names {
                let session = try await bench.logIn(name, Self.password)
                #expect(session.json["role"]?.string == role.rawValue, "\(session.text)")
                tokens[role] = session.json["token"]?.string
            }
            try await body(bench, tokens)
        }
    }

    func headers(_ token: String?) -> [String: String] {
        ["Authorization": token.map { "Bearer \($0)" } ?? ""]
    }

    /// The number of the card on the reader.
    private func uid(
        _ bench: TillServerBench, _ tokens: [CashierRole: String]
    ) async throws -> String {
        let history = try await bench.ask(
            "GET", "/api/v1/history", headers: headers(tokens[.owner]))
        return try #require(history.json["entries"]?.array?.first?["uid"]?.string)
    }

    func post(
        _ bench: TillServerBench, _ call: String, _ body: String, _ token: String?
    ) async throws -> Asked {
        try await bench.ask("POST", "/api/v1/\(call)", body, headers: headers(token))
    }

    /// What happens to this request before its handler runs.
    private func isAllowed(
        _ rule: String, _ bench: TillServerBench, _ token: String?
    ) async throws -> Bool {
        let words = rule.split(separator: " ").map(String.init)
        let path = words[1].hasPrefix("/") ? words[1] : "/api/v1/\(words[1])"
        let id = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
        let asked = try await bench.head(
            words[0], path.replacing("{id}", with: id), headers: headers(token))
        guard asked.status == 403 else { return asked.status != 401 }
        #expect(asked.text.contains(#""error":"role-needed""#), "\(rule): \(asked.text)")
        return false
    }

    @Test("Every route has a rule, and each role may do what its rule says")
    func routes() async throws {
        try await with(card: false, timeout: 0) { bench, tokens in
            let document = try await bench.ask("GET", "/api/openapi.json").json
            var routes: Set<String> = []
            for path in document["paths"]?.members ?? [] {
                let short = path.key.trimmingPrefix("/api/v1/")
                for method in path.value.members ?? [] {
                    routes.insert("\(method.key.uppercased()) \(short)")
                }
            }
            #expect(routes.subtracting(Self.rules.keys) == [], "These have no rule.")
            #expect(Set(Self.rules.keys).subtracting(routes) == [], "These are gone.")
            // The session ends last.
            for rule in routes.sorted().reversed() where rule != "DELETE session" {
                guard let lowest = Self.rules[rule] else { continue }
                // A login without a name is refused like a missing one.
                if rule != "POST session" {
                    #expect(try await isAllowed(rule, bench, nil) == (lowest == nil), "\(rule)")
                }
                for role in CashierRole.allCases where rule != "POST session" {
                    let isAllowed = try await isAllowed(rule, bench, tokens[role])
                    #expect(isAllowed == (lowest.map { $0 <= role } ?? true), "\(role): \(rule)")
                }
            }
        }
    }

    @Test("Without cashiers, everything is allowed, and the page is told so")
    func open() async throws {
        try await TillServerBench.with(timeout: 0) { bench in
            for rule in Self.rules.keys where !rule.hasSuffix(" session") {
                #expect(try await isAllowed(rule, bench, bench.token), "\(rule)")
            }
            let page = try await EventListener(bench)
            let state = try await page.next("state")
            #expect(state["role"] == .null && state["mayWithConsent"] == .array([]))
            #expect(state["may"]?.array?.contains(.string("audit")) == true)
        }
    }

    @Test("A refusal names the role, and nothing is done")
    func refusal() async throws {
        try await with { bench, tokens in
            let refused = try await post(bench, "add", #"{"amount":"5"}"#, tokens[.seller])
            #expect(refused.status == 403 && refused.word == "role-needed")
            #expect(refused.json["title"]?.string == "Only a cashier or an owner may do this.")
            #expect(refused.json["next"]?.array?.first?["role"]?.string == "cashier")
            let owners = try await post(bench, "unblock", "{}", tokens[.cashier])
            #expect(owners.json["next"]?.array?.first?["role"]?.string == "owner")
            let topped = try await post(bench, "add", #"{"amount":"5"}"#, tokens[.cashier])
            #expect(topped.json["balance"]?.string == "25.00", "\(topped.text)")
        }
    }

    @Test("A seller undoes only their own payments, and only for five minutes")
    func undo() async throws {
        try await with { bench, tokens in
            func pay(_ role: CashierRole) async throws -> String {
                let paid = try await post(
                    bench, "pay", #"{"amount":"1","again":true}"#, tokens[role])
                return try #require(paid.json["operation"]?.string, "\(paid.text)")
            }
            func undo(_ id: String, _ more: String = "") async throws -> Asked {
                try await post(bench, "refund", "{\"payment\":\"\(id)\"\(more)}", tokens[.seller])
            }
            let others = try await undo(try await pay(.cashier))
            #expect(others.word == "role-needed")
            #expect(
                others.json["title"]?.string
                    == "A seller may undo only their own payments of the last 5 minutes.")
            let (first, second) = (try await pay(.seller), try await pay(.seller))
            let id = #","operation":"6F1C2A34-5B6D-4E7F-8A90-1B2C3D4E5F60""#.lowercased()
            #expect(try await undo(first, id).status == 200)
            bench.time.withLock { $0 += 5 * 60_000 + 1 }
            // The answer was lost, and the request comes again too late for a new one.
            let again = try await undo(first, id)
            #expect(again.json["replayed"] == .bool(true), "\(again.text)")
            #expect(try await undo(second).word == "role-needed")
            bench.time.withLock { $0 -= 1 }
            #expect(try await undo(second).status == 200)
            let topUp = try await post(bench, "add", #"{"amount":"1"}"#, tokens[.owner])
            let reversed = try await undo(try #require(topUp.json["operation"]?.string))
            #expect(reversed.word == "role-needed", "\(reversed.text)")
            for (role, status) in [(CashierRole.seller, 200), (.cashier, 403)] {
                let body = #"{"lines":[{"price":"1"}],"tender":"cash"}"#
                let sold = try await post(bench, "sell", body, tokens[role])
                let id = try #require(sold.json["operation"]?.string, "\(sold.text)")
                #expect(try await undo(id).status == status)
            }
        }
    }

    @Test("An operation that needed consent keeps both names, and any other only the cashier's")
    func supervisor() async throws {
        try await with { bench, tokens in
            let confirmed = #"{"amount":"80","confirmed":true}"#
            let topUp = try await post(bench, "add", confirmed, tokens[.cashier])
            let id = try #require(topUp.json["operation"]?.string, "\(topUp.text)")
            let refund = "{\"payment\":\"\(id)\"}"
            #expect(try await post(bench, "refund", refund, tokens[.cashier]).word == "role-needed")
            let consent = """
                {"cashier":"Ola","password":"\(Self.password)","call":"refund","subject":"\(id)"}
                """
            #expect(try await post(bench, "consent", consent, tokens[.cashier]).status == 204)
            let refunded = try await post(bench, "refund", refund, tokens[.cashier])
            #expect(refunded.status == 200, "\(refunded.text)")
            let history = try await bench.ask(
                "GET", "/api/v1/history", headers: headers(tokens[.owner]))
            let entries = history.json["entries"]?.array ?? []
            #expect(entries.compactMap { $0["supervisor"]?.string } == ["Ola"])
            let kept = entries.first { $0["supervisor"] != nil }
            #expect(kept?["kind"]?.string == "reverse" && kept?["cashier"]?.string == "Cat")
            let report = try await bench.ask(
                "GET", "/api/v1/reports/refunds", headers: headers(tokens[.owner]))
            #expect(report.json["rows"]?.array?.map { $0["supervisor"]?.string } == ["Ola"])
            // A refund within the cashier's limit needs no consent, even if there is one.
            let small = try await post(
                bench, "add", #"{"amount":"20","again":true}"#, tokens[.cashier])
            let other = try #require(small.json["operation"]?.string, "\(small.text)")
            let unneeded = consent.replacing(id, with: other)
            #expect(try await post(bench, "consent", unneeded, tokens[.cashier]).status == 204)
            let own = try await post(
                bench, "refund", refund.replacing(id, with: other), tokens[.cashier])
            #expect(own.status == 200, "\(own.text)")
            let last = try await bench.ask(
                "GET", "/api/v1/history", headers: headers(tokens[.owner]))
            #expect(last.json["entries"]?.array?.compactMap { $0["supervisor"]?.string } == ["Ola"])
        }
    }

    @Test("A cashier refunds and pays out up to the limit, and an owner everything")
    func limit() async throws {
        try await with { bench, tokens in
            let confirmed = #"{"amount":"80","confirmed":true}"#
            let topUp = try await post(bench, "add", confirmed, tokens[.cashier])
            let id = try #require(topUp.json["operation"]?.string, "\(topUp.text)")
            let uid = try #require(topUp.json["uid"]?.string)
            let whole = "{\"payment\":\"\(id)\"}"
            let refused = try await post(bench, "refund", whole, tokens[.cashier])
            #expect(
                refused.json["title"]?.string
                    == "A cashier may refund or pay out at most 50.00 USD.", "\(refused.text)")
            let more = "{\"payment\":\"\(id)\",\"amount\":\"50.01\"}"
            #expect(try await post(bench, "refund", more, tokens[.cashier]).word == "role-needed")
            for body in ["{}", "{\"card\":\"\(uid)\"}"] {
                let payout = try await post(bench, "close", body, tokens[.cashier])
                #expect(payout.word == "role-needed", "\(payout.text)")
            }
            let part = "{\"payment\":\"\(id)\",\"amount\":\"50\"}"
            let reversed = try await post(bench, "refund", part, tokens[.cashier])
            #expect(reversed.json["balance"]?.string == "50.00", "\(reversed.text)")
            let reissue = #"{"reissue":true,"confirmed":true}"#
            #expect(try await post(bench, "issue", reissue, tokens[.cashier]).word == "role-needed")
            let closed = try await post(
                bench, "close", "{\"card\":\"\(uid)\"}", tokens[.cashier])
            #expect(closed.status == 200, "\(closed.text)")
        }
    }

    @Test("A seller sees one card's history, not all of it")
    func history() async throws {
        try await with { bench, tokens in
            let uid = try await uid(bench, tokens)
            func get(_ path: String) async throws -> Asked {
                try await bench.ask("GET", path, headers: headers(tokens[.seller]))
            }
            let one = try await get("/api/v1/history?card=\(uid)")
            #expect(one.json["entries"]?.array?.count == 1, "\(one.text)")
            #expect(try await get("/api/v1/history").word == "role-needed")
            #expect(try await get("/api/v1/history?card=").status == 400)
            #expect(try await get("/api/v1/shift").status == 200)
            let shift = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
            #expect(try await get("/api/v1/shift?shift=\(shift)").word == "role-needed")
        }
    }

    @Test("A second person consents to one replacement, within the limits for logins")
    func consent() async throws {
        try await with { bench, tokens in
            func consent(
                _ name: String, _ password: String = Self.password, _ subject: String = "card",
                _ call: String = "replace", to role: CashierRole = .seller
            ) async throws -> Asked {
                try await post(
                    bench, "consent",
                    "{\"cashier\":\"\(name)\",\"password\":\"\(password)\",\"call\":\"\(call)\","
                        + "\"subject\":\"\(subject)\"}", tokens[role])
            }
            let uid = try await uid(bench, tokens)
            func replace(_ role: CashierRole, _ card: String) async throws -> Asked {
                try await post(bench, "replace", "{\"card\":\"\(card)\"}", tokens[role])
            }
            let alone = try await replace(.seller, uid)
            #expect(alone.word == "role-needed")
            #expect(alone.json["title"]?.string == "This needs the consent of a second person.")
            #expect(try await replace(.cashier, uid).json["next"]?.text.contains("owner") == true)
            // Nobody consents to their own call, and no equal does.
            #expect(try await consent("Sam", Self.password, uid).word == "role-needed")
            let equal = try await consent("Cat", Self.password, uid, to: .cashier)
            #expect(equal.word == "role-needed")
            #expect(try await consent("Ola", Self.password, uid, "close").status == 400)
            #expect(try await consent("Cat", Self.password, "04AC6B72BA6C91").status == 204)
            // The consent is for another card, for another call, and not for another session.
            #expect(try await replace(.seller, uid).word == "role-needed")
            #expect(try await replace(.cashier, "04AC6B72BA6C91").word == "role-needed")
            #expect(try await consent("Cat", Self.password, uid).status == 204)
            // The card on the reader is the lost one, which is refused after the role check.
            let admitted = try await replace(.seller, uid)
            #expect(admitted.status != 403, "\(admitted.text)")
            // A consent ends with its supervisor's role.
            _ = try bench.cashierFile.setRole(of: try CashierName("Cat"), to: .seller)
            #expect(try await replace(.seller, uid).word == "role-needed")
            for _ in 0..<5 {
                let wrong = try await consent("Ola", "wrong")
                #expect(wrong.word == "wrong-password")
                #expect(wrong.json["meaning"]?.string == "Nothing was done.")
            }
            #expect(try await consent("Ola", Self.password, uid).word == "too-many-attempts")
        }
    }

    @Test("A changed role takes effect in open sessions and streams")
    func changed() async throws {
        try await with { bench, tokens in
            let sam = try CashierName("Sam")
            let page = try await EventListener(bench, headers: headers(tokens[.seller]))
            #expect(try await page.next("state")["role"]?.string == "seller")
            #expect(try await post(bench, "add", #"{"amount":"1"}"#, tokens[.seller]).status == 403)
            _ = try bench.cashierFile.setRole(of: sam, to: .cashier)
            let added = try await post(bench, "add", #"{"amount":"1"}"#, tokens[.seller])
            #expect(added.status == 200, "\(added.text)")
            while try await page.next() != nil {}
            let next = try await EventListener(bench, headers: headers(tokens[.seller]))
            let state = try await next.next("state")
            #expect(state["role"]?.string == "cashier")
            #expect(state["may"]?.array?.contains(.string("add")) == true)
            #expect(state["mayWithConsent"] == .array([.string("replace")]))
            _ = try bench.cashierFile.remove(sam)
            #expect(try await post(bench, "pay", "{}", tokens[.seller]).word == "stale-token")
            while try await next.next() != nil {}
        }
    }
}
