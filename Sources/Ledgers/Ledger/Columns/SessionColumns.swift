import TapcardDomain

extension CashierSession {
    /// The columns of the table, in the order of ``values``.
    package static let columns = "token, cookie, till, cashier, login, opened_at, used_at"

    /// The values to store in ``columns``.
    package var values: [SQLValue] {
        [
            .blob(token), .blob(cookie), .integer(Int64(till)), .text(cashier.text), .blob(login),
            .time(opened), .time(used),
        ]
    }

    /// Reads ``columns``.
    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            token: try row.value(\.blob), cookie: try row.value(\.blob),
            till: try row.value { $0.integer.flatMap(Int.init(exactly:)) },
            cashier: try row.value(\.cashier), login: try row.value(\.blob),
            opened: try row.value(\.time), used: try row.value(\.time))
    }
}
