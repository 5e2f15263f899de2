import Foundation
import Testing

@Suite("The counter page")
struct PageTests {
    private static let room = "Sources/Delivery/CounterPage"

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

    @Test("is a part of the program, file by file")
    func embedded() throws {
        let files = try names()
        #expect(files.contains("index.html") && files.count > 10)
        #expect(try found(/#embed "page\/([^"]+)"/, in: "CounterPage.c") == files)
        #expect(try found(/FILE_NAMED\("([^"]+)"/, in: "CounterPage.c") == files)
    }

    @Test("names all its modules at once, so that none is found late")
    func preloaded() throws {
        let modules = try names(".js")
        #expect(try found(/modulepreload" href="\/([^"]+)"/, in: "page/index.html") == modules)
        for module in modules {
            let imported = try found(/from "\.\/([^"]+)"/, in: "page/\(module)")
            #expect(imported.isSubset(of: modules), "\(module)")
        }
    }

    @Test("asks nobody but its own server, and takes no text for markup")
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

    @Test("keeps its lines and files short")
    func short() throws {
        for name in try names(".js").union(names(".css")) {
            let lines = try SourceTree.text("\(Self.room)/page/\(name)").split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 400 && lines.allSatisfy { $0.count <= 100 }, "\(name)")
        }
    }
}
