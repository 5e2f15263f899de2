import Foundation
import TestSupport
import Testing

@Suite("The examples of docs/LIBRARY.md", .ownThread)
struct LibraryExampleTests {
    private static let examples = URL(filePath: Repository.path("Examples"))

    /// The tutorials show the same file.
    @Test(
        "Each example prints the output that its page shows",
        arguments: ["Till", "PulledCard", "Spool"])
    func runs(name: String) throws {
        let till = try Till()
        let ended = try ChildProcess(
            try Executable.path(of: "\(name)Example"), [], environment: [:], folder: till.home
        ).end()
        #expect(ended.status == 0, "\(ended.errors)")
        let expected = Self.examples.appending(path: "\(name)/output.txt")
        #expect(ended.output == (try String(contentsOf: expected, encoding: .utf8)))
    }
}
