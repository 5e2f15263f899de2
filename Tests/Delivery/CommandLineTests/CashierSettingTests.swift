import TapcardCore
import TapcardDomain
import Testing
import TextCodecs

@Suite("The cashier of a station")
struct CashierSettingTests {
    private static let ann = ["TAPCARD_CASHIER": "Ann"]

    @Test("The history names the cashier of each operation")
    func history() async throws {
        let bench = try ProgramBench()
        let issued = await bench.run("issue --balance 20 --quiet", Self.ann)
        #expect(issued.status == 0)
        #expect(await bench.run("pay 4.50 --quiet", ["TAPCARD_CASHIER": "Bob"]).status == 0)
        #expect(await bench.run("block --quiet", Self.ann).status == 0)
        #expect(await bench.run("unblock --quiet").status == 0)
        #expect(await bench.run("forget --quiet").status == 0)
        let entries = try await bench.document("history")["entries"]?.array ?? []
        #expect(entries.map { $0["cashier"]?.string } == ["Ann", "Bob", "Ann", nil, nil])
        let lines = await bench.run("history").text.split(separator: "\n")
        #expect(lines.map { $0.hasSuffix("  by Ann") } == [true, false, true, false, false])
        #expect(lines[1].hasSuffix("  by Bob"))
    }

    @Test("A repeated request keeps the cashier who made it first")
    func repetition() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("issue --balance 20 --quiet")
        let line = "pay 4.50 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
        _ = await bench.run(line, Self.ann)
        let again = await bench.run(line, ["TAPCARD_CASHIER": "Bob"])
        #expect(again.status == 0 && again.text.contains("(already done; balance at that time)"))
        #expect(
            try await bench.document("history")["entries"]?.array?.last?["cashier"]?.string == "Ann"
        )
    }

    @Test("The cashier is set in the file or the environment, and config shows which")
    func config() async throws {
        let bench = try ProgramBench()
        #expect(
            await bench.run("config").text.contains(
                "cashier                    default          no cashier\n"))
        try bench.set(#"{"cashier":"Zoë"}"#)
        #expect(
            await bench.run("config").text.contains(
                "cashier                    file             Zoë\n"))
        let shown = await bench.run("config", Self.ann).text
        #expect(shown.contains("cashier                    variable         Ann\n"), "\(shown)")
    }

    @Test(
        "A cashier setting that is not a valid name is refused",
        arguments: ["\u{1B}[2J", " ", "Ann\u{7}"])
    func refusals(_ name: String) async throws {
        let ended = try await ProgramBench().run("history", ["TAPCARD_CASHIER": name])
        #expect(ended.status == 2)
        #expect(ended.text.contains(" is not a valid cashier name: "), "\(ended.text)")
        #expect(ended.text.hasSuffix("Nothing was done. Use another name, or none.\n"))
    }

    @Test("A cashier name longer than 40 characters is refused")
    func length() async throws {
        let bench = try ProgramBench()
        let most = String(repeating: "é", count: CashierName.maximumLength)
        #expect(await bench.run("config", ["TAPCARD_CASHIER": most]).status == 0)
        let ended = await bench.run("config", ["TAPCARD_CASHIER": most + "x"])
        #expect(ended.status == 2)
        #expect(ended.text.contains("the name has 41 characters; at most 40 are allowed"))
    }
}
