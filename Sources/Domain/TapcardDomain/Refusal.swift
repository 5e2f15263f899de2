/// A rule said no: which one, and the facts. Two refusals are equal when their rules are.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rules that can say no.
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
        /// Names or lists of draws that make no sense.
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
    /// Which of the rule's reasons it was, where that decides what can be done.
    public let reason: Reason?

    /// Reasons that ask for something else than their rule does.
    public enum Reason: Hashable, Sendable {
        /// The card was replaced: nobody can ever allow it again.
        case replaced
        /// The operation was made with this card.
        case otherCard(CardUID)
        /// The operation belongs to the account that the tag had before.
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
