import Foundation
import Testing

@Suite("Documents and fixtures")
struct DocumentTests {
    @Test("every fixture is used by a test")
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

    @Test("every command shown in a document exists")
    func commands() throws {
        let known = try SourceTree.text("docs/COMMANDS.md").split(separator: "\n")
            .filter { $0.hasPrefix("## tapcard ") }
            .map { $0.dropFirst("## tapcard ".count).split(separator: " ").map(String.init) }
        #expect(known.count > 20)
        for document in ["README.md", "docs/READERS.md", "docs/TESTING.md", "CONTRIBUTING.md"] {
            guard let text = try? SourceTree.text(document) else { continue }
            for words in shownCommands(in: text) {
                let isKnown = known.contains { words.starts(with: $0) }
                #expect(isKnown, "\(document): tapcard \(words.joined(separator: " "))")
            }
        }
    }

    @Test("no document waits for its figures")
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

    @Test("the README says when it was last revised")
    func revised() throws {
        let text = try SourceTree.text("README.md")
        #expect(text.contains(try Regex("Last revised: [0-9]{4}-[0-9]{2}-[0-9]{2}")))
    }

    @Test("every attack in docs/SECURITY.md names tests that exist")
    func attacks() throws {
        let known = try SourceTree.files(below: "Tests").reduce(into: Set<String>()) {
            $0.formUnion(tests(in: $1))
        }
        #expect(known.contains("DocumentTests.attacks"))
        let page = try SourceTree.text("docs/SECURITY.md").components(separatedBy: "## ")
        let section = try #require(page.first { $0.hasPrefix("Attacks\n") })
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        #expect(rows.count > 25)
        for row in rows {
            let cells = row.components(separatedBy: " | ")
            #expect(cells.count == 4, "\(row)")
            let named = (cells.last ?? "").matches(of: /`([A-Za-z]+\.[A-Za-z]+)`/).map(\.output.1)
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

    @Test("the library's first example stands whole on its page")
    func example() throws {
        let page = try SourceTree.text("docs/LIBRARY.md")
        for file in ["Package.swift", "Sources/Till/main.swift"] {
            let text = try SourceTree.text("Examples/Till/\(file)")
            #expect(page.contains("```swift\n\(text)```"), "\(file)")
        }
    }

    @Test("an example names the products that it imports", arguments: ["Till", "PulledCard"])
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

    /// The words behind `tapcard` on the lines of code blocks, global options left out.
    private func shownCommands(in text: String) -> [[String]] {
        var isCode = false
        var commands: [[String]] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") { isCode.toggle() }
            var words = line.replacing(/"[^"]*"/, with: "NAME").split(separator: " ").map(
                String.init)
            if words.first == "$" { words.removeFirst() }
            guard isCode, words.first == "tapcard" else { continue }
            words.removeFirst()
            while let option = words.first, option.hasPrefix("--") {
                words.removeFirst()
                if ["--reader", "--ledger"].contains(option) { words.removeFirst() }
            }
            if !words.isEmpty { commands.append(words) }
        }
        return commands
    }
}
