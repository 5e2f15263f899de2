import OperatingSystem
import StationFiles
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("API tokens on the command line")
struct TokenCommandTests {
    @Test("Tokens are added, listed and revoked, and only a hash of each is stored")
    func life() async throws {
        let bench = try ProgramBench()
        #expect(await bench.run("tokens list") == .init(status: 0, text: "No tokens\n"))
        let added = await bench.run(
            "--json tokens add shelf --may tags --origin https://App.example:443 "
                + "--origin http://localhost:5173")
        let document = try JSONValue.parsing(Array(added.text.utf8))
        let text = try #require(document["token"]?.string)
        #expect(text.hasPrefix("tapcard_") && text.utf8.count == "tapcard_".utf8.count + 43)
        #expect(document["origins"] == ["https://app.example", "http://localhost:5173"])
        #expect(document["reader"] == .null && document["expires"] == .null)
        let door = await bench.run("tokens add door --may watch").text.split(separator: "\n")
        #expect(door.count == 2 && door[0] == "Token door, shown only this once:")
        #expect(door[1].hasPrefix("tapcard_") && door[1] != text)
        #expect(
            await bench.run("tokens list").text == """
                shelf: may tags, https://app.example http://localhost:5173
                door: may watch, programs

                """)
        let file = DurableFile(bench.path(of: "tokens.json"))
        #expect(try file.permissions() == 0o600)
        let kept = String(decoding: try #require(try file.read()), as: UTF8.self)
        #expect(kept.contains("shelf") && !kept.contains("tapcard_"))
        let tokens = try TokenFile(path: file.path).load()
        #expect(tokens.token(text)?.name == "shelf" && tokens.token(text + "A") == nil)
        let again = await bench.run("tokens add shelf --may watch")
        #expect(again.status == 2, "\(again.text)")
        #expect(again.text.contains("There is already a token named shelf. Nothing was changed."))
        #expect(await bench.run("tokens revoke shelf").text == "Token shelf is revoked\n")
        #expect(try TokenFile(path: file.path).load().token(text) == nil)
        let unknown = await bench.run("tokens revoke shelf")
        #expect(unknown.status == 4 && unknown.text.contains("There is no token named shelf."))
    }

    @Test("A token can be limited to a number of days, a last day, or one reader")
    func limits() async throws {
        let bench = try ProgramBench()
        let day = LocalTime.text(ProgramBench.now).prefix { $0 != " " }
        _ = await bench.run("tokens add day --may watch --expires \(day)")
        _ = await bench.run(
            "--reader sim:2 tokens add days --may tags --expires 90d")
        let tokens = try TokenFile(path: bench.path(of: "tokens.json")).load()
        let days = try #require(tokens.last)
        #expect(days.expires?.milliseconds == days.added.milliseconds + 90 * 86_400_000)
        #expect(tokens.map(\.reader) == [nil, "sim:2"])
        #expect(!days.isExpired(at: days.added))
        #expect(days.isExpired(at: try #require(days.expires)))
        // The token is valid until the end of the day in any time zone.
        let end = try #require(tokens.first?.expires)
        #expect(LocalTime.text(end).hasSuffix(" 00:00:00"), "\(LocalTime.text(end))")
        #expect(await bench.run("tokens list").text.contains("expires "))
    }

    @Test(
        "Invalid arguments are refused, and nothing is stored",
        arguments: [
            ("add shelf", "The option --may is missing."),
            ("add shelf --may pay", "does not accept \"pay\" for --may"),
            ("add Shelf --may tags", "is not a valid token name"),
            ("add shelf --may tags --origin *", "is not the origin of a web page"),
            ("add shelf --may tags --origin null", "is not the origin of a web page"),
            ("add shelf --may tags --origin http://app.example", "http is accepted only for"),
            ("add shelf --may tags --expires 0d", "is not a number of days"),
            ("add shelf --may tags --expires +1d", "is not a number of days"),
            ("add shelf --may tags --expires 2023-02-30", "is not a number of days"),
            ("add shelf --may tags --expires 1999-01-01", "The expiry date is in the past"),
            ("add shelf --may tags --expires 9999-12-31", "more than 3650 days away"),
            ("revoke", "needs"),
        ])
    func refusals(_ words: String, _ refusal: String) async throws {
        let bench = try ProgramBench()
        let ended = await bench.run("tokens \(words)")
        #expect(ended.status == 2 && ended.text.contains(refusal), "\(ended.text)")
        #expect(await bench.run("tokens list").text == "No tokens\n")
    }

    @Test(
        "A token file that is damaged, newer, or readable by others is refused and left unchanged",
        arguments: [
            ("", 0o600, "is damaged or from a newer version of tapcard"),
            (#"{"format":"tapcard tokens 2","tokens":[]}"#, 0o600, "from a newer version"),
            (#"{"format":"tapcard tokens 1","tokens":[{"name":"a"}]}"#, 0o600, "is damaged"),
            (#"{"format":"tapcard tokens 1","tokens":[]}"#, 0o644, "can be read by other users"),
        ] as [(String, UInt32, String)])
    func files(text: String, mode: UInt32, words: String) async throws {
        let bench = try ProgramBench()
        let path = try bench.write(text, to: "tokens.json", mode: mode)
        for line in ["tokens list", "tokens add shelf --may tags", "tokens revoke shelf"] {
            let ended = await bench.run(line)
            #expect(ended.status == 1, "\(line)")
            #expect(ended.text.contains(words), "\(ended.text)")
            #expect(ended.text.contains("No API token is accepted until this is fixed."))
        }
        #expect(try DurableFile(path).read() == Array(text.utf8))
    }

    @Test("A token file with an invalid field is refused")
    func altered() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("tokens add shelf --may tags --origin https://app.example")
        let path = bench.path(of: "tokens.json")
        let text = String(decoding: try #require(try DurableFile(path).read()), as: UTF8.self)
        for (old, new) in [
            ("https://app.example", "https://app.example/"), ("\"tags\"", "\"pay\""),
            ("\"sha256\": \"", "\"sha256\": \"00"), ("\"expires\": null", "\"expires\": \"x\""),
            ("\"reader\": null", "\"reader\": 1"), ("\"origins\"", "\"places\""),
        ] {
            #expect(text.contains(old))
            try bench.write(text.replacing(old, with: new), to: "tokens.json", mode: 0o600)
            #expect(await bench.run("tokens list").status == 1, "\(new)")
        }
    }

    @Test("Adding a token to a full file is refused")
    func crowd() async throws {
        let bench = try ProgramBench()
        let file = TokenFile(path: bench.path(of: "tokens.json"))
        _ = await bench.run("tokens add first --may watch")
        let text = String(decoding: try #require(try DurableFile(file.path).read()), as: UTF8.self)
        let entry = try #require(JSONValue.parsing(Array(text.utf8))["tokens"]?.array?.first?.text)
        let entries = (0..<TokenFile.maximumTokens).map { entry.replacing("first", with: "t\($0)") }
        try bench.write(
            "{\"format\":\"tapcard tokens 1\",\"tokens\":[\(entries.joined(separator: ","))]}",
            to: "tokens.json", mode: 0o600)
        let refused = await bench.run("tokens add more --may watch")
        #expect(refused.status == 1)
        #expect(refused.text.contains("Revoke a token that you no longer need."))
        #expect(await bench.run("tokens revoke t0").status == 0)
        #expect(await bench.run("tokens add more --may watch").status == 0)
    }
}
