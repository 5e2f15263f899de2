import Testing

@Suite("The example of docs/LIBRARY.md", .ownThread)
struct LibraryExampleTests {
    @Test("is built with the package, and does what the page says")
    func runs() throws {
        let counter = try Counter()
        let ended = try ChildProcess(
            try Executable.path(of: "CounterExample"), [], environment: [:], folder: counter.home
        ).end()
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(
            ended.output == """
                04AC6B72BA6C80 belongs to Amanda Gonzalez
                paid; $15.50 left

                """)
    }
}
