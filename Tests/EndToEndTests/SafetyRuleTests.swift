import TestSupport
import Testing

@Suite("Safety rules in the built program", .ownThread)
struct SafetyRuleTests {
    /// The symbols name the property but no code for it, because the optimizer removed every use.
    @Test("The built program has no code that could leave out a safety rule")
    func program() throws {
        let folder = try Till()
        let ended = try ChildProcess(
            "/bin/sh",
            ["-c", "nm \"$0\" | grep -E 'SafetyRule.*(eftOut|isDisabled)'", try Executable.path()],
            environment: ["PATH": "/usr/bin:/bin"], folder: folder.home
        ).end()
        #expect(ended.output.contains("isDisabled"), "\(ended.errors)")
        let code = ended.output.split(separator: "\n").filter { $0.lowercased().contains(" t ") }
        #expect(code.isEmpty, "it was built without -O, or as make mutants builds")
    }
}
