import OperatingSystem
import TestSupport
import Testing

@Suite("The trial in docs/SERVERS.md", .ownThread) struct PrintedTrialTests {
    @Test("The commands of the trial work and print what the page shows")
    func trial() throws {
        var issuer = try OfflineTests.TestIssuer()
        defer { issuer.server.kill() }
        // The page has set up the till before.
        let till = try issuer.till(["TAPCARD_READER": "", "TAPCARD_OFFLINE_PAYMENTS": "true"])
        try till.step("init")
        try till.till.step("keys export ~/keys.json")
        let lines = try Self.lines()
        #expect(lines.count { $0.hasPrefix("tapcard ") } > 7)
        for line in lines {
            if line == "# stop the server" { issuer.server.kill() }
            if line == "# start the server" { try issuer.recover() }
            guard line.hasPrefix("tapcard ") else { continue }
            let parts = line.dropFirst("tapcard ".count).split(separator: "#")
            let command = String(parts[0]).replacing("$ledger", with: till.place)
                .replacing(" keys.json", with: " ~/keys.json")
            let ended = try till.till.run(till.till.words(of: command))
            // The words behind a command are those that it prints.
            let words = parts.count > 1 ? String(parts[1].dropFirst()) : ""
            let isRefused = words.hasPrefix("refused: ")
            let printed = words.replacing("refused: ", with: "")
            #expect(isRefused == (ended.status != 0), "\(line): \(ended)")
            #expect(
                printed.isEmpty || (ended.output + ended.errors).contains(printed),
                "\(line): \(ended)")
        }
    }

    /// The lines of the page's code block that uses a simulated reader.
    private static func lines() throws -> [String] {
        let page = try #require(try DurableFile(Repository.path("docs/SERVERS.md")).read())
        let blocks = String(decoding: page, as: UTF8.self).split(separator: "```")
        let block = try #require(
            blocks.first { $0.hasPrefix("sh\n") && $0.contains("--reader sim") })
        return block.split(separator: "\n").map { String($0) }
    }
}
