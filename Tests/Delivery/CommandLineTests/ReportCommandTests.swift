import BlockingLane
import TapcardDomain
import TestSupport
import Testing
import TextCodecs
import Verbs

@Suite("Reports and exports")
struct ReportCommandTests {
    /// A day at the till, with the accounts kept by the test.
    private struct Played {
        let bench: ProgramBench
        var accounts: [String: Int] = [:]
        var (sold, refunded, credited) = (0, 0, 0)

        init(at time: Guarded<Timestamp>) throws {
            bench = try ProgramBench(clock: { time.withLock { $0 } })
        }

        mutating func move(_ cents: Int, _ debit: String, _ credit: String) {
            accounts[debit, default: 0] -= cents
            accounts[credit, default: 0] += cents
        }

        mutating func run(_ line: String) async throws -> String {
            let document = try await bench.document(line)
            #expect(document["result"]?.string == "done", "\(line): \(document)")
            return document["operation"]?.string ?? ""
        }
    }

    private func played() async throws -> Played {
        let time = Guarded(ProgramBench.now)
        var play = try Played(at: time)
        for product in ["Cup --price 2", "Beer --price 4.50 --deposit Cup", "=Sum --price 1"] {
            _ = try await play.run("products add \(product)")
        }
        _ = try await play.run("issue --balance 50 --name @Ann")
        play.move(50_00, "cash", "purse")
        for round in 0..<5 {
            let paid = try await play.run("pay 3.\(round)0")
            play.move(3_00 + round * 10, "purse", "takings")
            play.sold += 3_00 + round * 10
            _ = try await play.run("sell 2xBeer =Sum")
            play.move(14_00, "purse", "takings")
            _ = try await play.run("sell Beer --rest terminal=1.50")
            play.move(5_00, "purse", "takings")
            play.move(1_50, "terminal", "takings")
            play.sold += 20_50
            _ = try await play.run("sell --returned 3xCup")
            play.move(6_00, "takings", "purse")
            play.credited += 6_00
            let sold = try await play.run("sell =Sum --tender cash")
            play.move(1_00, "cash", "takings")
            _ = try await play.run("sell =Sum --tender terminal")
            play.move(1_00, "terminal", "takings")
            play.sold += 2_00
            _ = try await play.run("refund \(sold)")
            play.move(1_00, "takings", "cash")
            play.refunded += 1_00
            _ = try await play.run("shift cash in 3 --reason Change")
            play.move(3_00, "cash", "safe")
            _ = try await play.run("add 15 --tender other")
            play.move(15_00, "other", "purse")
            let added = try await play.run("add 7")
            play.move(7_00, "cash", "purse")
            if round % 2 == 0 {
                _ = try await play.run("refund \(paid)")
                play.move(3_00 + round * 10, "takings", "purse")
                play.refunded += 3_00 + round * 10
                _ = try await play.run("refund \(added)")
                play.move(7_00, "purse", "cash")
            }
            time.withLock { $0 = $0.adding(milliseconds: 27 * 3_600_000) }
        }
        return play
    }

    private func cents(_ value: JSONValue?) -> Int {
        Int((value?.string ?? "").filter { $0 != "." }) ?? .min
    }

    @Test("Cash that no coins can make is refused, and the card's part is up to the cashier")
    func coins() async throws {
        let bench = try ProgramBench(currency: try #require(Currency(code: "CHF")))
        for (words, status) in [
            ("issue --balance 20.02", 2), ("issue --balance 20", 0),
            ("add 1.23", 2), ("add 1.23 --tender terminal", 0),
            ("products add Soup --price 6.23", 0),
            ("sell Soup --rest cash=1.23", 2), ("sell Soup --rest cash=1.25", 0),
        ] {
            let outcome = await bench.run(words, ["TAPCARD_CURRENCY": "CHF"])
            #expect(outcome.status == status, "\(words): \(outcome.text)")
            if status == 2 {
                #expect(
                    outcome.text.contains("cannot be paid in cash, because the smallest coin is"))
            }
        }
        #expect(try await bench.document("read")["balance"]?.string == "16.25")
    }

