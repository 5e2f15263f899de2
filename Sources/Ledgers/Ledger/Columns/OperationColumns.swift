import TapcardDomain

extension Subject {
    /// Parses the subject. If the text does not match the kind, the error names the operation.
    fileprivate init?(
        _ row: inout Columns, of kind: Operation.Kind, _ id: OperationID
    ) throws(LedgerError) {
        guard let text = try row.optional(\.text) else { return nil }
        guard let subject = Subject(text, of: kind) else {
            throw LedgerError(
                .corrupt,
                "the row of operation \(id) cannot be read, because it was not written by tapcard; "
                    + "restore a backup")
        }
        self = subject
    }
}

extension Operation {
    package static let columns = """
        id, uid, kind, amount, reverses, subject, lines, parameters, cashier, till, supervisor,
        begun_at, begun_uptime, state, sequence, ended_at, balance_after
        """

    package var values: [SQLValue] {
        [
            .id(id), .uid(uid), .text(kind.stored),
            .integer(amount), .optional(reverses, SQLValue.id),
            .optional(subject?.text, SQLValue.text),
            .optional(lines.stored, SQLValue.text),
            .optional(parameters, SQLValue.text),
        ] + requester.values + [
            .time(beganAt),
            .optional(uptimeAtStart?.description, SQLValue.text),
            .text(state.rawValue), .number(sequence),
            .optional(endedAt, SQLValue.time),
            .optional(balanceAfter, SQLValue.integer),
        ]
    }

    package init(_ row: inout Columns) throws(LedgerError) {
        let (id, uid) = (try row.value(\.id), try row.value(\.uid))
        let kind = try row.value { $0.text.flatMap(Operation.Kind.init(stored:)) }
        self.init(
            id: id, uid: uid, kind: kind,
            amount: try row.value(\.units), reverses: try row.optional(\.id),
            subject: try Subject(&row, of: kind, id),
            lines: try row.optional { $0.text.flatMap([SaleLine].init(stored:)) } ?? [],
            parameters: try row.optional(\.text),
            by: try Requester(&row),
            beganAt: try row.value(\.time), uptimeAtStart: try row.optional(\.uptime),
            state: try row.word(),
            sequence: try row.value(\.number), endedAt: try row.optional(\.time),
            balanceAfter: try row.optional(\.units))
    }
}
