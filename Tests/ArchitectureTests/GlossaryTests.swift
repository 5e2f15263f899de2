import Foundation
import Testing

@Suite("The words of docs/GLOSSARY.md")
struct GlossaryTests {
    /// Words of the last column that mean nothing else, and names that are gone.
    private static let words = [
        "houses?", "kiosks?", "desks?", "cash registers?", "counter page", "funds", "bearers?",
        "(un)?settle(d|s|ment)?", "settling", "defer(s|red|ring|ral)", "money on cards",
        "whoever holds it", "true card", "proved chip", "deeds?", "chipCards?", "ChipSights?",
        "CardLooks?", "FirstSights?", "CardOrders?", "OpenWorks?", "CardWorks?", "CounterDesks?",
    ].joined(separator: "|")

    /// Where such a word may appear, as a pattern for `path:line: text`, and why.
    private static let exceptions: [(pattern: String, reason: String)] = [
        ("PostgreSQLLedger.*house|FROM house", "a table and a column that are stored"),
        ("FarLedger[.]swift.*\"house\"", "the same table, whose rows are put back"),
        ("Journal[A-Za-z]*[.]swift.*settled", "a column that is stored"),
        ("(LedgerTables|PostgreSQLSchema)[.]swift.*settled", "that column and its trigger"),
        ("INSERT INTO journal .*settled|`settled`", "the same column, for somebody who attacks"),
        ("\"(tapcard )?deferred", "the stored kind, and the label of a seal"),
        ("deferred[.]([a-z]|\\\\)", "the stored files"),
        ("DEFERRED|Deferred until commit", "SQL's word for a transaction and a constraint"),
        (
            "Authoriz|Authenticator[.]|\"scheme\"|[\"`][Bb]earer |bearer = ",
            "HTTP's word for a token"
        ),
        ("PlugWatcher[.]swift.*ettl(ed|ing)", "a bus on which nothing changes any more"),
    ]

    @Test("A word that the glossary rules out appears only in the listed places")
    func otherWords() throws {
        let found = try GlossaryTests.found()
        #expect(found.count > 50)
        let exceptions = try GlossaryTests.exceptions.map { (try Regex($0.pattern), $0.reason) }
        for line in found where !exceptions.contains(where: { line.contains($0.0) }) {
            Issue.record("docs/GLOSSARY.md has another word: \(line)")
        }
        for (pattern, reason) in exceptions {
            #expect(found.contains { $0.contains(pattern) }, "nothing is \(reason)")
        }
    }

    @Test("No row of the glossary rules out its own word")
    func ownWords() throws {
        let text = try SourceTree.text("docs/GLOSSARY.md")
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 20)
        for row in rows {
            let columns = row.split(separator: "|").map { $0.split(separator: /[;,(]/) }
            let plain = columns.map { Set($0.map { $0.filter { $0 != " " } }) }
            #expect(plain.count == 3 && plain[1].isDisjoint(with: plain[2]), "\(row)")
        }
    }

    /// Lines with such a word, found by grep as in `ProcessorTests`. JSON is generated from the
    /// sources, and the glossary and this file name the words themselves.
    private static func found() throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = SourceTree.root
        process.arguments = [
            "grep", "-rnwIiE", words, "--exclude=*.json", "--exclude=GLOSSARY.md",
            "--exclude=GlossaryTests.swift", "--exclude-dir=__pycache__", "--",
            "Sources", "Tests", "docs", "packaging", "README.md", "CONTRIBUTING.md",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }
}
