import Ledger
import OperatingSystem
import TapcardCore
import TapcardDomain
import TextCodecs

extension LedgerCommands {
    /// Moves a ledger file into a database. Renames the file first, so that no station continues to
    /// use it.
    static func copy(in session: Session) async throws(TapcardError) -> Report {
        let path = session[.file()]
        // The parser checks required arguments, but not required options.
        guard let address = session[.into] else {
            throw TapcardError.usage(
                "The target database is missing.",
                advice:
                    "Specify an empty database to copy to: --into postgresql://LOGIN@HOST/DATABASE")
        }
        let place = LedgerPlace(address)
        try Settings.requireSafe(place)
        // A problem with the database is reported before the ledger is taken out of use.
        if DurableFile(path).mayExist {
            try await asOwner(at: place, in: session) { database throws(LedgerError) in
                try await database.requireNoLedger()
            }
        }
        let aside = try await translating(awaiting: await session.drivers.setAside(path)) {
            (error: LedgerError) in
            let translated = TapcardError(error)
            return TapcardError(
                translated.kind, translated.what,
                meaning: "Nothing was copied, and the ledger file is unchanged.",
                advice: error.kind == .locked
                    ? "Stop every program that uses it, such as tapcard serve, then try again." : ""
            )
        }
        let source = try await translating(
            awaiting: await session.drivers.openLedger(.file(aside), nil, false, nil)
        ) { (error: LedgerError) in
            let translated = TapcardError(error)
            return TapcardError(
                translated.kind, translated.what, meaning: nothingCopied(aside),
                advice: retryOrUndo(aside, path))
        }
        try requireOneTarget(of: aside, path, address)
        noteMove(of: path, to: place)
        let filled = try await translating(
            awaiting: await asOwner(at: place, in: session) { database throws(LedgerError) in
                // If the command is repeated, the database recognizes the copy by this number.
                try await database.fill(from: source, origin: number(of: aside))
            }
        ) { (error: TapcardError) in
            TapcardError(
                error.kind, error.what,
                meaning: error.meaning == unchanged
                    ? "The database is unchanged; the ledger file is no longer used and is now "
                        + "called \(aside)."
                    : "The copy may be complete; the ledger file is no longer used and is now "
                        + "called \(aside).",
                advice: error.meaning == unchanged
                    ? retryOrUndo(aside, path) : "Run the same command again to find out.")
        }
        let counts =
            counted(filled.cards, "card") + " and " + counted(filled.operations, "operation")
        return Report(
            [
                "file": .string(aside), "cards": .number(String(filled.cards)),
                "operations": .number(String(filled.operations)),
            ],
            [
                filled.wasAlreadyCopied
                    ? "\(counts) were already copied to the database"
                    : "Copied \(counts) to the database",
                "The ledger file is kept as \(aside) and no longer used",
                "Next, for each server: tapcard servers add NAME FILE",
                "Then, on that server: tapcard config set ledger 'postgresql://NAME@HOST/DATABASE'",
            ], isChange: true)
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }

    private static func nothingCopied(_ aside: String) -> String {
        "Nothing was copied, but the ledger file was renamed to \(aside), so it cannot be "
            + "used now."
    }

    private static func retryOrUndo(_ aside: String, _ path: String) -> String {
        "Run the same command again, or go back: mv \(aside) \(path)"
    }

    /// The number at the end of a renamed ledger file's name.
    private static func number(of path: String) -> String {
        path.split(separator: "-").last.map { String($0) } ?? path
    }

    /// Records the database that a renamed ledger is copied to, and refuses any other. Two copies
    /// would continue with the same record numbers and the same money.
    private static func requireOneTarget(
        of aside: String, _ path: String, _ address: String
    ) throws(TapcardError) {
        let note = DurableFile(aside + ".into")
        func unrecorded(_ error: FileError) -> TapcardError {
            TapcardError(
                .fileUnusable,
                "The target database, \(address), could not be recorded: \(error.detail).",
                meaning: nothingCopied(aside), advice: retryOrUndo(aside, path))
        }
        let line = Array((address + "\n").utf8)
        // The target is recorded before copying begins, so that an interrupted copy also counts.
        let noted = try translating(note.read(), into: unrecorded)
        if noted == nil { try translating(note.write(line, mode: 0o600), into: unrecorded) }
        guard let noted, noted != line else { return }
        let other = String(decoding: noted, as: UTF8.self).filter { !$0.isNewline }
        throw TapcardError(
            .refusal(.wrongState),
            "You already started copying this ledger to another database: \(other).",
            meaning:
                "With two copies, the same money would exist twice, so nothing was copied. The "
                + "ledger file was renamed to \(aside), so it cannot be used now.",
            advice:
                "Use that database. If it has no ledger and you want to use a different database, "
                + "run: rm \(aside).into")
    }

    /// Leaves a note with the new address for stations that still try to use the file.
    private static func noteMove(of path: String, to place: LedgerPlace) {
        let note = "\(place.stationTemplate)\n"
        // The move does not depend on the note: without it, a station reports only that there is no
        // ledger. Any user may read the note, because an address that contains a password has
        // already been refused.
        try? DurableFile(LedgerAccess.note(ofMoving: path)).write(Array(note.utf8), mode: 0o644)
    }
}
