import Foundation
import RemoteServices
import TapcardDomain
import Testing

@Suite("The cache of lottery answers")
struct CacheTests {
    private static let offline = ScriptedTransport.Reply.failure(.offline)
    /// The header of every request, which keeps caches on the way from answering.
    private static let always = "Cache-Control: no-cache"

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

    private func ok(_ head: String...) throws -> ScriptedTransport.Reply {
        .answer(200, try AnswerFixture.draws.bytes, head)
    }

    /// A bench that has cached a list of three draws.
    private func bench(_ head: String = "ETag: \"v1\"") async throws -> CacheBench {
        let bench = try CacheBench(try ok(head))
        let fetched = try await bench.draws()
        #expect(fetched.value.draws.count == 3 && fetched.age == 0 && fetched.staleness == nil)
        #expect(bench.lines == [Self.always])
        return bench
    }

    /// Expects that nothing cached can be used while the service is offline.
    private func expectNothing(in bench: CacheBench) async throws {
        bench.transport.reply(Self.offline)
        let failure = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(failure?.kind == .offline)
    }

    @Test("The service is asked each time, and a 304 confirms the cached list")
    func notModified() async throws {
        let bench = try await bench("ETag: W/\"v1\"")
        bench.transport.pass(seconds: 100)
        bench.transport.reply(.status(304))
        for count in 2...3 {
            let fetched = try await bench.draws()
            #expect(fetched.value.draws.count == 3 && fetched.age == 0 && fetched.staleness == nil)
            #expect(bench.transport.requests.count == count)
            #expect(bench.lines == [Self.always, "If-None-Match: W/\"v1\""])
        }
        // Its age begins anew.
        bench.transport.pass(seconds: 20)
        bench.transport.reply(Self.offline)
        #expect(try await bench.draws().age == 20)
    }

