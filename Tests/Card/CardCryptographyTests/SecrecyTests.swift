import CardCryptography
import Testing
import TextCodecs

@Suite("Secrecy of master keys")
struct SecrecyTests {
    /// Masters of one repeated byte: an array shows them as `171, 171`, hexadecimal as `ABAB`.
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

    @Test("No description or dump of a key ring shows a master")
    func ringDescription() {
        check(everySpelling(of: ring))
        #expect(ring.description == "key 1 (active)")
    }

    @Test("No description or dump of a key ring entry shows a master")
    func entry() {
        check(everySpelling(of: ring.sealing))
        #expect(String(reflecting: ring.sealing) == "key 1 (active)")
    }

    @Test("No description or dump of an entry's masters shows them")
    func keys() throws {
        check(everySpelling(of: ring.sealing.masters))
    }

    @Test("No mirror of a key ring or its masters shows a master at any depth")
    func mirror() throws {
        func labels(_ value: Any, depth: Int) -> [String] {
            guard depth > 0 else { return [] }
            return Mirror(reflecting: value).children.flatMap {
                ["\($0.value)"] + labels($0.value, depth: depth - 1)
            }
        }
        check(labels(ring, depth: 6))
        #expect(labels(ring, depth: 6).contains("1"))
        let masters = ring.sealing.masters
        #expect(labels(masters, depth: 6).contains("secret"))
    }

    @Test("The secrecy check finds masters that are shown")
    func checkOfTheCheck() throws {
        let spellings = everySpelling(of: ring.sealing.masters.macMaster)
        #expect(spellings.allSatisfy { $0.contains("171") })
        #expect(ring.json().text.contains("ABAB"))
    }
}
