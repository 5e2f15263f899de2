import BlockingLane
import TapcardCore
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

@Suite("Takings on the command line")
struct TakingsCommandTests {
    /// A bench with a card that has paid, and the local day and hour of its payments.
    private func paid() async throws -> (bench: ProgramBench, day: String, hour: Int) {
        let bench = try ProgramBench()
        for line in ["issue --balance 20", "pay 4.50", "add 1", "pay 2.25"] {
            #expect(await bench.run(line + " --quiet").status == 0)
        }
        // "2023-11-14 22:13:20", wherever this runs.
        let text = await bench.run("history").text
        return (bench, String(text.prefix(10)), try #require(Int(text.dropFirst(11).prefix(2))))
    }

    @Test("The takings list each hour with movements, the sums, and the drawer")
    func people() async throws {
        let (bench, day, hour) = try await paid()
        let clock = (hour < 10 ? "0" : "") + "\(hour):00"
        let table = """
            \(day)   paid   added  paid out
            \(clock)       $6.75  $21.00     $0.00
            sum         $6.75  $21.00     $0.00
            The drawer holds $21.00 more than before.

            """
        #expect(await bench.run("takings") == .init(status: 0, text: table))
        #expect(await bench.run("takings --day \(day)") == .init(status: 0, text: table))
        _ = await bench.run("close --quiet")
        let closed = await bench.run("takings").text
        #expect(closed.hasSuffix("The drawer holds $6.75 more than before.\n"), "\(closed)")
    }

    @Test("The takings in JSON have all 24 hours, the sums, and the drawer")
    func programs() async throws {
        let (bench, day, hour) = try await paid()
        let document = try await bench.document("takings")
        #expect(document["result"]?.string == "done" && document["day"]?.string == day)
        #expect(document["currency"]?.string == "USD")
        let hours = try #require(document["hours"]?.array)
        #expect(hours.map { $0["hour"]?.numberText } == (0..<24).map(String.init))
        for (number, document) in hours.enumerated() {
            #expect(document["paid"]?.string == (number == hour ? "6.75" : "0.00"))
            #expect(document["added"]?.string == (number == hour ? "21.00" : "0.00"))
            #expect(document["paidOut"]?.string == "0.00")
        }
        #expect(document["paid"]?.string == "6.75" && document["added"]?.string == "21.00")
        #expect(document["paidOut"]?.string == "0.00" && document["drawer"]?.string == "21.00")
        #expect(document["payments"]?.numberText == "2")
        #expect(document["topUps"]?.numberText == "2")
        #expect(document["payouts"]?.numberText == "0")
    }

    @Test("A refund on a later day makes that day's sum negative, as the schema allows")
    func laterRefund() async throws {
        let time = Guarded(ProgramBench.now)
        let bench = try ProgramBench(clock: { time.withLock { $0 } })
        #expect(await bench.run("issue --balance 20 --quiet").status == 0)
        let paid = try await bench.document("pay 4.50")
        time.withLock { $0 = $0.adding(milliseconds: 86_400_000) }
        let id = try #require(paid["operation"]?.string)
        #expect(await bench.run("refund \(id) --quiet").status == 0)
        let document = try await bench.document("takings")
        #expect(document["paid"]?.string == "-4.50")
        let schema = try JSONValue.parsing(Array(await bench.run("schema takings").text.utf8))
        #expect(SchemaChecker(document: schema).faults(of: document, against: schema) == [])
    }

    @Test("The takings of a day without movements are zero")
    func otherDay() async throws {
        let (bench, _, _) = try await paid()
        #expect(
            await bench.run("takings --day 2023-11-10").text == """
                2023-11-10   paid  added  paid out
                sum         $0.00  $0.00     $0.00
                The drawer holds $0.00 more than before.

                """)
    }

    @Test(
        "Takings of an invalid date are refused",
        arguments: ["2023-02-30", "today", "14.11.2023", "1"])
    func refusals(_ day: String) async throws {
        let ended = try await ProgramBench().run("takings --day \(day)")
        #expect(ended.status == 2)
        #expect(
            ended.text == """
                ! tapcard: \(day.debugDescription) is not a date (such as 2026-11-22). \
                Nothing was read.

                """)
    }

    @Test("The history can be cut to its newest entries")
    func lastLines() async throws {
        let (bench, _, _) = try await paid()
        let all = await bench.run("history").text.split(separator: "\n")
        let last = await bench.run("history --last 2").text.split(separator: "\n")
        #expect(all.count == 4 && last == Array(all.suffix(2)))
        #expect(await bench.run("history --last 1000").text.split(separator: "\n") == all)
        let entries = try await bench.document("history --last 1")["entries"]?.array
        #expect(entries?.map { $0["amount"]?.string } == ["-2.25"])
    }

    @Test("A history length outside 1 to 1000 is refused", arguments: ["0", "1001", "-1", "all"])
    func badLast(_ number: String) async throws {
        let ended = try await ProgramBench().run("history --last=\(number)")
        #expect(ended.status == 2)
        #expect(
            ended.text == """
                ! tapcard: The value for --last must be a whole number from 1 to 1000, not "\(number)". \
                Nothing was read.

                """)
    }
}
