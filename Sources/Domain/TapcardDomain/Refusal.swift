/// The refusal of a request: the rule that the request breaks, and the details. Two refusals are
/// equal if their rules are equal.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rules that a request can break.
    public enum Rule: String, Sendable, CaseIterable {
        /// The amount is not valid in the currency.
        case badAmount = "bad-amount"
        /// The cardholder's number is not valid.
        case badIdentifier = "bad-identifier"
        /// The name is not valid for a card or in the ledger.
        case badName = "bad-name"
        /// There is not enough money on the card.
        case insufficientBalance = "insufficient-balance"
        /// The amount is more than a card can hold, or more than is allowed.
        case limitExceeded = "limit-exceeded"
        /// The request is not possible in the current state of the card or the station.
        case wrongState = "wrong-state"
        /// The card is blocked or was replaced.
        case cardBlocked = "card-blocked"
        /// The card was closed, and its balance was paid out.
        case cardClosed = "card-closed"
        /// The card is already in the ledger.
        case cardKnown = "card-known"
        /// The card is not in the ledger.
        case cardUnknown = "card-unknown"
        /// The money on the card would be lost.
        case cardHasMoney = "card-has-money"
        /// The card has no sequence numbers left.
        case numbersExhausted = "numbers-exhausted"
        /// A product is sold out, is no longer sold, or now has another price.
        case notForSale = "not-for-sale"
        /// No shift of the drawer is open, or there is no such shift.
        case shiftNeeded = "shift-needed"
        /// The operation cannot be reversed.
        case notRefundable = "not-refundable"
        /// The operation has already been reversed.
        case alreadyRefunded = "already-refunded"
        /// The numbers are not valid for the lottery.
        case badBalls = "bad-balls"
        /// A draw's name, or the list of draws, is invalid.
        case badDraw = "bad-draw"
        /// The draw is unknown or too far ahead.
        case noSuchDraw = "no-such-draw"
        /// The draw has already taken place.
        case drawOver = "draw-over"
        /// No draws have been announced yet.
        case noDrawKnown = "no-draw-known"
        /// The guess is not valid for this game.
        case badGuess = "bad-guess"
        /// The ticket has not won anything.
        case nothingWon = "nothing-won"
        /// The prize has already been claimed.
        case alreadyClaimed = "already-claimed"
    }

    /// The rule that the request breaks.
    public let rule: Rule
    /// A sentence that describes the refusal to the user.
    public let detail: String
    /// A more specific reason, if it affects what can be done about the refusal.
    public let reason: Reason?

    /// Reasons that call for a different remedy than the rule alone suggests.
    public enum Reason: Hashable, Sendable {
        /// The card was replaced, so this refusal is permanent.
        case replaced
        /// The operation belongs to another card, the one with this UID.
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
