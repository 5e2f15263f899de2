package import Ledger
package import TapcardCore
package import TapcardDomain
import TextCodecs

/// What the receipt of an operation says, for the terminal, the page, and the printer.
package struct PrintedReceipt: Sendable {
    /// A row of the receipt: text, and an amount or a fact at the right margin.
    struct Row: DocumentedObject {
        enum Style: String, CaseIterable { case plain, strong, centered }

        let text: String
        var fact: String?
        var style = Style.plain

        static let fields: Fields<Row> = [
            "text": .of(\.text), "fact": .of(\.fact), "style": .of(\.style.rawValue),
        ]
    }

    /// The characters in a line of paper that is 80 mm wide.
    package static let width = 42
    /// In two lines, because one does not fit.
    private static let notice = ["Not a certified fiscal register", "(TSE, NF525)."].map {
        Row(text: $0, style: .centered)
    }

    let line: HistoryLine
    let besides: AdditionalBookings
    let rows: [Row]

    /// `header` is the text of the setting.
    package init(
        _ line: HistoryLine, _ besides: AdditionalBookings, _ currency: Currency, header: String?,
        isCopy: Bool = false
    ) {
        (self.line, self.besides) = (line, besides)
        let operation = line.operation
        var rows = (header ?? "").split(whereSeparator: \.isNewline).map {
            Row(text: String($0), style: .centered)
        }
        if isCopy { rows.append(Row(text: "COPY", style: .strong)) }
        if !rows.isEmpty { rows.append(Row(text: "")) }
        rows.append(Row(text: operation.kind.title, style: .strong))
        rows.append(Row(text: LocalTime.text(operation.beganAt)))
        if let cashier = operation.cashier {
            rows.append(Row(text: "Cashier: \(cashier.text.shown)"))
        }
        rows.append(Row(text: "No. \(operation.id)"))
        if let original = operation.reverses {
            rows += [Row(text: "For operation"), Row(text: "No. \(original)")]
        }
        rows.append(Row(text: ""))
        let body = Body(line, besides, currency)
        rows += body.rows
        if let ending = body.ending { rows += [Row(text: ""), Row(text: ending, style: .strong)] }
        rows += [Row(text: "")] + PrintedReceipt.notice
        self.rows = rows
    }

    /// Whether cash went into the drawer or out of it.
    package var movesCash: Bool {
        var takings = Takings()
        takings.count(line.operation, besides)
        return takings.drawer != 0
    }

    /// The receipt as lines of text. `spelled` replaces characters that the printer lacks.
    package func lines(
        spelled: (String) -> String = { $0 }
    ) -> [(text: String, isStrong: Bool)] {
        rows.flatMap { row in
            let fact = row.fact.map(spelled) ?? ""
            let room = PrintedReceipt.width - (fact.isEmpty ? 0 : fact.cellCount + 1)
            var lines = spelled(row.text).wrapped(to: room)
            if row.style == .centered {
                lines = lines.map { line in
                    line.padded((PrintedReceipt.width + line.cellCount) / 2, atStart: true)
                }
            }
            if let last = lines.last, !fact.isEmpty {
                lines[lines.count - 1] = last.padded(room) + " " + fact
            }
            return lines.map { ($0, row.style == .strong) }
        }
    }
}

extension PrintedReceipt: DocumentedObject {
    static let fields: Fields<PrintedReceipt> = ["rows": .of(\.rows)]

    /// The operation as in the history, and the rows.
    static var fullSchema: JSONValue {
        PrintedDocument.done(
            HistoryLine.fields.required + fields.required, optional: HistoryLine.fields.optional)
    }

    var fullMembers: Members { line.members + members }
}

/// What was sold or moved, and how it was paid.
private struct Body {
    private(set) var rows: [PrintedReceipt.Row] = []
    /// What the receipt does not prove; nil for an operation that has ended as it should.
    private(set) var ending: String?

