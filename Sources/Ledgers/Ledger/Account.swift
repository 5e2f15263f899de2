public import TapcardDomain

/// An account in the books. Every change moves money from one account to another.
public enum Account: Hashable, Sendable, CustomStringConvertible {
    /// A cardholder's account: the balance that the issuer owes. The number is 1 for a chip's first
    /// account and goes up by 1 with each reissue.
    case purse(CardUID, Int)
    /// What was sold, minus refunds and credits, however it was paid.
    case takings
    /// The drawer: cash that comes in is negative, and cash that goes out is positive.
    case cash
    /// The money paid by bank card at a terminal (negative).
    case terminal
    /// The money paid in other ways (negative).
    case other
    /// The balances taken over from tags that other software made.
    case adopted
    /// Prizes paid for winning tickets (negative).
    case prizes
    /// The balances left in accounts that a reissue closed.
    case reissued
    /// The part of offline payments that cards' balances could not cover: the issuer's loss
    /// (negative).
    case shortfall
    /// Cash outside the drawer: what was put into the drawer is positive, what was taken out
    /// negative.
    case safe
    /// What was gained (positive) or lost by rounding amounts paid in cash.
    case rounding

    public var description: String {
        // The ledger stores these names, so they must not change.
        switch self {
        case .purse(let uid, let number): "purse:\(uid):\(number)"
        case .takings: "takings"
        case .cash: "cash"
        case .terminal: "terminal"
        case .other: "other"
        case .adopted: "adopted"
        case .prizes: "prizes"
        case .reissued: "reissued"
        case .shortfall: "shortfall"
        case .safe: "safe"
        case .rounding: "rounding"
        }
    }

    /// Parses an account's name as the ledger stores it.
    public init?(_ text: String) {
        switch text {
        case "takings": self = .takings
        case "cash": self = .cash
        case "terminal": self = .terminal
        case "other": self = .other
        case "adopted": self = .adopted
        case "prizes": self = .prizes
        case "reissued": self = .reissued
        case "shortfall": self = .shortfall
        case "safe": self = .safe
        case "rounding": self = .rounding
        default:
            // Empty parts are kept, so that a malformed name such as "purse::UID:1" is rejected.
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "purse", let uid = CardUID(String(parts[1])),
                let number = Int(parts[2])
            else { return nil }
            self = .purse(uid, number)
        }
    }
}

extension Account {
    /// The accounts of the issuer.
    package static let ofIssuer: [Account] = [
        .takings, .cash, .terminal, .other, .adopted, .prizes, .reissued, .shortfall, .safe,
        .rounding,
    ]

    /// The account for money that is paid with this tender.
    package init(_ tender: Tender) {
        self =
            switch tender {
            case .cash: .cash
            case .terminal: .terminal
            case .other: .other
            }
    }

    /// The card that the account belongs to; nil for one of the issuer's accounts.
    var uid: CardUID? { if case .purse(let uid, _) = self { uid } else { nil } }
}

/// One side of a double entry. Entries are added but never changed.
public struct Entry: Hashable, Sendable {
    /// The operation that posted the entry.
    public let operation: OperationID
    /// The account that the entry changes.
    public let account: Account
    /// The amount added to the account, in minor units.
    public let amount: Int64
    /// The time of posting.
    public let postedAt: Timestamp
    /// The shift that was open at the station. The ledger's storage fills this in.
    public internal(set) var shift: ShiftID?

    /// Creates an entry. A negative amount takes money out of the account.
    public init(
        operation: OperationID, account: Account, amount: Int64, postedAt: Timestamp,
        shift: ShiftID? = nil
    ) {
        self.operation = operation
        self.account = account
        self.amount = amount
        self.postedAt = postedAt
        self.shift = shift
    }
}
