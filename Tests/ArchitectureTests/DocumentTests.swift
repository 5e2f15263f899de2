import Foundation
import Testing

@Suite("Documents and fixtures")
struct DocumentTests {
    @Test("Every fixture is used by a test")
    func fixtures() throws {
        // Each word with the quotes around it: to search every file for every fixture takes long.
        let words = try SourceTree.files(below: "Tests").reduce(into: Set<Substring>()) {
            for line in $1.lines {
                $0.formUnion(line.split { !$0.isLetter && !$0.isNumber && !"._-+\"".contains($0) })
            }
        }
        let names = Set(words.map { $0.trimmingCharacters(in: ["\""]) })
        let fixtures = try SourceTree.paths(below: "fixtures")
            .filter { !$0.hasSuffix("README.md") && $0.contains(".") }
        #expect(!fixtures.isEmpty)
        let screens = try ["screens", "customers"].map { name in
            try SourceTree.text("Tests/BrowserTests/test_\(name).py")
        }.joined()
        for path in fixtures {
            if path.hasPrefix("fixtures/screens/") {
                // A screen three times: light, dark, and narrow or wide.
                let screen = path.dropFirst("fixtures/screens/".count).split(separator: "-")
                    .dropLast().joined(separator: "-")
                #expect(screens.contains("\"\(screen)\""), "\(path)")
                continue
            }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let stem = name.split(separator: ".").first.map(String.init) ?? name
            #expect(names.contains(name) || words.contains("\"\(stem)\""), "\(path)")
        }
    }

    @Test("Every command shown in a document exists with its options")
    func commands() throws {
        let sections = try SourceTree.text("docs/COMMANDS.md").components(separatedBy: "\n## ")
        let general = options(in: try #require(sections.first { $0.hasPrefix("Help: options\n") }))
        let known = sections.filter { $0.hasPrefix("tapcard ") }.map { section in
            let verb = section.prefix { $0 != "\n" }.split(separator: " ").dropFirst()
            return (verb: verb.map(String.init), options: general.union(options(in: section)))
        }
        #expect(known.count > 20 && general.count > 5)
        let pages = try SourceTree.paths(below: "docs").filter { $0.hasSuffix(".md") }
        var count = 0
        for document in ["README.md", "CONTRIBUTING.md"] + pages {
            for words in shownCommands(in: try SourceTree.text(document)) {
                var rest = words[...]
                while let option = rest.first, option.hasPrefix("-") {
                    rest = rest.dropFirst(["--reader", "--ledger"].contains(option) ? 2 : 1)
                }
                let command = known.filter { rest.starts(with: $0.verb) }
                    .max { $0.verb.count < $1.verb.count }
                let isKnown = command != nil || rest.isEmpty
                let label: Comment = "\(document): tapcard \(words.joined(separator: " "))"
                #expect(isKnown, label)
                // The words after "--" belong to another program.
                let shown = words.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }
                #expect(shown.filter { !(command?.options ?? general).contains($0) } == [], label)
                count += 1
            }
        }
        #expect(count > 40)
    }

