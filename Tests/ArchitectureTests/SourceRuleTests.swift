import Testing

@Suite("Rules for the sources")
struct SourceRuleTests {
    static let longestFile = 400
    static let longestFunction = 70
    static func all() throws -> [SourceTree.File] {
        try SourceTree.files(below: "Sources") + SourceTree.files(below: "Tests")
            + SourceTree.files(below: "Benchmarks") + SourceTree.files(below: "Fuzz/Sources")
    }

    @Test("A file has at most 400 lines")
    func fileLength() throws {
        for file in try SourceRuleTests.all() {
            #expect(file.lines.count - 1 <= SourceRuleTests.longestFile, "\(file)")
        }
    }

    @Test("No two files have the same name")
    func fileNames() throws {
        let files = try SourceTree.files(below: "Sources") + SourceTree.files(below: "Tests")
        // A program begins in a file of this name.
        for (name, same) in Dictionary(grouping: files, by: \.name) where name != "main.swift" {
            #expect(same.count == 1, "\(same)")
        }
    }

    @Test("A function has at most 70 lines")
    func functionLength() throws {
        for file in try SourceRuleTests.all() {
            for (start, end) in functions(in: file.lines) {
                #expect(end - start < SourceRuleTests.longestFunction, "\(file):\(start + 1)")
            }
        }
    }

    @Test("Every public type has a doc comment")
    func documented() throws {
        for file in try SourceTree.files(below: "Sources") {
            for (number, line) in file.lines.enumerated() where declaresPublicType(line) {
                let above = file.lines[..<number].last { !$0.trimmed.hasPrefix("@") }
                #expect(above?.trimmed.hasPrefix("///") == true, "\(file):\(number + 1)")
            }
        }
    }

    @Test("Nothing in the product calls print")
    func prints() throws {
        try forbid(in: try SourceTree.files(below: "Sources")) { line in
            line.contains(" print(") || line.hasPrefix("print(") || line.contains("debugPrint(")
        }
    }

    @Test("No delivery writes to the console directly")
    func standardOutput() throws {
        let faces = try SourceTree.files(below: "Sources/Delivery")
        try forbid(in: faces) { line in line.contains("console.write(") }
    }

    @Test("No error message contains the name that the source has for its kind")
    func errorWords() throws {
        let files = try SourceTree.files(below: "Sources")
            // There it is the word of a language that people write.
            .filter { !$0.description.hasSuffix("FaultText.swift") }
        try forbid(in: files) { line in
            line.contains("\\(kind)") || line.contains("\\(kind.rawValue): ")
        }
    }

