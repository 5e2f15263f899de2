import Tags
import TestSupport
import Testing

@Suite("Damaged NDEF messages")
struct DamagedMessageTests {
    @Test(
        "A message cut short anywhere is refused",
        arguments: try MessageFixture.all(in: "messages.txt"))
    func truncationIsRefused(_ fixture: MessageFixture) throws {
        for count in fixture.bytes.indices {
            for strictness in [Strictness.strict, .lenient] {
                #expect(throws: NDEFError(.truncated), "\(count) bytes") {
                    try NDEFMessage(decoding: Array(fixture.bytes.prefix(count)), strictness)
                }
            }
        }
    }

    @Test(
        "A message with any byte replaced never stops the program",
        arguments: try MessageFixture.all(in: "messages.txt"))
    func replacedByteNeverTraps(_ fixture: MessageFixture) throws {
        for index in fixture.bytes.indices {
            var bytes = fixture.bytes
            // In the long fixtures most bytes are alike, and a flip of all bits stands for others.
            let masks: [UInt8] = index < 32 ? Array(1...255) : [0x01, 0x20, 0x80, 0xFF]
            for mask in masks {
                bytes[index] = fixture.bytes[index] ^ mask
                try checkWhatIsRead(bytes)
            }
        }
    }

    @Test("Random bytes never stop the message decoder", arguments: UInt64(1)...8)
    func randomBytesNeverTrap(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var readable = 0
        for _ in 0..<500 {
            var bytes = generator.bytes(Int.random(in: 0...40, using: &generator))
            // A plausible head, or nearly all of them would be refused at the first byte.
            if bytes.count > 2 {
                bytes[0] |= 0x90
                bytes[1] %= 4
                bytes[2] %= 16
            }
            readable += decoded(bytes, .lenient) == nil ? 0 : 1
            try checkWhatIsRead(bytes)
        }
        #expect(readable > 0)
    }

    /// Whatever is read from damaged bytes must survive writing and reading, and lenient reading
    /// must agree wherever strict reading succeeds.
    private func checkWhatIsRead(_ bytes: [UInt8]) throws {
        let lenient = decoded(bytes, .lenient)
        if let strict = decoded(bytes, .strict) {
            #expect(lenient == strict)
        }
        guard let lenient else { return }
        #expect(try NDEFMessage(decoding: lenient.encoded()) == lenient)
        for record in lenient.records {
            if let text = try? NDEFText(record) {
                #expect(try NDEFText(text.record) == text)
            }
            if let uri = try? NDEFURI(record) {
                #expect(try NDEFURI(uri.record) == uri)
            }
        }
    }

    private func decoded(_ bytes: [UInt8], _ strictness: Strictness) -> NDEFMessage? {
        try? NDEFMessage(decoding: bytes, strictness)
    }
}
