import Foundation
import Glibc
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

/// A session at one till, played from a text file that also holds everything the program said.
///
/// Lines that begin with "# ", "$ ", "% ", "> ", "& " or "@ " are input; all others are the output.
/// fixtures/contract/README.md describes the format.
final class Transcript {
    /// A line that cannot be played.
    struct Mistake: Error {
        let line: String
    }

    private let till: Till
    private var services: PlayedServices?
    private var databases: [String] = []
    private var printer: TestPrinter?
    private var page: CashierPage?
    private var token: [String] = []
    private var variables: [String: String?] = [:]
    private var names = NumberedNames()

    private init() throws { till = try Till() }

    /// The file as the program of today would have it.
    static func played(_ text: String) throws -> String {
        let transcript = try Transcript()
        var lines: [String] = []
        for line in text.split(separator: "\n").map(String.init) where isInput(line) {
            if line.hasPrefix("# "), lines.last?.hasPrefix("# ") == false { lines.append("") }
            lines.append(line)
            do {
                lines += try transcript.play(line)
            } catch let mistake as Mistake {
                throw mistake
            } catch {
                Issue.record("\(line): \(error)")
            }
        }
        try transcript.page?.stop()
        try transcript.services?.stop()
        transcript.printer?.stop()
        for database in transcript.databases {
            try PrivatePostgreSQL.shared.get().remove(database)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func isInput(_ line: String) -> Bool {
        ["# ", "$ ", "% ", "> ", "& ", "@ "].contains { line.hasPrefix($0) }
    }

    private func play(_ line: String) throws -> [String] {
        let text = names.resolved(String(line.dropFirst(2)))
        switch line.first {
        case "$": return try run(words(of: text))
        case "%": return try run(words(of: text)).map(Transcript.shape)
        case ">": return try ask(text)
        case "&": return try ask(text).map(Transcript.shape)
        case "@":
            try arrange(words(of: text), line)
            return []
        default: return []
        }
    }

    private func run(_ words: [String]) throws -> [String] {
        let pairs = words.prefix { $0.contains("=") && !$0.hasPrefix("-") }
        var more = variables
        let ledger = variables["TAPCARD_LEDGER"] ?? nil
        let words = words.map { $0 == "$TAPCARD_LEDGER" ? ledger ?? $0 : $0 }
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            more[String(parts[0])] = String(parts[1])
        }
        let ended = try till.run(Array(words.dropFirst(pairs.count)), with: more)
        return shown(ended.output, as: "|") + shown(ended.errors, as: "!")
            + (ended.status == 0 ? [] : ["= \(ended.status)"])
    }

    /// METHOD PATH BODY, with the login's token unless the method is in lower case.
    private func ask(_ text: String) throws -> [String] {
        guard let page else { throw Mistake(line: text) }
        let parts = text.split(separator: " ", maxSplits: 2).map(String.init)
        let path = parts[1].hasPrefix("/") ? parts[1] : "/api/v1/\(parts[1])"
        let isKnown = parts[0] == parts[0].uppercased()
        var options = ["--request", parts[0].uppercased()] + (isKnown ? token : [])
        if parts.count > 2 {
            options += ["--header", "Content-Type: application/json", "--data", parts[2]]
        }
        let answer = try page.get(path, options)
        return shown(String(answer.dropLast(4)), as: "|") + ["= \(answer.suffix(3))"]
    }

    /// Changes around the program: see the README.
    private func arrange(_ words: [String], _ line: String) throws {
        switch (words.first, words.dropFirst().count) {
        case ("set", 1...):
            for pair in words.dropFirst() {
                let parts = pair.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                variables[String(parts[0])] = parts.count > 1 ? String(parts[1]) : String?.none
            }
        case ("sandbox", _):
            let played = try PlayedServices(till, Array(words.dropFirst()))
            for (name, value) in played.addresses { variables[name] = value }
            variables["TAPCARD_MASTERMIND_PASSWORD"] = "sandbox"
            services = played
        case ("database", 0):
            let name = "issuer_\(UInt32.random(in: 0...UInt32.max))"
            variables["TAPCARD_LEDGER"] = try PrivatePostgreSQL.shared.get().database(name)
            databases.append(name)
        case ("statement", 1):
            let name = try #require(databases.last)
            _ = try PrivatePostgreSQL.shared.get().answer(to: words[1], in: name)
        case ("printer", 0):
            let started = try TestPrinter()
            variables["TAPCARD_RECEIPT_PRINTER"] = started.address
            printer = started
        case ("fail", 1): try services?.fail(words[1])
        case ("draw", 0): try services?.draw()
        case ("serve", _):
            page = try CashierPage(till, Array(words.dropFirst()), with: variables)
        case ("login", 0): token = try page?.token() ?? []
        case ("login", 2): token = try page?.token(of: words[1], words[2]) ?? []
        case ("token", 1): token = ["--header", "Authorization: Bearer \(words[1])"]
        case ("seen", 0):
            let page = try #require(page)
            try page.process.wait("it shows the card") {
                let card = try page.get("/api/v1/card", token)
                return !card.contains(#""read":null,"problem":null"#)
            }
        case ("write", 2): try till.write(words[2], to: words[1])
        case ("mode", 2): try till.setMode(of: words[1], mode_t(words[2], radix: 8) ?? 0)
        case ("copy", 2): try system("/bin/cp", "-a", words[1], words[2])
        case ("remove", 1...): try system("/bin/rm", ["-rf"] + words.dropFirst())
        case ("link", 2): try system("/bin/ln", "-s", words[1], words[2])
        case ("sql", 2): try OpenDatabase(words[1]).execute(words[2])
        case ("text", 2):
            try till.simulation.write(
                SimulationFileText.message("T", Array(words[2].utf8)), on: words[1])
        case ("tag", 3...):
            let value = words.dropFirst(3).joined(separator: " ")
            try till.simulation.set([words[2].replacing("-", with: " "): value], on: words[1])
        default: throw Mistake(line: line)
        }
    }

    /// The names and types of a document's members, without their values.
    private static func shape(_ line: String) -> String {
        guard line.hasPrefix("| {"),
            let document = try? JSONValue.parsing(Array(line.utf8.dropFirst(2)))
        else { return line }
        return "| " + shape(document)
    }

    private static func shape(_ value: JSONValue) -> String {
        switch value {
        case .object(let members):
            "{" + members.map { "\"\($0.key)\":\(shape($0.value))" }.joined(separator: ",") + "}"
        case .array(let items):
            "[" + Set(items.map(shape)).sorted().joined(separator: "|") + "]"
        case .string: "text"
        case .number: "number"
        case .bool: "truth"
        case .null: "null"
        }
    }

    private func system(_ program: String, _ words: String...) throws {
        try system(program, words)
    }

    private func system(_ program: String, _ words: [String]) throws {
        let process = try ChildProcess(program, words, environment: [:], folder: till.home)
        #expect(try process.end().status == 0, "\(program) \(words)")
    }

    private func shown(_ text: String, as mark: String) -> [String] {
        let lines = text.replacingOccurrences(of: till.home, with: "~")
            .split(separator: "\n", omittingEmptySubsequences: false)
        let whole = lines.last == "" ? lines.dropLast() : lines[...]
        return whole.map { "\(mark) \(names.masked(String($0)))".trimmingTrailingSpaces }
    }

    /// Words as a shell separates them: quotation marks keep spaces, "~" is the home folder.
    private func words(of text: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            switch (character, quote) {
            case ("'", nil), ("\"", nil): (quote, word) = (character, word ?? "")
            case (let mark, .some(let open)) where mark == open: quote = nil
            case (" ", nil):
                if let ended = word { words.append(ended) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let ended = word { words.append(ended) }
        return words.map { $0.replacing("~", with: till.home) }
    }
}

/// Numbers in place of ids that differ from run to run, in the order in which they first appear.
struct NumberedNames {
    private var known: [String: [String]] = [:]

    private static let kinds = [
        ("id", Mask(#"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"#)),
        ("tag", Mask(#"\b04[0-9A-F]{12}\b"#)), ("ticket", Mask(#"\bticket-[0-9a-f]{12}\b"#)),
        ("game", Mask(#"\b[0-9a-f]{32}\b"#)),
    ]

    /// Other text that differs: random balls and their matches, tokens, times and addresses.
    private static let others = [
        (Mask(#""token":"[0-9a-f]+""#), #""token":"<token>""#),
        (Mask(#"\btapcard_[\w-]{43}"#), "<token>"),
        (Mask(#"127\.0\.0\.1:\d+"#), "<address>"),
        (Mask(#"issuer_\d+\?host=/[\w/-]+"#), "issuer?host=<socket>"),
        (Mask(#"\.moved-\d+"#), ".moved-<number>"),
        (Mask(#"PostgreSQL \d+\.\d+ \([^)]*\)"#), "PostgreSQL <version>"),
        (Mask(#"\bCommit: (?:unknown|[0-9a-f]{12}\b.*)"#), "Commit: <commit>"),
        (Mask(#"\bToolchain: (?:unknown|Swift \d.*)"#), "Toolchain: <toolchain>"),
        (Mask(#"\s\(Failed to connect [^)]*\)"#), ""),
        (Mask(#"\s*(?:\[?\s*\d{1,2}\]?\s*){6}\+\s*\(?\s*\d{1,2}\)?\s*"#), " <balls> "),
        (Mask(#"\d+ black, \d+ white"#), "<n> black, <n> white"),
        (Mask(#""\} \d+"#), #""} <count>"#),
        (Mask(#""black":\d+,"white":\d+"#), #""black":<n>,"white":<n>"#),
        (Mask(#"\s\(transfer closed [^)]*\)"#), ""),
        (Mask(#""balls":\[[^\]]*\],"bonus":(?:\{[^}]*\}|\w+)"#), #""balls":<balls>"#),
        (Mask(#"\d of 6(?: and the bonus)?"#), "<matches>"),
        (Mask(#""matches":\d"#), #""matches":<matches>"#),
        (Mask(#""age":\d+"#), #""age":<seconds>"#),
        (Mask(#"\b\d+ seconds? ago"#), "<seconds> ago"), (Mask(#"^\d\d:00\s"#), "<hour> "),
    ]

    mutating func masked(_ text: String) -> String {
        var masked = text
        for (name, mask) in NumberedNames.kinds {
            masked = mask.replaced(in: masked) { value in
                let number = known[name, default: []].firstIndex(of: value)
                if number == nil { known[name, default: []].append(value) }
                return "<\(name) \((number ?? (known[name] ?? []).count - 1) + 1)>"
            }
        }
        for (mask, word) in NumberedNames.others { masked = mask.replaced(in: masked, with: word) }
        return Mask.apply(to: masked)
    }

    func resolved(_ text: String) -> String {
        text.replacing(/<(id|tag|ticket|game) (\d+)>/) { match in
            let values = known[String(match.output.1)] ?? []
            let number = (Int(match.output.2) ?? 0) - 1
            return values.indices.contains(number) ? values[number] : String(match.output.0)
        }
    }
}

extension String {
    fileprivate var trimmingTrailingSpaces: String {
        String(self.reversed().drop { $0 == " " }.reversed())
    }
}
