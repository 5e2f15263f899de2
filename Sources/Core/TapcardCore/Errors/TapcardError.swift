public import TapcardDomain

/// An error, with text for the user (what happened, and what it means for the card and the money)
/// and the next steps as data. Two errors are equal if their kinds are equal.
public struct TapcardError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public let kind: Kind
    /// What happened.
    public let what: String
    /// What it means for the card and the money.
    public let meaning: String
    /// The next steps, in order.
    package let next: [NextStep]
    /// The card in question, if any.
    public private(set) var uid: CardUID?
    /// The operation that may have happened; a retry with its ID is safe.
    public private(set) var operation: OperationID?
    /// The operations that the tap completed before it failed.
    public private(set) var resolved: [ResolvedOperation] = []

    /// Creates an error. If no next steps are given, it has the default steps of its kind.
    package init(
        _ kind: Kind, _ what: String, meaning: String = "", next: [NextStep]? = nil,
        uid: CardUID? = nil, operation: OperationID? = nil
    ) {
        self.kind = kind
        self.what = TapcardError.ended(what)
        self.meaning = TapcardError.ended(meaning)
        self.next = next ?? kind.next
        self.uid = uid
        self.operation = operation
    }

    /// Removes the extra period at the end that results when a quoted text already ends with one.
    private static func ended(_ text: String) -> String {
        // Three periods are an ellipsis.
        guard text.hasSuffix(".."), !text.hasSuffix("...") else { return text }
        return String(text.dropLast())
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    public var description: String {
        [what, meaning].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// This error with the card's number, unless it already has one.
    public func naming(_ uid: CardUID?) -> TapcardError {
        var error = self
        error.uid = self.uid ?? uid
        return error
    }

    /// This error with these operations, which this tap or an earlier one resolved, at the start of
    /// its list.
    func reporting(_ resolved: [ResolvedOperation]) -> TapcardError {
        var error = self
        error.resolved = resolved.filter { !error.resolved.contains($0) } + error.resolved
        return error
    }

    /// This error with different wording, but with the same card and operations.
    package func reworded(
        _ what: String? = nil, meaning: String? = nil, next: [NextStep]? = nil
    ) -> TapcardError {
        var error = TapcardError(
            kind, what ?? self.what, meaning: meaning ?? self.meaning, next: next ?? self.next,
            uid: uid, operation: operation)
        error.resolved = resolved
        return error
    }
}

extension TapcardError {
    /// A kind of error that a caller can act on: a row in the table of errors.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The word for this kind in JSON; no other kind has the same word.
        public let word: String
        /// The result to which the kind belongs.
        public let result: Result
        /// The HTTP status of the response that reports it.
        package let httpStatus: Int
        /// A short description for the help.
        package let meaning: String
        /// The default next steps, in order; an individual error may have others.
        package let next: [NextStep]

        /// Creates a row. If no HTTP status is given, the row uses the status of its result.
        init(
            _ word: String, _ result: Result, _ meaning: String, next: [NextStep] = [],
            http: Int? = nil
        ) {
            self.word = word
            self.result = result
            self.httpStatus = http ?? result.httpStatus
            self.meaning = meaning
            self.next = next
        }

        public static func == (left: Self, right: Self) -> Bool { left.word == right.word }
        public func hash(into hasher: inout Hasher) { hasher.combine(word) }
        public var description: String { word }
    }

    /// The nine ways in which a command can fail.
    public enum Result: String, Sendable, CaseIterable {
        /// Any failure that has no result of its own.
        case failed
        /// The request is invalid.
        case usage
        /// No card was presented in time.
        case noCard = "no-card"
        /// A rule refused the request: nothing happened.
        case refused
        /// No reader can be used.
        case noReader = "no-reader"
        /// The operation may or may not have happened; the next tap resolves it.
        case unknown
        /// The card cannot be trusted.
        case untrusted
        /// A service gave no usable response.
        case service
        /// The ledger cannot be used.
        case ledger

        /// The exit status of the command line for this result.
        public var exitStatus: Int32 { statuses.exit }

        /// The HTTP status for this result. For an unknown outcome, it is an error status, because
        /// a success status must mean certainty.
        var httpStatus: Int { statuses.http }

        private var statuses: (exit: Int32, http: Int) {
            switch self {
            case .failed: (1, 500)
            case .usage: (2, 400)
            case .noCard: (3, 504)
            case .refused: (4, 409)
            case .noReader: (5, 503)
            case .unknown: (6, 500)
            case .untrusted: (7, 409)
            case .service: (8, 502)
            case .ledger: (9, 500)
            }
        }
    }

    /// The result to which the kind belongs. Only ``Result/unknown`` leaves the outcome open.
    public var result: Result { kind.result }
}
