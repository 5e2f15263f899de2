import RemoteServices
import TapcardDomain
import Testing

@Suite("Answers of the lottery")
struct LotteryParsingTests {
    private func draws(
        _ bytes: [UInt8], under rules: LotteryRules = .standard
    ) throws(ServiceError) -> DrawList {
        try LotteryParsing.draws(bytes, under: rules)
    }

    @Test("The documented draws are read")
    func documented() throws {
        let list = try draws(try AnswerFixture.draws.bytes)
        #expect(list.draws.map(\.id.text) == ["draw-3", "draw-2", "draw-1"])
        let first = try #require(list.draws.last)
        #expect(first.date == CalendarDate(year: 2_023, month: 5, day: 15))
        #expect(first.balls == (try Balls([2, 16, 23, 44, 47, 52], bonus: 14)))
        #expect(first.topPrize == 4_000_000_000)
        // The order of the balls is the one in which they came.
        #expect(list.draws[1].balls.numbers == [5, 45, 51, 32, 24, 18])
    }

    @Test("The documented tickets are read")
    func documentedTickets() throws {
        let tickets = try LotteryParsing.tickets(try AnswerFixture.tickets.bytes, under: .standard)
        #expect(tickets.map(\.id.text) == ["ticket-1", "ticket-2"])
        #expect(tickets.map(\.draw.text) == ["draw-1", "draw-4"])
        #expect(tickets[0].balls == (try Balls([2, 16, 23, 44, 47, 52], bonus: 14)))
    }

