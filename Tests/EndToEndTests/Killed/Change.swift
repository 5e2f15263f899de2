import Testing

/// A command that changes a card, and what a tap may find of it when it was cut short.
struct Change: Sendable, CustomTestStringConvertible {
    /// The line with which it is asked for, again and again.
    let line: String
    /// What leads to the state before it.
    let prepared: [String]
    /// What `read` finds before and after; nil where there is no card yet.
    let before: Found?
    let after: Found
    /// How what it prints begins once it is done.
    let says: String
    /// How it answers when it was done before: with a replay, or with this refusal.
    let refusalAgain: String?
    /// Whether the next tap may end it as one that did not happen.
    let mayBeVoided: Bool
    /// More calls than this a run has for certain.
    let leastCalls: Int

    var testDescription: String { String(line.prefix { $0 != " " }) }

    /// The part of what `read --json` prints that a change changes.
    struct Found: Equatable, Sendable {
        let balance: String
        let ledger: String
        let isScratched: Bool

        init(_ balance: String, ledger: String = "known", isScratched: Bool = false) {
            self.balance = balance
            self.ledger = ledger
            self.isScratched = isScratched
        }

        /// Nil where there is no card to read.
        init?(in document: String) {
            guard
                let match = document.firstMatch(
                    of: /"seal":"valid".*"balance":"([0-9.]+)".*"ledger":"(\w+)"/)
            else { return nil }
            self.init(
                String(match.output.1), ledger: String(match.output.2),
                isScratched: document.contains(#""state":"scratched""#))
        }
    }
}

extension Change {
    private static let id = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
    private static let twenty = Found("20.00")
    private static let issued = ["issue --balance 20"]

    static let pay = Change(
        line: "pay 1 --operation \(id)", prepared: issued, before: twenty, after: Found("19.00"),
        says: "Paid $1.00, $19.00 left", refusalAgain: nil, mayBeVoided: true, leastCalls: 80)

    static let add = Change(
        line: "add 1 --operation \(id)", prepared: issued, before: twenty, after: Found("21.00"),
        says: "Added $1.00, $21.00 left", refusalAgain: nil, mayBeVoided: false, leastCalls: 80)

    static let close = Change(
        line: "close --operation \(id)", prepared: issued, before: twenty,
        after: Found("0.00", ledger: "blocked"), says: "Paid out $20.00, $0.00 left",
        refusalAgain: nil,
        mayBeVoided: true, leastCalls: 80)

    static let scratch = Change(
        line: "scratch", prepared: issued, before: twenty,
        after: Found("20.00", isScratched: true), says: "", refusalAgain: "wrong-state",
        mayBeVoided: false, leastCalls: 80)

    /// From nothing: the folder, the keys and the ledger are made as well.
    static let issue = Change(
        line: "issue --balance 20", prepared: [], before: nil, after: twenty, says: "Issued:",
        refusalAgain: "card-known", mayBeVoided: false, leastCalls: 120)
}
