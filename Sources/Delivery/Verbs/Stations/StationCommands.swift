import Ledger
import OperatingSystem
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let stationCommands: [Command] = [
        Command(
            "backup", group: .station, "Back up the ledger file, even while it is in use",
            discussion: "The keys are not included; copy them with `tapcard keys export`. Restore "
                + "a backup only with `tapcard restore-backup`; if you copy the file back by hand, "
                + "genuine cards will be rejected. For a ledger in a database, use the "
                + "database server's own tools.",
            takes: .newFile, answers: .file, example: "tapcard backup ledger-2026-11-21.sqlite",
            run: StationCommands.backup),
        Command(
            "restore-backup", group: .station, "Replace the ledger file with a backup",
            discussion: "Stop `tapcard serve` first; the old ledger is kept next to the new one as "
                + "`LEDGER.before-restore-1`. Operations since the backup are lost, and cards used "
                + "since then are refused until you run `tapcard repair --card UID`. Cards blocked "
                + "or replaced since then are active again, and you must block them again; the "
                + "output lists them if the old ledger is readable.",
            takes: .file("Backup made by `tapcard backup`"), answers: .restoration,
            example: "tapcard restore-backup ledger-2026-11-21.sqlite",
            run: StationCommands.restoreBackup),
    ]
}

extension Restoration.Stopped: DocumentedObject {
    static let fields: Fields<Restoration.Stopped> = ["uid": .of(\.uid), "status": .of(\.status)]

    fileprivate var line: String {
        let was =
            status == .replaced
            ? "was replaced after the backup and has its balance again"
            : "was blocked after the backup and is active again"
        return "Card \(uid) \(was); to block it, run: tapcard block --card \(uid)"
    }
}

enum StationCommands {
    static func backup(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(session[.newFile])
        if file.isStream { return try await streamBackup(to: file, in: session) }
        try file.requireAbsent()
        let ledgerFile = try session.settings.ledgerFile
        // Opening a missing ledger throws; otherwise, an empty copy would look like a backup.
        if try !session.settings.hasLedger { _ = try await session.ledger(making: false) }
        try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await session.drivers.backUp(ledgerFile, file.path)
        }
        return Report(
            ["file": .string(file.path)],
            [
                "Ledger backed up to \(file.path)",
                "The backup does not include the keys; to save them, run: tapcard keys export FILE",
                "Never restore it by copying the file; instead, run: tapcard restore-backup "
                    + file.path,
            ], isChange: true)
    }

    static func restoreBackup(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(session[.file()])
        let ledgerFile = try session.settings.ledgerFile
        try file.requireExisting()
        // `hasLedger` throws for a dangling link, which must not be replaced with a ledger.
        _ = try session.settings.hasLedger
        try session.places.makeDataFolder()
        try session.places.require()
        let currency = try session.settings.currency
        let received = try received(file)
        let copy = received?.file ?? file.path
        let restoration = try await translating(
            awaiting: await LedgerAccess.translatingErrors { () throws(LedgerError) in
                try await session.drivers.restore(copy, ledgerFile, currency)
            }
        ) { (error: TapcardError) in restoreError(error, from: copy, named: file) }
        return Report(
            [
                "file": .string(file.path),
                "exhausted": restoration.exhausted.document,
                "stopped": restoration.stopped.document,
                "kept": restoration.kept.document,
            ],
            [
                "Ledger restored from \(file.displayName)"
                    + (restoration.kept.map { "; the previous ledger was kept as \($0)" } ?? ""),
                "Cards used since the backup are refused until repaired; for each, run: tapcard "
                    + "repair --card UID",
            ]
                + restoration.exhausted.map {
                    "Card \($0) has no record numbers left; to replace it, run: tapcard replace "
                        + "--card \($0)"
                } + (restoration.stopped?.map(\.line) ?? [stoppedUnread]),
            isChange: true)
    }

    private static func restoreError(
        _ error: TapcardError, from copy: String, named file: NamedFile
    ) -> TapcardError {
        // The usual advice to restore a backup would not help, because this file is the backup.
        if error.kind == .ledgerCorrupt, error.what.contains(copy) {
            return TapcardError(
                .ledgerCorrupt, "\(file.displayName) is damaged or is not a ledger backup.",
                meaning: error.meaning, advice: "To make a backup, run: tapcard backup FILE")
        }
        // The error must not mention the temporary file that holds standard input.
        return TapcardError(
            error.kind, error.what.replacing(copy, with: file.displayName), meaning: error.meaning,
            next: error.next)
    }

    private static let stoppedUnread =
        "Could not find out which cards were blocked or replaced after the backup; block those you "
        + "know of: tapcard block --card UID"

    /// Writes the backup to standard output. SQLite does not write a file from beginning to end, so
    /// the backup is first written to a temporary file.
    private static func streamBackup(
        to file: NamedFile, in session: Session
    ) async throws(TapcardError) -> Report {
        let ledgerFile = try session.settings.ledgerFile
        try file.requireOutput("The copy", session.outputOptions)
        guard !session.console.isTerminal else {
            throw TapcardError.usage(
                "A backup is binary data, so it is not written to a terminal.",
                advice: "Specify a file, or redirect the output.")
        }
        // The folder object deletes its file when it is released.
        let folder = try translating(TemporaryFolder()) { transferError($0, writing) }
        try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await session.drivers.backUp(ledgerFile, folder.file)
        }
        try translating(folder.read(session.output.write)) { transferError($0, writing) }
        return .nothing
    }

    /// A temporary file with the contents of standard input; nil if another file is specified.
    private static func received(_ file: NamedFile) throws(TapcardError) -> TemporaryFolder? {
        guard file.isStream else { return nil }
        func unread(_ error: FileError) -> TapcardError {
            transferError(error, "read from standard input")
        }
        let folder = try translating(TemporaryFolder(), into: unread)
        try translating(folder.fillFromStandardInput(), into: unread)
        return folder
    }

    private static let writing = "written to standard output"

    private static func transferError(_ error: FileError, _ what: String) -> TapcardError {
        error.kind == .cancelled
            ? TapcardError(.cancelled, "Canceled.", meaning: "The ledger is unchanged.")
            : TapcardError(
                .fileUnusable, "The backup could not be \(what): \(error.detail).",
                meaning: "The ledger is unchanged.")
    }
}

extension Settings {
    /// The ledger file. Throws if the ledger is in a database, which is copied and restored with
    /// the server's tools.
    fileprivate var ledgerFile: String {
        get throws(TapcardError) {
            if case .file(let path) = try ledgerPlace { return path }
            throw TapcardError.usage(
                "This command needs a ledger file; this machine's ledger is in a database.",
                advice:
                    "Back up and restore the database with the server's own tools, such as "
                    + "pg_basebackup, as shown in docs/SERVERS.md. After a restore, run: "
                    + "tapcard ledger reopen --after-loss")
        }
    }
}