    @Test("A new answer replaces the cached one")
    func changed() async throws {
        let bench = try CacheBench(.ok(CacheTests.none, "ETag: \"v1\""))
        #expect(try await bench.draws().value.draws.isEmpty)
        bench.transport.reply(try ok("ETag: \"v2\""))
        #expect(try await bench.draws().value.draws.count == 3)
        bench.transport.reply(.status(304))
        #expect(try await bench.draws().value.draws.count == 3)
        #expect(bench.lines == [Self.always, "If-None-Match: \"v2\""])
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder) == ["draws"])
    }

    @Test(
        "A list without its newest draw is not believed, and the cached one is used",
        arguments: [
            (CacheTests.none, "the list of draws is empty, but draw-3 of 2023-05-29 is"),
            (CacheTests.older, "ends with draw-2 of 2023-05-22, but draw-3 of 2023-05-29"),
        ])
    func goneBack(_ body: [UInt8], _ words: String) async throws {
        let bench = try await bench()
        bench.transport.pass(seconds: 60)
        bench.transport.reply(.ok(body, "ETag: \"v0\""))
        for _ in 1...2 {
            let fetched = try await bench.draws()
            #expect(fetched.value.draws.count == 3 && fetched.age == 60)
            #expect(fetched.staleness?.kind == .goneBack)
            #expect(fetched.staleness?.detail.contains(words) == true)
        }
        bench.transport.reply(.status(304))
        #expect(try await bench.draws().staleness == nil)
        // Draws that are long over may be left out.
        bench.transport.reply(.ok(CacheTests.later))
        let later = try await bench.draws()
        #expect(later.staleness == nil && later.value.draws.map(\.id.text) == ["draw-4"])
    }

    @Test("A lottery that starts over is accepted by all once one caller allows it")
    func begunAnew() async throws {
        let bench = try await bench()
        // Without a good answer nothing is forgotten.
        for reply in [Self.offline, .ok(Array("{}".utf8)), .status(304), .status(404)] {
            bench.transport.reply(reply)
            await #expect(throws: ServiceError.self) { try await bench.draws(forgetting: true) }
            #expect(bench.lines == [Self.always])
        }
        bench.transport.reply(.ok(Self.older, "ETag: \"w1\""))
        #expect(try await bench.draws().staleness?.kind == .goneBack)
        for forgetting in [true, false] {
            let fetched = try await bench.draws(forgetting: forgetting)
            #expect(fetched.value.draws.map(\.id.text) == ["draw-2"] && fetched.staleness == nil)
        }
        #expect(bench.lines == [Self.always, "If-None-Match: \"w1\""])
    }

    @Test("A 304 that was not asked for is an error")
    func wrongNotModified() async throws {
        let bench = try CacheBench(.status(304))
        let first = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(first?.kind == .redirected)
        bench.transport.reply(try ok())
        _ = try await bench.draws()
        bench.transport.reply(.status(304))
        let untagged = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(untagged?.kind == .redirected)
    }

    @Test(
        "Without an answer the cached list is used, with its age and the reason",
        arguments: [ServiceError.Kind.offline, .timedOut, .cutOff, .broken])
    func offline(_ kind: ServiceError.Kind) async throws {
        let bench = try await bench()
        bench.transport.pass(seconds: 86_400)
        bench.transport.reply(kind == .broken ? .status(500) : .failure(kind))
        let fetched = try await bench.draws()
        #expect(fetched.value.draws.count == 3)
        #expect(fetched.age >= 86_400 && fetched.age < 86_500)
        #expect(fetched.staleness?.kind == kind)
        #expect(fetched.staleness?.detail.hasPrefix("lottery.example: ") == true)
    }

    @Test(
        "An invalid answer is an error and leaves the cache as it was",
        arguments: [
            (ScriptedTransport.Reply.status(302), ServiceError.Kind.redirected),
            (.status(404), .refused), (.failure(.certificate), .certificate),
            (.failure(.tooLarge), .tooLarge), (.failure(.notHTTP), .notHTTP),
            (.failure(.cancelled), .cancelled), (.ok(Array("<html>".utf8)), .notJSON),
            (.ok(Array("{}".utf8)), .wrongShape),
        ])
    func nonsense(_ reply: ScriptedTransport.Reply, _ kind: ServiceError.Kind) async throws {
        let bench = try await bench()
        bench.transport.reply(reply)
        let failure = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(failure?.kind == kind)
        bench.transport.reply(Self.offline)
        #expect(try await bench.draws().value.draws.count == 3)
    }

    @Test("A cached file that cannot be removed is reported")
    func unremovable() async throws {
        let bench = try await bench()
        // A folder in the place of the file stops even root.
        try FileManager.default.removeItem(atPath: bench.file)
        try FileManager.default.createDirectory(
            atPath: bench.file, withIntermediateDirectories: false)
        let fetched = try await bench.draws(forgetting: true)
        #expect(fetched.cacheRemovalError?.hasPrefix(bench.file) == true)
    }

    @Test("A cached file with any digit changed is ignored")
    func changedDigit() async throws {
        let bench = try await bench()
        let good = try Data(contentsOf: URL(filePath: bench.file))
        let digits = good.indices.filter { (0x30...0x39).contains(good[$0]) }
        #expect(digits.count > 100)
        for place in digits {
            var bytes = good
            bytes[place] ^= 1
            try bytes.write(to: URL(filePath: bench.file))
            try await expectNothing(in: bench)
        }
        try good.write(to: URL(filePath: bench.file))
        #expect(try await bench.draws().value.draws.count == 3)
    }

    @Test("A list cached after the current time is not used until the service confirms it")
    func clockSetBack() async throws {
        let bench = try await bench()
        bench.transport.pass(seconds: -3_600)
        try await expectNothing(in: bench)
        bench.transport.reply(.status(304))
        #expect(try await bench.draws().age == 0)
        #expect(bench.lines == [Self.always, "If-None-Match: \"v1\""])
        bench.transport.reply(Self.offline)
        #expect(try await bench.draws().value.draws.count == 3)
    }

    @Test("Answers are cached separately for each address and each call")
    func addresses() async throws {
        let bench = try await bench()
        let other = try bench.lottery(at: "http://other.example")
        bench.transport.reply(Self.offline)
        await #expect(throws: ServiceError.self) { try await other.draws(forgetting: false) }
        await #expect(throws: ServiceError.self) { try await bench.lottery().tickets() }
        bench.transport.reply(.ok(try AnswerFixture.tickets.bytes))
        #expect(try await bench.lottery().tickets().value.count == 2)
        bench.transport.reply(Self.offline)
        #expect(try await bench.draws().value.draws.count == 3)
        #expect(try await bench.lottery().tickets().value.count == 2)
    }

    @Test("A damaged cached file is ignored and written again")
    func damaged() async throws {
        let bench = try await bench()
        let good = try Data(contentsOf: URL(filePath: bench.file))
        let end = try #require(good.lastIndex(of: UInt8(ascii: "}")))
        let cuts = (0..<end).map { good.prefix($0) }
        for bytes in cuts + [
            good.prefix(good.count - 200) + Data(count: 200), Data(count: good.count),
            Data(repeating: 0x20, count: 1_400_000),
        ] {
            try bytes.write(to: URL(filePath: bench.file))
            try await expectNothing(in: bench)
            bench.transport.reply(try ok("ETag: \"v1\""))
            #expect(try await bench.draws().value.draws.count == 3)
            #expect(bench.lines == [Self.always])
            #expect(try Data(contentsOf: URL(filePath: bench.file)) == good)
        }
    }

    @Test("Answers cached under other rules are ignored")
    func otherRules() async throws {
        let bench = try await bench()
        let five = try bench.lottery(rules: try LotteryRules(ballCount: 5, highest: 59))
        bench.transport.reply(.ok(CacheTests.none))
        let fetched = try await five.draws(forgetting: false)
        #expect(fetched.value.draws.isEmpty && fetched.staleness == nil)
    }

    @Test("An answer that cannot be cached is used all the same")
    func unwritable() async throws {
        let bench = try CacheBench(try ok())
        // A file where the folder should be stops even root.
        try Data("no folder".utf8).write(to: URL(filePath: bench.folder))
        #expect(try await bench.draws().value.draws.count == 3)
        try await expectNothing(in: bench)
    }

    @Test("No other user can read the cache")
    func permissions() async throws {
        let bench = try await bench()
        for (path, mode) in [(bench.folder, 0o700), (bench.file, 0o600)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
        }
    }

    @Test("Many requests at once can share one cache")
    func concurrent() async throws {
        let bench = try await bench()
        let lottery = try bench.lottery()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await lottery.draws(forgetting: false).value.draws.count }
            }
            for try await count in group { #expect(count == 3) }
        }
        bench.transport.reply(Self.offline)
        #expect(try await bench.draws().value.draws.count == 3)
    }
}
