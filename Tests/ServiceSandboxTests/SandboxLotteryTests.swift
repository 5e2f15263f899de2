import Games
import SeededChance
import ServiceSandbox
import TapcardDomain
import Testing
import TextCodecs

@Suite("The lottery that is played")
struct SandboxLotteryTests {
    private static let opened = Timestamp(milliseconds: 1_700_000_000_000)
    private static let anyone = HTTPConditions()

    private func lottery(maxAge: Int = 60) -> SandboxLottery {
        SandboxLottery(maxAge: maxAge, now: SandboxLotteryTests.opened)
    }

    private func text(_ answer: SandboxAnswer) throws -> String {
        guard case .text(let text) = answer.body else {
            Issue.record("a body that is not text")
            return ""
        }
        return text
    }

    @Test("it begins with the example, byte for byte, and some more")
    func examples() throws {
        let lottery = lottery()
        let draws = try text(lottery.answerDraws(SandboxLotteryTests.anyone))
        #expect(
            draws.hasPrefix(
                #"{"draws":[{"id":"draw-1","drawDate":"2023-05-15","number1":"2","number2":"16","#
                    + #""number3":"23","number4":"44","number5":"47","number6":"52","#
                    + #""bonus-ball":"14","topPrize":4000000000},{"id":"draw-2","#))
        #expect(lottery.draws.map(\.id.text) == ["draw-1", "draw-2", "draw-3", "draw-4"])
        let tickets = try text(lottery.answerTickets(SandboxLotteryTests.anyone))
        #expect(
            tickets.hasPrefix(
                #"{"tickets":[{"id":"ticket-1","drawId":"draw-1","number1":"2","number2":"16","#
                    + #""number3":"23","number4":"44","number5":"47","number6":"52","#
                    + #""bonusBall":"14"},{"id":"ticket-2","#))
    }

    @Test("its tickets show what can become of one")
    func tickets() throws {
        let lottery = lottery()
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

    @Test("it draws until it has drawn enough, week after week, and never a ball twice")
    func draws() throws {
        var lottery = lottery()
        var chance = SeededGenerator(seed: 7)
        var counts = [Int](repeating: 0, count: 60)
        while lottery.draws.count < SandboxLottery.mostDraws {
            let last = try #require(lottery.draws.last)
            let draw = try lottery.draw(now: SandboxLotteryTests.opened, using: &chance)
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
        #expect(throws: SandboxProblem.self) {
            try lottery.draw(now: SandboxLotteryTests.opened, using: &chance)
        }
        #expect(try DrawList(lottery.draws).draws.count == SandboxLottery.mostDraws)
        #expect(try text(lottery.answerDraws(SandboxLotteryTests.anyone)).utf8.count < 1_048_576)
    }

    @Test("an answer may be kept, and is not sent again to who has it")
    func validators() throws {
        let lottery = lottery(maxAge: 5)
        let answer = lottery.answerDraws(SandboxLotteryTests.anyone)
        let tag = try #require(answer.headers["ETag"])
        #expect(tag.count > 2 && tag.hasPrefix("\"") && tag.hasSuffix("\""))
        #expect(
            answer.headers == [
                "Content-Type": "application/json", "ETag": tag, "Cache-Control": "max-age=5",
                "Last-Modified": "Tue, 14 Nov 2023 22:13:20 GMT",
            ])
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "\"other\" , W/\(tag) ", "*"] {
            let again = lottery.answerDraws(HTTPConditions(ifNoneMatch: known))
            #expect(again.status == 304, "\(known)")
            #expect(again.body == .text(""))
            #expect(again.headers["ETag"] == tag)
            #expect(again.headers["Cache-Control"] == "max-age=5")
            #expect(again.headers["Content-Type"] == nil)
        }
        for other in ["", "\"other\"", String(tag.dropFirst()), "W/"] {
            #expect(
                lottery.answerDraws(HTTPConditions(ifNoneMatch: other)) == answer, "\(other)")
        }
    }

    @Test(
        "by its time, where no tag is named",
        arguments: [
            ("Tue, 14 Nov 2023 22:13:20 GMT", 304), ("Wed, 15 Nov 2023 00:00:00 GMT", 304),
            ("Tue, 14 Nov 2023 22:13:19 GMT", 200), ("yesterday", 200),
        ])
    func modified(since: String, status: Int) {
        let lottery = lottery()
        #expect(lottery.answerDraws(HTTPConditions(ifModifiedSince: since)).status == status)
        let both = HTTPConditions(ifNoneMatch: "\"other\"", ifModifiedSince: since)
        #expect(lottery.answerDraws(both).status == 200)
    }

    @Test("a draw changes the list of draws, and no ticket")
    func change() throws {
        var lottery = lottery()
        var chance = SeededGenerator(seed: 8)
        let conditions = [lottery.answerDraws, lottery.answerTickets].map { answer in
            HTTPConditions(ifNoneMatch: answer(SandboxLotteryTests.anyone, nil).headers["ETag"])
        }
        let later = SandboxLotteryTests.opened.adding(milliseconds: 60_000)
        let draw = try lottery.draw(now: later, using: &chance)
        let answer = lottery.answerDraws(conditions[0])
        #expect(answer.status == 200)
        #expect(answer.headers["Last-Modified"] == "Tue, 14 Nov 2023 22:14:20 GMT")
        #expect(try text(answer).hasSuffix(SandboxLottery.document(draw).text + "]}"))
        #expect(lottery.answerTickets(conditions[1]).status == 304)
    }

    @Test("a list can be spoilt in one place")
    func spoilt() throws {
        let lottery = lottery()
        func last(_ spoilt: SandboxLottery.Spoilt) throws -> JSONValue {
            let text = try text(lottery.answerDraws(SandboxLotteryTests.anyone, spoilt: spoilt))
            let rows = try JSONValue.parsing(Array(text.utf8))["draws"]?.array
            #expect(rows?.first == SandboxLottery.document(lottery.draws[0]))
            return try #require(rows?.last)
        }
        #expect(try last(.balls)["number1"] == "60")
        let duplicate = try last(.duplicateBalls)
        #expect(duplicate["number1"] == duplicate["number2"])
        #expect(try last(.date)["drawDate"] == "2023-02-30")
        let tickets = try text(lottery.answerTickets(SandboxLotteryTests.anyone, spoilt: .balls))
        let rows = try JSONValue.parsing(Array(tickets.utf8))["tickets"]?.array
        #expect(rows?.last?["number1"] == "60")
    }
}
