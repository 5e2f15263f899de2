import Testing
import TextCodecs

@Suite("Parsing JSON at the start of a longer text")
struct JSONPrefixTests {
    @Test("A value is parsed up to its end, whatever follows")
    func rubbish() throws {
        let text = Array(#"xx {"a":[1]}"#.utf8)
        let (value, end) = try JSONValue.parsingPrefix(of: text + [0xFE, 0x00, 0xFF], from: 2)
        #expect(value == ["a": [1]])
        #expect(end == text.count)
    }

    @Test("A number ends before the first byte that is not part of it")
    func number() throws {
        let (value, end) = try JSONValue.parsingPrefix(of: Array("12.50 }".utf8), from: 0)
        #expect(value == .number("12.50"))
        #expect(end == 5)
    }

    @Test("A start outside the text is refused", arguments: [-1, 3, Int.min, Int.max])
    func outside(start: Int) {
        #expect(throws: JSONError.self) {
            try JSONValue.parsingPrefix(of: Array("{}".utf8), from: start)
        }
    }

    @Test("An absent or cut-off value is refused as truncated")
    func truncated() {
        for (text, start) in [("{}", 2), ("{}  ", 2), ("{\"a\":1", 0)] {
            let error = #expect(throws: JSONError.self) {
                try JSONValue.parsingPrefix(of: Array(text.utf8), from: start)
            }
            #expect(error?.kind == .truncated)
        }
    }

    @Test("The size limit counts from the start of the value")
    func size() throws {
        let text = [0x30] + [UInt8](repeating: 0x20, count: JSONValue.sizeLimit)
        let error = #expect(throws: JSONError.self) {
            try JSONValue.parsingPrefix(of: text, from: 0)
        }
        #expect(error?.kind == .tooLarge)
        #expect(try JSONValue.parsingPrefix(of: text + [0x31], from: 2).value == 1)
    }
}
