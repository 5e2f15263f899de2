import TapcardDomain

extension StationJournal {
    /// The columns that a station writes.
    package static let reportedColumns =
        "id, settled, written, missing, reported_at, lasts_until, most"
    package static let columns = reportedColumns + ", written_off_at"

    /// The values of `reportedColumns`.
    package var reportedValues: [SQLValue] {
        [
            .id(id), .integer(booked), .integer(written), .integer(missing), .time(reportedAt),
            .time(until), .integer(limit),
        ]
    }

    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            id: try row.value(\.id), booked: try row.value(\.units),
            written: try row.value(\.units), missing: try row.value(\.units),
            reportedAt: try row.value(\.time), until: try row.value(\.time),
            limit: try row.value(\.units), writtenOffAt: try row.optional(\.time))
    }
}

extension CardStanding {
    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            uid: try row.value(\.uid), status: try row.word(),
            account: try row.value(\.accountNumber),
            confirmed: try row.value(\.number), balance: try row.value(\.units),
            isOpen: try row.value(\.flag))
    }
}
