import CardCryptography
import Testing
import TextCodecs

@Suite("Key rings and their rotation")
struct KeyRingTests {
    private let source = CountingSource(from: 10)

    private func fresh() -> KeyRing {
        KeyRing.fresh(created: "2026-01-01", random: source.draw)
    }

    @Test("A fresh key ring has one active key with two masters")
    func freshRing() {
        let ring = fresh()
        #expect(ring.statuses == ["1 active"])
        #expect(ring.sealing == ring.entries.first)
        #expect(ring.sealing.created == "2026-01-01")
        #expect(ring.sealing.masters.macMaster == bytes(10, count: 32))
        #expect(ring.sealing.masters.passwordMaster == bytes(11, count: 32))
    }

    @Test("By default, a key ring draws its masters from the system")
    func chance() {
        let masters = [KeyRing.fresh(created: ""), KeyRing.fresh(created: "")]
            .map(\.sealing.masters).flatMap { [$0.macMaster, $0.passwordMaster] }
        #expect(Set(masters).count == 4)
        #expect(masters.allSatisfy { $0.count == 32 })
    }

    @Test("After a rotation the new key seals and the old one only verifies")
    func rotation() throws {
        let first = fresh()
        let second = try first.rotated(created: "2026-02-01", random: source.draw)
        #expect(second.statuses == ["1 verify-only", "2 active"])
        #expect(second.sealing.id == 2)
        #expect(second.sealing.created == "2026-02-01")
        #expect(second.sealing.masters.macMaster == bytes(12, count: 32))
        #expect(second.entry(1)?.masters == first.sealing.masters)
        #expect(second.entry(3) == nil)
    }

    @Test("Key ids run from 1 to 15 and then 0, and none is used twice")
    func exhaustion() throws {
        var ring = fresh()
        for id in Array(2...15) + [0] as [UInt8] {
            ring = try ring.rotated(created: "", random: source.draw)
            #expect(ring.sealing.id == id)
            if id == 5 { ring = try ring.retiring(3) }
        }
        #expect(ring.entry(3)?.status == .retired)
        #expect(ring.entries.filter { $0.status == .active }.map(\.id) == [0])
        expect(.exhausted) { () throws(KeyError) in
            try ring.rotated(created: "", random: source.draw)
        }
    }

    @Test("A rotation skips ids known to belong to other keys")
    func known() throws {
        let ring = try fresh().rotated(created: "", avoiding: [1, 2, 4], random: source.draw)
        #expect(ring.sealing.id == 3)
        #expect(
            try ring.rotated(created: "", avoiding: [2, 4], random: source.draw).sealing.id == 5)
        expect(.exhausted) { () throws(KeyError) in
            try ring.rotated(created: "", avoiding: Set(0...15), random: source.draw)
        }
    }

    @Test("A verify-only key can be retired once; the sealing key or an unknown one cannot")
    func retiring() throws {
        let ring = try fresh().rotated(created: "", random: source.draw)
        let retired = try ring.retiring(1)
        #expect(retired.statuses == ["1 retired", "2 active"])
        #expect(retired.entry(1)?.masters == ring.entry(1)?.masters)
        expect(.alreadyRetired) { () throws(KeyError) in try retired.retiring(1) }
        expect(.sealing) { () throws(KeyError) in try retired.retiring(2) }
        expect(.unknownKey) { () throws(KeyError) in try retired.retiring(3) }
        expect(.unknownKey) { () throws(KeyError) in try retired.retiring(200) }
    }
}

@Suite("Key rings that stations share")
struct SharedKeyRingTests {
    private let source = CountingSource(from: 10)

    private func prepared() throws -> KeyRing {
        try KeyRing.fresh(created: "2026-01-01", random: source.draw)
            .preparing(created: "2026-02-01", avoiding: [2], random: source.draw)
    }

    @Test("A prepared key verifies, does not seal, and gets an unused id")
    func preparation() throws {
        let ring = try prepared()
        #expect(ring.statuses == ["1 active", "3 verify-only"])
        #expect(ring.sealing.id == 1)
        #expect(try KeyRing(parsing: Array(ring.json().prettyText.utf8)) == ring)
    }

    @Test("The key the stations agree on seals, and the others only verify")
    func agreement() throws {
        let ring = try prepared()
        let agreed = try #require(ring.sealing(with: 3))
        #expect(agreed.statuses == ["1 verify-only", "3 active"] && agreed.sealing.id == 3)
        #expect(agreed.sealing(with: 3) == agreed)
        #expect(agreed.sealing(with: 1)?.sealing.id == 1)
        #expect(ring.sealing(with: 2) == nil)
        #expect(try agreed.retiring(1).sealing(with: 1) == nil)
    }

    @Test("Marks tell keys apart and contain nothing secret")
    func mark() throws {
        let (ring, other) = (try prepared(), KeyRing.fresh(created: "", random: source.draw))
        let marks = ring.entries.map(\.mark) + [other.sealing.mark]
        #expect(Set(marks).count == 3 && marks.allSatisfy { $0.count == 16 })
        #expect(ring.sealing(with: 3)?.entries.map(\.mark) == ring.entries.map(\.mark))
        let secrets = ring.json().prettyText.lowercased()
        #expect(marks.allSatisfy { !secrets.contains($0) })
    }

    @Test("A station with an old ring takes the new sealing key, even if its own was retired")
    func takingOver() throws {
        let old = KeyRing.fresh(created: "2026-01-01", random: CountingSource(from: 10).draw)
        let agreed = try #require(try prepared().sealing(with: 3)).retiring(1)
        #expect(throws: KeyError.self) { try old.merging(agreed) }
        let merged = try old.merging(agreed, sealing: 3)
        #expect(merged.statuses == ["1 retired", "3 active"])
        #expect(try merged.merging(agreed, sealing: 3) == merged)
        // A backup of before lacks the key, and changes nothing.
        #expect(try old.merging(old, sealing: 3) == old)
        let stranger = KeyRing.fresh(created: "", random: CountingSource(from: 90).draw)
        #expect(throws: KeyError.self) { try stranger.merging(agreed, sealing: 3) }
    }
}
