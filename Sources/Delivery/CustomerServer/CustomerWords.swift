import Ledger
import TapcardDomain

/// The words of the customers' page.
enum CustomerWords {
    static let title = "Your card"
    static let lead = "Check the balance of your card. This does not charge it."
    static let show = "Show my balance"
    static let asking = "Looking up your balance…"
    static let noAnswer = "No answer. Check your connection and try again."
    static let balance = "Balance"
    static let asOf = "As of"
    static let movements = "Recent activity"
    static let noMovements = "No activity yet."
    static let later = "Offline payments appear here later."

    static let refused = "We don't recognise this card"
    static let refusedWhy = "Hold the card to your phone and open the link that appears."
    static let again = "Tap again"
    static let againWhy =
        "This page was already shown. Hold the card to your phone once more to see your balance."
    static let tooMany = "Too many attempts"
    static let unavailable = "Your balance is not available right now"
    static let unavailableWhy = "Nothing happened to your card. Try again in a minute."
    static let notHere = "Page not found"

    static func wait(_ seconds: Int) -> String {
        seconds == 1 ? "Wait 1 second, then tap again." : "Wait \(seconds) seconds, then tap again."
    }

    static func held(_ amount: String) -> String { "\(amount) of it is being paid right now." }

    /// A warning about the card; nil for a card in use.
    static func of(_ status: LedgerCard.Status) -> String? {
        switch status {
        case .active: nil
        case .blocked: "This card is blocked. Ask a cashier."
        case .closed: "This card is closed."
        case .replaced: "This card was replaced. Your balance is on the new one."
        }
    }

    static func of(_ kind: Operation.Kind) -> String {
        switch kind {
        case .issue, .adopt: "New card"
        case .replace: "From your previous card"
        case .pay, .offline: "Paid"
        case .add: "Added"
        case .refund: "Refunded"
        case .reverse: "Top-up undone"
        case .close: "Paid out"
        case .ticket: "Lottery ticket"
        case .claim, .payout: "Prize"
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            "Other"
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

    /// An amount in the notation of its currency, with a real minus sign.
    static func text(_ money: Money) -> String {
        let comma = money.currency.usesDecimalComma
        let parts = money.description.drop { $0 == "-" }.split(separator: ".")
        let whole = Array(parts[0])
        // A no-break space, because with a decimal comma a point would be read as one.
        let group = comma ? "\u{A0}" : ","
        let grouped = whole.indices.map { index in
            let isStart = index > 0 && (whole.count - index).isMultiple(of: 3)
            return (isStart ? group : "") + String(whole[index])
        }.joined()
        let fraction = parts.count > 1 ? (comma ? "," : ".") + parts[1] : ""
        return (money.minorUnits < 0 ? "\u{2212}" : "") + money.currency.sign + grouped + fraction
    }

    /// As `text`, with a plus sign for money that came onto the card.
    static func change(_ money: Money) -> String {
        (money.minorUnits > 0 ? "+" : "") + text(money)
    }
}
