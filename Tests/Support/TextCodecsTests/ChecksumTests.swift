import Testing
import TextCodecs

@Suite("FNV-1a of 64 bits")
struct ChecksumTests {
    /// As they are published with the function.
    @Test(
        "known values",
        arguments: [
            ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
        ])
    func known(text: String, sum: String) {
        #expect(Checksum.of(text.utf8) == sum)
    }

    @Test("always as many digits")
    func digits() {
        for number in 0..<1_000 {
            #expect(Checksum.of("\(number)".utf8).utf8.count == Checksum.digits)
        }
    }
}
