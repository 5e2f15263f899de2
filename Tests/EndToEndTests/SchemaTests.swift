import Glibc
import TestSupport
import Testing
import TextCodecs

/// The output of every verb is compared with its `tapcard schema`.
@Suite("JSON documents and their schemas", .ownThread)
struct SchemaTests {
    private func document(_ text: String) throws -> JSONValue {
        try JSONValue.parsing(Array(text.utf8))
    }

    /// Checks every line that a command prints, and returns the last document.
    @discardableResult
    private func check(
        _ till: Till, _ line: String, verb: String? = nil, status: Int32 = 0,
        at location: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        let ended = try till.run(till.words(of: line) + ["--json"])
        #expect(
            ended.status == status, "\(line): \(ended.output)\(ended.errors)",
            sourceLocation: location)
        let words = line.split(separator: " ").map(String.init)
        let pairs = ["tag", "keys", "products", "shift", "sim", "cashiers", "tokens", "mastermind"]
        let named = words.prefix(pairs.contains(words[0]) ? 2 : 1).joined(separator: " ")
        let schema = try document(till.step("schema \(verb ?? named)"))
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

    @Test("Documents about cards and money match their schemas")
    func money() throws {
        let till = try Till()
        try check(till, "read", status: 4)
        try check(till, "issue --balance 20 --id 3 --name Ann")
        try check(till, "add 5")
        let paid = try check(till, "pay 4.50")
        let operation = try #require(paid["operation"]?.string)
        #expect(paid["currency"]?.string == "USD")
        try check(till, "pay 4.50 --operation \(operation)")
        try check(till, "pay 4.51 --operation \(operation)", status: 2)
        try check(till, "products add Cup --price 2")
        try check(till, "products add Coffee --price 3.50 --color red --deposit cup")
        try check(till, "products change coffee --minimum-age 16")
        try check(till, "products list")
        try check(till, "sell coffee", status: 4)
        try check(till, "sell coffee --yes --rest cash=1")
        try check(till, "sell --returned cup")
        let sold = try check(till, "sell coffee --yes --tender cash --given 20")
        try check(till, "refund \(try #require(sold["operation"]?.string))")
        try check(till, "shift cash in 5 --reason Change")
        try check(till, "products export ~/products.csv")
        try check(till, "products import ~/products.csv")
        try check(till, "products retire coffee")
        try check(till, "refund \(operation) 1")
        try check(till, "refund \(operation) 1")
        try check(till, "pay 900", status: 4)
        try check(till, "scratch")
        try check(till, "repair")
        try check(till, "read --no-resolve")
        try check(till, "history")
        try check(till, "takings")
        for report in ["days", "products", "outstanding", "refunds"] {
            try check(till, "report \(report)")
        }
        try check(till, "find")
        try check(till, "find --product coffee")
        try check(till, "audit")
        try till.step("sim tear 3 torn mix 7")
        try check(till, "pay 1", status: 6)
        try till.step("sim put")
        try check(till, "read")
        try check(till, "block")
        try check(till, "pay 1", status: 4)
        try check(till, "unblock")
        try check(till, "forget")
        try check(till, "close")
    }

    @Test("Documents about tags, keys and the station match their schemas")
    func station() throws {
        let till = try Till()
        try check(till, "sim list")
        try check(till, "sim phone")
        try check(till, "tag info")
        try check(till, "tag dump")
        try check(till, "tag dump ~/dump")
        try check(till, "tag restore ~/dump")
        try check(till, "tag format")
        try check(till, "demo")
        try check(till, "tag protect")
        try check(till, "tag unprotect")
        try check(till, "keys list")
        try check(till, "keys rotate")
        try check(till, "keys retire 1 --for-ever")
        try check(till, "keys export ~/keys")
        try check(till, "keys import ~/keys")
        try check(till, "backup ~/copy")
        try check(till, "backup ~/copy", status: 1)
        try check(till, "restore-backup ~/copy")
        try check(till, "config")
        try check(till, "completions bash")
        try check(till, "readers")
        try check(till, "doctor")
        try check(till, "cashiers list")
        try check(till, "cashiers remove Ann", status: 4)
        try check(till, "tokens add shelf --may tags --origin https://app.example --expires 90d")
        try check(till, "tokens list")
        try check(till, "tokens revoke shelf")
        try check(till, "mastermind show")
        try check(till, "sim tear 3 torn old")
        try check(till, "sim tear none")
        try check(till, "sim take")
        try check(till, "sim put NTAG215")
        try check(till, "replace --card \(Till.firstUID)")
        try check(till, "schema pay")
        try check(till, "pay", status: 2)
    }

    @Test("Each line of a watch matches the schema, which requires a time")
    func watch() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let schema = try document(till.step("schema watch"))
        let process = try till.start(["watch", "--json", "--with-balance"])
        try process.wait("a card") { try process.output.hasSuffix("\n") }
        try till.step("sim put NTAG215")
        try process.wait("a blank tag in its place") {
            try process.output.split(separator: "\n").count == 3
        }
        process.signal(SIGTERM)
        let checker = SchemaChecker(document: schema)
        for line in try process.end().output.split(separator: "\n") {
            let document = try document(String(line))
            #expect(checker.faults(of: document, against: schema) == [], "\(line)")
            let timeless = document.members?.filter { $0.key != "at" } ?? []
            #expect(checker.faults(of: .object(timeless), against: schema) != [], "\(line)")
        }
    }

    @Test("The schema of all output has what each verb's own has, and no wrong verb has a schema")
    func whole() throws {
        let till = try Till()
        let all = try document(till.step("schema"))
        #expect(all["$schema"]?.string == "https://json-schema.org/draft/2020-12/schema")
        for verb in ["pay", "read", "history", "tag info", "keys list", "config", "doctor"] {
            let own = try document(till.step("schema \(verb)"))
            #expect(own["$schema"] == all["$schema"])
            let kinds = try #require(own["anyOf"]?.array)
            #expect(kinds.count > 1)
            for kind in kinds { #expect(all["anyOf"]?.array?.contains(kind) == true, "\(kind)") }
            guard case .object(let definitions)? = own["$defs"] else {
                Issue.record("\(verb) has no definitions")
                continue
            }
            for member in definitions { #expect(all["$defs"]?[member.key] == member.value) }
        }
        let unknown = try till.run(["schema", "pya"])
        #expect(unknown.status == 2 && unknown.output == "")
        #expect(unknown.errors.hasPrefix("tapcard has no verb \"pya\". Nothing was done. "))
        let group = try till.run(["schema", "tag"])
        #expect(group.status == 2 && group.output == "")
        #expect(group.errors.contains("Run one of these: tapcard schema tag info, "))
    }
}
