import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// A refusal or failure as a problem document (RFC 9457): what happened, what that means for the
/// card and the money, and what to do.
struct Problem: Error, Sendable {
    private(set) var status: Int
    /// The error code, for programs.
    let word: String
    let title: String
    private(set) var meaning: String
    private(set) var next: [NextWords]
    let result: TapcardError.Result
    var uid: CardUID?
    /// The operation that may have taken effect.
    private(set) var operation: OperationID?
    /// The operations that the tap resolved before it failed.
    private(set) var resolved = JSONValue.array([])
    var headers: [(String, String)] = []

    init(
        _ condition: ServerCondition, _ title: String, _ meaning: String = "Nothing was done.",
        _ next: NextWords...
    ) {
        self.init(
            condition.status, condition.rawValue, title, meaning, next,
            Problem.result(of: condition.status))
    }

    /// The problem document for a kind of error that commands have, too.
    init(
        _ kind: TapcardError.Kind, _ title: String, _ meaning: String = "Nothing was done.",
        _ next: NextWords...
    ) {
        self.init(kind.httpStatus, kind.word, title, meaning, next, kind.result)
    }

    /// The problem document for a request that was refused before it reached a call.
    init(refusing status: Int, _ title: String) {
        self.init(
            status, "refused", title, "Nothing was done.", [], Problem.result(of: status))
    }

    private init(
        _ status: Int, _ word: String, _ title: String, _ meaning: String, _ next: [NextWords],
        _ result: TapcardError.Result
    ) {
        (self.status, self.word, self.title) = (status, word, title)
        (self.meaning, self.next) = (meaning, next)
        self.result = result
    }

    private static func result(of status: Int) -> TapcardError.Result {
        switch status {
        // These requests are well formed, but a rule forbids them.
        case 401, 403, 409, 429: .refused
        case 400..<500: .usage
        case 502: .unknown
        default: .failed
        }
    }

    /// The problem document for a command that was refused or failed.
    init(_ error: TapcardError) {
        (status, word) = (error.kind.httpStatus, error.kind.word)
        (title, meaning) = (error.what, error.meaning)
        // In the API, a member of the request takes the place of the option.
        next = error.next.map { step in
            guard step == .tag(.overwrite) else { return step.words }
            return NextWords(
                "overwrite",
                "To overwrite the tag and destroy its content, send \"overwrite\": true.")
        }
        (result, uid, operation) = (error.result, error.uid, error.operation)
        resolved = .resolved(error.resolved)
    }

    func withMeaning(_ meaning: String) -> Problem {
        var problem = self
        problem.meaning = meaning
        return problem
    }

    private var advice: String { NextWords.text(of: next) }

    /// The whole text on one line.
    private var detail: String {
        [title, meaning, advice].filter { !$0.isEmpty }.joined(separator: " ")
    }

    var document: JSONValue {
        [
            "type": .string("urn:tapcard:\(word)"), "title": .string(title),
            "status": .number(String(status)), "detail": .string(detail),
            "meaning": .string(meaning), "advice": .string(advice),
            "result": .string(result.rawValue), "error": .string(word),
            "uid": uid.map { .string($0.description) } ?? .null,
            "operation": operation.map { .string($0.description) } ?? .null, "resolved": resolved,
            "next": NextWords.document(of: next),
        ]
    }

    var response: WebResponse {
        WebResponse(
            status,
            headers: [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]
                + headers, body: .bytes(Array((document.text + "\n").utf8)))
    }
}

extension Problem {
    /// The response to requests that arrive before the router exists.
    static let starting = Problem(
        .starting, "The server is still starting.", "Nothing was done.",
        NextWords("ask-again-soon", "Try again in a moment."))

    /// The refusal while a till is closing, because the server shuts down or the till's reader has
    /// moved to another server. It includes the operation's state in the ledger.
    static func closing(_ recorded: TillRunner.RecordedState) -> Problem {
        Problem(
            .closing, "The server is shutting down, or this till has just moved to another server.",
            recorded.meaning, starting.next[0])
    }

    static let operatorNeeded = Problem(
        .operatorNeeded,
        "Cashiers log in here, so only the operator can confirm this address.",
        "Nothing was done.",
        NextWords(
            "ask-operator", "The operator must run tapcard config set KEY ADDRESS."))

    static let operatorNeededInNetwork = Problem(
        .operatorNeeded,
        "Other machines can reach this page, so only the operator can confirm this address.",
        "Nothing was done.", operatorNeeded.next[0])

