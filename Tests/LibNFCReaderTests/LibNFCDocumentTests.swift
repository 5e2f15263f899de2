import Foundation
import Testing

@Suite("docs/LIBNFC.md")
struct LibNFCDocumentTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

    /// The sentences in quotes after `@Test` or `@Suite`.
    private static func names(in source: String) -> [String] {
        source.matches(of: /@(?:Test|Suite)\(\s*"([^"]+)"/).map { String($0.1).lowercased() }
    }

    @Test("every test that it names is there")
    func names() throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.tests, includingPropertiesForKeys: nil)
        let sources = try files.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
        let known = Set(sources.flatMap(Self.names))
        let page = try String(
            contentsOf: Self.tests.appending(path: "../../docs/LIBNFC.md"), encoding: .utf8)
        let text = page.replacing(/\s+/, with: " ")
        let named = text.matches(of: /\*([^*]+)\*/).map { String($0.1).lowercased() }
        #expect(named.count > 40)
        for name in named where name != "italics" {
            let isKnown = known.contains(name)
            #expect(isKnown, "no test is called \(name)")
        }
    }
}
