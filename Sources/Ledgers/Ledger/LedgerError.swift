/// A ledger failure. Two errors are equal if their kinds are equal.
public struct LedgerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The causes that a caller can act on.
    public enum Kind: String, Sendable, CaseIterable {
        /// Another program has locked the ledger.
        case locked
        /// No space is left.
        case full
        /// What is stored cannot be read as a ledger, or its rows break the ledger's rules.
        case corrupt
        /// The ledger was written by a later version of tapcard.
        case newer
        /// The ledger is read-only.
        case readOnly = "read-only"
        /// The ledger uses a different currency from this station.
        case wrongCurrency = "wrong-currency"
        /// The ledger does not exist or cannot be used; nothing was done.
        case unavailable
        /// The ledger's server does not respond; nothing was done.
        case offline
        /// The database was promoted or restored, and its owner has not reopened the ledger.
        case undeclared
        /// The owner of a database requested something that the database's state does not allow;
        /// nothing was done.
        case refused
        /// The transaction may or may not have happened, so its outcome must be looked up.
        case outcomeUnknown = "outcome-unknown"
    }

    /// The kind of failure, which callers can act on.
    public let kind: Kind
    /// A message that describes the failure.
    public let detail: String

    /// Creates an error.
    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}