    init(_ line: HistoryLine, _ besides: AdditionalBookings, _ currency: Currency) {
        let operation = line.operation
        func shown(_ units: Int64) -> String { Money(minorUnits: units, currency).shown }
        for line in operation.lines {
            let count = line.quantity == 1 ? "" : "\(line.quantity) x "
            let each = line.quantity == 1 ? "" : ", \(shown(line.price)) each"
            rows.append(.init(text: count + line.name.text.shown + each, fact: shown(line.amount)))
        }
        let card = "Card ...\(operation.uid.description.suffix(4))"
        func total(_ text: String, _ units: Int64, _ parts: [(String, Int64)]) {
            rows.append(.init(text: text, fact: shown(units), style: .strong))
            rows += parts.filter { $0.1 != 0 }.map { .init(text: $0.0, fact: shown($0.1)) }
        }
        let amount = operation.amount
        switch operation.kind {
        case .pay, .offline, .ticket:
            let rest = operation.rest
            total(
                "Total", amount + (rest?.amount ?? 0),
                [(card, amount), (rest?.tender.title ?? "", rest?.amount ?? 0)])
        case .credit: total("Returned", amount, [(card, amount)])
        case .refund:
            total(
                "Returned", amount + besides.rest,
                [(card, amount), (besides.tender.title, besides.rest)])
        case .add:
            total("Total", amount, [(operation.tender.title, amount)])
            rows.append(.init(text: "Added to \(card)"))
        case .reverse:
            total("Returned", amount, [(besides.tender.title, amount)])
            rows.append(.init(text: "Taken off \(card)"))
        case .close, .payout:
            total("Paid out", amount, [(Tender.cash.title, amount)])
            rows.append(.init(text: card))
        case .issue, .adopt, .replace, .claim:
            total(operation.kind.makesCard ? "Starting balance" : "Prize", amount, [])
            rows.append(.init(text: card))
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            rows.append(.init(text: card))
        }
        if besides.closed != 0 {
            rows.append(.init(text: "Old balance paid out, cash", fact: shown(besides.closed)))
        }
        if let balance = line.balance {
            rows.append(.init(text: "New balance", fact: balance.shown))
        }
        ending =
            switch operation.state {
            case .committed: nil
            case .pending:
                operation.kind.isVoidable
                    ? "Not finished. This is not a receipt."
                    : "Recorded, but not yet written to the card."
            case .voided: "Voided. Nothing was charged or paid."
            }
    }
}

extension Operation.Kind {
    /// The heading of a receipt.
    fileprivate var title: String {
        switch self {
        case .issue: "New card"
        case .adopt: "Converted card"
        case .replace: "Replacement card"
        case .pay, .offline: "Sale"
        case .credit: "Returned deposits"
        default: noun.prefix(1).uppercased() + noun.dropFirst()
        }
    }
}

extension Tender {
    fileprivate var title: String {
        switch self {
        case .cash: "Cash"
        case .terminal: "Card terminal"
        case .other: "Other"
        }
    }
}

extension String {
    /// Wraps the text to this width. Longer words are split.
    fileprivate func wrapped(to width: Int) -> [String] {
        var lines = [""]
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            var word = String(word)
            let joined = lines[lines.count - 1] + (lines.last == "" ? "" : " ") + word
            if joined.cellCount <= width {
                lines[lines.count - 1] = joined
                continue
            }
            if lines.last != "" { lines.append("") }
            while word.cellCount > width {
                let part = word.fitting(width)
                lines.insert(part, at: lines.count - 1)
                word = String(word.dropFirst(part.count))
            }
            lines[lines.count - 1] = word
        }
        return lines
    }

    /// The longest beginning that fits into this width, at least one character.
    private func fitting(_ width: Int) -> String {
        var text = ""
        for character in self {
            guard text.isEmpty || (text + String(character)).cellCount <= width else { break }
            text.append(character)
        }
        return text
    }
}
