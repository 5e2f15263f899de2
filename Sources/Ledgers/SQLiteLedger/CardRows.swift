import Ledger
import TapcardDomain

extension SQLiteRows {
    func card(_ uid: CardUID) throws(LedgerError) -> LedgerCard? {
        try cards(where: "uid = ?", [.uid(uid)]).first
    }

    func cards() throws(LedgerError) -> [LedgerCard] { try cards(where: "TRUE ORDER BY uid", []) }

    func save(_ card: LedgerCard) throws(LedgerError) {
        try connection.run(
            """
            INSERT INTO card (\(LedgerCard.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (uid) DO UPDATE SET
                chip = excluded.chip, is_genuine_chip = excluded.is_genuine_chip,
                status = excluded.status, holder_id = excluded.holder_id,
                holder_name = excluded.holder_name, scratch = excluded.scratch,
                scratch_code = excluded.scratch_code, face = excluded.face,
                account = excluded.account, allocated = excluded.allocated,
                confirmed = excluded.confirmed, is_display_stale = excluded.is_display_stale,
                protection = excluded.protection, protection_key = excluded.protection_key,
                foreign_message = excluded.foreign_message
            """, card.values)
    }

    private func cards(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [LedgerCard] {
        try connection.query("SELECT \(LedgerCard.columns) FROM card WHERE \(condition)", values) {
            row throws(LedgerError) in try LedgerCard(&row)
        }
    }
}

extension LedgerCard {
    fileprivate static let columns = """
        uid, chip, is_genuine_chip, status, holder_id, holder_name, scratch, scratch_code, face,
        account, allocated, confirmed, is_display_stale, protection, protection_key,
        foreign_message
        """

    fileprivate var values: [SQLValue] {
        [
            .uid(uid), .text(chip), .optional(isGenuineChip, SQLValue.flag),
            .text(status.rawValue), .optional(holder.id) { .integer($0.number) },
            .optional(holder.name) { .text($0.text) }, .optional(scratch.word, SQLValue.text),
            .optional(scratch.code, SQLValue.id), .text(face.rawValue), .integer(Int64(account)),
            .number(allocated), .number(confirmed), .flag(isDisplayStale),
            .text(protection.word), .optional(protection.keyID) { .integer(Int64($0)) },
            .optional(foreignMessage, SQLValue.blob),
        ]
    }

    fileprivate init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            uid: try row.value(\.uid), chip: try row.value(\.text),
            isGenuineChip: try row.optional(\.flag), status: try row.word(),
            holder: Holder(
                id: try row.optional { $0.integer.flatMap { try? HolderID($0) } },
                name: try row.optional { $0.text.flatMap { try? HolderName($0) } }),
            scratch: try ScratchCard(&row), face: try row.word(),
            account: try row.value { $0.integer.flatMap(Int.init(exactly:)) },
            allocated: try row.value(\.number), confirmed: try row.value(\.number),
            isDisplayStale: try row.value(\.flag), protection: try CardProtection(&row),
            foreignMessage: try row.optional(\.blob))
    }
}

extension ScratchCard {
    /// From its word and its code.
    fileprivate init(_ row: inout Columns) throws(LedgerError) {
        let word = try row.optional(\.text)
        let code = try row.optional(\.id)
        switch (word, code) {
        case (nil, nil): self = .none
        case ("unscratched", nil): self = .unscratched
        case ("scratched", let code?): self = .scratched(code)
        case ("activated", let code?): self = .activated(code)
        default: throw Columns.unreadable
        }
    }
}

extension CardProtection {
    /// From its word and its key.
    fileprivate init(_ row: inout Columns) throws(LedgerError) {
        let word = try row.value(\.text)
        let keyID = try row.optional { $0.integer.flatMap(UInt8.init(exactly:)) }
        guard let protection = CardProtection(word: word, keyID: keyID) else {
            throw Columns.unreadable
        }
        self = protection
    }
}
