import Foundation
import Games
import RemoteServices
import ServicePorts
import TapcardDomain
import Testing

@Suite("The files of the cache")
struct CacheFileTests {
    private func bench() async throws -> (CacheBench, name: String) {
        let bench = try CacheBench(
            .ok(try AnswerFixture.draws.bytes, "Cache-Control: max-age=600", "ETag: \"v1\""))
        _ = try await bench.draws()
        return (bench, try #require(try bench.files.first))
    }

    /// It says that a file was damaged, and fetches it again; offline there is nothing.
    private func expectRecovery(
        _ bench: CacheBench, _ name: String, _ bytes: [UInt8], _ words: String
    ) async throws {
        try bench.write(bytes, to: name)
        bench.transport.reply(CacheTests.offline)
        let failure = await #expect(throws: ServiceError.self) { try await bench.draws() }
        #expect(failure?.kind == .unreachable)
        #expect(failure?.detail.contains(words) == true, "\(failure?.detail ?? "")")
        #expect(try bench.files.isEmpty)

        try bench.write(bytes, to: name)
        bench.transport.reply(.ok(try AnswerFixture.draws.bytes, "Cache-Control: max-age=600"))
        let fetched = try await bench.draws()
        #expect(fetched.value.draws.count == 3 && fetched.age == 0 && fetched.staleness == nil)
        #expect(bench.lastConditions.isEmpty)
        #expect(fetched.notes.count == 1)
        #expect(fetched.notes.first?.contains("lottery.example was damaged") == true)
        #expect(fetched.notes.first?.contains(words) == true)
        // Once is enough.
        #expect(try await bench.draws().notes.isEmpty)
    }

    @Test("a damaged one is noticed, told, thrown away, and fetched again")
    func damaged() async throws {
        let (bench, name) = try await bench()
        let good = try bench.read(name)
        var flipped = good
        flipped[good.count - 9] ^= 1
        for (bytes, words) in [
            ([], "it is torn or changed"),
            (Array(good.prefix(10)), "it is torn or changed"),
            (Array(good.prefix(good.count / 2)), "it is torn or changed"),
            (good.dropLast(), "it is torn or changed"),
            (good + [0x0A], "it is torn or changed"),
            (flipped, "it is torn or changed"),
            ([UInt8](repeating: 0, count: good.count), "not of this version"),
            (Array("tapcard cache 2 ".utf8) + good.dropFirst(16), "not of this version"),
            ([UInt8](repeating: 0x20, count: 1_400_000), "more than"),
        ] as [([UInt8], String)] {
            try await expectRecovery(bench, name, bytes, words)
        }
    }

    @Test("the file of another address is not taken for this one's")
    func otherAddress() async throws {
        let (bench, name) = try await bench()
        _ = try await bench.lottery(at: "http://other.example").draws(revalidating: false)
        let other = try #require(try bench.files.first { $0 != name })
        let bytes = try bench.read(other)
        try FileManager.default.removeItem(atPath: "\(bench.folder)/\(other)")
        try await expectRecovery(bench, name, bytes, "it belongs to another address")
    }

    @Test("every cut and every wrong byte of a file is noticed")
    func everyByte() throws {
        var head = HTTPHead()
        head.take(Array("ETag: \"v1\"".utf8))
        let entry = CacheEntry(
            url: "http://a.example/b", requested: Timestamp(milliseconds: 1),
            received: Timestamp(milliseconds: 2), head: head, body: Array("{}\n\r\0".utf8))
        let good = entry.bytes
        #expect(try CacheEntry(parsing: good) == entry)
        for place in good.indices {
            #expect(throws: CacheDamage.self) { try CacheEntry(parsing: Array(good[..<place])) }
            for bit in 0..<8 {
                var bad = good
                bad[place] ^= 1 << bit
                #expect(throws: CacheDamage.self) { try CacheEntry(parsing: bad) }
            }
        }
    }

    @Test("what was kept under other rules is thrown away as well")
    func otherRules() async throws {
        let (bench, _) = try await bench()
        let five = try bench.lottery(rules: try LotteryRules(ballCount: 5, highest: 59))
        bench.transport.reply(.ok(Array(#"{"draws":[]}"#.utf8)))
        let fetched = try await five.draws(revalidating: false)
        #expect(fetched.value.draws.isEmpty)
        #expect(fetched.notes.first?.contains("one ball too many") == true)
    }

    @Test("where nothing can be kept, the answer is as good, and it is told")
    func unwritable() async throws {
        let (bench, name) = try await bench()
        try FileManager.default.removeItem(atPath: bench.folder)
        // A file where the folder should be stops even root.
        try Data("no folder".utf8).write(to: URL(filePath: bench.folder))
        let fetched = try await bench.draws()
        #expect(fetched.value.draws.count == 3)
        #expect(fetched.notes.contains { $0.hasPrefix("The answer could not be kept: ") })
        try FileManager.default.removeItem(atPath: bench.folder)
        try FileManager.default.createDirectory(
            atPath: "\(bench.folder)/\(name)/inside", withIntermediateDirectories: true)
        let again = try await bench.draws()
        #expect(again.value.draws.count == 3)
        #expect(again.notes.count == 3, "\(again.notes)")
    }

    @Test("no other user may read them")
    func permissions() async throws {
        let (bench, name) = try await bench()
        let manager = FileManager.default
        for (path, mode) in [(bench.folder, 0o700), ("\(bench.folder)/\(name)", 0o600)] {
            let attributes = try manager.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == mode)
        }
    }

    @Test("no more are kept than there is room for: the oldest go, files of others stay")
    func bounded() async throws {
        let (bench, _) = try await bench()
        try bench.write([1], to: "notes.txt")
        for number in 0..<6 {
            try bench.age(toSecond: number)
            let limits = HTTPCache.Limits(entries: 3, bytes: 1_000_000)
            _ = try await bench.lottery(at: "http://\(number).example", limits: limits).draws(
                revalidating: false)
        }
        let left = try bench.files
        #expect(left.count == 4 && left.contains("notes.txt"))
        bench.transport.reply(CacheTests.offline)
        for (number, isKept) in [(0, false), (2, false), (3, true), (4, true), (5, true)] {
            let fetched = try? await bench.lottery(at: "http://\(number).example").draws(
                revalidating: false)
            #expect((fetched != nil) == isKept, "\(number)")
        }
    }

    @Test("the files of a killed process go once no process can be at work on them")
    func leftBehind() async throws {
        let (bench, _) = try await bench()
        let now = 1_700_000_000.0
        for (name, seconds) in [
            ("0123456789abcdef.cache.a1.new", now - 3_601),
            ("0123456789abcdef.cache.b2.new", now - 3_599),
            ("0123456789abcdef.cache.c3.new", now + 3_600),
            ("0123456789abcdef.other.d4.new", 0),
        ] {
            try bench.write([1], to: name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: seconds)],
                ofItemAtPath: "\(bench.folder)/\(name)")
        }
        _ = try await bench.lottery(at: "http://other.example").draws(revalidating: false)
        let left = try bench.files.filter { $0.hasSuffix(".new") }
        #expect(left == ["0123456789abcdef.cache.b2.new", "0123456789abcdef.other.d4.new"])
    }

    @Test("nor more bytes, but the newest always")
    func boundedBytes() async throws {
        let (bench, _) = try await bench()
        let one = try AnswerFixture.draws.bytes.count
        let limits = HTTPCache.Limits(entries: 100, bytes: one * 5 / 2 + 600)
        for number in 0..<4 {
            _ = try await bench.lottery(at: "http://\(number).example", limits: limits).draws(
                revalidating: false)
        }
        #expect(try bench.files.count == 2)
        let none = HTTPCache.Limits(entries: 0, bytes: 0)
        _ = try await bench.lottery(at: "http://last.example", limits: none).draws(
            revalidating: false)
        #expect(try bench.files.count == 1)
    }
}
