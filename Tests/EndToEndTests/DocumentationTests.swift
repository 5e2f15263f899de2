import OperatingSystem
import TestSupport
import Testing

@Suite("The pages of docs that the program prints", .ownThread)
struct DocumentationTests {
    @Test(
        "are what it prints; make docs writes them",
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

    @Test("the API is described as a page describes it")
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