    @Test("Numbers may be unquoted, unknown members are skipped and lists may be empty")
    func lenient() throws {
        let plain = String(decoding: try AnswerFixture.draws.bytes, as: UTF8.self)
            .replacing(/"([0-9]+)"/) { $0.output.1 }
            .replacing("\"topPrize\":4000000000", with: "\"topPrize\":\"4000000000\",\"new\":[1]")
        #expect(try draws(Array(plain.utf8)) == draws(try AnswerFixture.draws.bytes))
        #expect(try draws(Array(#"{"draws":[],"next":null}"#.utf8)).draws.isEmpty)
        #expect(
            try LotteryParsing.tickets(Array(#"{"tickets":[]}"#.utf8), under: .standard).isEmpty)
    }

    @Test("An answer with more than 100,000 values is too large")
    func manyValues() throws {
        // The object, the array and 99,998 rows are 100,000 values.
        for (rows, kind) in [(99_998, ServiceError.Kind.wrongShape), (99_999, .tooLarge)] {
            let text = #"{"draws":[{}"# + String(repeating: ",{}", count: rows - 1) + "]}"
            let error = #expect(throws: ServiceError.self) { try draws(Array(text.utf8)) }
            #expect(error?.kind == kind)
        }
    }

    @Test("Draws are checked against the rules that are given")
    func rules() throws {
        let five = try LotteryRules(ballCount: 5, highest: 50)
        let row = """
            {"draws":[{"id":"d1","drawDate":"2024-02-29","number1":1,"number2":2,"number3":3,
            "number4":4,"number5":50,"bonus-ball":9,"topPrize":0}]}
            """
        #expect(try draws(Array(row.utf8), under: five).draws[0].balls.numbers.count == 5)
        let more = #expect(throws: ServiceError.self) {
            try draws(try AnswerFixture.draws.bytes, under: five)
        }
        #expect(more?.kind == .badBalls)
        let fewer = #expect(throws: ServiceError.self) { try draws(Array(row.utf8)) }
        #expect(fewer?.kind == .wrongShape)
    }

    @Test(
        "An impossible draw is refused with the reason",
        arguments: [
            (#"{"draws":["#, #"{"drawn":["#, .wrongShape, "the response has no member \"draws\""),
            (#"{"draws":["#, #"["#, .notJSON, "extra text after the value"),
            (#"{"draws":["#, #"{"draws":[7,"#, .wrongShape, "number 1 of \"draws\""),
            (#""id":"draw-1","#, "", .wrongShape, "has no member \"id\""),
            (#""id":"draw-1""#, #""id":"draw 1""#, .wrongShape, "is not a draw ID"),
            (#""id":"draw-1""#, #""id":"dr\u0007aw""#, .wrongShape, "is not a draw ID"),
            (#""id":"draw-1""#, #""id":"""#, .wrongShape, "is empty"),
            (#""id":"draw-1""#, #""id":1"#, .wrongShape, "is not a string"),
            (#""id":"draw-2""#, #""id":"draw-1""#, .wrongShape, "draw draw-1 is listed twice"),
            ("2023-05-15", "2023-02-29", .badDate, "not a date"),
            ("\"2023-05-15\"", "20230515", .wrongShape, "is not a string"),
            (#""number3":"23","#, "", .wrongShape, "has no member \"number3\""),
            (#""number3":"23""#, #""number3":"0""#, .badBalls, "is 0, not in the range 1 to 59"),
            (#""number3":"23""#, #""number3":"60""#, .badBalls, "is 60, not in the range 1 to 59"),
            (#""number3":"23""#, #""number3":"-1""#, .badBalls, "not a whole number"),
            (#""number3":"23""#, #""number3":"2.5""#, .badBalls, "not a whole number"),
            (#""number3":"23""#, #""number3":2e1"#, .badBalls, "not a whole number"),
            (#""number3":"23""#, #""number3":"twenty""#, .badBalls, "not a whole number"),
            (#""number3":"23""#, #""number3":"""#, .badBalls, "not a whole number"),
            (#""number3":"23""#, #""number3":null"#, .wrongShape, "has no member \"number3\""),
            (#""number3":"23""#, #""number3":[23]"#, .badBalls, "neither a number nor a string"),
            (
                #""number3":"23""#, #""number3":"99999999999999999999""#, .badBalls,
                "not a whole number"
            ),
            (#""number3":"23""#, #""number3":"16""#, .badBalls, "ball 16 is listed twice"),
            (#""bonus-ball":"14""#, #""bonus-ball":"52""#, .badBalls, "ball 52 is listed twice"),
            (
                #""bonus-ball":"14""#, #""bonusBall":"14""#, .wrongShape,
                "has no member \"bonus-ball\""
            ),
            (
                #""bonus-ball":"14""#, #""bonus-ball":"14","number7":"9""#, .badBalls,
                "one ball too many"
            ),
            ("4000000000", "-1", .wrongShape, "not a whole number"),
            ("4000000000", "1.5", .wrongShape, "not a whole number"),
            ("4000000000", "99999999999999999999", .wrongShape, "not a whole number"),
            (#","topPrize":4000000000"#, "", .wrongShape, "has no member \"topPrize\""),
        ] as [(String, String, ServiceError.Kind, String)])
    func wrong(
        _ old: String, _ new: String, _ kind: ServiceError.Kind, _ words: String
    ) throws {
        let bytes = try AnswerFixture.draws.replacing(old, by: new)
        let failure = #expect(throws: ServiceError.self) { try draws(bytes) }
        #expect(failure?.kind == kind)
        #expect(failure?.detail.contains(words) == true, "\(failure?.detail ?? "")")
    }

    @Test(
        "An impossible ticket is refused with the reason",
        arguments: [
            (#""id":"ticket-2""#, #""id":"ticket-1""#, .wrongShape, "the ID of another ticket"),
            (#""id":"ticket-2""#, #""id":"\"""#, .wrongShape, "is not a ticket ID"),
            (#""drawId":"draw-4""#, #""drawId":" ""#, .wrongShape, "is not a draw ID"),
            (#""drawId":"draw-4","#, "", .wrongShape, "has no member \"drawId\""),
            (#""bonusBall":"3""#, #""bonus-ball":"3""#, .wrongShape, "has no member \"bonusBall\""),
            (#""number6":"41""#, #""number6":"61""#, .badBalls, "is 61, not in the range 1 to 59"),
        ] as [(String, String, ServiceError.Kind, String)])
    func wrongTickets(
        _ old: String, _ new: String, _ kind: ServiceError.Kind, _ words: String
    ) throws {
        let bytes = try AnswerFixture.tickets.replacing(old, by: new)
        let failure = #expect(throws: ServiceError.self) {
            try LotteryParsing.tickets(bytes, under: .standard)
        }
        #expect(failure?.kind == kind)
        #expect(failure?.detail.contains(words) == true, "\(failure?.detail ?? "")")
    }

    @Test("A truncated answer is never accepted")
    func cuts() throws {
        for fixture in [AnswerFixture.draws, .tickets] {
            let bytes = try fixture.bytes.dropLast()
            for end in bytes.indices {
                let cut = Array(bytes[..<end])
                let failure = #expect(throws: ServiceError.self) {
                    _ =
                        fixture == .draws
                        ? try draws(cut).draws.count
                        : try LotteryParsing.tickets(cut, under: .standard).count
                }
                #expect(failure?.kind == .notJSON)
            }
        }
    }
}
