/// A ledger's failure. Two errors are equal if their kinds are.
public struct LedgerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The causes that a caller can act on.
    public enum Kind: String, Sendable, CaseIterable {
        /// Another program holds the ledger.
        case locked
        /// No space is left.
        case full
        /// It cannot be read as a ledger, or its rows break its own rules.
        case corrupt
        /// A later version of tapcard wrote it.
        case newer
        /// The ledger can only be read.
        case readOnly = "read-only"
        /// The ledger is in another currency than this station.
        case wrongCurrency = "wrong-currency"
        /// The ledger does not exist or cannot be used; nothing was done.
        case unavailable
        /// The ledger's server does not answer; nothing was done.
        case offline
        /// The database was promoted or restored, and its owner has not reopened the ledger.
        case undeclared
        /// The owner of a database asked for something that its state does not allow; nothing was
        /// done.
        case refused
        /// The transaction may or may not have happened: look it up.
        case outcomeUnknown = "outcome-unknown"
    }

    /// The kind of failure, for code.
    public let kind: Kind
    /// The failure in a sentence, for people.
    public let detail: String

    /// Creates an error.
    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}
