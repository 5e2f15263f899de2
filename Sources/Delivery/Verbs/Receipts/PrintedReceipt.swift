import Ledger
package import TapcardCore
package import TapcardDomain
import TextCodecs

/// The receipt of an operation, for the page, the terminal, and the printer.
package struct PrintedReceipt: Sendable {
    /// One row of a receipt, which may take up several lines on paper.
    struct Row: DocumentedObject {
        enum Style: String, CaseIterable { case plain, strong, centered }

        let text: String
        /// What is shown at the right edge, such as an amount.
        var fact: String?
        var style = Style.plain

        static let fields: Fields<Row> = [
            "text": .of(\.text), "fact": .of(\.fact), "style": .of(\.style.rawValue),
        ]
    }

    /// The number of characters that fit on a line.
    package static let width = 42
    private static let notice = ReportTable.notice.wrapped(to: width - 8).map {
        Row(text: $0, style: .centered)
    }

    private let record: History.Record
    private let currency: Currency
    let rows: [Row]

    /// Creates the receipt of an operation. It begins with the lines of the header, such as the
    /// shop's name, and is marked as a copy if `isCopy` is true.
    package init(
        _ record: History.Record, _ currency: Currency, header: String?, isCopy: Bool = false
    ) {
        (self.record, self.currency) = (record, currency)
        let (title, time, requester, id) = record.heading
        var rows = (header ?? "").split(whereSeparator: \.isNewline).map {
            Row(text: String($0), style: .centered)
        }
        if isCopy { rows.append(Row(text: "COPY", style: .strong)) }
        if !rows.isEmpty { rows.append(Row(text: "")) }
        rows.append(Row(text: title, style: .strong))
        rows.append(Row(text: LocalTime.text(time)))
        let (cashier, till) = (requester.cashier?.text.shown, requester.till?.text.shown)
        rows += [cashier.map { "Cashier: \($0)" }, till.map { "Till: \($0)" }].compactMap {
            $0.map { Row(text: $0) }
        }
        rows.append(Row(text: "No. \(id)"))
        if let original = record.reverses {
            rows += [Row(text: "Original receipt"), Row(text: "No. \(original)")]
        }
        rows.append(Row(text: ""))
        let body = Body(record, currency)
        rows += body.rows
        if let ending = body.ending { rows += [Row(text: ""), Row(text: ending, style: .strong)] }
        rows += [Row(text: "")] + PrintedReceipt.notice
        self.rows = rows
    }

    /// Whether the operation changed the cash in the drawer.
    package var movesCash: Bool {
        switch record {
        case .operation(let line, let besides):
            var takings = Takings()
            takings.count(line.operation, besides)
            return takings.drawer != 0
        case .cardless(let operation): return operation.cash != 0
        }
    }

    /// The receipt as lines that fit the ``width``. `spelled` replaces characters that a printer
    /// lacks, before the lines are broken.
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

    /// The JSON schema of ``fullMembers``.
    static var fullSchema: JSONValue {
        func schema<Recorded>(_ recorded: Fields<Recorded>) -> JSONValue {
            PrintedDocument.done(recorded.required + fields.required, optional: recorded.optional)
        }
        return ["anyOf": [schema(HistoryLine.fields), schema(ShownCardless.fields)]]
    }

    /// The recorded operation or change, followed by the rows of the receipt.
    var fullMembers: Members {
        switch record {
        case .operation(let line, _): line.members + members
        case .cardless(let operation):
            ShownCardless((operation, isReplayed: true), currency).members + members
        }
    }
}

/// The main part of a receipt: what was sold, how it was paid for, and the new balance.
private struct Body {
    private let currency: Currency
    private(set) var rows: [PrintedReceipt.Row] = []
    /// What to say about an operation that is unfinished or voided; nil for a committed one.
    private(set) var ending: String?

    init(_ record: History.Record, _ currency: Currency) {
        self.currency = currency
        switch record {
        case .operation(let line, let besides): add(line, besides)
        case .cardless(let operation): add(operation)
        }
    }

