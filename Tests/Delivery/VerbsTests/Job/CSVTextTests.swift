import TestSupport
import Testing
import Verbs

@Suite("Tables in CSV")
struct CSVTextTests {
    private func rows(_ text: String) throws -> [[String]] {
        try CSVText.rows(Array(text.utf8))
    }

    @Test("Cells are read as spreadsheets write them")
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
        "What is not a table is refused with its line",
        arguments: [("a\n\"b", 2), ("a\n\"b\"c\n", 2), ("a,\"\n\n", 3)])
    func malformed(_ text: String, _ line: Int) {
        let error = #expect(throws: CSVText.Malformed.self) { try rows(text) }
        #expect(error?.line == line)
        #expect(throws: CSVText.Malformed.self) { try CSVText.rows([0x61, 0xFF]) }
    }

    @Test("What is written is read again, and no cell is a formula", arguments: 0..<50)
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

@Suite("Texts with placeholders")
struct TemplateTests {
    @Test("Names in braces are filled, and other braces stand for themselves")
    func filled() {
        let template = Template(#"{uid}/{ row 1}{"a":{"b":1}}{}{x"#)
        #expect(template.names == ["uid", " row 1"])
        #expect(template.filled { "<\($0)>" } == #"<uid>/< row 1>{"a":{"b":1}}{}{x"#)
    }

    @Test("A value cannot leave its place in a URL")
    func encoded() {
        #expect(Template.percentEncoded("a b/ü?&#%~") == "a%20b%2F%C3%BC%3F%26%23%25~")
    }
}
