import TapcardDomain
import Testing

@Suite("Version numbers")
struct VersionTests {
    /// Each version is less than all in later rows and equal to those in its own row.
    static let ladder = [
        ["0", "0.0", "000"], ["0.0.1"], ["0.1"], ["1", "1.0", "01.00.0"], ["6", "6.0"],
        ["6.0.99"], ["6.1", "6.1.0", "06.01", "6.1.0.0"], ["6.1.0.1"], ["6.1.1"], ["6.2"],
        ["6.10", "6.10.0"], ["6.24"], ["7"], ["10"], ["413506"],
        ["99999999999999999999999"], ["100000000000000000000000"],
    ]

    @Test("Versions are compared number by number")
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
        "Text other than digits and single dots is refused as a version",
        arguments: [
            "", ".", "6.", ".6", "6..1", "6,1", " 6.1", "6.1 ", "v6.1", "6.1-beta", "-6.1", "+6.1",
            "6.1e3", "٦.١", "6.1\n", "6.1\0", "0x6", "Infinity", "six",
            String(repeating: "1", count: 65),
        ])
    func malformed(text: String) {
        #expect(Version(text) == nil)
    }

    @Test("A version is shown as it was written")
    func description() {
        #expect(Version("06.10.0")?.description == "06.10.0")
    }

    @Test(
        "Only versions above 6.1 activate a card",
        arguments: [
            ("6.1", false), ("6.1.0", false), ("6.0.9", false), ("5", false), ("0", false),
            ("6.1.1", true), ("6.2", true), ("6.10", true), ("6.24", true), ("7", true),
        ])
    func activation(text: String, isActive: Bool) throws {
        #expect(ActivationRule.isActive(try #require(Version(text))) == isActive)
    }
}
