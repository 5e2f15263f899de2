import Foundation
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

@Suite("The recorded sessions in fixtures/contract", .ownThread)
struct ContractTests {
    private static let folder =
        Repository.path("fixtures/contract")

    private static let names = [
        "activation", "cards", "database", "interrupted", "lottery", "mastermind", "messages",
        "money", "page",
        "page-cashiers", "page-services", "page-tills", "receipts", "reports", "selling",
        "servers", "shifts", "tags", "trust", "usage",
    ]

    private static func text(of name: String) throws -> String {
        try text(at: "fixtures/contract/\(name).txt")
    }

    /// Each session is compared as a whole, so that any change in the output shows up here.
    @Test("Each recorded session produces the recorded output", arguments: names)
    func session(name: String) throws {
        let written = try ContractTests.text(of: name)
        let played = try Transcript.played(written)
        if unsafe getenv("CONTRACT").map({ unsafe String(cString: $0) }) == "write" {
            try DurableFile("\(ContractTests.folder)/\(name).txt").write(
                Array(played.utf8), mode: 0o644)
            return
        }
        let pairs = zip(
            written.split(separator: "\n", omittingEmptySubsequences: false),
            played.split(separator: "\n", omittingEmptySubsequences: false))
        var input = Substring()
        for (expected, found) in pairs {
            if Transcript.isInput(String(expected)) { input = expected }
            #expect(expected == found, "\(name): \(input)")
            if expected != found { return }
        }
        #expect(written.utf8.count == played.utf8.count, "\(name) has another end")
    }

