import Foundation
import Testing

@Suite("The files of the till page")
struct TillPageTests {
    private static let room = "Sources/Delivery/TillPage"

    private func names(_ suffix: String = "") throws -> Set<String> {
        Set(
            try SourceTree.paths(below: "\(Self.room)/page").filter { $0.hasSuffix(suffix) }
                .map { $0.split(separator: "/").last.map(String.init) ?? "" })
    }

    private func found(
        _ pattern: Regex<(Substring, Substring)>, in path: String
    ) throws
        -> Set<String>
    {
        Set(try SourceTree.text("\(Self.room)/\(path)").matches(of: pattern).map { String($0.1) })
    }

    @Test("Every file of the page is embedded in the program")
    func embedded() throws {
        let files = try names()
        #expect(files.contains("index.html") && files.count > 10)
        #expect(try found(/#embed "page\/([^"]+)"/, in: "TillPage.c") == files)
        #expect(try found(/FILE_NAMED\("([^"]+)"/, in: "TillPage.c") == files)
    }

    @Test("The page preloads all of its modules")
    func preloaded() throws {
        let modules = try names(".js")
        #expect(try found(/modulepreload" href="\/([^"]+)"/, in: "page/index.html") == modules)
        for module in modules {
            let imported = try found(/from "\.\/([^"]+)"/, in: "page/\(module)")
            #expect(imported.isSubset(of: modules), "\(module)")
        }
    }

    @Test("Each module imports only what the other one exports")
    func exported() throws {
        for module in try names(".js") {
            let text = try SourceTree.text("\(Self.room)/page/\(module)")
            for line in text.matches(of: /import \{([^}]+)\} from "\.\/([^"]+)"/) {
                let exported = try found(
                    /export (?:async )?(?:const|function|class) (\w+)/, in: "page/\(line.2)")
                let names = line.1.split(whereSeparator: { ", \n".contains($0) }).map(String.init)
                #expect(exported.isSuperset(of: names), "\(module) from \(line.2)")
            }
        }
    }

    @Test("The page names no other server and never inserts text as markup")
    func closed() throws {
        for name in try names() {
            let text = try SourceTree.text("\(Self.room)/page/\(name)")
            for forbidden in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
            ] {
                #expect(!text.contains(forbidden), "\(name): \(forbidden)")
            }
            let addresses = text.matches(of: /https?:\/\/[^\s"'<>)]+/).map { String($0.output) }
            // The name of a format is no address.
            #expect(addresses.allSatisfy { $0.hasPrefix("http://www.w3.org/") }, "\(name)")
        }
    }

    /// The names in the error table, read from the help that is generated from it.
    private func errors() throws -> Set<String> {
        Set(
            try SourceTree.text("docs/COMMANDS.md").matches(of: /(?m)^\| `([a-z-]+)` \| [a-z-]+ \(/)
                .map { String($0.1) })
    }

    /// The steps for which the page has words.
    private func knownSteps() throws -> [String] {
        let page = try SourceTree.text("\(Self.room)/page/steps.js")
        let table = try #require(page.firstMatch(of: /export const steps = \{\n(?s:(.*?))\n\};/)).1
        return table.matches(of: /(?m)^ {2}"?([a-z-]+)"?:/).map { String($0.1) }
    }

    @Test("The page has words for exactly the next steps that the server names")
    func steps() throws {
        let folders = ["Verbs", "TillServer"].map { "Sources/Delivery/\($0)" }
        let sources = try folders.flatMap { try SourceTree.files(below: $0) }
            .map { $0.lines.joined(separator: "\n") }
        let named = Set(
            sources.flatMap { $0.matches(of: /NextWords\(\s*"([a-z-]+)"/) }.map { String($0.1) })
        #expect(named.count > 90)
        let known = try knownSteps()
        #expect(Set(known) == named)
        #expect(known.count == named.count)
    }

    @Test("The page has words for exactly the reasons that rule out an offline payment")
    func offlinePayments() throws {
        let judgment = try SourceTree.text(
            "Sources/Core/TapcardCore/Offline/OfflineDecision.swift")
        let words = try #require(judgment.firstMatch(of: /package var word: (?s:(.*?))\n {8}\}/)).1
        var named = Set(words.matches(of: /case \.\w+: "([a-z-]+)"/).map { String($0.1) })
        #expect(named.count == 10 && words.contains(#""card-\(status.rawValue)""#))
        // An active card is not a reason.
        named.formUnion(["card-blocked", "card-closed", "card-replaced"])
        let page = try SourceTree.text("\(Self.room)/page/strings.js")
        let table = try #require(page.firstMatch(of: /notOffline: \{\n(?s:(.*?))\n {4}\},/)).1
        let known = table.matches(of: /(?m)^ {6}"?([a-z-]+)"?:/).map { String($0.1) }
        #expect(Set(known) == named && known.count == named.count)
    }

    @Test("The page has its own words only for errors and steps that exist")
    func refusals() throws {
        let page = try SourceTree.text("\(Self.room)/page/steps.js")
        let table = try #require(page.split(separator: "export const refusals").last)
        let errors = try errors()
        let keys = table.matches(of: /(?m)^ {2}"([a-z-]+)(?: ([a-z-]+))?":/)
        #expect(keys.count > 3)
        for key in keys {
            #expect(errors.contains(String(key.1)), "\(key.1)")
            if let step = key.2 {
                #expect(
                    page.contains("\n  \(step): ") || page.contains("\n  \"\(step)\":"), "\(step)")
            }
        }
        let advice = try #require(
            page.firstMatch(of: /export const adviceByError = \{\n(?s:(.*?))\n\};/)
        ).1
        let advised = advice.matches(of: /(?m)^ {2}"([a-z-]+) [a-z\/]+":/).map { String($0.1) }
        #expect(!advised.isEmpty && errors.isSuperset(of: advised))
    }

    @Test("The page's tables of texts use only names of the error table as keys")
    func keyedErrors() throws {
        let errors = try errors().union(serverConditions())
        let page = try SourceTree.text("\(Self.room)/page/strings.js")
        for name in ["named", "why", "plates", "noLedger", "repeatQuestions"] {
            let pattern = try Regex<(Substring, Substring)>("\\b\(name): \\{((?s:.*?))\\},\\n")
            let table = try #require(page.firstMatch(of: pattern), "\(name)").1
            let keys = table.matches(of: /[\s,]"?([a-z-]+)"?: ["\[]/).map { String($0.1) }
            #expect(!keys.isEmpty)
            #expect(
                errors.isSuperset(of: Set(keys).subtracting(["other", "unchecked"])), "\(name)")
        }
    }

    /// The conditions that only the server reports, which the page also compares.
    private func serverConditions() throws -> Set<String> {
        let table = try SourceTree.text("Sources/Delivery/TillServer/Routing/ServerCondition.swift")
        let cases = table.matches(of: /(?m)^ {4}case (\w+)(?: = "([a-z-]+)")?$/)
        #expect(cases.count > 10)
        return Set(cases.map { String($0.2 ?? $0.1) })
    }

    @Test("The page's modules compare errors only with conditions of a command or the server")
    func serverErrors() throws {
        let errors = try errors().union(serverConditions())
        for module in ["tasks.js", "api.js"] {
            let named = try found(/error [!=]== "([a-z-]+)"/, in: "page/\(module)")
            #expect(!named.isEmpty && named.isSubset(of: errors), "\(module)")
        }
    }

    @Test("The page compares errors only with names of the error table")
    func comparedErrors() throws {
        let errors = try errors().union(serverConditions())
        // And why an offline payment was refused.
        let known = errors.union(try knownSteps()).union(["open-operation"])
        for module in ["refusals.js", "store.js"] {
            let path = "page/\(module)"
            var named = try found(/error [!=]== "([a-z-]+)"/, in: path)
            for list in try found(/NOT_CARDS =\s*\[([^\]]+)\]/, in: path) {
                named.formUnion(list.matches(of: /"([a-z-]+)"/).map { String($0.1) })
            }
            #expect(named.count > 1 && named.isSubset(of: errors), "\(module)")
            // Other words with a hyphen are steps.
            let words = try found(/"([a-z]+(?:-[a-z]+)+)"/, in: path)
            #expect(words.isSubset(of: known), "\(module)")
        }
    }

    @Test("The page's files have at most 400 lines of at most 100 columns")
    func short() throws {
        for name in try names(".js").union(names(".css")) {
            let lines = try SourceTree.text("\(Self.room)/page/\(name)").split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 400 && lines.allSatisfy { $0.count <= 100 }, "\(name)")
        }
    }
}
