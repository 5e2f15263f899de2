import Testing

/// A command that changes a card, and what a tap may find after it was cut short.
struct Change: Sendable, CustomTestStringConvertible {
    /// The command line, which is repeated.
    let line: String
    /// The commands that lead to the state before it.
    let prepared: [String]
    /// Whether it needs a second tag, which is blank.
    var isForBlank = false
    /// The output of `read` before and after; nil where there is no card yet.
    let before: Found?
    let after: Found
    /// The beginning of what it prints on success.
    let says: String
    /// Its answer when it was done before: a replay (nil) or this refusal.
    let refusalAgain: String?
    /// Whether the next tap may void it.
    let mayBeVoided: Bool
    /// A run has at least this many calls.
    let leastCalls: Int

    var testDescription: String {
        line.split(separator: " ").prefix { $0.allSatisfy(\.isLetter) }.joined(separator: " ")
    }

    /// The part of the output of `read --json` that a change affects.
    struct Found: Equatable, Sendable {
        let balance: String
        let ledger: String
        let isScratched: Bool
        /// Nil where the ledger does not know the card.
        let protection: String?

        init(
            _ balance: String, ledger: String = "known", isScratched: Bool = false,
            protection: String? = "off"
        ) {
            self.balance = balance
            self.ledger = ledger
            self.isScratched = isScratched
            self.protection = protection
        }

        /// Nil where there is no card to read.
        init?(in document: String) {
            guard
                let match = document.firstMatch(
                    of: /"seal":"valid".*"balance":"([0-9.]+)".*"ledger":"(\w+)"/)
            else { return nil }
            let protection = document.firstMatch(of: /"protection":"([a-z-]+)"/)
            self.init(
                String(match.output.1), ledger: String(match.output.2),
                isScratched: document.contains(#""state":"scratched""#),
                protection: protection.map { String($0.output.1) })
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
        after: Found("0.00", ledger: "closed"), says: "Paid out $20.00, $0.00 left",
        refusalAgain: nil,
        mayBeVoided: true, leastCalls: 80)

    static let scratch = Change(
        line: "scratch", prepared: issued, before: twenty,
        after: Found("20.00", isScratched: true), says: "", refusalAgain: "wrong-state",
        mayBeVoided: false, leastCalls: 80)

    /// Starts from nothing, so the folder, the keys and the ledger are created, too.
    static let issue = Change(
        line: "issue --balance 20", prepared: [], before: nil, after: twenty, says: "Issued:",
        refusalAgain: "card-known", mayBeVoided: false, leastCalls: 120)

    static let refund = Change(
        line: "refund \(id)", prepared: issued + ["pay 1 --operation \(id)"],
        before: Found("19.00"), after: twenty, says: "Refunded $1.00, $20.00 left",
        refusalAgain: nil, mayBeVoided: false, leastCalls: 80)

    static let protect = Change(
        line: "tag protect", prepared: issued, before: twenty,
        after: Found("20.00", protection: "on"), says: "Tag 04",
        refusalAgain: "wrong-state", mayBeVoided: false, leastCalls: 100)

    static let unprotect = Change(
        line: "tag unprotect", prepared: issued + ["tag protect"],
        before: Found("20.00", protection: "on"), after: twenty, says: "Tag 04",
        refusalAgain: "wrong-state", mayBeVoided: false, leastCalls: 90)

    /// Adopts a card that another ledger made with the same keys.
    static let adopt = Change(
        line: "adopt --accept-balance 20",
        prepared: ["keys list", "backup ~/empty"] + issued + ["restore-backup ~/empty"],
        before: Found("20.00", ledger: "unknown", protection: nil), after: twenty,
        says: "Converted:", refusalAgain: "card-known", mayBeVoided: false, leastCalls: 120)

    static let replace = Change(
        line: "replace --card \(Till.firstUID)", prepared: issued, isForBlank: true,
        before: nil, after: twenty, says: "Replaced \(Till.firstUID):",
        refusalAgain: "card-known",
        mayBeVoided: false, leastCalls: 100)
}
