import CardCryptography
import Testing
import TextCodecs

@Suite("Masters are never shown")
struct SecrecyTests {
    /// Masters of one byte over and over: as an array they read `171, 171`, as digits `ABAB`.
    private let ring = KeyRing.fresh(created: "now") { bytes(0xAB, count: $0) }

    private func everySpelling(of value: some Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var nested = ""
        dump(["outer": [value]], to: &nested)
        return [
            dumped, nested, String(describing: value), String(reflecting: value), "\(value)",
            "\([value])", "\(Optional(value) as Any)",
        ]
    }

    private func check(_ spellings: [String]) {
        for spelling in spellings {
            #expect(!spelling.contains("171"))
            #expect(!spelling.uppercased().contains("ABAB"))
            #expect(!spelling.isEmpty)
        }
    }

    @Test("Neither by the ring")
    func ringDescription() {
        check(everySpelling(of: ring))
        #expect(ring.description == "key 1 (active)")
    }

    @Test("nor by one of its entries")
    func entry() {
        check(everySpelling(of: ring.sealing))
        #expect(String(reflecting: ring.sealing) == "key 1 (active)")
    }

    @Test("nor by the keys that an entry hands out")
    func keys() throws {
        check(everySpelling(of: try #require(ring.sealing.masters)))
    }

    @Test("nor by a mirror, however deep it is looked into")
    func mirror() throws {
        func labels(_ value: Any, depth: Int) -> [String] {
            guard depth > 0 else { return [] }
            return Mirror(reflecting: value).children.flatMap {
                ["\($0.value)"] + labels($0.value, depth: depth - 1)
            }
        }
        check(labels(ring, depth: 6))
        #expect(labels(ring, depth: 6).contains("1"))
        let masters = try #require(ring.sealing.masters)
        #expect(labels(masters, depth: 6).contains("secret"))
    }

    @Test("The check itself would notice")
    func checkOfTheCheck() throws {
        let spellings = everySpelling(of: try #require(ring.sealing.masters).macMaster)
        #expect(spellings.allSatisfy { $0.contains("171") })
        #expect(ring.json().text.contains("ABAB"))
    }
}
