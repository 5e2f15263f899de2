import TapcardDomain

extension EnrolledTill {
    /// The columns of the table, in the order of ``values``.
    package static let columnNames = [
        "number", "name", "is_trusted", "is_suspended", "added_at", "removed_at", "code",
        "code_expires_at", "code_is_used", "token", "epoch", "attached_at", "server",
        "release", "reader", "address", "server_address", "run",
    ]
    /// The same columns as a list for SQL statements.
    package static let columns = columnNames.joined(separator: ", ")

    /// The SQL assignments that update the row of an existing till.
    package static let assignments = columnNames.dropFirst().map { "\($0) = excluded.\($0)" }
        .joined(separator: ", ")

    /// The values to store in ``columns``.
    package var values: [SQLValue] {
        [
            .integer(Int64(number)), .text(name.text), .flag(isTrusted), .flag(isSuspended),
            .time(added), .optional(removed, SQLValue.time), .optional(code?.hash, SQLValue.blob),
            .optional(code?.expires, SQLValue.time),
            .optional(code?.isUsed, SQLValue.flag), .optional(token, SQLValue.blob),
            .integer(epoch), .optional(attachment?.at, SQLValue.time),
            .optional(attachment?.server, SQLValue.text),
            .optional(attachment?.release, SQLValue.text),
            .optional(attachment?.reader, SQLValue.text),
            .optional(attachment?.address, SQLValue.text),
            .optional(attachment?.serverAddress, SQLValue.text),
            .optional(attachment?.run, SQLValue.blob),
        ]
    }

    /// Reads ``columns``.
    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            number: try row.value { $0.integer.flatMap(Int.init(exactly:)) },
            name: try row.value(\.saleText), isTrusted: try row.value(\.flag),
            isSuspended: try row.value(\.flag), added: try row.value(\.time),
            removed: try row.optional(\.time))
        let (hash, expires) = (try row.optional(\.blob), try row.optional(\.time))
        let isUsed = try row.optional(\.flag)
        if let hash, let expires, let isUsed {
            code = Code(hash: hash, expires: expires, isUsed: isUsed)
        }
        token = try row.optional(\.blob)
        epoch = try row.value(\.integer)
        let (at, server) = (try row.optional(\.time), try row.optional(\.text))
        let (release, reader) = (try row.optional(\.text), try row.optional(\.text))
        let (address, serverAddress) = (try row.optional(\.text), try row.optional(\.text))
        let run = try row.optional(\.blob)
        if let at, let server, let release, let reader, let address, let run {
            attachment = Attachment(
                at: at, server: server, serverAddress: serverAddress, run: run, release: release,
                reader: reader, address: address)
        }
    }
}
