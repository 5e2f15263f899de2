/// A rule's refusal and its facts. Two refusals are equal when their rules are.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rules that can refuse.
    public enum Rule: String, Sendable, CaseIterable {
        case badAmount = "bad-amount"
        case badIdentifier = "bad-identifier"
        case badName = "bad-name"
        case insufficientFunds = "insufficient-funds"
        case limitExceeded = "limit-exceeded"
        case wrongState = "wrong-state"
        case cardBlocked = "card-blocked"
        case cardClosed = "card-closed"
        case cardKnown = "card-known"
        case cardUnknown = "card-unknown"
        case cardHasMoney = "card-has-money"
        case numbersExhausted = "numbers-exhausted"
        case notRefundable = "not-refundable"
        case alreadyRefunded = "already-refunded"
        case badBalls = "bad-balls"
        /// A name or list of draws that makes no sense.
        case badDraw = "bad-draw"
        case noSuchDraw = "no-such-draw"
        case drawOver = "draw-over"
        case noDrawKnown = "no-draw-known"
        case badGuess = "bad-guess"
        case nothingWon = "nothing-won"
        case alreadyClaimed = "already-claimed"
    }

    public let rule: Rule
    public let detail: String
    /// The reason within the rule, where it decides what can be done.
    public let reason: Reason?

    /// Reasons that need another remedy than their rule suggests.
    public enum Reason: Hashable, Sendable {
        /// The card was replaced: this refusal is permanent.
        case replaced
        /// The operation was made with this card.
        case otherCard(CardUID)
        /// The operation belongs to the tag's previous account.
        case earlierAccount
    }

    public init(_ rule: Rule, _ detail: String, _ reason: Reason? = nil) {
        self.rule = rule
        self.detail = detail
        self.reason = reason
    }

    public static func == (left: Self, right: Self) -> Bool { left.rule == right.rule }
    public func hash(into hasher: inout Hasher) { hasher.combine(rule) }
    public var description: String { detail }
}
