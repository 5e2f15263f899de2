import Ledger
import StyledText
import TapcardDomain
import TextCodecs

/// A line of the history for people.
struct HistoryText {
    let at: Timestamp
    let uid: CardUID
    let what: String
    var amount: Money?
    var balance: Money?
    let id: OperationID
    /// A ticket, a game, a prize that was paid past the card.
    var about: [String] = []

    /// Both in the order that they have, by time; a question before what the card got of it.
    static func merged(_ done: [HistoryText], _ asked: [HistoryText]) -> [HistoryText] {
        var merged: [HistoryText] = []
        var asked = asked[...]
        for line in done {
            while let first = asked.first,
                first.at.milliseconds < line.at.milliseconds || first.id == line.id
            {
                merged.append(asked.removeFirst())
            }
            merged.append(line)
        }
        return merged + asked
    }
}

extension Session {
    func line(of text: HistoryText) -> String {
        [
            LocalTime.text(text.at), text.uid.description, text.what.padded(18),
            (text.amount?.shown ?? "").padded(12), (text.balance?.shown ?? "").padded(12),
            ([text.id.description] + text.about).joined(separator: "  "),
        ].joined(separator: "  ")
    }
}

extension HistoryText {
    /// What the service was asked, and what it has said.
    init(_ attempt: ActivationAttempt) {
        let what =
            switch attempt.state {
            case .requested: "asked (no answer)"
            case .active: "asked (yes)"
            case .rejected: "asked (no, version \(attempt.version ?? ""))"
            }
        self.init(at: attempt.requestedAt, uid: attempt.card, what: what, id: attempt.id)
    }
}

extension ActivationAttempt {
    var document: JSONValue {
        [
            "operation": .text(id), "uid": .text(card), "code": .text(code),
            "state": .string(state.rawValue), "version": .text(version),
            "at": .string(LocalTime.iso(requestedAt)),
            "answered": answeredAt.map { .string(LocalTime.iso($0)) } ?? .null,
        ]
    }
}
