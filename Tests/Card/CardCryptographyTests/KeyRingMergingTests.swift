import CardCryptography
import Testing
import TextCodecs

@Suite("Importing a key ring")
struct KeyRingMergingTests {
    private let source = CountingSource(from: 100)

    /// A ring with these keys, read from JSON; each key's masters follow from its id.
    private func ring(_ statuses: [(UInt8, KeyStatus)]) throws -> KeyRing {
        let keys = statuses.map { id, status -> JSONValue in
            [
                "id": .number("\(id)"), "status": .string(status.rawValue), "created": "then",
                "mac": .string(Hexadecimal.encode(bytes(id, count: 32))),
                "pwd": .string(Hexadecimal.encode(bytes(id + 16, count: 32))),
            ]
        }
        let value: JSONValue = ["format": "tapcard keys 1", "keys": .array(keys)]
        return try KeyRing(parsing: Array(value.text.utf8))
    }

    @Test("Imported keys only verify, and the sealing key stays as it was")
    func newKeys() throws {
        let mine = try ring([(1, .active)])
        let theirs = try ring([(2, .active), (3, .retired), (4, .verifyOnly), (5, .active)])
        let merged = try mine.merging(theirs)
        #expect(
            merged.statuses
                == ["1 active", "2 verify-only", "3 retired", "4 verify-only", "5 verify-only"])
        #expect(merged.sealing == mine.sealing)
        #expect(merged.entry(2)?.masters == theirs.entry(2)?.masters)
        #expect(try merged.rotated(created: "", random: source.draw).sealing.id == 6)
    }

    @Test(
        "A key in both rings gets the more restrictive of its two statuses",
        arguments: KeyStatus.allCases)
    func sharedKey(mine: KeyStatus) throws {
        for theirs in KeyStatus.allCases {
            let merged = try ring([(1, mine), (2, .active)])
                .merging(ring([(1, theirs), (3, .active)]))
            let all = KeyStatus.allCases
            let expected = try all[
                max(#require(all.firstIndex(of: mine)), #require(all.firstIndex(of: theirs)))]
            #expect(merged.entry(1)?.status == expected)
            #expect(merged.sealing.id == 2)
        }
    }

    @Test("The local sealing key stays active even if the imported ring only verifies with it")
    func sealingKey() throws {
        let mine = try ring([(1, .active)])
        let merged = try mine.merging(ring([(1, .verifyOnly), (2, .active)]))
        #expect(merged.statuses == ["1 active", "2 verify-only"])
        #expect(merged.sealing == mine.sealing)
    }

    @Test("An import that would retire the sealing key is refused until the ring is rotated")
    func sealingKeyRetired() throws {
        let mine = try ring([(1, .active)])
        let theirs = try ring([(1, .retired), (2, .active)])
        expect(.sealing) { () throws(KeyError) in try mine.merging(theirs) }
        // The other station's id 2 must be imported before this one gives it to another key.
        let merged = try mine.merging(ring([(2, .active)]))
            .rotated(created: "", random: source.draw).merging(theirs)
        #expect(merged.statuses == ["1 retired", "2 verify-only", "3 active"])
    }

    @Test("An id with a different MAC or password master is a conflict")
    func conflict() throws {
        let mine = try ring([(1, .active)])
        expect(.conflict) { () throws(KeyError) in
            try mine.merging(.fresh(created: "", random: source.draw))
        }
        for masters in [(1, 99), (99, 17)] as [(UInt8, UInt8)] {
            var draws = [masters.1, masters.0]
            let theirs = KeyRing.fresh(created: "") { bytes(draws.popLast() ?? 0, count: $0) }
            expect(.conflict) { () throws(KeyError) in try mine.merging(theirs) }
        }
    }

    @Test("Merging a key ring with itself changes nothing")
    func itself() throws {
        let mine = try ring([(1, .retired), (2, .verifyOnly), (3, .active)])
        #expect(try mine.merging(mine) == mine)
    }
}
