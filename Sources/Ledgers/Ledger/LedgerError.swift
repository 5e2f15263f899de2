/// Why a ledger could not do its work. Equal when the kinds are.
public struct LedgerError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: String, Sendable, CaseIterable {
        /// Another program holds it.
        case locked
        /// No space left.
        case full
        /// Not readable as a ledger, or its rows break its own rules.
        case corrupt
        /// Written by a later version of tapcard.
        case newer
        /// It may be read only.
        case readOnly = "read-only"
        /// It is kept in another currency than this station is set to.
        case wrongCurrency = "wrong-currency"
        /// It is not there or cannot be reached; nothing was done.
        case unavailable
        /// The transaction may or may not have happened: look it up.
        case outcomeUnknown = "outcome-unknown"
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}
