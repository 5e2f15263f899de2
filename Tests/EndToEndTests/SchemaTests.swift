import Glibc
import SchemaChecking
import Testing
import TextCodecs

/// The output of every verb is compared with its `tapcard schema`.
@Suite("The documents of --json and their schemas", .ownThread)
struct SchemaTests {
    private func document(_ text: String) throws -> JSONValue {
        try JSONValue.parsing(Array(text.utf8))
    }

    /// Checks every line that a command prints, and returns the last document.
    @discardableResult
    private func check(
        _ counter: Counter, _ line: String, verb: String? = nil, status: Int32 = 0,
        at location: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        let ended = try counter.run(counter.words(of: line) + ["--json"])
        #expect(
            ended.status == status, "\(line): \(ended.output)\(ended.errors)",
            sourceLocation: location)
        let words = line.split(separator: " ").map(String.init)
        let pairs = ["tag", "keys", "sim", "cashiers", "mastermind"]
        let named = words.prefix(pairs.contains(words[0]) ? 2 : 1).joined(separator: " ")
        let schema = try document(counter.step("schema \(verb ?? named)"))
        let checker = SchemaChecker(document: schema)
        var last = JSONValue.null
        for line in ended.output.split(separator: "\n") {
            last = try document(String(line))
            #expect(
                checker.faults(of: last, against: schema) == [], "\(line)",
                sourceLocation: location)
        }
        return last
    }

    @Test("cards and money")
    func money() throws {
        let counter = try Counter()
        try check(counter, "read", status: 4)
        try check(counter, "issue --balance 20 --id 3 --name Ann")
        try check(counter, "add 5")
        let paid = try check(counter, "pay 4.50")
        let operation = try #require(paid["operation"]?.string)
        #expect(paid["currency"]?.string == "USD")
        try check(counter, "pay 4.50 --operation \(operation)")
        try check(counter, "pay 4.51 --operation \(operation)", status: 2)
        try check(counter, "refund \(operation) 1")
        try check(counter, "refund \(operation) 1")
        try check(counter, "pay 900", status: 4)
        try check(counter, "scratch")
        try check(counter, "repair")
        try check(counter, "read --no-settle")
        try check(counter, "history")
        try check(counter, "takings")
        try check(counter, "audit")
        try counter.step("sim tear 3 torn mix 7")
        try check(counter, "pay 1", status: 6)
        try counter.step("sim put")
        try check(counter, "read")
        try check(counter, "block")
        try check(counter, "pay 1", status: 4)
        try check(counter, "unblock")
        try check(counter, "forget")
        try check(counter, "close")
    }

    @Test("tags, keys and the station")
    func station() throws {
        let counter = try Counter()
        try check(counter, "sim list")
        try check(counter, "sim phone")
        try check(counter, "tag info")
        try check(counter, "tag dump")
        try check(counter, "tag dump ~/dump")
        try check(counter, "tag restore ~/dump")
        try check(counter, "tag format")
        try check(counter, "demo")
        try check(counter, "tag protect")
        try check(counter, "tag unprotect")
        try check(counter, "keys list")
        try check(counter, "keys rotate")
        try check(counter, "keys retire 1 --for-ever")
        try check(counter, "keys export ~/keys")
        try check(counter, "keys import ~/keys")
        try check(counter, "backup ~/copy")
        try check(counter, "backup ~/copy", status: 1)
        try check(counter, "restore-backup ~/copy")
        try check(counter, "config")
        try check(counter, "completions bash")
        try check(counter, "readers")
        try check(counter, "doctor")
        try check(counter, "cashiers list")
        try check(counter, "cashiers remove Ann", status: 4)
        try check(counter, "mastermind show")
        try check(counter, "sim tear 3 torn old")
        try check(counter, "sim tear none")
        try check(counter, "sim take")
        try check(counter, "sim put NTAG215")
        try check(counter, "replace --card \(Counter.firstUID)")
        try check(counter, "schema pay")
        try check(counter, "pay", status: 2)
    }

    @Test("a watch prints a time with each line")
    func watch() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        let schema = try document(counter.step("schema read"))
        let process = try counter.start(["read", "--watch", "--json"])
        try process.wait("a card") { try process.output.hasSuffix("\n") }
        try counter.step("sim put NTAG215")
        try process.wait("a blank tag") {
            try process.output.split(separator: "\n").count == 2
        }
        process.signal(SIGTERM)
        let checker = SchemaChecker(document: schema)
        for line in try process.end().output.split(separator: "\n") {
            let document = try document(String(line))
            #expect(checker.faults(of: document, against: schema) == [], "\(line)")
            let time = try #require(document["at"]?.string)
            #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
        }
    }

    @Test("a schema holds all that it refers to, and a verb that is none is refused")
    func whole() throws {
        let counter = try Counter()
        let all = try document(counter.step("schema"))
        #expect(all["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
        #expect(try counter.run(["schema", "pya"]).status == 2)
        let group = try counter.run(["schema", "tag"])
        #expect(group.status == 2)
        #expect(group.errors.contains("Run one of these: tapcard schema tag info, "))
    }
}
