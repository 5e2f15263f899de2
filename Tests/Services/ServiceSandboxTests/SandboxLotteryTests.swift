import ServiceSandbox
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

@Suite("The sandbox's lottery")
struct SandboxLotteryTests {
    private func text(_ answer: SandboxAnswer) throws -> String {
        guard case .text(let text) = answer.body else {
            Issue.record("a body that is not text")
            return ""
        }
        return text
    }

    @Test("The draws and tickets begin with the documented example")
    func examples() throws {
        let lottery = SandboxLottery()
        let draws = try text(lottery.answerDraws())
        #expect(
            draws.hasPrefix(
                #"{"draws":[{"id":"draw-1","drawDate":"2023-05-15","number1":"2","number2":"16","#
                    + #""number3":"23","number4":"44","number5":"47","number6":"52","#
                    + #""bonus-ball":"14","topPrize":4000000000},{"id":"draw-2","#))
        #expect(lottery.draws.map(\.id.text) == ["draw-1", "draw-2", "draw-3", "draw-4"])
        let tickets = try text(lottery.answerTickets())
        #expect(
            tickets.hasPrefix(
                #"{"tickets":[{"id":"ticket-1","drawId":"draw-1","number1":"2","number2":"16","#
                    + #""number3":"23","number4":"44","number5":"47","number6":"52","#
                    + #""bonusBall":"14"},{"id":"ticket-2","#))
    }

    @Test("The example tickets show every outcome of a ticket")
    func tickets() throws {
        let lottery = SandboxLottery()
        let known = try DrawList(lottery.draws)
        let results = lottery.tickets.map { ticket in
            known[ticket.draw].map { draw in
                let result = ticket.result(in: draw)
                return "\(result.matchCount)\(result.isBonusMatched ? "+" : "")"
            }
        }
        #expect(results == ["6+", "3+", "0+", "0", nil])
        #expect(lottery.tickets.last?.draw == (try known.upcoming()))
    }

    @Test("Draws follow each other in time up to a limit, and none has a ball twice")
    func draws() throws {
        var lottery = SandboxLottery()
        var chance = SeededGenerator(seed: 7)
        var counts = [Int](repeating: 0, count: 60)
        while lottery.draws.count < SandboxLottery.maximumDraws {
            let last = try #require(lottery.draws.last)
            let draw = try lottery.draw(using: &chance)
            let balls = draw.balls.numbers + [draw.balls.bonus]
            guard Set(balls).count == 7, balls.allSatisfy((1...59).contains), draw.topPrize > 0,
                draw.id.text == "draw-\(lottery.draws.count)", draw.date > last.date
            else {
                Issue.record("\(draw)")
                return
            }
            for ball in balls { counts[ball] += 1 }
        }
        #expect(lottery.draws.last?.date == CalendarDate("2100-01-04"))
        // Each of 59 comes in 3,996 draws of seven about 474 times.
        #expect(counts.dropFirst().filter { !(300...700).contains($0) } == [])
        #expect(throws: SandboxProblem.self) { try lottery.draw(using: &chance) }
        #expect(try DrawList(lottery.draws).draws.count == SandboxLottery.maximumDraws)
        #expect(try text(lottery.answerDraws()).utf8.count < 1_048_576)
    }

    @Test("A known list is not sent again before the next draw")
    func tags() throws {
        var lottery = SandboxLottery()
        var chance = SeededGenerator(seed: 8)
        let answer = lottery.answerDraws()
        let tag = try #require(answer.headers["ETag"])
        #expect(tag.count > 2 && tag.hasPrefix("\"") && tag.hasSuffix("\""))
        #expect(answer.headers == ["Content-Type": "application/json", "ETag": tag])
        #expect(lottery.answerDraws(tag) == SandboxAnswer(304, headers: ["ETag": tag]))
        for other in ["", "\"other\"", String(tag.dropFirst())] {
            #expect(lottery.answerDraws(other) == answer, "\(other)")
        }
        let tickets = lottery.answerTickets().headers["ETag"]
        let draw = try lottery.draw(using: &chance)
        let after = lottery.answerDraws(tag)
        #expect(after.status == 200)
        #expect(try text(after).hasSuffix(SandboxLottery.document(draw).text + "]}"))
        // It changes no ticket.
        #expect(lottery.answerTickets(tickets).status == 304)
    }

    @Test("A list can be spoiled in one place")
    func invalidEntry() throws {
        let lottery = SandboxLottery()
        func last(_ invalid: SandboxLottery.InvalidEntry) throws -> JSONValue {
            let text = try text(lottery.answerDraws(invalid: invalid))
            let rows = try JSONValue.parsing(Array(text.utf8))["draws"]?.array
            #expect(rows?.first == SandboxLottery.document(lottery.draws[0]))
            return try #require(rows?.last)
        }
        #expect(try last(.balls)["number1"] == "60")
        let duplicate = try last(.duplicateBalls)
        #expect(duplicate["number1"] == duplicate["number2"])
        #expect(try last(.date)["drawDate"] == "2023-02-30")
        let tickets = try text(lottery.answerTickets(invalid: .balls))
        let rows = try JSONValue.parsing(Array(tickets.utf8))["tickets"]?.array
        #expect(rows?.last?["number1"] == "60")
    }
}
