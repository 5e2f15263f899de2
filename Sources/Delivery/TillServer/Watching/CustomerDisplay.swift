import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// What the customer of a till sees: the sale that the till page shows, and what became of it.
///
/// It follows the events of the till page, and keeps only amounts, names of products, and error
/// codes, so it cannot contain a card number or a cardholder's name.
struct CustomerDisplay: Sendable {
    enum Phase: String, Sendable, CaseIterable {
        /// There is no sale.
        case idle
        /// The sale changes.
        case sale
        /// A card is needed.
        case tap
        case working, paid, refused, unknown

        /// Whether the phase is only shown for a while.
        var isOutcome: Bool { [.paid, .refused, .unknown].contains(self) }
    }

    /// The sale as the till page shows it.
    struct Sale: Sendable, Hashable {
        static let none = Sale(lines: [], sum: nil)
        private static let maximumLines = 200
        private static let maximumQuantity: Int64 = 9_999
        private static let nameLengths = 1...80

        struct Line: Sendable, Hashable {
            let name: String
            let quantity: Int64
            let price: String
        }

        let lines: [Line]
        /// The amount due; nil if there is no sale.
        let sum: String?
    }

    /// The calls that are shown to the customer.
    private static let calls: Set<String> = [
        "pay", "sell", "add", "refund", "close", "ticket/buy", "ticket/claim",
    ]
    /// Refusals that the cashier decides about, so that the customer need not see them.
    private static let questions: Set<String> = [
        "confirmation-needed", "same-card", "just-resolved", "address-unconfirmed",
    ]
    /// The number of keep-alive beats for which an outcome is shown, about ten seconds.
    private static let outcomeBeats = 4

    /// Whether the balance after an operation is shown.
    let showsBalance: Bool
    private var sale = Sale.none
    private var phase = Phase.idle
    private var verb: String?
    private var amount: String?
    private var balance: String?
    private var reason: String?
    private var beats = 0

    init(showsBalance: Bool) { self.showsBalance = showsBalance }

    var document: JSONValue {
        [
            "phase": .string(phase.rawValue), "verb": .text(verb),
            "lines": .array(
                sale.lines.map { line in
                    [
                        "name": .string(line.name), "quantity": .number(String(line.quantity)),
                        "price": .string(line.price),
                    ]
                }), "sum": .text(sale.sum), "amount": .text(amount), "balance": .text(balance),
            "reason": .text(reason),
        ]
    }

    static let schema = Schema.object([
        "phase": Schema.oneOf(Phase.allCases.map(\.rawValue)), "verb": Schema.nullable(Schema.text),
        "lines": Schema.list(of: Sale.lineSchema),
        "sum": Schema.nullable(Schema.named("Amount")),
        "amount": Schema.nullable(Schema.named("Amount")),
        "balance": Schema.nullable(Schema.named("Amount")), "reason": Schema.nullable(Schema.text),
    ])

    /// Shows another sale. An outcome stays until there is a new sale.
    mutating func show(_ sale: Sale) {
        self.sale = sale
        if phase == .working || (phase.isOutcome && sale == .none) { return }
        rest()
    }

    /// Follows an event of the till page. Returns whether the display changes.
    mutating func follow(_ event: String, _ data: JSONValue) -> Bool {
        let before = document
        switch event {
        case "armed": arm(data)
        case "operation": follow(data)
        default: break
        }
        return document != before
    }

    /// Ends an outcome after a while. Returns whether the display changes.
    mutating func beat() -> Bool {
        guard phase.isOutcome else { return false }
        beats += 1
        guard beats >= CustomerDisplay.outcomeBeats else { return false }
        rest()
        return true
    }

    private mutating func arm(_ data: JSONValue) {
        guard data["ended"] ?? .null == .null, let verb = data["verb"]?.string else {
            // The sale stays on the display while the cashier changes it.
            if phase == .tap { rest() }
            return
        }
        enter(.tap, verb)
        amount = data["request"]?["amount"]?.string
    }

    private mutating func follow(_ operation: JSONValue) {
        guard let verb = operation["verb"]?.string, CustomerDisplay.calls.contains(verb),
            let progress = operation["phase"]?.string.flatMap(TillOperation.Phase.init(rawValue:))
        else { return }
        switch progress {
        case .begun: break
        case .waiting: enter(.tap, verb)
        case .seen, .resolving, .scratching, .writing, .asking, .committed: enter(.working, verb)
        case .done:
            let answer = operation["answer"]
            let moved = answer?["amount"]?.string
            // Undoing a top-up takes money off the card, like a payout.
            let isPaidOut = verb == "refund" && moved?.hasPrefix("-") == true
            enter(.paid, isPaidOut ? "close" : verb)
            amount = moved.map { String($0.trimmingPrefix("-")) }
            balance = showsBalance ? answer?["balance"]?.string : nil
        case .failed: fail(operation["problem"], verb)
        }
    }

    private mutating func fail(_ problem: JSONValue?, _ verb: String) {
        let word = problem?["error"]?.string ?? ""
        if word == "cancelled" || CustomerDisplay.questions.contains(word) { return rest() }
        let isUnknown = problem?["result"]?.string == TapcardError.Result.unknown.rawValue
        enter(isUnknown ? .unknown : .refused, verb)
        reason = word
    }

    private mutating func enter(_ phase: Phase, _ verb: String) {
        // The amount of an armed sale stays while its card is read.
        if ![.tap, .working].contains(self.phase) || ![.tap, .working].contains(phase) {
            amount = nil
        }
        (self.phase, self.verb, balance, reason, beats) = (phase, verb, nil, nil, 0)
    }

    private mutating func rest() {
        phase = sale == .none ? .idle : .sale
        (verb, amount, balance, reason, beats) = (nil, nil, nil, nil, 0)
    }
}

extension CustomerDisplay.Sale {
    static let lineSchema = Schema.object([
        "name": Schema.text, "quantity": Schema.number(-9_999...9_999),
        "price": Schema.named("Amount"),
    ])

    /// The sale in a request.
    init(_ members: [JSONMember], _ isAmount: (String) -> Bool) throws(Problem) {
        let given = JSONValue.object(members)
        func refusal(_ what: String) -> Problem { Problem(.usage, "\(what) is malformed.") }
        func amount(_ value: JSONValue?) throws(Problem) -> String {
            guard let text = value?.string, isAmount(String(text.trimmingPrefix("-"))) else {
                throw refusal("An amount")
            }
            return text
        }
        for member in members where !["lines", "sum"].contains(member.key) {
            throw Problem(.usage, "The member \(member.key.quotation) is unknown.")
        }
        guard let rows = (given["lines"] ?? .array([])).array, rows.count <= Self.maximumLines
        else { throw refusal("The list of lines") }
        var lines: [Line] = []
        for row in rows {
            guard let name = row["name"]?.string,
                Self.nameLengths.contains(name.unicodeScalars.count),
                let quantity = row["quantity"]?.numberText.flatMap({ Int64($0) }),
                abs(quantity) <= Self.maximumQuantity
            else { throw refusal("A line") }
            lines.append(Line(name: name, quantity: quantity, price: try amount(row["price"])))
        }
        let sum = given["sum"] ?? .null
        self.init(lines: lines, sum: sum == .null ? nil : try amount(sum))
    }
}
