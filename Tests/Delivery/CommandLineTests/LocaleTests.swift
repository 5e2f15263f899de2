import Testing

@Suite("Locale and width of a terminal")
struct LocaleTests {
    @Test(
        "Text is ASCII in a locale without UTF-8, and JSON is always UTF-8",
        arguments: [
            (["LC_ALL": "C"], true), (["LC_ALL": "POSIX", "LANG": "en_US.UTF-8"], true),
            (["LANG": "en_US.ISO-8859-1"], true), (["LC_ALL": "", "LC_CTYPE": "C"], true),
            ([:], false), (["LC_ALL": "C.UTF-8"], false), (["LANG": "cs_CZ.utf8"], false),
            (["LC_ALL": "cs_CZ.UTF-8", "LANG": "C"], false),
        ] as [([String: String], Bool)])
    func ascii(environment: [String: String], isASCII: Bool) async throws {
        let bench = try ProgramBench(isTerminal: true)
        _ = await bench.run("issue --name Zoë --quiet")
        let environment = environment.merging(["NO_COLOR": "1"]) { $1 }
        let seen = await bench.run("read", environment).text
        #expect(seen.utf8.allSatisfy { $0 < 0x80 } == isASCII, "\(seen)")
        #expect(seen.contains(isASCII ? "ok Zoe, $0.00" : "✓ Zoë, $0.00"), "\(seen)")
        let refused = await bench.run("pay 1…", environment).text
        #expect(refused.contains(isASCII ? "\"1...\"" : "\"1…\""), "\(refused)")
        #expect(await bench.run("read --json", environment).text.contains(#""name":"Zoë""#))
    }

    @Test("Help is as wide as the terminal, or as the documentation if there is none")
    func width() async throws {
        func longest(_ bench: ProgramBench, _ line: String) async -> Int {
            await bench.run(line).text.split(separator: "\n").map(\.count).max() ?? 0
        }
        let usual = try ProgramBench()
        #expect(
            try await longest(ProgramBench(), "takings --help") == longest(usual, "help takings"))
        for columns in [60, 80, 132] {
            let bench = try ProgramBench(isTerminal: true, columns: columns)
            let width = await longest(bench, "takings --help")
            #expect(width <= columns && width > columns - 12, "\(columns)")
        }
        // What an option means begins below it where both have no room on one line.
        let tiny = try ProgramBench(isTerminal: true, columns: 40)
        let help = await tiny.run("help options").text
        #expect(help.contains("\n  --timeout SECONDS\n      Seconds to wait"), "\(help)")
    }
}
