import Ledger
import TapcardDomain

/// A query, and how to decode its rows.
struct Selection<Row> {
    let statement: SQLStatement
    let decode: (inout Columns) throws(LedgerError) -> Row
    /// The name of the table, for the error about an unreadable row.
    private let table: String?

    init(
        _ sql: String, _ values: [SQLValue] = [], of table: String? = nil,
        _ decode: @escaping (inout Columns) throws(LedgerError) -> Row
    ) {
        (statement, self.decode) = (SQLStatement(sql, values), decode)
        self.table = table
    }

    func rows(of answer: SQLAnswer) throws(LedgerError) -> [Row] {
        var rows: [Row] = []
        for values in answer.rows {
            var columns = Columns(values)
            do throws(LedgerError) {
                rows.append(try decode(&columns))
            } catch {
                // Any other error already says which row it is about. Errors of the same kind are
                // equal, so the texts are compared.
                guard error.detail == Columns.unreadable.detail else { throw error }
                throw unreadable(values.first)
            }
        }
        return rows
    }

    /// The error for an unreadable row, identified by its first column, which is the key of the row
    /// or of its card.
    private func unreadable(_ key: SQLValue?) -> LedgerError {
        let name = key.flatMap { key in
            key.uid?.description ?? key.id?.description ?? key.integer.map { "\($0)" }
                ?? key.text.map { String($0.prefix(100)).debugDescription }
        }
        return LedgerError(
            .corrupt,
            "the row of \(table.map { "\($0) " } ?? "")\(name ?? "without a key") cannot be read, "
                + "because it was not written by tapcard; restore a backup")
    }
}

/// A type whose values are the rows of one table.
protocol TableRow {
    static var table: String { get }
    /// The columns in the order in which `init` reads them, each qualified with the table's name.
    static var qualifiedColumns: String { get }
    init(_ row: inout Columns) throws(LedgerError)
}

extension Operation: TableRow {
    static let table = "operation"
    static let qualifiedColumns = columns.qualified(by: table)
}
extension IssuedRecord: TableRow {
    static let table = "issued_record"
    static let qualifiedColumns = columns.qualified(by: table)
}
extension SoldTicket: TableRow {
    static let table = "ticket"
    static let qualifiedColumns = columns.qualified(by: table)
}
extension ActivationAttempt: TableRow {
    static let table = "activation"
    static let qualifiedColumns = columns.qualified(by: table)
}

extension String {
    /// A list of columns, each qualified with its table's name.
    func qualified(by table: String) -> String {
        split(separator: ",").map { "\(table).\($0.filter { !$0.isWhitespace })" }
            .joined(separator: ", ")
    }
}

extension Selection where Row: TableRow {
    /// Selects rows from the type's table. `tables` is that table, alone or joined with others.
    init(
        from tables: String = Row.table, where condition: String, _ values: [SQLValue] = []
    ) {
        self.init(
            "SELECT \(Row.qualifiedColumns) FROM \(tables) WHERE \(condition)", values,
            of: Row.table
        ) { row throws(LedgerError) in try Row(&row) }
    }
}

extension PostgreSQLRows {
    /// The rows of a type's table. `tables` is that table, alone or joined with others.
    func rows<Row: TableRow>(
        from tables: String = Row.table, where condition: String, _ values: [SQLValue] = []
    ) throws(LedgerError) -> [Row] {
        try query(Selection(from: tables, where: condition, values))
    }

    /// The first of the rows that `rows` would return.
    func row<Row: TableRow>(
        from tables: String = Row.table, where condition: String, _ values: [SQLValue] = []
    ) throws(LedgerError) -> Row? {
        let rows: [Row] = try rows(from: tables, where: condition, values)
        return rows.first
    }
}
