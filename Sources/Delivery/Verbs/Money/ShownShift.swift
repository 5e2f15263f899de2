import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

/// A shift as shown in JSON. Its amounts are null until its cash has been counted.
struct ShownShift: DocumentedObject {
    let shift: Shift
    let currency: Currency

    static let fields: Fields<ShownShift> = [
        "id": .of(\.shift.id), "server": .of(\.shift.station), "openedAt": .of(\.shift.openedAt),
        "openedBy": .of(\.shift.openedBy), "closedAt": .of { $0.shift.closing?.at },
        "closedBy": .of { $0.shift.closing?.by },
        "float": .of { shown in shown.shift.closing.map { _ in shown.money(shown.shift.float) } },
        "expected": .of(Schema.nullable(ValueSchemas.signedAmount)) { shown in
            shown.shift.closing.map { shown.money($0.expected) }
        },
        "counted": .of { shown in shown.shift.counts.first.map { shown.money($0.amount) } },
        "difference": .of(Schema.nullable(ValueSchemas.signedAmount), \.difference),
        "counts": .of { shown in shown.shift.counts.map { ShownCount(count: $0, of: shown) } },
    ]

    /// How much more cash was found at the last count than expected, negative if less; nil while
    /// the shift is open.
    var difference: Money? {
        shift.counts.last.flatMap { shift.difference(of: $0) }.map(money)
    }

    func money(_ units: Int64) -> Money { Money(minorUnits: units, currency) }
}

/// A count of a shift's cash as shown in JSON.
struct ShownCount: DocumentedObject {
    let count: Shift.Count
    let shown: ShownShift

    init(count: Shift.Count, of shown: ShownShift) { (self.count, self.shown) = (count, shown) }

    static let fields: Fields<ShownCount> = [
        "amount": .of { $0.shown.money($0.count.amount) },
        "difference": .of(ValueSchemas.signedAmount) {
            $0.shown.money($0.shown.shift.difference(of: $0.count) ?? 0)
        },
        "at": .of(\.count.at), "cashier": .of(\.count.cashier),
    ]
}

/// The report of a closed shift as shown in JSON.
struct ShownShiftReport: DocumentedObject {
    let report: ShiftReport
    let currency: Currency

    static let fields: Fields<ShownShiftReport> = [
        "sales": .of { ShownSums(sums: $0.report.sales, currency: $0.currency) },
        "cashiers": .of { shown in
            shown.report.cashiers.map {
                ShownSales(cashier: $0.cashier, sales: Money(minorUnits: $0.sales, shown.currency))
            }
        },
        "topUps": .of { ShownSums(sums: $0.report.topUps, currency: $0.currency) },
        "refunds": .of { ShownSums(sums: $0.report.refunds, currency: $0.currency) },
        "paidOut": .of { $0.money($0.report.paidOut) },
        "rounding": .of(ValueSchemas.signedAmount) { $0.money($0.report.rounding) },
        "moves": .of { shown in
            shown.report.moves.map { ShownCardless(($0, false), shown.currency) }
        },
        "late": .of { shown in
            shown.report.late.map { ShownLate(operation: $0, currency: shown.currency) }
        },
    ]

    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency) }
}

/// Sums for each way to pay, as shown in JSON.
struct ShownSums: DocumentedObject {
    /// The sums in minor units. Payments with a card have the key nil.
    let sums: [Tender?: Int64]
    let currency: Currency

    static let fields: Fields<ShownSums> = [
        "card": .of(ValueSchemas.signedAmount) { $0.money(nil) },
        "cash": .of(ValueSchemas.signedAmount) { $0.money(.cash) },
        "terminal": .of(ValueSchemas.signedAmount) { $0.money(.terminal) },
        "other": .of(ValueSchemas.signedAmount) { $0.money(.other) },
    ]

    private func money(_ way: Tender?) -> Money {
        Money(minorUnits: sums[way, default: 0], currency)
    }
}

/// What one cashier sold, as shown in JSON.
struct ShownSales: DocumentedObject {
    let cashier: CashierName?
    let sales: Money

    static let fields: Fields<ShownSales> = [
        "cashier": .of(\.cashier), "sales": .of(ValueSchemas.signedAmount, \.sales),
    ]
}

