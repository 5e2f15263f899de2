import TapcardDomain
import TextCodecs

extension CounterCall {
    /// Every command that makes sense at a counter. What needs a terminal, or is a matter for whoever
    /// runs the station, is not among them.
    public static let all = cards + operators + money + lottery + mastermind + station

    private static let making: [CounterParameter] = [
        CounterParameter(
            "display", .option("display"), .choice(FaceStyle.allCases.map(\.rawValue))),
        CounterParameter("protect", .flag("protect"), .truth),
        CounterParameter("overwrite", .flag("overwrite"), .truth),
        CounterParameter("anyChip", .flag("any-chip"), .truth), .operation,
    ]
    private static let reissue = CounterParameter("reissue", .flag("reissue"), .truth)

    private static let cards: [CounterCall] = [
        CounterCall(.post, "read", answers: .card),
        CounterCall(.post, "demo", making + [.confirmed, reissue], answers: .card),
        CounterCall(
            .post, "issue",
            [
                CounterParameter(
                    "name", .option("name"), .text(1...HolderName.longestInBytes)),
                CounterParameter("id", .option("id"), .wholeNumber(1...Int.max)),
                CounterParameter("balance", .option("balance"), .amount),
                CounterParameter("noScratch", .flag("no-scratch"), .truth), .confirmed, reissue,
            ] + making, answers: .card),
        CounterCall(
            .post, "adopt",
            [
                CounterParameter("acceptBalance", .option("accept-balance"), .amount), .confirmed,
            ] + making,
            answers: .card),
        CounterCall(.post, "scratch", [.operation], answers: .card),
        CounterCall(.post, "activate", asksService: true, [.operation], answers: .card),
    ]

    private static let operators: [CounterCall] = [
        CounterCall(.post, "block", reader: .without("card"), [.card], answers: .cardStatus),
        CounterCall(.post, "unblock", reader: .without("card"), [.card], answers: .cardStatus),
        CounterCall(.post, "forget", reader: .without("card"), [.card], answers: .cardStatus),
        CounterCall(.post, "repair", [.card], answers: .card),
        CounterCall(
            .post, "replace",
            [
                CounterParameter("card", .option("card"), .card, isRequired: true), .confirmed,
                reissue,
            ] + making, answers: .card),
    ]

    private static let money: [CounterCall] = [
        CounterCall(
            .post, "pay", [amount, .operation, .card, .again, .confirmed], answers: .receipt),
        CounterCall(
            .post, "add", [amount, .operation, .card, .again, .confirmed], answers: .receipt),
        CounterCall(
            .post, "refund",
            [
                CounterParameter(
                    "payment", .argument("OPERATION"), .operation, isRequired: true),
                CounterParameter("amount", .argument("AMOUNT"), .moved), .operation, .card,
            ], answers: .receipt),
        CounterCall(.post, "close", [.operation, .card], answers: .receipt),
        CounterCall(
            .get, "history", reader: .never,
            [
                .card,
                // A year's entries would be more than any page can show.
                CounterParameter(
                    "last", .option("last"), .wholeNumber(Session.lastLines),
                    usual: .number(Session.lastLines.upperBound)),
            ], answers: .history),
        CounterCall(
            .get, "takings", reader: .never, [CounterParameter("day", .option("day"), .day)],
            answers: .takings),
        CounterCall(.get, "audit", reader: .never, answers: .audit),
    ]

    private static let amount = CounterParameter(
        "amount", .argument("AMOUNT"), .moved, isRequired: true)

    private static let lottery: [CounterCall] = [
        CounterCall(.get, "draws", reader: .never, asksService: true, answers: .draws),
        CounterCall(
            .get, "draws/{id}", as: "draws show", reader: .never, asksService: true,
            [CounterParameter("id", .argument("ID"), .lotteryName, isRequired: true)],
            answers: .draw),
        CounterCall(
            .get, "tickets", reader: .never, asksService: true, [.card], answers: .tickets),
        CounterCall(
            .post, "ticket/buy", asksService: true,
            [
                CounterParameter("draw", .option("draw"), .lotteryName), .operation, .card, .again,
                .confirmed,
            ],
            answers: .purchase),
        CounterCall(.post, "ticket/check", asksService: true, [.card], answers: .check),
        CounterCall(
            .post, "ticket/claim", asksService: true,
            [
                CounterParameter("ticket", .argument("TICKET"), .lotteryName),
                CounterParameter("paidOut", .flag("paid-out"), .truth), .operation, .card,
            ], answers: .claim),
    ]

    private static let slots = CounterParameter(
        "slots", .option("slots"), .wholeNumber(1...MastermindRules.mostSlots))

    private static let mastermind: [CounterCall] = [
        CounterCall(
            .post, "mastermind/login", reader: .never, asksService: true,
            [
                CounterParameter("user", .argument("USER"), .text(1...256), isRequired: true),
                CounterParameter(
                    "password", .password, .text(1...MastermindRules.longestPassword),
                    isRequired: true),
                CounterParameter(
                    "timeToLive", .option("time-to-live"),
                    .wholeNumber(MastermindRules.loginSeconds)),
            ], answers: .login),
        CounterCall(
            .post, "mastermind/start", reader: .with("keep"), asksService: true,
            [slots, CounterParameter("keep", .flag("keep"), .truth)], answers: .game),
        CounterCall(
            .post, "mastermind/guess", reader: .never, asksService: true,
            [
                CounterParameter(
                    "colours", .argument("COLOUR"),
                    .digits(0...9, count: 1...MastermindRules.mostSlots), isRequired: true)
            ], answers: .guess),
        CounterCall(.post, "mastermind/resume", answers: .game),
        CounterCall(
            .get, "mastermind/game", as: "mastermind show", reader: .never, answers: .board),
        CounterCall(
            .get, "mastermind/ranking", reader: .never, asksService: true, [slots],
            answers: .ranking),
    ]

    private static let station: [CounterCall] = [
        CounterCall(.get, "doctor", answers: .findings),
        CounterCall(.post, "tag/info", answers: .tag),
    ]

    /// Only where the reader is a simulated one.
    public static let simulator: [CounterCall] = [
        CounterCall(.get, "simulator", as: "sim list", reader: .never, answers: .drawer),
        CounterCall(
            .post, "simulator/put", as: "sim put", reader: .never,
            [CounterParameter("tags", .argument("TAG"), .tags)], answers: .tags),
        CounterCall(.post, "simulator/take", as: "sim take", reader: .never, answers: .nothing),
        CounterCall(
            .post, "simulator/tear", as: "sim tear", reader: .never,
            [CounterParameter("fault", .argument("FAULT"), .fault, isRequired: true)],
            answers: .fault),
    ]
}
