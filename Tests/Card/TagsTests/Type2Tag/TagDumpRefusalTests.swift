import Tags
import TestSupport
import Testing

@Suite("Refused tag dumps") struct TagDumpRefusalTests {
    /// A change to the dump of a card in service, with the line and kind of its refusal.
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: Type2Error.Kind
        let line: Int
        let old: String
        let new: String

        init(_ kind: Type2Error.Kind, _ line: Int, _ old: String, _ new: String) {
            self.kind = kind
            self.line = line
            self.old = old
            self.new = new
        }

        var testDescription: String { "\(kind) at \(line): \(new)" }
    }

    static let versions = [
        Case(.unknownVersion, 1, "tapcard tag 1\n", "tapcard tag 2\n"),
        Case(.unknownVersion, 1, "tapcard tag 1\n", "tapcard tag 1\r\n"),
        Case(.unknownVersion, 1, "tapcard tag 1\n", "# first\ntapcard tag 1\n"),
        Case(.unknownVersion, 1, "tapcard tag 1\n", ""),
        Case(.unknownVersion, 1, "tapcard tag 1\n", "\u{FEFF}tapcard tag 1\n"),
    ]

    static let fields = [
        Case(.unknownChip, 4, "chip: NTAG213\n", "chip: NTAG212\n"),
        Case(.unknownChip, 4, "chip: NTAG213\n", "chip: ntag213\n"),
        Case(.unknownChip, 4, "chip: NTAG213\n", "chip: NTAG213 \n"),
        Case(.unknownChip, 4, "chip: NTAG213\n", "chip: \n"),
        Case(.unknownChip, 4, "chip: NTAG213\n", "chip: NTAG213\r\n"),
        Case(.missingField, 4, "chip: NTAG213\n", ""),
        Case(.duplicateField, 5, "chip: NTAG213\n", "chip: NTAG213\nchip: NTAG213\n"),
        Case(
            .excessPage, 57, "\npage 2C: 00 00 00 00\n",
            "\npage 2C: 00 00 00 00\npage 2D: 00 00 00 00\n"),
        Case(.contradiction, 6, "chip: NTAG213\n", "chip: NTAG215\n"),
        Case(.contradiction, 6, "chip: NTAG213\n", "chip: Type 2 tag\n"),
        Case(.wrongUID, 5, "uid: 04AC6B72BA6C80\n", "uid: 04AC6B72BA6C\n"),
        Case(.wrongUID, 5, "uid: 04AC6B72BA6C80\n", "uid: 04AC6B72BA6C8000\n"),
        Case(.wrongUID, 5, "uid: 04AC6B72BA6C80\n", "uid: 04AC6B72BA6C8\n"),
        Case(.wrongUID, 5, "uid: 04AC6B72BA6C80\n", "uid: 04AC6B72BA6CXY\n"),
        Case(.wrongUID, 5, "uid: 04AC6B72BA6C80\n", "uid: \n"),
        Case(.missingField, 11, "uid: 04AC6B72BA6C80\n", ""),
        Case(.contradiction, 6, "version: 0004040201000F03\n", "version: 0004040201001103\n"),
        Case(.contradiction, 6, "version: 0004040201000F03\n", "version: 00\n"),
        Case(.contradiction, 6, "version: 0004040201000F03\n", "version: no\n"),
        Case(.badValue, 7, "signature: 2D", "signature: "),
        Case(.badValue, 7, "signature: 2D", "signature: 2"),
        Case(.badValue, 7, "signature: 2D", "signature: 2DAA"),
        Case(.badValue, 7, "signature: 2D", "signature: 2G"),
        Case(.badValue, 8, "counter: 0\n", "counter: 00\n"),
        Case(.badValue, 8, "counter: 0\n", "counter: +1\n"),
        Case(.badValue, 8, "counter: 0\n", "counter: -1\n"),
        Case(.badValue, 8, "counter: 0\n", "counter: 16777216\n"),
        Case(.badValue, 8, "counter: 0\n", "counter: 99999999999999999999\n"),
        Case(.badValue, 8, "counter: 0\n", "counter: \n"),
        Case(.badValue, 9, "password: 3096A7DE\n", "password: 3096A7\n"),
        Case(.badValue, 9, "password: 3096A7DE\n", "password: 3096A7DE00\n"),
        Case(.badValue, 10, "pack: D1A1\n", "pack: D1\n"),
        Case(.badValue, 10, "pack: D1A1\n", "pack: D1A10000\n"),
        Case(.badValue, 11, "failed-passwords: 0\n", "failed-passwords: 8\n"),
        Case(.missingField, 11, "password: 3096A7DE\n", ""),
        Case(.missingField, 11, "pack: D1A1\n", ""),
        Case(.missingField, 11, "failed-passwords: 0\n", ""),
        Case(
            .misplacedField, 10, "password: 3096A7DE\npack: D1A1\n",
            "pack: D1A1\npassword: 3096A7DE\n"),
        Case(.duplicateField, 13, "page 01", "counter: 0\npage 01"),
        Case(.unknownLine, 8, "counter: 0\n", "count: 0\n"),
        Case(.unknownLine, 8, "counter: 0\n", "Counter: 0\n"),
        Case(.unknownLine, 8, "counter: 0\n", "counter:0\n"),
        Case(.unknownLine, 8, "counter: 0\n", "counter\n"),
        Case(.unknownLine, 8, "counter: 0\n", "\n"),
        Case(.unknownLine, 8, "counter: 0\n", " # a comment\n"),
    ]

    static let pages = [
        Case(.missingPage, 17, "page 05: 64 54 02 65\n", ""),
        Case(.duplicatePage, 18, "page 05: ", "page 05: 00 00 00 00\npage 05: "),
        Case(.missingPage, 12, "page 00: 04 AC 6B 4B\n", ""),
        Case(.badValue, 17, "page 05: ", "page 5: "),
        Case(.badValue, 17, "page 05: ", "page 005: "),
        Case(.badValue, 17, "page 05: ", "page 0x5: "),
        Case(.badValue, 17, "page 05: ", "page : "),
        Case(.unknownLine, 17, "page 05: ", "page 05 "),
        Case(.unknownLine, 17, "page 05: ", "page05: "),
        Case(.badValue, 17, "64 54 02 65", "64 54 02"),
        Case(.badValue, 17, "64 54 02 65", "64 54 02 65 00"),
        Case(.badValue, 17, "64 54 02 65", "64 54 02 65 "),
        Case(.badValue, 17, "64 54 02 65", "64  54 02 65"),
        Case(.badValue, 17, "64 54 02 65", "64540265"),
        Case(.badValue, 17, "64 54 02 65", "6 454 02 65"),
        Case(.badValue, 17, "64 54 02 65", "64 54 02 6G"),
        Case(.badValue, 17, "64 54 02 65", "64 54 02 --"),
        Case(.badValue, 17, "64 54 02 65", "-- -- --"),
        Case(.badValue, 17, "64 54 02 65", "-- -- -- -- --"),
        Case(.badValue, 17, "64 54 02 65", ""),
        Case(.unknownLine, 17, "page 05: ", "\npage 05: "),
    ]

    @Test("The refusal of a changed dump names the line", arguments: versions + fields + pages)
    func namesTheLine(_ change: Case) throws {
        let text = try fixture("tapcard-ntag213.txt")
        #expect(throws: Never.self) { try TagDump(parsing: text) }
        let parts = text.split(separator: change.old, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "the change has to be one")
        let changed = parts.joined(separator: change.new)
        let error = try #require(
            #expect(throws: Type2Error(change.kind)) { try TagDump(parsing: changed) })
        #expect(error.detail.hasPrefix("line \(change.line): "))
    }

    @Test(
        "A dump that ends early is refused",
        arguments: ["factory-ntag213.txt", "factory-ntag215.txt", "tapcard-ntag213.txt"])
    func refusesEveryFileThatEndsEarly(_ file: String) throws {
        let lines = try fixture(file).split(separator: "\n")
        for count in 0..<lines.count {
            let text = lines.prefix(count).map { $0 + "\n" }.joined()
            let error = try #require(
                #expect(throws: Type2Error.self) { try TagDump(parsing: text) })
            #expect(error.detail.hasPrefix("line \(count + 1): "), "\(error)")
        }
        // Only the end of the last line may be missing.
        #expect(throws: Never.self) { try TagDump(parsing: lines.joined(separator: "\n")) }
    }

    @Test("A field after the first page is refused")
    func takesNoFieldAfterAPage() throws {
        let text = try fixture("factory-ntag213.txt")
        let changed = text.replacing("page 01", with: "counter: 0\npage 01")
        #expect(throws: Type2Error(.misplacedField)) { try TagDump(parsing: changed) }
    }

    @Test(
        "A dump of an unknown chip needs a valid size and no more pages than that",
        arguments: ["page 03: E1 10 00 00", "page 03: -- -- -- --", "page 03: 00 00 00 00"])
    func needsTheSizeOfAnotherChip(_ page: String) throws {
        let chip = try #require(Type2Chip.other(capability: Page(0xE1, 0x10, 0x06, 0x00)))
        let text = TagDump(try #require(TagMemory.blank(chip, uid: TagBench.uid))).text
        let changed = text.replacing("page 03: E1 10 06 00", with: page)
        #expect(changed != text)
        let error = try #require(
            #expect(throws: Type2Error(.unknownChip)) { try TagDump(parsing: changed) })
        #expect(error.detail.hasPrefix("line 7: "))
        let longer = text + "page 10: 00 00 00 00\n"
        #expect(throws: Type2Error(.excessPage)) { try TagDump(parsing: longer) }
    }

    @Test("A dump longer than the limit is refused")
    func readsNoMoreThanItsLimit() throws {
        let text = try fixture("tapcard-ntag213.txt")
        let room = TagDump.maximumTextBytes - text.utf8.count
        let full = text + "#" + String(repeating: ".", count: room - 1)
        #expect(full.utf8.count == 65_536)
        #expect(try TagDump(parsing: full) == TagDump(parsing: text))
        #expect(throws: Type2Error(.tooLong)) { try TagDump(parsing: full + ".") }
    }

    @Test("Comments and lowercase digits are accepted in a dump")
    func takesCommentsAndBothCases() throws {
        let text = try fixture("tapcard-ntag213.txt")
        let lines = text.split(separator: "\n")
        let commented = lines.map { "\($0)\n#\n# page 00: a comment\n" }.joined()
        #expect(try TagDump(parsing: commented) == TagDump(parsing: text))
        let lower = text.replacing("04AC6B72BA6C80", with: "04ac6b72ba6c80")
        #expect(try TagDump(parsing: lower) == TagDump(parsing: text))
    }

    @Test("A dump with damaged text never stops the program")
    func neverTrapsOnDamagedText() throws {
        let bytes = Array(try fixture("tapcard-ntag213.txt").utf8)
        var random = SeededGenerator(seed: 0xDA_3A6E)
        for _ in 0..<1_000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: damaged.indices, using: &random)
                damaged[index] = UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: damaged, as: UTF8.self)
            guard let dump = try? TagDump(parsing: text) else { continue }
            #expect(try TagDump(parsing: dump.text) == dump)
        }
    }
}
