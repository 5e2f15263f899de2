import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

/// An entry in the history, as readable text.
struct HistoryText {
    let at: Timestamp
    let uid: CardUID
    let what: String
    var amount: Money?
    var balance: Money?
    let id: OperationID
    /// Details, such as a ticket, a game, or a prize paid in cash.
    var about: [String] = []

    /// Whether this activation request comes before an entry: either it is earlier, or it led to
    /// the entry, which then has the same ID.
    func isBefore(_ done: HistoryText) -> Bool {
        at.milliseconds < done.at.milliseconds || id == done.id
    }

    /// Merges entries and activation requests, each sorted by time.
    static func merged(_ done: [HistoryText], _ requests: [HistoryText]) -> [HistoryText] {
        var merged: [HistoryText] = []
        var requests = requests[...]
        for line in done {
            while let first = requests.first, first.isBefore(line) {
                merged.append(requests.removeFirst())
            }
            merged.append(line)
        }
        return merged + requests
    }
}

extension HistoryText {
    /// The entry on one line; on a narrow terminal, the ID and the details go on separate lines.
    func line(within columns: Int?) -> String {
        let facts = [
            LocalTime.text(at), uid.description, what.padded(18),
            (amount?.shown ?? "").padded(12),
        ]
        let balance = balance?.shown ?? ""
        let names = [id.description] + about
        let line = (facts + [balance.padded(12)] + names).joined(separator: "  ")
        guard let columns, line.cellCount > columns else { return line }
        let indent = "  "
        // The balance is not padded here, because nothing follows it on its line.
        let first = Line.flow((facts + [balance]).map { Line($0) }, width: columns)
        let details = Line.flow(
            names.map { Line($0) }, indent: "", width: columns - indent.cellCount)
        return (first + details.map { Line(indent) + $0 })
            .map { $0.trimmed.rendered(false) }.joined(separator: "\n")
    }
}

extension HistoryText {
    init(_ line: HistoryLine) {
        // Most operations are committed, so only the other states are shown.
        let state = line.operation.state == .committed ? "" : " (\(line.operation.state))"
        let about = [
            line.operation.lines.words, line.ticket?.text, line.game?.text,
            line.paidOut.map { "paid out \($0.shown)" },
            line.closed.map { "old account: \($0.shown) paid out" },
            line.shortfall.map { "card could not pay \($0.shown)" },
            line.tapped.map { "earlier card \($0)" },
            line.attempt.map { "answers request \($0)" },
            line.operation.reverses.map { "of \($0)" },
            line.operation.cashier.map { "by \($0.text.shown)" },
            line.operation.requester.supervisor.map { "approved by \($0.text.shown)" },
        ]
        self.init(
            at: line.operation.beganAt, uid: line.operation.uid,
            what: line.operation.kind.rawValue + state, amount: line.amount,
            balance: line.balance, id: line.operation.id, about: about.compactMap { $0 })
    }

    /// An activation request with the service's response.
    init(_ attempt: ActivationAttempt) {
        let what =
            switch attempt.state {
            case .requested: "service: no response"
            case .active: "service: accepted"
            case .rejected: "service: refused (version \(attempt.version ?? ""))"
            }
        self.init(at: attempt.requestedAt, uid: attempt.card, what: what, id: attempt.id)
    }
}

extension HistoryLine: DocumentedObject {
    static let fields: Fields<HistoryLine> = [
        "operation": .of(\.operation.id), "uid": .of(\.operation.uid), "name": .of(\.holder),
        "kind": .of(\.operation.kind), "state": .of(\.operation.state),
        "amount": .of(Schema.nullable(ValueSchemas.signedAmount), \.amount),
        "balance": .of(\.balance),
        "sequence": .of { $0.operation.sequence == .none ? nil : $0.operation.sequence.value },
        "reverses": .of(\.operation.reverses), "at": .of(\.operation.beganAt),
        "ticket": .of(\.ticket),
        "game": .of(\.game),
        "paidOut": .of(\.paidOut), "closed": .of(\.closed),
        "shortfall": .ifAny(\.shortfall), "tapped": .ifAny(\.tapped), "attempt": .of(\.attempt),
        "cashier": .of(\.operation.cashier),
        "till": .ifAny(\.operation.requester.till),
        "supervisor": .ifAny(\.operation.requester.supervisor),
        "lines": .ifAny { line in
            line.amount.flatMap { line.operation.shownLines($0.currency) }
        },
        "rest": .ifAny { line in line.amount.flatMap { line.operation.shownRest($0.currency) } },
        "tender": .ifAny { $0.operation.kind == .add ? $0.operation.tender : nil },
    ]
}

extension ActivationAttempt: DocumentedObject {
    static let fields: Fields<ActivationAttempt> = [
        "operation": .of(\.id), "uid": .of(\.card), "code": .of(\.code), "state": .of(\.state),
        "version": .of(\.version), "at": .of(\.requestedAt), "answered": .of(\.answeredAt),
    ]
}

extension [SaleLine] {
    /// What was sold, such as "2 Coffee, Cake"; nil if nothing was.
    var sold: String? { filter { $0.price >= 0 }.names }

    /// The deposits that were returned, such as "2 Cup"; nil if there are none.
    var returned: String? { filter { $0.price < 0 }.names }

    /// All lines, such as "2 Coffee, returned Cup"; nil if there are none.
    var words: String? {
        let words = [sold, returned.map { "returned \($0)" }].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }

    private var names: String? {
        isEmpty
            ? nil
            : map { ($0.quantity == 1 ? "" : "\($0.quantity) ") + $0.name.text.shown }
                .joined(separator: ", ")
    }
}