    @Test(
        "The core names no verb and no option of the command line")
    func coreWords() throws {
        let verbs = try SourceTree.text("docs/COMMANDS.md").matches(of: /(?m)^## tapcard ([a-z-]+)/)
            .map { String($0.1) }
        #expect(verbs.count > 50)
        let verb = try Regex("tapcard (\(Set(verbs).joined(separator: "|")))\\b")
        try forbid(in: try SourceTree.files(below: "Sources/Core")) { line in
            // A file says by its first words what it is.
            !line.contains("format") && (line.contains(verb) || line.contains(/[" (]--[a-z]/))
        }
    }

    @Test("The list of conditions has every row of the error table, in order")
    func conditions() throws {
        let table = try SourceTree.text("Sources/Core/TapcardCore/Errors/ErrorTable.swift")
        let rows = table.matches(of: /public static let (\w+) = Self\(/).map { String($0.1) }
        #expect(rows.count > 40)
        let list = try #require(
            table.firstMatch(of: /let conditions: \[Self\] = \[([^\]]*)\]/)
        ).1
        #expect(list.matches(of: /\.(\w+)/).map { String($0.1) } == rows)
    }

    @Test(
        "A facade stays in its files and has at most 40 functions",
        arguments: [
            ("Station", ["Station.swift", "StationOperations.swift"]),
            ("Session", ["Session.swift"]),
        ])
    func facade(_ type: String, _ names: [String]) throws {
        let mostFunctions = 40
        let opening = try Regex("^([a-z]+ )?(struct|extension) \(type)( \\{|:)")
        let files = try SourceTree.files(below: "Sources").filter { file in
            file.lines.contains { $0.contains(opening) }
        }
        #expect(files.map(\.name).sorted() == names)
        let functions = files.flatMap(\.lines).filter { line in
            line.contains(/^ {4}(?! )[a-z ]*\b(func|subscript)\b/)
                || (type == "Session" && line.contains(/^ {4}(?! )[a-z ]*\bvar .*\{/))
        }
        #expect(functions.count > 20 && functions.count <= mostFunctions)
    }

    @Test("At most 24 catch blocks do nothing but throw another error")
    func translations() throws {
        // It takes half the lines. What is left has a pattern, or waits in its catch, or lies where
        // the domain is not imported.
        let mostBlocks = 24
        // Nothing can follow a throw, so such a catch does nothing else.
        let block = /\} *catch\b[^{}]*\{\s*(?:\/\/[^\n]*\s*)*throw\b/
        let blocks = try SourceTree.files(below: "Sources").map { file in
            file.lines.joined(separator: "\n").matches(of: block).count
        }
        let count = blocks.reduce(0, +)
        #expect(count > 0 && count <= mostBlocks)
    }

    @Test("Every chip is named in each place that the compiler does not check")
    func chips() throws {
        let chips = try SourceTree.text("Sources/Domain/TapcardDomain/Chip.swift")
            .matches(of: /(?m)^ {4}case \w+ = "(\w+)"$/).map { String($0.1) }
        #expect(chips.count > 2)
        for path in [
            "README.md", "docs/CARDS.md", "fixtures/tags/README.md", "packaging/debian/control",
        ] {
            let text = try SourceTree.text(path)
            for chip in chips {
                let isNamed = text.contains(chip) || text.contains(chip.suffix(3))
                #expect(isNamed, "\(path): \(chip)")
            }
        }
        let factory = try SourceTree.paths(below: "fixtures/tags")
        for chip in chips {
            #expect(
                factory.contains { $0.hasSuffix("factory-\(chip.lowercased()).txt") }, "\(chip)")
        }
    }

    @Test("A write whose failure is ignored has a reason on the line above")
    func lostWrites() throws {
        let writes = [
            "write", "save", "insert", "append", "update", "post", "confirm", "begin", "remove",
            "markDisplay", "perform",
        ]
        try requireReason(in: try SourceTree.files(below: "Sources")) { line in
            line.contains("try?") && writes.contains { line.contains(".\($0)(") }
        }
    }

    @Test("Code that bypasses the compiler's checks has a reason on the line above")
    func escapes() throws {
        let words = ["fatalError(", "@unchecked Sendable", "nonisolated(unsafe)", "try!"]
        let files = try SourceRuleTests.all().filter { $0.target != "ArchitectureTests" }
        try requireReason(in: files) { line in words.contains(where: line.contains) }
    }

    @Test("Pure targets use no clock and no randomness of their own")
    func clocks() throws {
        let words = ["Date()", "ContinuousClock", "SuspendingClock", "clock_gettime", ".random("]
        let rules = FloorRules(manifest: .package)
        let pure = Set(Manifest.package.rooms.filter(rules.isPure).map(\.name))
        #expect(pure.count > 10)
        let files = try SourceTree.files(below: "Sources").filter { pure.contains($0.target) }
        try forbid(in: files) { line in
            words.contains(where: line.contains)
                && !["context.random(", "dependencies.random("].contains(where: line.contains)
        }
    }

    @Test("Nothing in the product imports Foundation")
    func foundation() throws {
        try forbid(in: try SourceTree.files(below: "Sources")) { $0.contains("import Foundation") }
    }

    @Test("The customer page reaches a ledger only through a port with two functions")
    func customers() throws {
        let files = try SourceTree.files(below: "Sources/Delivery/CustomerServer")
        #expect(files.count > 5)
        // What can open a ledger, change its rows, or take one out of its narrow port.
        let others = ["LedgerStore", "LedgerRows", "LedgerDatabase", "InMemoryLedger", "Station"]
        try forbid(in: files) { line in others.contains { line.contains($0) } }
        let port = try SourceTree.text("Sources/Ledgers/Ledger/CustomerLedger.swift")
        #expect(port.contains("private let ledger: any LedgerStore"))
        #expect(port.ranges(of: "package func ").count == 2)
    }

    @Test("No source contains a TODO or FIXME")
    func unfinished() throws {
        try forbid(in: try SourceTree.files(below: "Sources")) { line in
            ["TODO", "FIXME", "not implemented"].contains(where: line.contains)
        }
    }

    private func requireReason(
        in files: [SourceTree.File], where isDoubtful: (String) -> Bool
    ) throws {
        for file in files {
            for (number, line) in file.lines.enumerated()
            where isDoubtful(line) && !line.trimmed.hasPrefix("//") {
                let above = number > 0 ? file.lines[number - 1].trimmed : ""
                #expect(above.hasPrefix("//"), "\(file):\(number + 1)")
            }
        }
    }

    private func forbid(
        in files: [SourceTree.File], _ isForbidden: (String) -> Bool
    ) throws {
        for file in files {
            for (number, line) in file.lines.enumerated()
            where isForbidden(line) && !line.trimmed.hasPrefix("//") {
                Issue.record("\(file):\(number + 1): \(line.trimmed)")
            }
        }
    }

    private func declaresPublicType(_ line: String) -> Bool {
        let words = line.split(separator: " ").map(String.init)
        guard words.first == "public" else { return false }
        return words.dropFirst().prefix(3).contains {
            ["struct", "enum", "class", "actor", "protocol"].contains($0)
        }
    }

    /// First and last line of each function, by the indentation that the formatter guarantees.
    private func functions(in lines: [String]) -> [(Int, Int)] {
        lines.indices.compactMap { start in
            let line = lines[start]
            guard line.contains("func ") || line.trimmed.hasPrefix("init"),
                !line.trimmed.hasPrefix("//")
            else { return nil }
            let closing = String(line.prefix { $0 == " " }) + "}"
            guard let end = lines[start...].firstIndex(of: closing) else { return nil }
            // A requirement of a protocol has no body: its "end" is the protocol's.
            let opens = lines[start...end].contains { $0.hasSuffix("{") }
            return opens ? (start, end) : nil
        }
    }
}

extension String {
    fileprivate var trimmed: Substring { drop { $0 == " " } }
}
