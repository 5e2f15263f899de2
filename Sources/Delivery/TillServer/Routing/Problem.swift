import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// A refusal or failure as a problem document (RFC 9457): what happened, what it means for card and
/// money, and what to do.
struct Problem: Error, Sendable {
    private(set) var status: Int
    /// The error code for programs.
    let word: String
    let title: String
    let meaning: String
    let next: [NextWords]
    let result: TapcardError.Result
    var uid: CardUID?
    /// The operation that may have happened.
    private(set) var operation: OperationID?
    /// The operations that the failed tap resolved before it failed.
    private(set) var resolved = JSONValue.array([])
    var headers: [(String, String)] = []

    init(
        _ status: Int, _ word: String, _ title: String, _ meaning: String = "Nothing was done.",
        _ next: NextWords...
    ) {
        self.init(status, word, title, meaning, next: next)
    }

    private init(
        _ status: Int, _ word: String, _ title: String, _ meaning: String, next: [NextWords]
    ) {
        (self.status, self.word, self.title) = (status, word, title)
        (self.meaning, self.next) = (meaning, next)
        result =
            switch status {
            case 401, 403, 409, 429: .refused
            case 400..<500: .usage
            default: .failed
            }
    }

    /// The problem for a command's refusal or failure.
    init(_ error: TapcardError) {
        (status, word) = (error.kind.httpStatus, error.kind.word)
        (title, meaning, next) = (error.what, error.meaning, error.next.map(\.words))
        (result, uid, operation) = (error.result, error.uid, error.operation)
        resolved = .resolved(error.resolved)
    }

    private var advice: String { NextWords.text(of: next) }

    /// All of the text in one line.
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
    static let starting = Problem(
        503, "starting", "The till is being opened.", "Nothing was done.",
        NextWords("ask-again-soon", "Ask again in a moment."))

    /// The refusal of a closing till, with the ledger's state of the operation id.
    static func closing(_ booked: TillRunner.Booked) -> Problem {
        Problem(
            503, "closing", "The till is being closed: nothing new is begun.", booked.meaning)
    }

    static let operatorNeeded = Problem(
        409, "operator-needed",
        "Cashiers log in here, so only the operator can confirm this address.",
        "Nothing was done.",
        NextWords(
            "ask-operator", "As the station's operator, run tapcard config set KEY ADDRESS."))

    static let operatorNeededInNetwork = Problem(
        409, "operator-needed",
        "Other machines can reach this page, so only the operator can confirm this address.",
        "Nothing was done.", operatorNeeded.next[0])

    static let otherAddressSet = Problem(
        409, "operator-needed", "Another address is set for this service.", "Nothing was done.",
        NextWords("ask-operator", "As the station's operator, restart `tapcard serve` to use it."))

    static let tooManyListeners = Problem(
        503, "too-many-listeners", "Too many pages follow the till.", "Nothing was done.",
        NextWords("close-pages", "Close some."))

    static func readerTaken(_ booked: TillRunner.Booked) -> Problem {
        Problem(
            409, "reader-taken", "This reader is busy.", booked.meaning,
            NextWords("wait-for-operation", "Wait until it has finished, or stop it."))
    }

    static let otherRequest = Problem(
        409, "operation-mismatch", "This operation's id is in use for another request.",
        "Nothing was begun.", NextStep.request(.useNewID).words)

    static let notBegun = Problem(
        409, "not-begun", "The request was lost before anything was begun.",
        "Nothing was done, and nothing will be done under this id.",
        NextStep.request(.useNewID).words)

    /// The answer to a repeated request of which there is no trace.
    static let notKnownHere = {
        var problem = Problem(
            TapcardError(
                .outcomeUnknown, "It is unknown whether the earlier request went through.",
                meaning: "Nothing was begun now.", next: [.card(.showHistory(nil))]))
        // 409, not 500: the server worked correctly. It just cannot tell whether the earlier
        // request succeeded.
        problem.status = 409
        return problem
    }()

    static let tooLate = Problem(
        409, "too-late", "The card is being worked on: this cannot be stopped any more.",
        "It goes on.")

    /// The refusal to stop an operation that has happened, or may still happen.
    static func overAlready(_ problem: TapcardError?) -> Problem {
        Problem(
            409, "too-late", "This cannot be stopped any more.",
            problem?.meaning ?? "It has happened.", next: problem?.next.map(\.words) ?? [])
    }

    /// The refusal of a call whose path names no till, where there are several, or one that is
    /// not there.
    static func noSuchTill(among count: Int) -> Problem {
        let places = count == 1 ? "/tills/1" : "/tills/1 to /tills/\(count)"
        return Problem(
            404, "no-such-till", "This path names no till that is here.",
            "Nothing was done.",
            NextWords("name-till", "Ask below \(places)."))
    }

    static let noSuchOperation = Problem(
        404, "no-such-operation", "No operation with this id is known here.",
        "There was none since the till was opened, or many came after it.",
        NextWords(
            "look-or-repeat",
            "What was booked is in the history. The same request sent again under the same id "
                + "books nothing twice."))
}

extension TillRunner.Booked {
    fileprivate var meaning: String {
        switch self {
        case .nothing: "Nothing was begun."
        case .open:
            "Nothing new was begun. What was begun under this id is still open: the card's next "
                + "tap resolves it."
        case .answered, .over:
            "Nothing new was begun. What was asked for under this id has ended: the "
                + "history has it."
        case .notKnown:
            "Nothing new was begun. Whether something was begun under this id before, the ledger "
                + "cannot be asked now."
        }
    }
}
