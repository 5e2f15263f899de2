import TapcardDomain
import TextCodecs

/// A report's rows and columns, for JSON, CSV, and the terminal.
struct ReportTable: Sendable {
    struct Column: Sendable {
        /// The name in JSON and CSV.
        let name: String
        /// The heading on a terminal.
        let title: String
        /// The JSON schema of a value in this column.
        let schema: JSONValue
        /// Whether the column contains text, which has no sum.
        var isText = false

        /// A column of text, which may have empty cells.
        static func text(
            _ name: String, _ title: String, _ schema: JSONValue = Schema.text
        ) -> Column {
            Column(name: name, title: title, schema: Schema.nullable(schema), isText: true)
        }
        static func number(_ name: String, _ title: String) -> Column {
            Column(name: name, title: title, schema: Schema.integer)
        }
        /// A column of amounts, which may be negative.
        static func amount(_ name: String, _ title: String) -> Column {
            Column(name: name, title: title, schema: ValueSchemas.signedAmount)
        }
    }

    /// The value of one cell.
    enum Cell: Sendable, Hashable {
        /// Text; nil if the cell is empty.
        case text(String?)
        case number(Int)
        /// An amount in minor units.
        case amount(Int64)
    }

    /// The notice that every report ends with.
    static let notice = "Not a certified fiscal register (TSE, NF525)."

    let columns: [Column]
    let rows: [[Cell]]
    let currency: Currency

    /// The sum of each column, with empty cells for text. Sums wrap on overflow.
    var sum: [Cell] {
        columns.indices.map { column in
            rows.reduce(
                columns[column].isText ? .text(nil) : rows.first?[column].zero ?? .number(0)
            ) { sum, row in sum.adding(row[column]) }
        }
    }

    /// The JSON schemas of ``members`` for a table with these columns.
    static func schema(_ columns: [Column]) -> Members {
        let row = Members(columns.map { ($0.name, $0.schema) })
        let sum = Members(columns.filter { !$0.isText }.map { ($0.name, $0.schema) })
        return ["rows": Schema.list(of: Schema.object(row)), "sum": Schema.object(sum)]
    }

    /// The rows and their sums in JSON. The sums leave out the text columns.
    var members: Members {
        func object(_ row: [Cell], withText: Bool = true) -> JSONValue {
            Members(
                zip(columns, row).filter { withText || !$0.0.isText }.map {
                    ($0.0.name, document($0.1, $0.0))
                }
            ).object
        }
        return [
            "rows": .array(rows.map { object($0) }), "sum": object(sum, withText: false),
        ]
    }

    private func document(_ cell: Cell, _ column: Column) -> JSONValue {
        switch cell {
        case .text(let text): text.map { .string($0) } ?? .null
        // A sum over no rows has no cell that shows its type.
        case .number(0) where column.schema == ValueSchemas.signedAmount: .text(money(0))
        case .number(let number): .number(number)
        case .amount(let amount): .text(money(amount))
        }
    }

    /// The table as CSV, with the columns' names but without the sums.
    var csv: String {
        let numbers = Set(columns.indices.filter { !columns[$0].isText })
        return CSVText.line(columns.map(\.name))
            + rows.map { row in
                CSVText.line(
                    row.map { cell in
                        switch cell {
                        case .text(let text): text ?? ""
                        case .number(let number): String(number)
                        case .amount(let amount): money(amount).description
                        }
                    }, numbers: numbers)
            }.joined()
    }

    /// The table for a terminal, with headings and sums. Columns that are empty or all 0 are left
    /// out, except for the first.
    var lines: [String] {
        let sum = sum
        let shown = columns.indices.filter { column in
            columns[column].isText
                ? rows.contains { $0[column] != .text(nil) } || column == 0
                : rows.contains { !$0[column].isZero }
        }
        let cells =
            [columns.map(\.title)] + (rows + [sum]).map { row in row.map { text(of: $0) } }
        let widths = columns.indices.map { column in
            cells.map { $0[column].cellCount }.max() ?? 0
        }
        return cells.enumerated().map { index, row in
            shown.map { column in
                let isSum = index == cells.count - 1 && column == 0
                return (isSum ? "sum" : row[column]).padded(
                    max(widths[column], isSum ? 3 : 0), atStart: !columns[column].isText)
            }.joined(separator: "  ").trimmedAtEnd
        }
    }

    private func text(of cell: Cell) -> String {
        switch cell {
        case .text(let text): text?.shown ?? "-"
        case .number(let number): String(number)
        case .amount(let amount): money(amount).shown
        }
    }

    private func money(_ amount: Int64) -> Money { Money(minorUnits: amount, currency) }
}

extension ReportTable.Cell {
    /// An empty cell of the same type: no text, or 0.
    var zero: Self {
        switch self {
        case .text: .text(nil)
        case .number: .number(0)
        case .amount: .amount(0)
        }
    }

    var isZero: Bool { self == zero }

    /// The sum of two cells of the same type. Text is left as it is.
    func adding(_ cell: Self) -> Self {
        switch (self, cell) {
        case (.number(let sum), .number(let number)): .number(sum &+ number)
        case (.amount(let sum), .amount(let amount)): .amount(sum &+ amount)
        default: self
        }
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