    @Test("The whole sale counts toward the ceiling, not only the part that the card pays")
    func ceilingOfTheWhole() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("issue --balance 20")
        _ = await bench.run("products add Soup --price 420")
        let refused = await bench.run("sell Soup --rest cash=410")
        #expect(refused.text.contains("A payment of $420.00 is over $100.00"), "\(refused.text)")
        #expect(await bench.run("sell Soup --rest cash=410 --yes").status == 0)
    }

    @Test("Each report adds up to the accounts that are kept outside")
    func sums() async throws {
        let play = try await played()
        for report in ["days", "hours", "shifts", "cashiers", "tills"] {
            let document = try await play.bench.document("report \(report)")
            let sum = try #require(document["sum"])
            #expect(cents(sum["sold"]) == play.sold)
            #expect(cents(sum["refunded"]) == play.refunded)
            #expect(cents(sum["credited"]) == play.credited)
            #expect(cents(sum["drawer"]) == -(play.accounts["cash"] ?? 0))
            #expect(cents(sum["cashMoved"]) == play.accounts["safe"])
            #expect(cents(sum["toppedUpOther"]) == -(play.accounts["other"] ?? 0))
            #expect(cents(sum["restTerminal"]) == -(play.accounts["terminal"] ?? 0))
            #expect(sum["sales"]?.numberText == "25" && sum["topUps"]?.numberText == "11")
        }
        let products = try await play.bench.document("report products")
        #expect(cents(products["sum"]?["amount"]) == play.accounts["takings"])
        #expect(
            products["rows"]?.array?.map { $0["quantity"]?.numberText } == [
                "15", "15", "15", "15", "8", "5",
            ])
        let outstanding = try await play.bench.document("report outstanding")
        #expect(cents(outstanding["sum"]?["amount"]) == play.accounts["purse"])
        #expect(cents(outstanding["equation"]?["difference"]) == 0)
        let refunds = try await play.bench.document("report refunds")
        #expect(refunds["rows"]?.array?.count == 11)
        #expect(cents(refunds["sum"]?["amount"]) == play.refunded - 5_00 + 21_00)
    }

    @Test("A period contains its days, and the days outside it are the rest")
    func periods() async throws {
        let play = try await played()
        let all = try await play.bench.document("report days")
        let rows = try #require(all["rows"]?.array)
        let day = try #require(rows[1]["day"]?.string)
        #expect(rows.count >= 5)
        var sum = 0
        for span in ["--to \(day)", "--from \(try #require(rows[2]["day"]?.string))"] {
            sum += cents(try await play.bench.document("report products \(span)")["sum"]?["amount"])
        }
        #expect(sum == play.accounts["takings"])
        let one = try await play.bench.document("report days --from \(day) --to \(day)")
        #expect(one["rows"]?.array == [rows[1]])
        #expect(await play.bench.run("report outstanding --from \(day)").status == 2)
    }

    @Test("The bookings in CSV add up to the accounts, and the lines to the takings")
    func exports() async throws {
        let play = try await played()
        let text = await play.bench.run("export").text
        #expect(text.utf8.split(separator: 10).allSatisfy { $0.last == 13 })
        let rows = try CSVText.rows(Array(text.utf8))
        var accounts: [String: Int] = [:]
        for row in rows.dropFirst() {
            let amount = try #require(Int(row[11].filter { $0 != "." }))
            for (account, sign) in [(row[9], -1), (row[10], 1)] {
                let name = String(account.prefix { $0 != ":" })
                accounts[name, default: 0] += sign * amount
            }
            #expect(row[8] == (row[7].isEmpty ? "" : "'@Ann"))
        }
        #expect(accounts == play.accounts)
        let lines = try CSVText.rows(Array(await play.bench.run("export --lines").text.utf8))
        let takings = lines.dropFirst().reduce(0) { $0 + (Int($1[13].filter { $0 != "." }) ?? 0) }
        #expect(takings == play.accounts["takings"])
        #expect(lines.contains { $0[9] == "'=Sum" && $0[13] == "1.00" })
        #expect(lines.contains { $0[9] == "Cup" && $0[13] == "-6.00" })
        #expect(await play.bench.run("export --json").status == 2)
    }

    @Test("Cards are found by a part of the name or number, and operations by what they were")
    func found() async throws {
        let play = try await played()
        let bench = play.bench
        let card = try #require(try await bench.document("find ann")["cards"]?.array?.first)
        #expect(card["name"]?.string == "@Ann")
        let uid = try #require(card["uid"]?.string)
        let byNumber = try await bench.document("find \(uid.suffix(4).lowercased())")
        #expect(byNumber["cards"]?.array == [card])
        #expect(try await bench.document("find bob")["cards"]?.array == [])
        let all = try await bench.document("find --product beer --last 100")
        #expect(all["operations"]?.array?.count == 10 && all["hasMore"]?.bool == false)
        var pages: [JSONValue] = []
        var more = ""
        repeat {
            let page = try await bench.document("find --product beer --last 3\(more)")
            pages += page["operations"]?.array ?? []
            more =
                page["hasMore"]?.bool == true
                ? " --before \(pages.last?["operation"]?.string ?? "")" : ""
        } while !more.isEmpty
        #expect(pages == all["operations"]?.array)
        let payments = try await bench.document("find --amount 3.20")["operations"]?.array
        #expect(payments?.map { $0["kind"]?.string } == ["refund", "pay"])
        #expect(try await bench.document("find --cashier Ann")["operations"]?.array == [])
        let (id, first) = (pages.first?["operation"]?.string ?? "", uid)
        #expect(await bench.run("find --before \(id)").status == 2)
        #expect(await bench.run("find --amount 1 --after \(first)").status == 2)
    }

    @Test("Each shift has a row, and what was booked outside shifts has one")
    func shifts() async throws {
        var play = try Played(at: Guarded(ProgramBench.now))
        _ = try await play.run("products add Soup --price 4")
        _ = try await play.run("issue --balance 20")
        var opened: [String] = []
        for round in 1...2 {
            _ = try await play.run("shift open --float 10")
            opened.append(
                try await play.bench.document("shift show")["shift"]?["id"]?.string ?? "")
            for _ in 0..<round {
                _ = try await play.run("pay 1.50")
                _ = try await play.run("sell Soup --tender cash")
            }
            _ = try await play.run("shift close --counted 14")
        }
        let report = try await play.bench.document("report shifts")
        let rows = try #require(report["rows"]?.array)
        #expect(rows.map { $0["shift"]?.string } == [nil] + opened)
        #expect(rows.map { cents($0["sold"]) } == [0, 5_50, 11_00])
        #expect(rows.map { cents($0["toppedUpCash"]) } == [20_00, 0, 0])
        #expect(rows.map { cents($0["drawer"]) } == [20_00, 4_00, 8_00])
        #expect(rows.first?["opened"] == .null && rows.last?["opened"]?.string != nil)
        #expect(try await play.bench.document("report days")["sum"] == report["sum"])
        #expect(report["leavesOutOpenShift"]?.bool == false)
        // The cash of an open shift cannot be worked out before it is counted.
        let exported = await play.bench.run("export").text
        _ = try await play.run("shift open --float 10")
        _ = try await play.run("sell Soup --tender cash")
        for name in ["days", "hours", "shifts", "products", "cashiers", "tills", "refunds"] {
            let hidden = try await play.bench.document("report \(name)")
            #expect(hidden["leavesOutOpenShift"]?.bool == true, "\(name)")
        }
        #expect(try await play.bench.document("report shifts")["rows"] == report["rows"])
        #expect(await play.bench.run("export").text.hasSuffix(exported))
    }

    @Test("A report in CSV has the same rows as in JSON")
    func csv() async throws {
        let play = try await played()
        let rows = try CSVText.rows(Array(await play.bench.run("report days --csv").text.utf8))
        let document = try await play.bench.document("report days")
        let days = try #require(document["rows"]?.array)
        #expect(rows.count == days.count + 1)
        for (row, day) in zip(rows.dropFirst(), days) {
            #expect(row == day.members?.map { $0.value.string ?? $0.value.numberText ?? "" })
        }
        let asJSON = try await play.bench.document("report days --csv")
        #expect(asJSON["csv"]?.string == (await play.bench.run("report days --csv").text))
    }
}
