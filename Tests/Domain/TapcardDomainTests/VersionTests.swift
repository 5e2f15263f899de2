import TapcardDomain
import Testing

@Suite("A version")
struct VersionTests {
    /// Each is less than all that follow; those in one row are equal.
    static let ladder = [
        ["0", "0.0", "000"], ["0.0.1"], ["0.1"], ["1", "1.0", "01.00.0"], ["6", "6.0"],
        ["6.0.99"], ["6.1", "6.1.0", "06.01", "6.1.0.0"], ["6.1.0.1"], ["6.1.1"], ["6.2"],
        ["6.10", "6.10.0"], ["6.24"], ["7"], ["10"], ["413506"],
        ["99999999999999999999999"], ["100000000000000000000000"],
    ]

    @Test("is compared number by number")
    func order() throws {
        for (place, row) in Self.ladder.enumerated() {
            for text in row {
                let version = try #require(Version(text))
                for (other, texts) in Self.ladder.enumerated() {
                    for right in try texts.map({ try #require(Version($0)) }) {
                        #expect((version < right) == (place < other), "\(version) \(right)")
                        #expect((version == right) == (place == other), "\(version) \(right)")
                        if place == other { #expect(version.hashValue == right.hashValue) }
                    }
                }
            }
        }
    }

    @Test(
        "is digits and single dots, nothing else",
        arguments: [
            "", ".", "6.", ".6", "6..1", "6,1", " 6.1", "6.1 ", "v6.1", "6.1-beta", "-6.1", "+6.1",
            "6.1e3", "٦.١", "6.1\n", "6.1\0", "0x6", "Infinity", "six",
            String(repeating: "1", count: 65),
        ])
    func malformed(text: String) {
        #expect(Version(text) == nil)
    }

    @Test("is shown as it was written")
    func description() {
        #expect(Version("06.10.0")?.description == "06.10.0")
    }

    @Test(
        "activates a card above 6.1 only",
        arguments: [
            ("6.1", false), ("6.1.0", false), ("6.0.9", false), ("5", false), ("0", false),
            ("6.1.1", true), ("6.2", true), ("6.10", true), ("6.24", true), ("7", true),
        ])
    func activation(text: String, isActive: Bool) throws {
        #expect(ActivationRule.isActive(try #require(Version(text))) == isActive)
    }
}
