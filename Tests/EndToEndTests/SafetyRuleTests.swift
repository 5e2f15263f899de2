import TestSupport
import Testing

@Suite("Rules that can be left out", .ownThread)
struct SafetyRuleTests {
    /// Its symbols name the property that asks, and no code of it where the optimiser has removed
    /// every place that does.
    @Test("are none in the program")
    func program() throws {
        let folder = try Till()
        let ended = try ChildProcess(
            "/bin/sh", ["-c", "nm \"$0\" | grep SafetyRule.*eftOut", try Executable.path()],
            environment: ["PATH": "/usr/bin:/bin"], folder: folder.home
        ).end()
        #expect(ended.output.contains("isLeftOut"), "\(ended.errors)")
        let code = ended.output.split(separator: "\n").filter { $0.lowercased().contains(" t ") }
        #expect(code.isEmpty, "it was built without -O, or as make mutants builds")
    }
}