    @Test("Every file in the folder is a session that is played")
    func files() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: ContractTests.folder)
        let listed = files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }
        #expect(listed.sorted() == ContractTests.names)
    }

    /// Verbs that run until they are stopped, which have tests of their own, and one that prints
    /// only CSV.
    private static let endless: Set = ["emulate", "export", "reader", "sandbox", "serve", "watch"]

    @Test("Every verb prints a JSON document in one of the sessions")
    func verbs() throws {
        let page = try ContractTests.text(at: "docs/COMMANDS.md")
        let verbs = page.matches(of: /\n## tapcard ([a-z -]+)\n/).map { String($0.output.1) }
        try #require(verbs.count > 50)
        let played = try ContractTests.steps().filter { $0.status == nil }
            .compactMap { $0.documentVerb(among: verbs) }
        #expect(Set(verbs).subtracting(played) == ContractTests.endless)
    }

    /// Errors that need more than a till, a page and played services: where each is tested.
    private static let elsewhere = [
        "bad-balls": "LotteryTests", "bad-draw": "LotteryTests", "cancelled": "ReplayTests",
        "failed": "ServiceErrorTests", "keys-behind": "SharedKeyTests",
        "ledger-full": "FileTransactionTests",
        "ledger-locked": "RecoveryTests",
        "ledger-read-only": "DiskTests", "no-draw-known": "TicketCommandTests",
        "numbers-exhausted": "LedgerBehindTests", "reader-busy": "ExitStatusTests",
        "reader-lost": "WatchedReaderTests", "service-bad-address": "AddressTests",
        "service-bad-certificate": "TLSTests", "service-gone-back": "CacheTests",
        "service-no-client": "HTTPClientTests", "service-not-http": "HTTPClientTests",
        "service-timed-out": "ServiceTimeoutTests", "tag-lost": "WatchedReaderTests",
        "unsupported-reader": "RefusedTagTests", "unsupported-tag": "RefusedTagTests",
        "unusable-tag": "UnusableNTAG424Tests",
    ]

    @Test("Every error occurs in a session or in a suite that the exceptions name")
    func errors() throws {
        let page = try ContractTests.text(at: "docs/COMMANDS.md")
        let table = try #require(page.split(separator: "## Help: errors").last)
        let errors = table.matches(of: /\n\| `([a-z-]+)` \|/).map { String($0.output.1) }
        try #require(errors.count > 70)
        let met = try Set(
            ContractTests.names.flatMap { name in
                try ContractTests.text(of: name).matches(of: /"error":"([a-z-]+)"/)
                    .map { String($0.output.1) }
            })
        let missing = Set(errors).subtracting(met)
        #expect(missing.sorted() == ContractTests.elsewhere.keys.sorted())
        let tests = Repository.path("Tests")
        let files = try #require(FileManager.default.subpaths(atPath: tests))
        for (error, suite) in ContractTests.elsewhere {
            let texts = try files.filter { $0.hasSuffix("/\(suite).swift") }
                .map { try ContractTests.text(at: "Tests/\($0)") }
            let words = ContractTests.spellings(of: error)
            #expect(
                texts.contains { text in words.contains { text.contains($0) } },
                "\(error) is not in \(suite)")
        }
    }

    /// The error's spelling in documents and in Swift, where service and ledger errors lack the
    /// prefix.
    private static func spellings(of error: String) -> [String] {
        func name(_ words: ArraySlice<Substring>) -> String {
            let rest = words.dropFirst().map { $0 == "http" ? "HTTP" : $0.capitalized }
            return ".\(words.first ?? "")\(rest.joined())"
        }
        let words = error.split(separator: "-")[...]
        return ["\"\(error)\"", name(words), name(words.dropFirst())].filter { $0 != "." }
    }

    /// `DocumentationTests` request the document itself.
    @Test("Every API route is requested in one of the sessions")
    func routes() throws {
        let text = try ContractTests.text(at: "docs/openapi.json")
        let paths = try JSONValue.parsing(Array(text.utf8))["paths"]?.members ?? []
        try #require(paths.count > 40)
        let asked = try ContractTests.steps().filter { ">&".contains($0.mark) }.map { step in
            step.input.split(separator: " ").prefix(2).map(String.init)
        }
        for path in paths where path.key != "/api/openapi.json" {
            for method in path.value.members ?? [] {
                let isAsked = asked.contains { words in
                    words[0].lowercased() == method.key
                        && ContractTests.path(words[1], is: path.key)
                }
                #expect(isAsked, "\(method.key) \(path.key)")
            }
        }
    }

    /// Whether a path that was asked for is one of a route, whose braces stand for any word.
    private static func path(_ asked: String, is route: String) -> Bool {
        let whole = asked.hasPrefix("/") ? asked : "/api/v1/\(asked)"
        var parts = whole.split(separator: "?")[0].split(separator: "/")
        // At one of several tills.
        if parts.first == "tills" { parts.removeFirst(2) }
        let names = route.split(separator: "/")
        return parts.count == names.count
            && zip(parts, names).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }

    private struct Step {
        let mark: Character
        let input: String
        /// The recorded status; nil where there is none.
        var status: String?

        /// The verb whose document the line asks for: the longest verb at the start of the line
        /// or right after "--json". "config get" does not count as "config".
        func documentVerb(among verbs: [String]) -> String? {
            let words = input.split(separator: " ")
            guard let option = words.firstIndex(of: "--json") else { return nil }
            let starts = [words[...], words[(option + 1)...]]
            return verbs.filter { verb in
                starts.contains { $0.starts(with: verb.split(separator: " ")) }
            }.max { $0.count < $1.count }
        }
    }

    private static func steps() throws -> [Step] {
        var steps: [Step] = []
        for name in names {
            for line in try text(of: name).split(separator: "\n").map(String.init) {
                if Transcript.isInput(line), let mark = line.first {
                    steps.append(Step(mark: mark, input: String(line.dropFirst(2))))
                } else if line.hasPrefix("= ") {
                    steps[steps.count - 1].status = String(line.dropFirst(2))
                }
            }
        }
        return steps
    }

    private static func text(at path: String) throws -> String {
        let root = folder.split(separator: "/").dropLast(2).joined(separator: "/")
        let file = DurableFile("/\(root)/\(path)")
        return String(decoding: try #require(try file.read()), as: UTF8.self)
    }
}
