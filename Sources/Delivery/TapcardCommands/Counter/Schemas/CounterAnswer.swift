import Ledger
import ReaderDiagnosis
import TapcardCore
import TapcardDomain
public import TextCodecs

/// What a call answers where it is done: the documents that `--json` prints. The raw value is the
/// name of its schema.
public enum CounterAnswer: String, Sendable, CaseIterable {
    case card = "Card"
    case cardStatus = "CardStatus"
    case receipt = "Receipt"
    case purchase = "Purchase"
    case history = "History"
    case takings = "Takings"
    case audit = "Audit"
    case draws = "Draws"
    case draw = "Draw"
    case tickets = "Tickets"
    case check = "TicketCheck"
    case claim = "TicketClaim"
    case login = "MastermindLogin"
    case game = "MastermindGame"
    case guess = "MastermindGuess"
    case board = "MastermindBoard"
    case ranking = "MastermindRanking"
    case findings = "Findings"
    case tag = "Tag"
    case drawer = "SimulatedDrawer"
    case tags = "SimulatedTags"
    case fault = "SimulatedFault"
    case nothing = "Nothing"

    public var schema: JSONValue {
        switch self {
        case .card: CardSchemas.card
        case .cardStatus:
            CounterAnswer.done([
                "uid": ValueSchemas.card,
                "status": Schema.words(LedgerCard.Status.allCases.map(\.rawValue)),
            ])
        case .receipt: CounterAnswer.done(CardSchemas.receipt, optional: CardSchemas.givenUp)
        case .purchase:
            CounterAnswer.done(CardSchemas.receipt + ["ticket": CardSchemas.ticket])
        case .history: MoneySchemas.history
        case .takings: MoneySchemas.takings
        case .audit: MoneySchemas.audit
        case .draws: LotterySchemas.draws
        case .draw: LotterySchemas.draw
        case .tickets: LotterySchemas.tickets
        case .check: LotterySchemas.check
        case .claim: LotterySchemas.claim
        case .login: MastermindSchemas.login
        case .game: MastermindSchemas.game
        case .guess: MastermindSchemas.guess
        case .board: MastermindSchemas.board
        case .ranking: MastermindSchemas.ranking
        case .findings: StationSchemas.findings
        case .tag: StationSchemas.tag
        case .drawer: StationSchemas.drawer
        case .tags: CounterAnswer.done(["tags": StationSchemas.tags])
        case .fault: CounterAnswer.done(["fault": Schema.orNull(Schema.text)])
        case .nothing: CounterAnswer.done([:])
        }
    }

    /// What is only answered when all went well.
    static func done(_ members: Schema.Members, optional: Schema.Members = [:]) -> JSONValue {
        document(["const": "done"], members, optional)
    }

    /// What is printed of a failure.
    static let error = Schema.object(
        [
            "result": Schema.words(TapcardError.Result.allCases.map(\.rawValue)),
            "error": Schema.words(TapcardError.Kind.allCases.map(\.rawValue)),
            "message": Schema.text, "uid": Schema.orNull(ValueSchemas.card),
            "operation": Schema.orNull(ValueSchemas.operation), "settled": CardSchemas.settled,
        ], optional: ["at": ValueSchemas.time])

    /// A line of a watch: the reader answers again.
    static let readerIsBack = done(["reader": Schema.text, "at": ValueSchemas.time])

    /// What is shown also where something is wrong with it.
    static func shown(_ members: Schema.Members, optional: Schema.Members = [:]) -> JSONValue {
        document(
            ValueSchemas.result, members,
            optional + ["error": Schema.text, "message": Schema.text])
    }

    private static func document(
        _ result: JSONValue, _ members: Schema.Members, _ optional: Schema.Members
    ) -> JSONValue {
        Schema.object(["result": result] + members, optional: optional)
    }
}

extension ValueSchemas {
    static let resultWords = TapcardError.Result.allCases.map(\.rawValue)
}
