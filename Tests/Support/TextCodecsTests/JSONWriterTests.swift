import Testing
import TextCodecs

@Suite("Writing JSON")
struct JSONWriterTests {
    private static let sample: JSONValue = [
        "z": 1, "a": [true, false, nil], "empty": [], "none": [:], "m": ["b": "x", "a": -2],
    ]

    @Test("Compact JSON is one line with members in their own order")
    func compact() {
        #expect(
            Self.sample.text
                == #"{"z":1,"a":[true,false,null],"empty":[],"none":{},"m":{"b":"x","a":-2}}"#)
    }

    @Test("Pretty JSON is indented by two spaces, and keeps short values on one line")
    func pretty() {
        let expected = """
            {
              "z": 1,
              "a": [true, false, null],
              "empty": [],
              "none": {},
              "m": {"b": "x", "a": -2}
            }
            """
        #expect(Self.sample.prettyText == expected)
    }

    @Test(
        "A line of pretty JSON has at most 100 columns, including its comma", arguments: [73, 74])
    func widest(count: Int) {
        let long = String(repeating: "x", count: count)
        let value: JSONValue = ["list": ["member": [.string(long)]], "more": 1]
        let list =
            count == 73
            ? #"  "list": {"member": ["\#(long)"]},"#
            : "  \"list\": {\n    \"member\": [\"\(long)\"]\n  },"
        #expect(value.prettyText == "{\n\(list)\n  \"more\": 1\n}")
        #expect(list.split(separator: "\n").allSatisfy { $0.count <= 100 })
        #expect(count != 73 || list.count == 100)
    }

    @Test("A number is written with its own digits")
    func numbers() {
        #expect(JSONValue.number("12.50").text == "12.50")
        #expect(JSONValue.number("1E+400").text == "1E+400")
    }

    @Test("Only characters that must be escaped are escaped")
    func escapes() {
        #expect(JSONValue.string("\"\\/").text == #""\"\\/""#)
        #expect(JSONValue.string("\u{08}\u{0C}\n\r\t").text == #""\b\f\n\r\t""#)
        #expect(JSONValue.string("\0\u{0B}\u{1F}\u{7F}").text == "\"\\u0000\\u000B\\u001F\u{7F}\"")
        #expect(JSONValue.string("Zoë 猫 😀").text == "\"Zoë 猫 😀\"")
        #expect(JSONValue.object([JSONMember(key: "a\n", value: nil)]).text == #"{"a\n":null}"#)
    }

    @Test("Every character below U+0100 survives a round trip", arguments: 0...UInt8.max)
    func everyCharacter(code: UInt8) throws {
        let value = JSONValue.string("<\(Character(Unicode.Scalar(code)))>")
        #expect(try JSONValue.parsing(Array(value.text.utf8)) == value)
    }

    @Test("Compact and pretty JSON are parsed to the original value")
    func roundTrip() throws {
        #expect(try JSONValue.parsing(Array(Self.sample.text.utf8)) == Self.sample)
        #expect(try JSONValue.parsing(Array(Self.sample.prettyText.utf8)) == Self.sample)
    }
}
