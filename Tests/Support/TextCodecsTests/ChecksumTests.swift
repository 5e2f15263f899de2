import Testing
import TextCodecs

@Suite("64-bit FNV-1a checksums")
struct ChecksumTests {
    /// The values published with the function.
    @Test(
        "Checksums match the published values",
        arguments: [
            ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
        ])
    func known(text: String, sum: String) {
        #expect(Checksum.of(text.utf8) == sum)
    }

    @Test("A checksum always has the full number of digits")
    func digits() {
        for number in 0..<1_000 {
            #expect(Checksum.of("\(number)".utf8).utf8.count == Checksum.digits)
        }
    }
}
