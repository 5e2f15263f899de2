import OperatingSystem
import TestSupport
import Testing

@Suite("The generated pages in docs", .ownThread)
struct DocumentationTests {
    @Test(
        "The generated pages match what the program prints",
        arguments: [
            ("COMMANDS.md", "help --markdown"), ("SETTINGS.md", "help --settings"),
            ("schemas.json", "schema"),
        ])
    func pages(name: String, line: String) throws {
        let till = try Till()
        let ended = try till.run(till.words(of: line))
        #expect(ended.status == 0 && ended.errors == "")
        try DocumentationTests.expect(ended.output, in: name)
    }

    @Test("The served API description matches docs/openapi.json")
    func description() throws {
        let page = try CashierPage(Till())
        let answer = try page.get("/api/openapi.json")
        #expect(answer.hasSuffix(" 200"))
        try DocumentationTests.expect(String(answer.dropLast(4)), in: "openapi.json")
        try page.stop()
    }

    private static func expect(_ text: String, in name: String) throws {
        let page = try #require(try DurableFile(Repository.path("docs/\(name)")).read())
        #expect(String(decoding: page, as: UTF8.self) == text, "docs/\(name)")
    }
}
