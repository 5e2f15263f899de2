import Games
import RemoteServices
import ServicePorts
import TapcardDomain
import Testing

@Suite("What is kept of the lottery")
struct CacheTests {
    static let offline = ScriptedTransport.Reply.failure(.unreachable)

    private static let none = Array(#"{"draws":[]}"#.utf8)
    private static let older = draw("draw-2", "2023-05-22")
    private static let later = draw("draw-4", "2023-06-05")

    private static func draw(_ id: String, _ date: String) -> [UInt8] {
        Array(
            #"""
            {"draws":[{"id":"\#(id)","drawDate":"\#(date)","number1":"1","number2":"2",\#
            "number3":"3","number4":"4","number5":"5","number6":"6","bonus-ball":"7",\#
            "topPrize":1}]}
            """#.utf8)
    }

    private func ok(_ head: [String]) throws -> ScriptedTransport.Reply {
        .answer(200, try AnswerFixture.draws.bytes, head)
    }

    @Test("the first answer comes from the service and is kept")
    func first() async throws {
        let bench = try CacheBench(try ok(["ETag: \"v1\"", "Cache-Control: max-age=600"]))
        let fetched = try await bench.draws()
        #expect(fetched.value.draws.count == 3)
        #expect(fetched.age == 0 && fetched.staleness == nil && fetched.notes.isEmpty)
        #expect(bench.lastConditions.isEmpty)
        #expect(try bench.files.count == 1)
    }

    @Test(
        "for how long the service is not asked",
        arguments: [
            (["Cache-Control: max-age=600"], 599, 600),
            (["Cache-Control: public, MAX-AGE=600, immutable"], 599, 600),
            (["Cache-Control: max-age=\"600\""], 599, 600),
            ([#"Cache-Control: x="a\", no-store", max-age=600"#], 599, 600),
            (["Cache-Control: max-age=600", "Cache-Control: max-age=60"], 59, 60),
            (["Cache-Control: max-age=600", "Age: 500"], 99, 100),
            (["Cache-Control: max-age=600, s-maxage=5"], 599, 600),
            (["Cache-Control: max-age=600, must-revalidate"], 599, 600),
            (["Cache-Control: max-age=60", "Expires: Tue, 14 Nov 2023 23:13:20 GMT"], 59, 60),
            // The clock of the script is at 22:13:20 on that day.
            (["Expires: Tue, 14 Nov 2023 22:23:20 GMT"], 599, 600),
            (
                [
                    "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                    "Expires: Tue, 14 Nov 2023 22:23:20 GMT",
                ], 599, 600
            ),
            // By its own clock, which is slow, it lives for ten minutes, five of which have gone.
            (
                [
                    "Date: Tue, 14 Nov 2023 22:08:20 GMT",
                    "Expires: Tue, 14 Nov 2023 22:18:20 GMT",
                ], 299, 300
            ),
            (["Cache-Control: max-age=600", "Date: Tue, 14 Nov 2023 22:08:20 GMT"], 299, 300),
            // A clock that is fast gives it no longer life.
            (["Cache-Control: max-age=600", "Date: Tue, 14 Nov 2023 22:33:20 GMT"], 599, 600),
            (["Cache-Control: max-age=99999999999999999999"], 315_359_999, 315_360_000),
        ])
    func fresh(_ head: [String], _ last: Int64, _ first: Int64) async throws {
        let bench = try CacheBench(try ok(head))
        _ = try await bench.draws()
        bench.transport.pass(seconds: last)
        let kept = try await bench.draws()
        #expect(kept.age >= Int(last) && kept.staleness == nil && kept.notes.isEmpty)
        #expect(bench.requestCount == 1)
        bench.transport.pass(seconds: first - last)
        #expect(try await bench.draws().staleness == nil)
        #expect(bench.requestCount == 2)
    }

    @Test(
        "when it is asked each time",
        arguments: [
            [], ["ETag: \"v1\""], ["Cache-Control: no-cache"],
            ["Cache-Control: no-cache, max-age=600"],
            ["Cache-Control: max-age=600, no-cache=\"a, b\""],
            ["Cache-Control: max-age=0"], ["Cache-Control: max-age=-1"],
            ["Cache-Control: max-age=soon"], ["Cache-Control: max-age"],
            ["Cache-Control: x=\"max-age=600\""], ["Expires: 0"], ["Expires: soon"],
            ["Expires: Tue, 14 Nov 2023 22:13:19 GMT"],
            ["Expires: Tuesday, 14-Nov-23 23:13:20 GMT"],
            ["Cache-Control: max-age=600", "Age: 600"],
            ["Cache-Control: max-age=600", "Date: Mon, 13 Nov 2023 22:13:20 GMT"],
        ])
    func always(_ head: [String]) async throws {
        let bench = try CacheBench(try ok(head))
        for count in 1...3 {
            #expect(try await bench.draws().staleness == nil)
            #expect(bench.requestCount == count)
        }
    }

    @Test("for how long caches on the way have kept an answer is part of its age")
    func ageOnTheWay() async throws {
        let bench = try CacheBench(
            try ok(["ETag: \"v1\"", "Cache-Control: max-age=100000", "Age: 86400"]))
        #expect(try await bench.draws().age == 86_400)
        bench.transport.pass(seconds: 10)
        #expect(try await bench.draws().age == 86_410)
        bench.transport.reply(.status(304, "Age: 5"))
        #expect(try await bench.draws(revalidating: true).age == 5)
        bench.transport.pass(seconds: 10)
        bench.transport.reply(Self.offline)
        let stale = try await bench.draws(revalidating: true)
        #expect(stale.age == 15 && stale.staleness?.kind == .unreachable)
        // The clock of the script is at 22:13:40 by now.
        bench.transport.reply(try ok(["Date: Tue, 14 Nov 2023 22:13:10 GMT", "Age: 20"]))
        #expect(try await bench.draws(revalidating: true).age == 30)
    }

    @Test("an answer that was made while it was waited for is not old")
    func slowAnswer() throws {
        var head = HTTPHead()
        head.take(Array("Date: Tue, 14 Nov 2023 22:13:20 GMT".utf8))
        let start = Timestamp(milliseconds: 1_700_000_000_900)
        let end = Timestamp(milliseconds: 1_700_000_005_000)
        let entry = CacheEntry(
            url: "http://lottery.example", requested: start, received: end, head: head, body: [])
        #expect(Freshness(of: entry, at: end).age == 0)
    }

    @Test(
        "what is never kept",
        arguments: [
            "Cache-Control: no-store", "Cache-Control: max-age=600, No-Store", "Vary: *",
            // Anything after a quotation mark that is never closed may be meant.
            "Cache-Control: x=\"a, no-store", "Cache-Control: max-age=600, x=\"a",
            #"Cache-Control: x="\"", no-store, y="\"""#,
        ])
    func forbidden(_ line: String) async throws {
        let bench = try CacheBench(try ok(["Cache-Control: max-age=0", "ETag: \"v1\""]))
        _ = try await bench.draws()
        #expect(try bench.files.count == 1)
        bench.transport.reply(try ok([line]))
        #expect(try await bench.draws().notes.isEmpty)
        // What was kept before goes, too.
        #expect(try bench.files.isEmpty)
        bench.transport.reply(Self.offline)
        let failure = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(failure?.kind == .unreachable)
        #expect(failure?.detail.contains("and nothing is kept of it") == true)
    }

    @Test("who revalidates asks the service itself, however fresh what is kept is")
    func revalidated() async throws {
        let bench = try CacheBench(try ok(["ETag: \"v1\"", "Cache-Control: max-age=600"]))
        _ = try await bench.draws()
        bench.transport.pass(seconds: 10)
        bench.transport.reply(.status(304, "ETag: \"v1\""))
        #expect(try await bench.draws(revalidating: true).age == 0)
        #expect(bench.requestCount == 2)
        #expect(bench.lastConditions == ["If-None-Match: \"v1\"", "Cache-Control: no-cache"])
        // What was kept is as good for all others as it was said to be.
        bench.transport.pass(seconds: 20)
        bench.transport.reply(Self.offline)
        #expect(try await bench.draws().staleness == nil)
        let kept = try await bench.draws(revalidating: true)
        #expect(kept.age == 20 && kept.staleness?.kind == .unreachable)
        #expect(kept.value.draws.count == 3)
    }

    @Test("what may not be used once it is out of date may be used before that, offline as well")
    func revalidatedOffline() async throws {
        let bench = try CacheBench(try ok(["Cache-Control: max-age=600, must-revalidate"]))
        _ = try await bench.draws()
        bench.transport.reply(Self.offline)
        bench.transport.pass(seconds: 599)
        #expect(try await bench.draws(revalidating: true).staleness?.kind == .unreachable)
        bench.transport.pass(seconds: 1)
        await #expect(throws: ServiceError.self) { try await bench.draws(revalidating: true) }
    }

    @Test("the service is asked whether anything has changed, and 304 says no")
    func notModified() async throws {
        let modified = "Last-Modified: Mon, 13 Nov 2023 20:00:00 GMT"
        let bench = try CacheBench(
            try ok(["ETag: W/\"v1\"", modified, "Cache-Control: max-age=60"]))
        _ = try await bench.draws()
        bench.transport.pass(seconds: 100)
        bench.transport.reply(.status(304, "ETag: \"v1\"", "Cache-Control: max-age=600"))
        let fetched = try await bench.draws()
        #expect(fetched.value.draws.count == 3)
        #expect(fetched.age == 0 && fetched.staleness == nil && fetched.notes.isEmpty)
        #expect(
            bench.lastConditions == [
                "If-None-Match: W/\"v1\"", "If-Modified-Since: Mon, 13 Nov 2023 20:00:00 GMT",
            ])
        // Its life starts again, with the new length.
        bench.transport.pass(seconds: 599)
        #expect(try await bench.draws().age == 599)
        #expect(bench.requestCount == 2)
        // What the 304 did not name is as it was.
        bench.transport.pass(seconds: 1)
        bench.transport.reply(try ok([]))
        _ = try await bench.draws()
        #expect(bench.lastConditions.contains("If-Modified-Since: Mon, 13 Nov 2023 20:00:00 GMT"))
    }

    @Test("the age that a cache on the way stated once is not counted again")
    func ageOnce() async throws {
        let bench = try CacheBench(
            try ok(["ETag: \"v1\"", "Cache-Control: max-age=600", "Age: 600"]))
        _ = try await bench.draws()
        bench.transport.reply(.status(304))
        _ = try await bench.draws()
        _ = try await bench.draws()
        #expect(bench.requestCount == 2)
    }

    @Test("a new answer takes the place of the old one")
    func changed() async throws {
        let bench = try CacheBench(.ok(CacheTests.none, "ETag: \"v1\""))
        #expect(try await bench.draws().value.draws.isEmpty)
        bench.transport.reply(try ok(["ETag: \"v2\""]))
        #expect(try await bench.draws().value.draws.count == 3)
        bench.transport.reply(.status(304))
        #expect(try await bench.draws().value.draws.count == 3)
        #expect(bench.lastConditions == ["If-None-Match: \"v2\""])
        #expect(try bench.files.count == 1)
    }

    @Test(
        "a list that has lost its newest draw is not believed, and what was kept stays",
        arguments: [
            (CacheTests.none, "it is empty, and draw-3 of 2023-05-29 had"),
            (CacheTests.older, "it ends with draw-2 of 2023-05-22, and draw-3 of 2023-05-29 had"),
        ])
    func goneBack(_ body: [UInt8], _ words: String) async throws {
        let bench = try CacheBench(try ok(["ETag: \"v1\""]))
        _ = try await bench.draws()
        bench.transport.pass(seconds: 60)
        bench.transport.reply(.ok(body, "ETag: \"v0\""))
        for _ in 1...2 {
            let fetched = try await bench.draws(revalidating: true)
            #expect(fetched.value.draws.count == 3 && fetched.age == 60)
            #expect(fetched.staleness?.kind == .goneBack)
            #expect(fetched.staleness?.detail.contains(words) == true)
        }
        bench.transport.reply(.status(304))
        #expect(try await bench.draws(revalidating: true).staleness == nil)
        // Draws that are long over may be left out.
        bench.transport.reply(.ok(CacheTests.later))
        let later = try await bench.draws(revalidating: true)
        #expect(later.staleness == nil && later.value.draws.map(\.id.text) == ["draw-4"])
    }

    @Test("a lottery that starts again is accepted when one caller says so, then by all")
    func begunAnew() async throws {
        let bench = try CacheBench(try ok(["ETag: \"v1\"", "Cache-Control: max-age=600"]))
        _ = try await bench.draws()
        let lottery = try bench.lottery()
        // Without a good answer nothing is forgotten.
        for reply in [Self.offline, .ok(Array("{}".utf8)), .status(304), .status(404)] {
            bench.transport.reply(reply)
            await #expect(throws: ServiceError.self) { try await lottery.drawsBegunAnew() }
        }
        #expect(bench.lastConditions == ["Cache-Control: no-cache"])
        #expect(try await bench.draws().value.draws.count == 3)
        bench.transport.reply(.ok(Self.older, "ETag: \"w1\"", "Cache-Control: max-age=600"))
        #expect(try await bench.draws(revalidating: true).staleness?.kind == .goneBack)
        let fetched = try await lottery.drawsBegunAnew()
        #expect(fetched.value.draws.map(\.id.text) == ["draw-2"] && fetched.staleness == nil)
        #expect(
            fetched.notes == ["Forgotten: draw-3 of 2023-05-29, and what had taken place before."])
        let after = try await bench.draws(revalidating: true)
        #expect(after.value.draws.count == 1 && after.staleness == nil && after.notes.isEmpty)
        #expect(bench.lastConditions.first == "If-None-Match: \"w1\"")
        // Where nothing is lost there is nothing to say, nor where nothing was kept.
        #expect(try await lottery.drawsBegunAnew().notes.isEmpty)
        let fresh = try CacheBench(.ok(Self.older))
        #expect(try await fresh.lottery().drawsBegunAnew().notes.isEmpty)
    }

    @Test("an unexpected 304, or one about another version, is not an answer")
    func wrongNotModified() async throws {
        let bench = try CacheBench(.status(304))
        let unasked = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(unasked?.kind == .wrongShape)
        bench.transport.reply(try ok(["ETag: \"v1\""]))
        _ = try await bench.draws()
        bench.transport.reply(.status(304, "ETag: \"v2\""))
        let other = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(other?.kind == .wrongShape)
        // The next request is made without conditions.
        bench.transport.reply(try ok([]))
        _ = try await bench.draws()
        #expect(bench.lastConditions.isEmpty)
    }

    @Test(
        "without an answer what was kept is good, with its age and the reason",
        arguments: [ServiceError.Kind.unreachable, .timedOut, .cutOff, .broken])
    func offline(_ kind: ServiceError.Kind) async throws {
        let bench = try CacheBench(try ok(["Cache-Control: max-age=60"]))
        _ = try await bench.draws()
        bench.transport.pass(seconds: 86_400)
        bench.transport.reply(kind == .broken ? .status(500) : .failure(kind))
        let fetched = try await bench.draws()
        #expect(fetched.value.draws.count == 3)
        #expect(fetched.age >= 86_400 && fetched.age < 86_500)
        #expect(fetched.staleness?.kind == kind)
        #expect(fetched.staleness?.detail.hasPrefix("lottery.example: ") == true)
        #expect(fetched.notes.isEmpty)
    }

    @Test(
        "an answer that is none is told, and what was kept stays as it was",
        arguments: [
            (ScriptedTransport.Reply.status(302), ServiceError.Kind.redirected),
            (.status(404), .refused), (.failure(.certificate), .certificate),
            (.failure(.tooLarge), .tooLarge), (.failure(.notHTTP), .notHTTP),
            (.failure(.cancelled), .cancelled), (.ok(Array("<html>".utf8)), .notJSON),
            (.ok(Array("{}".utf8)), .wrongShape),
        ])
    func nonsense(_ reply: ScriptedTransport.Reply, _ kind: ServiceError.Kind) async throws {
        let bench = try CacheBench(try ok(["ETag: \"v1\""]))
        _ = try await bench.draws()
        bench.transport.reply(reply)
        let failure = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(failure?.kind == kind)
        bench.transport.reply(Self.offline)
        #expect(try await bench.draws().value.draws.count == 3)
    }

    @Test(
        "what must be asked about is not used offline",
        arguments: [
            "Cache-Control: max-age=60, must-revalidate", "Cache-Control: no-cache",
            "Cache-Control: max-age=600, no-cache",
        ])
    func mustRevalidate(_ line: String) async throws {
        let bench = try CacheBench(try ok([line]))
        _ = try await bench.draws()
        bench.transport.pass(seconds: 61)
        bench.transport.reply(Self.offline)
        let failure = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(failure?.kind == .unreachable)
        #expect(failure?.detail.contains("does not allow what was kept") == true)
    }

    @Test("a clock that was set back makes nothing fresh, and is told")
    func clockSetBack() async throws {
        let bench = try CacheBench(try ok(["Cache-Control: max-age=600", "ETag: \"v1\""]))
        _ = try await bench.draws()
        bench.transport.pass(seconds: -3_600)
        bench.transport.reply(Self.offline)
        let fetched = try await bench.draws()
        #expect(fetched.staleness?.kind == .unreachable)
        #expect(fetched.age == 0)
        #expect(fetched.notes.count == 1)
        #expect(fetched.notes.first?.contains("The clock was set back") == true)
        bench.transport.reply(.status(304))
        #expect(try await bench.draws().notes.isEmpty)
        #expect(bench.lastConditions == ["If-None-Match: \"v1\""])
        bench.transport.pass(seconds: 599)
        #expect(try await bench.draws().age == 599)
    }

    @Test("each address has its own answers, and each call")
    func addresses() async throws {
        let bench = try CacheBench(try ok(["Cache-Control: max-age=600"]))
        _ = try await bench.draws()
        bench.transport.reply(.ok(Array(#"{"draws":[]}"#.utf8), "Cache-Control: max-age=600"))
        let other = try bench.lottery(at: "http://other.example")
        #expect(try await other.draws(revalidating: false).value.draws.isEmpty)
        bench.transport.reply(.ok(try AnswerFixture.tickets.bytes, "Cache-Control: max-age=600"))
        #expect(try await other.tickets().value.count == 2)
        #expect(bench.requestCount == 3)
        bench.transport.reply(Self.offline)
        #expect(try await bench.draws().value.draws.count == 3)
        #expect(try await other.draws(revalidating: false).value.draws.isEmpty)
        #expect(bench.requestCount == 3)
        #expect(try bench.files.count == 3)
    }

    @Test("many at once over one cache")
    func concurrent() async throws {
        let bench = try CacheBench(try ok(["Cache-Control: max-age=0"]))
        let lottery = try bench.lottery()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await lottery.draws(revalidating: false).value.draws.count }
            }
            for try await count in group { #expect(count == 3) }
        }
        #expect(try bench.files.count == 1)
    }
}
