import TestSupport
import Testing

@Suite("The session in the README", .ownThread)
struct ReadmeTests {
    /// Runs the lines after "$ " in one shell, and prints each before its output.
    private static let play = """
        while IFS= read -r line; do
            case $line in
            '$ '*) printf '%s\\n' "$line"; eval "${line#??}" < /dev/null ;;
            esac
        done << 'END'
        """

    @Test("The session in the README shows what the program prints")
    func transcript() throws {
        let till = try Till()
        let page = try till.text(of: Repository.path("README.md"))
        let shown = try #require(page.firstMatch(of: /\n```\n(\$ (?s:.*?\n))```\n/)).1
        let programs = try Executable.path().split(separator: "/").dropLast().joined(separator: "/")
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "\(Self.play)\n\(shown)END\n"],
            environment: ["HOME": till.home, "PATH": "/\(programs):/usr/bin:/bin"],
            folder: till.home)
        let ended = try shell.end()
        #expect(ended.status == 0 && ended.errors == "")
        #expect(till.masked(ended.output) == till.masked(String(shown)))
    }
}
