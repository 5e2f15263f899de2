import TapcardDomain

extension Requester {
    /// The values of the columns cashier, till, and supervisor.
    var values: [SQLValue] {
        [cashier?.text, till?.text, supervisor?.text].map { .optional($0, SQLValue.text) }
    }

    /// Reads the columns cashier, till, and supervisor.
    init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            try row.optional(\.cashier), till: try row.optional(\.saleText),
            supervisor: try row.optional(\.cashier))
    }
}
