import TestSupport
import Testing
import Verbs

@Suite("CSV files")
struct CSVTextTests {
    private func rows(_ text: String) throws -> [[String]] {
        try CSVText.rows(Array(text.utf8))
    }

    @Test("CSV files exported by spreadsheets are read correctly")
    func read() throws {
        #expect(try rows("a,b\n1,2\n") == [["a", "b"], ["1", "2"]])
        #expect(try rows("\u{FEFF}a;b\r\n1;2,5\r\n") == [["a", "b"], ["1", "2,5"]])
        #expect(
            try rows("a,b\n\"x, \"\"y\"\"\nz\",\n\n,1") == [
                ["a", "b"], ["x, \"y\"\nz", ""], ["", "1"],
            ])
        #expect(try rows("") == [] && rows(",,\n\n,\n") == [])
        #expect(try rows("a,\u{301}b\u{2028}c") == [["a", "\u{301}b\u{2028}c"]])
    }

    @Test(
        "Malformed CSV is refused with the line number",
        arguments: [("a\n\"b", 2), ("a\n\"b\"c\n", 2), ("a,\"\n\n", 3)])
    func malformed(_ text: String, _ line: Int) {
        let error = #expect(throws: CSVText.Malformed.self) { try rows(text) }
        #expect(error?.line == line)
        #expect(throws: CSVText.Malformed.self) { try CSVText.rows([0x61, 0xFF]) }
    }

    @Test("Any cells survive a round trip, and no cell becomes a formula", arguments: 0..<50)
    func roundTrip(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let letters = Array("ab,;\"\n\r\t=+-@' ü\u{1F600}\u{301}\u{200D}".unicodeScalars)
        let cells = (0..<5).map { _ in
            var cell = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                cell.append(letters.randomElement(using: &random) ?? "a")
            }
            return String(cell)
        }
        let read = try #require(
            try rows(CSVText.line(["a,", "b", "c", "d", "e"]) + CSVText.line(cells)).last)
        #expect(read.count == 5)
        for (cell, read) in zip(cells, read) {
            let scalars = Array(read.unicodeScalars)
            #expect(
                scalars.elementsEqual(cell.unicodeScalars)
                    || scalars.elementsEqual("'\(cell)".unicodeScalars))
            #expect(!"=+-@\t\r\n".unicodeScalars.contains(scalars[0]))
        }
    }
}

@Suite("Text templates")
struct TemplateTests {
    @Test("Placeholders are replaced, and other braces are kept")
    func filled() {
        let template = Template(#"{uid}/{Price (€)}{"a":{"b":1}}{}{{x}{x"#)
        #expect(template.names == ["uid", "Price (€)"])
        #expect(template.filled { "<\($0)>" } == #"<uid>/<Price (€)>{"a":{"b":1}}{}{x}{x"#)
    }

    @Test("Reserved characters in a URL value are percent-encoded")
    func encoded() {
        #expect(Template("{{uid}}{{{uid}}").filled { _ in "1" } == "{uid}{1}")
        #expect(
            LinkText.encoded("https://ü.example/a%20{?b=[1]#c")
                == "https://%C3%BC.example/a%20%7B?b=[1]#c")
        for good in ["https://a.example", "tel:+491", "mailto:a@b.example", "geo:48.2,16.3"] {
            #expect(LinkText.fault(in: good) == nil, "\(good)")
        }
        for bad in ["", "example.com", "example.com:80", "not a url", "https:", "https://a\u{7}b"] {
            #expect(LinkText.fault(in: bad) != nil, "\(bad)")
        }
        #expect(Template.percentEncoded("a b/ü?&#%~") == "a%20b%2F%C3%BC%3F%26%23%25~")
    }
}
