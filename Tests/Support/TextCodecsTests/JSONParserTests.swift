import Testing
import TextCodecs

@Suite("Parsing JSON")
struct JSONParserTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue {
        try JSONValue.parsing(Array(text.utf8))
    }

    private func kind(of bytes: [UInt8]) -> JSONError.Kind? {
        do throws(JSONError) {
            _ = try JSONValue.parsing(bytes)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("Values of every kind are parsed, with white space anywhere")
    func values() throws {
        let text =
            "\t{ \"a\" : [ 1 , \"x\" , null ] ,\r\n\"b\":{ },\"c\":[ ],\"d\":true,\"e\":false } \n"
        let expected: JSONValue = ["a": [1, "x", nil], "b": [:], "c": [], "d": true, "e": false]
        #expect(try parse(text) == expected)
        #expect(try parse(" \"alone\" ") == "alone")
    }

    @Test(
        "A parsed number keeps its text",
        arguments: [
            "0", "-0", "7", "12.50", "-0.001", "1e5", "1E+5", "2.5e-10", "9007199254740993",
            "123456789012345678901234567890.5",
        ])
    func numbers(text: String) throws {
        #expect(try parse(text) == .number(text))
        #expect(try parse("[\(text) ]") == [.number(text)])
    }

    @Test(
        "Malformed numbers are refused",
        arguments: ["01", "-01", "00", "1.x", "[1.]", "[-]", "-x", "1e,", "1.e5", "[1e+]", "0123"])
    func badNumbers(text: String) {
        #expect(kind(of: Array(text.utf8)) == .badNumber)
    }

    @Test("Escapes and surrogate pairs in strings are parsed")
    func strings() throws {
        #expect(try parse(#""\"\\\/\b\f\n\r\t""#) == .string("\"\\/\u{08}\u{0C}\n\r\t"))
        #expect(try parse(#""\u0041\u00e9\u00E9\u0000""#) == .string("Aéé\0"))
        #expect(try parse(#""\ud83d\uDE00""#) == "😀")
        #expect(try parse(#""\uDBFF\uDFFF\uD800\uDC00""#) == .string("\u{10FFFF}\u{10000}"))
        #expect(try parse("\"é猫😀\u{7F}\"") == .string("é猫😀\u{7F}"))
    }

    @Test(
        "Malformed strings are refused",
        arguments: [
            #""\x""#, #""\U0041""#, #""\u00G0""#, #""\u 041""#, #""\uD83D""#, #""\uD83Dx""#,
            #""\uD83D\n""#, #""\uD83D\u0041""#, #""\uD83D\uD83D""#, #""\uDE00""#,
            "\"a\nb\"", "\"\0\"", "\"\u{1F}\"", "\"\t\"",
        ])
    func badStrings(text: String) {
        #expect(kind(of: Array(text.utf8)) == .badString)
    }

    @Test(
        "Bytes that are not UTF-8 are refused",
        arguments: [
            [0xFF], [0x80], [0xC3], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
        ] as [[UInt8]])
    func badUTF8(bytes: [UInt8]) {
        #expect(kind(of: [0x22] + bytes + [0x22]) == .notUTF8)
        #expect(kind(of: Array("{\"".utf8) + bytes + Array("\":1}".utf8)) == .notUTF8)
    }

    @Test(
        "Text outside the grammar of JSON is refused",
        arguments: [
            "[1,]", "{\"a\":1,}", "[,1]", "{,}", "[1 2]", "{\"a\" 1}", "{a:1}", "{1:2}", "{\"a\":}",
            "'a'", "nul1", "True", "NaN", "+1", ".5", "[1}", "{\"a\":1]", "]", "\u{FEFF}{}",
            "/* */1", "[1;2]", "{\"a\":1 \"b\":2}", "Infinity", "\u{A0}1",
        ])
    func unexpected(text: String) {
        #expect(kind(of: Array(text.utf8)) == .unexpectedByte)
    }

    @Test(
        "Anything after the value is refused",
        arguments: ["{} {}", "1 2", "null,", "[]]", "\"a\"b", "{}\0"])
    func trailing(text: String) {
        #expect(kind(of: Array(text.utf8)) == .trailingBytes)
    }

    @Test("An object cut short anywhere is refused as truncated")
    func truncations() {
        let text = #" {"a":[1.5e-3,true,null,false],"b":"é\u00e9\ud83d\ude00\n","c":{"d":-0}}"#
        let bytes = Array(text.utf8)
        #expect(kind(of: bytes) == nil)
        for count in 0..<bytes.count {
            #expect(kind(of: Array(bytes[..<count])) == .truncated, "\(count) bytes")
        }
    }

    @Test("Two members with one name are refused at any level")
    func duplicates() {
        #expect(kind(of: Array(#"{"a":1,"b":2,"a":1}"#.utf8)) == .duplicateKey)
        #expect(kind(of: Array(#"[{"x":{"a":1,"\u0061":1}}]"#.utf8)) == .duplicateKey)
        #expect(kind(of: Array(#"[{"a":1},{"a":{"a":1}}]"#.utf8)) == nil)
    }

    @Test(
        "JSON nested deeper than 32 levels is refused", arguments: [("[", "]"), ("{\"a\":", "}")])
    func depth(brackets: (open: String, close: String)) {
        func nested(_ levels: Int) -> [UInt8] {
            let opening = String(repeating: brackets.open, count: levels)
            return Array((opening + "1" + String(repeating: brackets.close, count: levels)).utf8)
        }
        #expect(JSONValue.depthLimit == 32)
        #expect(kind(of: nested(32)) == nil)
        #expect(kind(of: nested(33)) == .tooDeep)
        #expect(kind(of: Array(String(repeating: brackets.open, count: 50_000).utf8)) == .tooDeep)
    }

    @Test("JSON longer than one mebibyte is refused")
    func size() {
        let text = [UInt8](repeating: 0x20, count: JSONValue.sizeLimit - 1) + [0x31]
        #expect(text.count == 1_048_576)
        #expect(kind(of: text) == nil)
        #expect(kind(of: text + [0x20]) == .tooLarge)
    }

    @Test(
        "A text with more values than the limit is refused, wherever they are",
        arguments: ["[1,[],{}]", "[[[0]]]", #"{"a":{"b":1},"c":null}"#])
    func valueLimit(text: String) throws {
        let bytes = Array(text.utf8)
        #expect(throws: Never.self) { try JSONValue.parsing(bytes, valueLimit: 4) }
        let error = #expect(throws: JSONError.self) {
            try JSONValue.parsing(bytes, valueLimit: 3)
        }
        #expect(error?.kind == .tooLarge && error?.detail.hasPrefix("more than 3 values") == true)
    }

    @Test("A JSON error names the byte")
    func detail() {
        let error = #expect(throws: JSONError.self) { try parse("[1,x]") }
        #expect(error?.detail.hasSuffix("at byte 3") == true)
        #expect(error?.description == error?.detail)
    }
}
