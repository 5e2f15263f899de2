import DurableFile
import Testing

@Suite("The pages of docs that the program prints", .ownThread)
struct DocumentationTests {
    @Test(
        "are what it prints; make docs writes them",
        arguments: [
            ("COMMANDS.md", "help --markdown"), ("SETTINGS.md", "help --settings"),
            ("JSON.md", "schema --markdown"),
        ])
    func pages(name: String, line: String) throws {
        let counter = try Counter()
        let ended = try counter.run(counter.words(of: line))
        #expect(ended.status == 0 && ended.errors == "")
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let page = try #require(try DurableFile("/\(root)/docs/\(name)").read())
        #expect(String(decoding: page, as: UTF8.self) == ended.output, "docs/\(name)")
    }
}