    private func shown(_ units: Int64) -> String { Money(minorUnits: units, currency).shown }

    private mutating func add(_ lines: [SaleLine]) {
        for line in lines {
            let count = line.quantity == 1 ? "" : "\(line.quantity) x "
            let each = line.quantity == 1 ? "" : ", \(shown(line.price)) each"
            rows.append(.init(text: count + line.name.text.shown + each, fact: shown(line.amount)))
        }
    }

    private mutating func total(_ text: String, _ units: Int64, _ parts: [(String, Int64)]) {
        rows.append(.init(text: text, fact: shown(units), style: .strong))
        rows += parts.filter { $0.1 != 0 }.map { .init(text: $0.0, fact: shown($0.1)) }
    }

    private mutating func add(_ operation: CardlessOperation) {
        add(operation.lines)
        let isSale = operation.kind == .sale || operation.kind == .undo
        // Undoing returned deposits takes money in again.
        let isReturned = isSale && operation.amount < 0
        let sign: Int64 = operation.amount < 0 ? -1 : 1
        total(
            isReturned ? "Returned" : isSale ? "Total" : "Amount",
            sign &* operation.amount, [("Rounding", sign &* operation.rounding)])
        if let reason = operation.reason { rows.append(.init(text: reason.text.shown)) }
        guard isSale else { return }
        rows.append(.init(text: operation.tender.title, fact: shown(sign &* operation.paid)))
        guard let given = operation.given, let change = operation.change else { return }
        rows.append(.init(text: "Received", fact: shown(given)))
        rows.append(.init(text: "Change", fact: shown(change)))
    }

    private mutating func add(_ line: HistoryLine, _ besides: AdditionalBookings) {
        let operation = line.operation
        add(operation.lines)
        let card = "Card ...\(operation.uid.description.suffix(4))"
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
                "Refunded", amount + besides.rest,
                [(card, amount), (besides.tender.title, besides.rest)])
        case .add:
            total("Total", amount, [(operation.tender.title, amount)])
            rows.append(.init(text: "Added to: \(card)"))
        case .reverse:
            total("Returned", amount, [(besides.tender.title, amount)])
            rows.append(.init(text: "Taken off: \(card)"))
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
            rows.append(.init(text: "Old balance paid out in cash", fact: shown(besides.closed)))
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

extension History.Record {
    /// The operation that this one refunds, reverses, or undoes; nil if there is none.
    fileprivate var reverses: OperationID? {
        switch self {
        case .operation(let line, _): line.operation.reverses
        case .cardless(let operation): operation.reverses
        }
    }

    /// The heading of a receipt.
    fileprivate var heading: (String, Timestamp, Requester, OperationID) {
        switch self {
        case .operation(let line, _):
            let operation = line.operation
            return (operation.kind.title, operation.beganAt, operation.requester, operation.id)
        case .cardless(let operation):
            let title =
                switch operation.kind {
                case .sale: operation.amount < 0 ? Operation.Kind.credit.title : "Sale"
                case .undo: "Sale undone"
                case .cashIn: "Cash put into the drawer"
                case .cashOut: "Cash taken out of the drawer"
                }
            return (title, operation.at, operation.requester, operation.id)
        }
    }
}

extension Operation.Kind {
    /// The heading of the receipt.
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
    /// How a receipt names the tender.
    fileprivate var title: String {
        switch self {
        case .cash: "Cash"
        case .terminal: "Card terminal"
        case .other: "Other"
        }
    }
}

extension String {
    /// Breaks the text into lines at spaces, and splits words that are too long for a line.
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
                // The last line is still empty, and gets the end of the word.
                lines.insert(part, at: lines.count - 1)
                word = String(word.dropFirst(part.count))
            }
            lines[lines.count - 1] = word
        }
        return lines
    }

    /// As much of the text as fits, but at least one character.
    private func fitting(_ width: Int) -> String {
        var text = ""
        for character in self {
            guard text.isEmpty || (text + String(character)).cellCount <= width else { break }
            text.append(character)
        }
        return text
    }
}
