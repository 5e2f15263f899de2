/// A rule's refusal and its facts. Two refusals are equal when their rules are.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rules that can refuse.
    public enum Rule: String, Sendable, CaseIterable {
        /// The amount is not valid in the currency.
        case badAmount = "bad-amount"
        /// The cardholder's number is not valid.
        case badIdentifier = "bad-identifier"
        /// A card or the ledger does not take the name.
        case badName = "bad-name"
        /// The card has less than was asked for.
        case insufficientBalance = "insufficient-balance"
        /// More than a card can hold, or more than is allowed.
        case limitExceeded = "limit-exceeded"
        /// Not possible in the current state of the card or the station.
        case wrongState = "wrong-state"
        /// The card is blocked, or was replaced.
        case cardBlocked = "card-blocked"
        /// The card was closed and paid out.
        case cardClosed = "card-closed"
        /// The ledger knows the card already.
        case cardKnown = "card-known"
        /// The ledger does not know the card.
        case cardUnknown = "card-unknown"
        /// Money would be lost with the card.
        case cardHasMoney = "card-has-money"
        /// The card has no sequence numbers left.
        case numbersExhausted = "numbers-exhausted"
        /// The operation cannot be reversed.
        case notRefundable = "not-refundable"
        /// The operation was reversed before.
        case alreadyRefunded = "already-refunded"
        /// The numbers are not those of a lottery ticket.
        case badBalls = "bad-balls"
        /// A name or list of draws that makes no sense.
        case badDraw = "bad-draw"
        /// No such draw is known.
        case noSuchDraw = "no-such-draw"
        /// The draw has taken place.
        case drawOver = "draw-over"
        /// No draw is known.
        case noDrawKnown = "no-draw-known"
        /// The guess is not one of this game.
        case badGuess = "bad-guess"
        /// The ticket has won nothing.
        case nothingWon = "nothing-won"
        /// The prize was booked before.
        case alreadyClaimed = "already-claimed"
    }

    /// The rule that refused.
    public let rule: Rule
    /// The refusal in a sentence, for people.
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

    /// Creates a refusal.
    public init(_ rule: Rule, _ detail: String, _ reason: Reason? = nil) {
        self.rule = rule
        self.detail = detail
        self.reason = reason
    }

    public static func == (left: Self, right: Self) -> Bool { left.rule == right.rule }
    public func hash(into hasher: inout Hasher) { hasher.combine(rule) }
    public var description: String { detail }
}
