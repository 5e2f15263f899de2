import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// What is answered instead of success: a problem document (RFC 9457) that says what happened, what
/// it means for card and money, and what to do.
struct Problem: Error, Sendable {
    let status: Int
    /// The word that programs go by.
    let word: String
    let title: String
    let meaning: String
    let next: [NextWords]
    let result: TapcardError.Result
    var uid: CardUID?
    /// The operation that may have happened.
    private(set) var operation: OperationID?
    /// What the failed tap has settled before it failed.
    private(set) var settled = JSONValue.array([])
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

    /// What a command was refused with, or what stopped it.
    init(_ error: TapcardError) {
        (status, word) = (error.httpStatus, error.kind.word)
        (title, meaning, next) = (error.what, error.meaning, error.next.map(\.words))
        (result, uid, operation) = (error.result, error.uid, error.operation)
        settled = CounterDesk.document(of: error.settled)
    }

    private var advice: String { next.map(\.sentence).joined(separator: " ") }

    /// For those who have one line for all of it.
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
            "operation": operation.map { .string($0.description) } ?? .null, "settled": settled,
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

extension TapcardError {
    /// The status that says the same. One of success is for success alone: what became of a payment
    /// is unknown, so it is none.
    fileprivate var httpStatus: Int {
        switch result {
        // Nothing is wrong with such a request, but that there was another.
        case .usage: kind == .operationMismatch ? 409 : 400
        case .refused, .untrusted: 409
        // Whoever has cancelled is told so; nothing is wrong with the server.
        case .failed: kind == .cancelled ? 409 : 500
        case .unknown, .ledger: 500
        case .service: 502
        case .noReader: 503
        case .noCard: 504
        }
    }
}

extension Problem {
    static let starting = Problem(
        503, "starting", "The counter is being opened.", "Nothing was done.",
        NextWords("ask-again-soon", "Ask again in a moment."))

    /// What is said of an operation's id is what the ledger has under it.
    static func closing(_ booked: CounterDesk.Booked) -> Problem {
        Problem(
            503, "closing", "The counter is being closed: nothing new is begun.", booked.meaning)
    }

    static let tooManyListeners = Problem(
        503, "too-many-listeners", "Too many pages follow the counter.", "Nothing was done.",
        NextWords("close-pages", "Close some."))

    static func readerTaken(by verb: String, _ booked: CounterDesk.Booked) -> Problem {
        Problem(
            409, "reader-taken", "The reader is in use: \(verb).", booked.meaning,
            NextWords("wait-for-operation", "Wait until that is done, or stop it."))
    }

    static let otherRequest = Problem(
        409, "operation-mismatch", "This operation's id is in use for another request.",
        "Nothing was begun.", NextStep.request(.useNewID).words)

    static let tooLate = Problem(
        409, "too-late", "The card is being worked on: this cannot be stopped any more.",
        "It goes on.")

    /// It was stopped, or was over, and all the same it has happened, or may happen yet.
    static func overAlready(_ problem: TapcardError?) -> Problem {
        Problem(
            409, "too-late", "This cannot be stopped any more.",
            problem?.meaning ?? "It has happened.", next: problem?.next.map(\.words) ?? [])
    }

    static let noSuchOperation = Problem(
        404, "no-such-operation", "No operation with this id is known here.",
        "There was none since the counter was opened, or many came after it.",
        NextWords(
            "look-or-repeat",
            "What was booked is in the history. The same request sent again under the same id "
                + "books nothing twice."))
}

extension CounterDesk.Booked {
    fileprivate var meaning: String {
        switch self {
        case .nothing: "Nothing was begun."
        case .open:
            "Nothing new was begun. What was begun under this id is still open: the card's next tap "
                + "settles it."
        case .answered, .over:
            "Nothing new was begun. What was asked for under this id has come to its end: the "
                + "history has it."
        case .notKnown:
            "Nothing new was begun. Whether something was begun under this id before, the ledger "
                + "cannot be asked now."
        }
    }
}
