import OperatingSystem
import OtherClients
import TestSupport
import Testing

/// Runs each program of the benchmark once. A sanitizer's options do not reach the programs that
/// the benchmark starts.
@Suite(
    "The benchmark against other programs", .ownThread,
    .disabled(if: Thoroughness.isSanitized))
struct PeerBenchmarkTests {
    private static let secondsLimit: Int32 = 300
    private static let rows = 16

    private func run(_ library: String, _ words: String...) throws -> Client.Ended {
        try Client.peers(secondsLimit: Self.secondsLimit)
            .run([try Executable.path(), library, "--quick"] + words)
    }

    @Test("Every program does what its row says, and docs/PEERS.md has every row")
    func rows() throws {
        let ended = try run(try Executable.path(of: "PagesWithTapcard"))
        #expect(ended.status == 0, "\(ended.text)")
        let rows = ended.text.split(separator: "\n").filter { $0.hasPrefix("- ") }
        #expect(rows.count == Self.rows, "\(ended.text)")
        let file = try #require(try DurableFile(Repository.path("docs/PEERS.md")).read())
        let page = Set(String(decoding: file, as: UTF8.self).split(separator: "\n"))
        for row in rows { #expect(page.contains(row), "\(row)") }
    }

    @Test("A program that reports success but does nothing fails the benchmark")
    func idle() throws {
        let ended = try run("/usr/bin/true", "--only", "library")
        #expect(ended.status == 1)
        #expect(ended.text.contains("tapcard's library: printed something else than the tag holds"))
        #expect(
            ended.text.contains(
                "tapcard's library: the tag does not hold what was to be written"))
        #expect(!ended.text.contains("| tapcard's library"), "\(ended.text)")
    }
}