/// A late entry as shown in JSON.
struct ShownLate: DocumentedObject {
    let operation: Operation
    let currency: Currency

    static let fields: Fields<ShownLate> = [
        "operation": .of(\.operation.id), "uid": .of(\.operation.uid),
        "kind": .of(\.operation.kind),
        "amount": .of { Money(minorUnits: $0.operation.amount, $0.currency) },
        "time": .of(\.operation.beganAt),
    ]
}

extension Tender? {
    /// The word for this way to pay: the tender or, for nil, `card`.
    var word: String { self?.rawValue ?? "card" }
}

extension ShiftReport {
    /// What each cashier sold, in minor units, sorted by name. Sales without a cashier come first.
    var cashiers: [(cashier: CashierName?, sales: Int64)] {
        salesOfCashiers.map { ($0.key, $0.value) }
            .sorted { ($0.0?.text ?? "") < ($1.0?.text ?? "") }
    }
}

/// The report of a closed shift as text.
struct ShiftText {
    let report: ShiftReport
    let currency: Currency

    init(_ report: ShiftReport, _ currency: Currency) {
        (self.report, self.currency) = (report, currency)
    }

    /// A line of the report, with its amount in minor units.
    private typealias Row = (section: String, item: String, amount: Int64, remark: String)

    private var rows: [Row] {
        let (shift, closing) = (report.shift, report.shift.closing)
        func who(_ cashier: CashierName?, _ time: Timestamp) -> String {
            LocalTime.text(time) + (cashier.map { ", \($0.text)" } ?? "")
        }
        var rows: [Row] = [("shift", "float", shift.float, who(shift.openedBy, shift.openedAt))]
        for (section, sums) in [
            ("sales", report.sales), ("top-ups", report.topUps), ("refunds", report.refunds),
        ] {
            for way in ShiftReport.ways {
                guard let amount = sums[way], amount != 0 else { continue }
                rows.append((section, way.word, amount, ""))
            }
        }
        rows += report.cashiers.map { ("sales by cashier", $0.cashier?.text ?? "-", $0.sales, "") }
        if report.paidOut != 0 { rows.append(("paid out", "cash", report.paidOut, "")) }
        if report.rounding != 0 { rows.append(("rounding", "cash", report.rounding, "")) }
        rows += report.moves.map { move in
            let remark = "\(move.reason?.text ?? ""); \(who(move.cashier, move.at))"
            return ("drawer", move.kind.rawValue, move.amount, remark)
        }
        if let closing {
            rows.append(("shift", "expected", closing.expected, who(closing.by, closing.at)))
        }
        for (number, count) in shift.counts.enumerated() {
            let name = number == 0 ? "counted" : "recounted"
            rows.append(("shift", name, count.amount, who(count.cashier, count.at)))
            rows.append(("shift", "difference", shift.difference(of: count) ?? 0, ""))
        }
        rows += report.late.map {
            ("late entry", $0.kind.rawValue, $0.amount, "\($0.id); \(who($0.cashier, $0.beganAt))")
        }
        return rows
    }

    /// The report for a terminal, in aligned columns.
    var lines: [String] {
        let cells = rows.map { row in
            [row.section, row.item, money(row.amount).shown, row.remark.shown]
        }
        let widths = (0..<4).map { column in cells.map { $0[column].cellCount }.max() ?? 0 }
        return ["Shift \(report.shift.id)"]
            + cells.map { row in
                zip(row, widths).enumerated().map { column, cell in
                    cell.0.padded(cell.1, atStart: column == 2)
                }.joined(separator: "  ").trimmingSpaces.description
            } + [ReportTable.notice]
    }

    /// The report as CSV. The last row is the notice.
    var csv: String {
        // A negative amount is a number, not a formula, so it gets no apostrophe.
        let lines = rows.map { row in
            CSVText.line([row.section, row.item]).dropLast() + ",\(money(row.amount)),"
                + CSVText.line([row.remark])
        }
        return CSVText.line(["section", "item", "amount", "remark"]) + lines.joined()
            + CSVText.line(["notice", ReportTable.notice, "", ""])
    }

    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency) }
}
