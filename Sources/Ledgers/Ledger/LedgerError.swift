/// A ledger failure. Two errors are equal if their kinds are equal.
public struct LedgerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The causes that a caller can act on.
    public enum Kind: String, Sendable, CaseIterable {
        /// Another program has locked the ledger.
        case locked
        /// No space is left.
        case full
        /// The stored data is not a readable ledger, or its rows violate the ledger's rules.
        case corrupt
        /// The ledger was written by a later version of tapcard.
        case newer
        /// The ledger is read-only.
        case readOnly = "read-only"
        /// The ledger's currency is not the station's.
        case wrongCurrency = "wrong-currency"
        /// The ledger does not exist or cannot be used; nothing was done.
        case unavailable
        /// The ledger's server is not responding; nothing was done.
        case offline
        /// The database was promoted or restored, and its owner has not reopened the ledger.
        case undeclared
        /// The request is not allowed in the current state of the database; nothing was done.
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
