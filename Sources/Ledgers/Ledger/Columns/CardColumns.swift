import TapcardDomain

extension LedgerCard {
    private static let names = [
        "uid", "chip", "is_genuine_chip", "status", "holder_id", "holder_name", "scratch",
        "scratch_code", "face", "account", "allocated", "confirmed", "is_display_stale",
        "protection", "protection_key", "foreign_message", "game", "game_slots",
    ]
    package static let columns = (names + ["ticket"]).joined(separator: ", ")
    /// The columns for a query that joins the card's ticket.
    package static let qualifiedColumns = names.map { "card.\($0)" }.joined(separator: ", ")

    package var values: [SQLValue] {
        [
            .uid(uid), .text(chip.rawValue), .optional(isGenuineChip, SQLValue.flag),
            .text(status.rawValue), .optional(holder.id) { .integer($0.number) },
            .optional(holder.name) { .text($0.text) }, .optional(scratch.word, SQLValue.text),
            .optional(scratch.code, SQLValue.id), .text(face.rawValue), .integer(Int64(account)),
            .number(allocated), .number(confirmed), .flag(isDisplayStale),
            .text(protection.word), .optional(protection.keyID) { .integer(Int64($0)) },
            .optional(foreignMessage, SQLValue.blob),
            .optional(game) { .text($0.id.text) }, .optional(game) { .integer(Int64($0.slots)) },
            .optional(ticket) { .text($0.id.text) },
        ]
    }

    package init(_ row: inout Columns) throws(LedgerError) {
        // The columns are in the order of `names`, followed by those of the ticket.
        let uid = try row.value(\.uid)
        self.init(
            uid: uid, chip: try Chip(&row, of: uid),
            isGenuineChip: try row.optional(\.flag), status: try row.word(),
            holder: Holder(
                id: try row.optional { $0.integer.flatMap { try? HolderID($0) } },
                name: try row.optional { $0.text.flatMap { try? HolderName($0) } }),
            scratch: try ScratchCard(&row), face: try row.word(),
            account: try row.value(\.accountNumber),
            allocated: try row.value(\.number), confirmed: try row.value(\.number),
            isDisplayStale: try row.value(\.flag), protection: try CardProtection(&row),
            foreignMessage: try row.optional(\.blob))
        game = try MastermindGame(&row)
        ticket = try Ticket(joined: &row)
    }
}

extension Chip {
    /// Parses the chip. If the chip is unknown, the error says whether a newer version may have
    /// written it.
    fileprivate init(_ row: inout Columns, of uid: CardUID) throws(LedgerError) {
        let name = try row.value(\.text)
        guard let chip = Chip(rawValue: name) else {
            // Text that looks like a chip name may come from a newer version; anything else is
            // corrupt.
            let isName =
                !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) }
            throw LedgerError(
                isName ? .newer : .corrupt,
                "card \(uid) has the chip model \(name.debugDescription), which this version does "
                    + "not know; "
                    + (isName ? "install a newer version of tapcard" : "restore a backup"))
        }
        self = chip
    }
}

extension ScratchCard {
    /// Combines the word for the state with the code.
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
    /// Combines the word for the state with the key.
    fileprivate init(_ row: inout Columns) throws(LedgerError) {
        let word = try row.value(\.text)
        let keyID = try row.optional { $0.integer.flatMap(UInt8.init(exactly:)) }
        guard let protection = CardProtection(word: word, keyID: keyID) else {
            throw Columns.unreadable
        }
        self = protection
    }
}

extension MastermindGame {
    /// Combines the game's name and size; nil if there is no game.
    fileprivate init?(_ row: inout Columns) throws(LedgerError) {
        let id = try row.optional { $0.text.flatMap(MastermindGameID.init) }
        // The tables enforce the same limit.
        let maxSlots: Int64 = 12
        let slots = try row.optional { value in
            value.integer.flatMap { (1...maxSlots).contains($0) ? Int($0) : nil }
        }
        switch (id, slots) {
        case (nil, nil): return nil
        case (let id?, let slots?): self.init(id: id, slots: slots)
        default: throw Columns.unreadable
        }
    }
}
