import Ledger
import TapcardDomain

/// The strings on the customer page.
enum CustomerWords {
    static let title = "Your card"
    static let lead = "See how much is on it. Checking is free and does not change anything."
    static let show = "Show balance"
    static let asking = "One moment…"
    static let noAnswer = "No response. Check your connection and try again."
    static let balance = "Balance"
    static let asOf = "As of"
    static let movements = "Recent activity"
    static let noMovements = "No activity yet."
    static let later = "Offline payments will show up here later and be deducted from the balance."

    static let refused = "This link didn't work"
    static let refusedExplanation =
        "Hold the card to the back of your phone and open the link that appears."
    static let again = "This link has expired"
    static let againExplanation =
        "It was already used, or a newer link replaced it. Hold the card to your phone again."
    static let tooMany = "Please wait a moment"
    static let unavailable = "Not available right now"
    static let unavailableExplanation = "Nothing on your card has changed. Try again in a minute."
    static let notFound = "Page not found"

    static func wait(_ seconds: Int) -> String {
        "Try the card again in \(seconds) \(seconds == 1 ? "second" : "seconds")."
    }

    static func held(_ amount: String) -> String {
        "This includes \(amount) from an unfinished payment, which will be completed or canceled "
            + "the next time you tap your card."
    }

    /// A warning about the card's status; nil for an active card.
    static func of(_ status: LedgerCard.Status) -> String? {
        switch status {
        case .active: nil
        case .blocked: "This card is blocked. Please ask the staff."
        case .closed: "This card is closed. It can no longer be used."
        case .replaced: "This card was replaced. The balance was moved to the new card."
        }
    }

    static func of(_ kind: Operation.Kind) -> String {
        switch kind {
        case .issue, .adopt: "Starting balance"
        case .replace: "Moved from your old card"
        case .pay, .offline: "Payment"
        case .credit: "Deposit returned"
        case .add: "Top-up"
        case .refund: "Refund"
        case .reverse: "Top-up undone"
        case .close: "Paid out in cash"
        case .ticket: "Lottery ticket"
        case .claim, .payout: "Lottery prize"
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            "Other change"
        }
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec",
    ]

    /// A time for a browser without scripts, such as "25 Nov 2026, 21:04 UTC".
    static func text(_ time: CivilTime) -> String {
        let date = time.date
        return "\(date.day) \(months[date.month - 1]) \(date.year), \(time.clock.prefix(5)) UTC"
    }

    /// An amount in its currency's notation, with a typographic minus sign.
    static func text(_ money: Money) -> String {
        let comma = money.currency.usesDecimalComma
        let parts = money.description.drop { $0 == "-" }.split(separator: ".")
        let whole = Array(parts[0])
        // If the decimal separator is a comma, a period between groups of digits could be mistaken
        // for a decimal point.
        let group = comma ? "\u{A0}" : ","
        let grouped = whole.indices.map { index in
            let isStart = index > 0 && (whole.count - index).isMultiple(of: 3)
            return (isStart ? group : "") + String(whole[index])
        }.joined()
        let fraction = parts.count > 1 ? (comma ? "," : ".") + parts[1] : ""
        return (money.minorUnits < 0 ? "\u{2212}" : "") + money.currency.sign + grouped + fraction
    }

    /// Like `text`, but with a plus sign for money added to the card.
    static func change(_ money: Money) -> String {
        (money.minorUnits > 0 ? "+" : "") + text(money)
    }
}
