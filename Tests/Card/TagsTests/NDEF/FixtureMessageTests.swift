import Tags
import Testing

@Suite("NDEF messages of the fixtures")
struct FixtureMessageTests {
    @Test(
        "Each fixture file has enough fixtures, with unique names and content",
        arguments: ["messages.txt", "tlv.txt"])
    func everyFixtureSaysSomething(file: String) throws {
        let fixtures = try MessageFixture.all(in: file)
        #expect(fixtures.count >= 16)
        #expect(Set(fixtures.map(\.name)).count == fixtures.count)
        #expect(fixtures.allSatisfy { !$0.bytes.isEmpty && !$0.lines.isEmpty })
    }

    @Test(
        "A fixture's message has the records that the fixture describes",
        arguments: try MessageFixture.all(in: "messages.txt")
    )
    func recordsAreAsDescribed(_ fixture: MessageFixture) throws {
        var rest = try NDEFMessage(decoding: fixture.bytes).records[...]
        var current: NDEFRecord?
        for line in fixture.lines where line.word != "rewritten" {
            if line.word == "record" {
                current = rest.popFirst()
                #expect(current.map(summary) == line.rest)
            } else {
                try check(#require(current), against: line)
            }
        }
        #expect(rest.isEmpty)
    }

    @Test(
        "A decoded message is encoded to its original bytes, unless marked as rewritten",
        arguments: try MessageFixture.all(in: "messages.txt"))
    func encodingGivesTheSameBytes(_ fixture: MessageFixture) throws {
        let message = try NDEFMessage(decoding: fixture.bytes)
        let encoded = try message.encoded()
        #expect((encoded != fixture.bytes) == fixture.has("rewritten"))
        #expect(try NDEFMessage(decoding: encoded) == message)
    }

    @Test(
        "Lenient reading of a valid message gives the same result as strict reading",
        arguments: try MessageFixture.all(in: "messages.txt"))
    func lenientIsNoDifferent(_ fixture: MessageFixture) throws {
        let strict = try NDEFMessage(decoding: fixture.bytes)
        #expect(try NDEFMessage(decoding: fixture.bytes, .lenient) == strict)
    }

    private func summary(of record: NDEFRecord) -> String {
        let names = [record.type, record.id].map { bytes in
            bytes.isEmpty ? "-" : String(decoding: bytes, as: UTF8.self)
        }
        return "\(record.format) \(names[0]) \(names[1]) \(record.payload.count)"
    }

    private func check(_ record: NDEFRecord, against line: MessageFixture.Line) throws {
        switch line.word {
        case "text":
            let text = try NDEFText(record)
            #expect("\(text.encoding) \(text.language) \(text.text)" == line.rest)
            #expect(text.record.payload == record.payload)
        case "uri":
            let uri = try NDEFURI(record)
            #expect(uri.uri == line.rest)
            #expect(uri.record.payload == record.payload)
        case "no-text":
            let error = #expect(throws: NDEFError.self) { try NDEFText(record) }
            #expect(error.map { "\($0.kind)" } == line.rest)
        case "nested":
            #expect(try "\(NDEFMessage(decoding: record.payload).records.count)" == line.rest)
        default:
            Issue.record("no test for \(line.word)")
        }
    }
}
