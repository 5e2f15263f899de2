@_spi(_Unicode) import Swift
import TapcardDomain
import Testing

@Suite("A holder's name")
struct HolderNameTests {
    @Test("is taken as it is written", arguments: namesOfPeople)
    func takes(text: String) throws {
        let name = try HolderName(text)
        #expect(name.text.utf8.elementsEqual(text.utf8))
        #expect(name.description == text)
    }

    @Test("is composed, so that two spellings give one seal", arguments: namesOfPeople)
    func composes(text: String) throws {
        let apart = String(String.UnicodeScalarView(text._nfd))
        let name = try HolderName(apart)
        #expect(name.text.utf8.elementsEqual(text.utf8))
        #expect(name == (try HolderName(text)))
        #expect(name.hashValue == (try HolderName(text)).hashValue)
    }

    @Test("the names come apart at all, or the test above shows nothing")
    func decomposed() {
        let changed = namesOfPeople.filter { !$0.unicodeScalars.elementsEqual($0._nfd) }
        #expect(changed.count >= 10)
    }

    @Test("is another one if a byte is")
    func equality() throws {
        #expect(try HolderName("Amanda") != HolderName("amanda"))
        #expect(try HolderName("Amanda") != HolderName("Amanda "))
    }

    @Test("holds nothing that controls, parts lines or turns their direction")
    func forbidden() {
        let ranges: [ClosedRange<UInt32>] = [
            0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069,
        ]
        for scalar in ranges.joined().compactMap(Unicode.Scalar.init) {
            let refusal = #expect(throws: Refusal(.badName, "")) {
                try HolderName("Amanda\(scalar)Gonzalez")
            }
            #expect(refusal?.detail.contains("\"Amanda\u{FFFD}Gonzalez\"") == true)
        }
    }

    @Test("may hold what joins letters", arguments: ["\u{200C}", "\u{200D}", "\u{200E}", "\u{AD}"])
    func allowed(mark: String) {
        #expect(throws: Never.self) { try HolderName("می\(mark)خواهم") }
    }

    @Test(
        "is not empty",
        arguments: ["", " ", "   ", "\t", "\n", "\u{A0}", "\u{3000}", "\u{2028}"]
            + ["\u{200B}", "\u{200D}", "\u{2060} \u{AD}"])
    func empty(text: String) {
        let refusal = #expect(throws: Refusal(.badName, "")) { try HolderName(text) }
        #expect(refusal?.detail.contains("must not be empty") == true)
    }

    @Test("has at most 160 bytes, composed")
    func length() throws {
        #expect(throws: Never.self) { try HolderName(String(repeating: "a", count: 160)) }
        #expect(throws: Never.self) { try HolderName(String(repeating: "e\u{301}", count: 80)) }
        for (text, excess) in [
            (String(repeating: "a", count: 161), 1), (String(repeating: "é", count: 81), 2),
            (String(repeating: "山", count: 100_000), 299_840),
        ] {
            let refusal = #expect(throws: Refusal(.badName, "")) { try HolderName(text) }
            #expect(refusal?.detail.contains("\(excess) bytes too long") == true)
        }
    }
}