    static let otherAddressSet = Problem(
        .operatorNeeded, "Another address is set for this service.", "Nothing was done.",
        NextWords("ask-operator", "The operator must restart `tapcard serve` to use it."))

    static let tooManyListeners = Problem(
        .tooManyListeners, "Too many pages of this till are open.", "Nothing was done.",
        NextWords("close-pages", "Close some of them, then try again."))

    static func readerTaken(_ recorded: TillRunner.RecordedState) -> Problem {
        Problem(
            .readerTaken, "This reader is busy.", recorded.meaning,
            NextWords("wait-for-operation", "Wait until it has finished, or stop it."))
    }

    static let otherRequest = Problem(
        .operationMismatch, "This ID was already used for another request.",
        "Nothing new was started.", NextStep.request(.useNewID).words)

    static let notBegun = Problem(
        .notBegun, "The request was lost before it started.",
        "Nothing was done, and nothing with this ID will happen.",
        NextStep.request(.useNewID).words)

    /// The response to a question about an operation that another server may be carrying out.
    static let readerElsewhere = Problem(
        .readerElsewhere, "The till's reader is not connected to this server.",
        "Another server may be carrying out the operation.",
        NextWords(
            "look-or-repeat",
            "Send the same request with this ID again, until the reader is connected."))

    /// The response to a repeated request whose first attempt left no trace.
    static let outcomeUnknownHere = {
        var problem = Problem(
            TapcardError(
                .outcomeUnknown, "It is unknown whether the earlier request went through.",
                meaning: "Nothing new was started.", next: [.card(.showHistory(nil))]))
        // The status is 409, not 500, because the server is working; it just cannot tell whether
        // the earlier request succeeded.
        problem.status = 409
        return problem
    }()

    static let tooLate = Problem(
        .tooLate, "It is too late to cancel: the card is already being processed.",
        "The operation continues.")

    static let cardPresent = Problem(
        .cardPresent, "A card is on the reader.", "Nothing was charged or armed.",
        NextWords("name-card", "Send the payment with this card's number as card."))

    static let cardNeeded = Problem(
        .cardNeeded, "The last card could not pay, so the next one has to be named.",
        "Nothing was charged or armed.",
        NextWords("name-card", "Send the payment with the card's number as card."))

    static let pageGone = Problem(
        .pageGone, "This client has no event stream.", "Nothing was armed.",
        NextWords("open-stream", "Open GET /api/v1/events with this client first."))

    /// The refusal to stop an operation that has taken effect or may still do so.
    static func alreadyOver(_ problem: TapcardError?) -> Problem {
        var tooLate = Problem(
            .tooLate, "It is too late to cancel this operation.",
            problem?.meaning ?? "It was successful.")
        tooLate.next = problem?.next.map(\.words) ?? []
        return tooLate
    }

    /// The refusal of a call whose path refers to an unknown till, or to no till although there are
    /// several.
    static func noSuchTill(among count: Int) -> Problem {
        let places =
            switch count {
            case 0: "To list the tills and their paths, run: tapcard tills list"
            case 1: "The till is at /tills/1."
            default: "The tills are at /tills/1 to /tills/\(count)."
            }
        return Problem(
            .noSuchTill, "There is no till at this path.",
            "Nothing was done.",
            NextWords("name-till", places))
    }

    static let noSuchRemoteTill = Problem(
        .noSuchTill, "There is no till at this path, or its code has not been used yet.",
        "Nothing was done.",
        NextWords("name-till", "To list the tills and their paths, run: tapcard tills list"))

    static let noSuchOperation = Problem(
        .noSuchOperation, "This operation ID is unknown.",
        "It has not been used since the server started, or so many others followed that the server "
            + "has dropped it.",
        NextWords(
            "look-or-repeat",
            "Recorded operations are in the history. It is safe to send the same request with this "
                + "ID again."))
}

extension TillRunner.RecordedState {
    fileprivate var meaning: String {
        switch self {
        case .nothing: "Nothing new was started."
        case .open:
            "Nothing new was started. The earlier request is still open and will be resolved at "
                + "the next tap of the card."
        case .answered, .ended:
            "Nothing new was started. The earlier request is finished; the history shows it."
        case .unknown:
            "Nothing new was started. The ledger is offline, so it is not known what happened to "
                + "an earlier request."
        }
    }
}