    @Test("No document contains a placeholder")
    func placeholders() throws {
        let documents = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]
        let pages = try SourceTree.paths(below: "docs").filter { $0.hasSuffix(".md") }
        #expect(pages.count > 5)
        for document in documents + pages {
            let words = Set(
                try SourceTree.text(document).split { !$0.isLetter && $0 != "_" }.map(String.init))
            for word in ["MEASURED", "MUTANTS", "TODO", "FIXME", "TBD", "XXX", "PLACEHOLDER"] {
                #expect(!words.contains(word), "\(document): \(word)")
            }
        }
    }

    @Test("The README says when it was last revised")
    func revised() throws {
        let text = try SourceTree.text("README.md")
        #expect(text.contains(try Regex("Last revised: [0-9]{4}-[0-9]{2}-[0-9]{2}")))
    }

    @Test(
        "Every message that a document quotes is on its page",
        arguments: [
            ("docs/SERVING.md", "Sources/Delivery/TillPage/page"),
            ("docs/CUSTOMERS.md", "Sources/Delivery/CustomerServer"),
        ])
    func quotes(document: String, page: String) throws {
        let files = try SourceTree.paths(below: page).filter {
            $0.hasSuffix(".js") || $0.hasSuffix(".html") || $0.hasSuffix("Words.swift")
        }
        let texts = try files.map { try SourceTree.text($0) }.joined()
        let quotes = try SourceTree.text(document).matches(of: /"([A-Z][A-Za-z ]+)"/).map(\.1)
        #expect(quotes.count > 1)
        for quote in quotes { #expect(texts.contains(quote), "\(document): \(quote)") }
    }

    @Test("Every attack in docs/SECURITY.md names tests that exist")
    func attacks() throws {
        let known = try SourceTree.files(below: "Tests").reduce(into: Set<String>()) {
            $0.formUnion(tests(in: $1))
        }
        #expect(known.contains("DocumentTests.attacks"))
        let page = try SourceTree.text("docs/SECURITY.md").components(separatedBy: "## ")
        let sections = page.filter {
            $0.hasPrefix("Attacks\n") || $0.hasPrefix("A till with a reader ")
        }
        #expect(sections.count == 2)
        let rows = sections.flatMap { section in
            section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        }
        #expect(rows.count > 40)
        for row in rows {
            let cells = row.components(separatedBy: " | ")
            #expect(cells.count == 4, "\(row)")
            let named = (cells.last ?? "").matches(of: /`(\w+\.\w+)`/).map(\.output.1)
            #expect(!named.isEmpty, "\(row)")
            for name in named { #expect(known.contains(String(name)), "\(name)") }
        }
    }

    /// As in `DocumentTests.attacks`: a type and its functions marked as tests.
    private func tests(in file: SourceTree.File) -> [String] {
        var found: [String] = []
        var type: Substring = ""
        var isTest = false
        var isSuite = false
        // An expression is compiled once for as long as it lives.
        let declaration = /^ *(?:@.*)?\b(?:struct|enum|class|extension) (\w+)/
        let function = /\bfunc (\w+)/
        for line in file.lines where !line.isEmpty {
            // Some suites stand inside another one.
            if line.contains("@Suite") { isSuite = true }
            if isSuite || !line.hasPrefix(" "), let match = line.firstMatch(of: declaration) {
                type = match.output.1
                isSuite = false
            }
            if line.contains("@Test") { isTest = true }
            if isTest, let match = line.firstMatch(of: function) {
                found.append("\(type).\(match.output.1)")
                isTest = false
            }
        }
        return found
    }

    @Test("The first example and the example for tags appear in full in docs/LIBRARY.md")
    func example() throws {
        let page = try SourceTree.text("docs/LIBRARY.md")
        for file in [
            "Till/Package.swift", "Till/Sources/Till/main.swift",
            "Spool/Sources/Spool/main.swift",
        ] {
            let text = try SourceTree.text("Examples/\(file)")
            #expect(page.contains("```swift\n\(text)```"), "\(file)")
        }
    }

    @Test(
        "Each example depends on the products that it imports",
        arguments: ["Till", "PulledCard", "Spool"])
    func imports(name: String) throws {
        let manifest = try SourceTree.text("Examples/\(name)/Package.swift")
        let products = manifest.matches(of: /\.product\(name: "(\w+)", package: "tapcard"\)/)
            .map(\.output.1)
        #expect(!products.isEmpty)
        var modules: Set<String> = ["Foundation"]
        for product in products {
            let targets = Manifest.package.targets(ofProduct: String(product))
            #expect(!targets.isEmpty, "\(product) is a product")
            modules.formUnion(targets)
        }
        let path = "Examples/\(name)/Sources/\(name)/main.swift"
        for module in SourceTree.File(path: path, text: try SourceTree.text(path)).imports {
            #expect(modules.contains(module), "\(module)")
        }
    }

    /// The options in the first column of a table.
    private func options(in section: String) -> Set<String> {
        section.split(separator: "\n").filter { $0.hasPrefix("| `") }.reduce(into: []) {
            let cell = $1.dropFirst(3).prefix { $0 != "|" && $0 != "`" }
            $0.formUnion(
                cell.split { " ,".contains($0) }.filter { $0.hasPrefix("-") }.map(String.init))
        }
    }

    /// The words behind `tapcard` on the lines of code blocks, fenced or indented, up to the end of
    /// the command.
    private func shownCommands(in text: String) -> [[String]] {
        let command =
            #/
            \s* (?: \$\s | until\s | sudo\s-u\stapcard\s | [A-Z_]+=\S*\s )*
            (?: ExecStart= )? (?: /\S+/ )? tapcard\s (.+)
            /#
        var fence: Substring?
        var commands: [[String]] = []
        for line in text.replacing("\\\n", with: "").split(separator: "\n") {
            let code = line.trimmingPrefix { $0 == " " }
            if code.hasPrefix("```") {
                fence = fence == nil ? code.dropFirst(3) : nil
                continue
            }
            let isCode = fence.map { $0 != "mermaid" } ?? line.hasPrefix("    ")
            guard isCode, let match = line.wholeMatch(of: command) else { continue }
            let words = match.output.1.replacing(/"[^"]*"|'[^']*'/, with: "NAME")
                .split(separator: " ").prefix { !$0.contains { "#|&;<>".contains($0) } }
            commands.append(words.map(String.init))
        }
        return commands
    }
}
