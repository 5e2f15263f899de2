import Ledger
import OperatingSystem
import TapcardCore
import TapcardDomain
import TextCodecs

extension Command {
    static let stationCommands: [Command] = [
        Command(
            "backup", group: .station, "Back up the ledger file, even while it is in use",
            discussion: "The keys are not included; copy them with `tapcard keys export`. Put a "
                + "backup back only with `tapcard restore-backup`, because a ledger copied back by "
                + "hand makes stations reject genuine cards. For a ledger in a database, use the "
                + "server's own tools.",
            takes: .newFile, answers: .file, example: "tapcard backup ledger-2026-11-21.sqlite",
            run: StationCommands.backup),
        Command(
            "restore-backup", group: .station, "Replace the ledger file with a backup",
            discussion: "Stop `tapcard serve` first; the old ledger is kept beside the new one as "
                + "`LEDGER.before-restore-1`. Operations since the backup are lost, and cards used "
                + "since are refused until you run `tapcard repair --card UID`. Cards blocked or "
                + "replaced since then are active and must be blocked again; the output names them "
                + "if the old ledger is readable.",
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
            ? "was replaced since, and holds its money again"
            : "was blocked since, and is not any more"
        return "Card \(uid) \(was): stop it with tapcard block --card \(uid)"
    }
}

enum StationCommands {
    static func backup(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(try session[.newFile])
        if file.isStream { return try await streamBackup(to: file, in: session) }
        try file.requireNew()
        let ledgerFile = try session.settings.ledgerFile
        // A missing ledger is reported, because an empty copy is not a backup.
        if try !session.settings.hasLedger { _ = try await session.ledger(making: false) }
        try await LedgerAccess.asking { () throws(LedgerError) in
            try await session.drivers.backUp(ledgerFile, file.path)
        }
        return Report(
            ["file": .string(file.path)],
            [
                "The ledger is copied to \(file.path)",
                "Keep the keys, too: tapcard keys export FILE",
                "The way back is tapcard restore-backup \(file.path); never copy it back by "
                    + "hand",
            ], isChange: true)
    }

    static func restoreBackup(in session: Session) async throws(TapcardError) -> Report {
        let file = NamedFile(try session[.file()])
        let ledgerFile = try session.settings.ledgerFile
        try file.require()
        // Throws for a dangling link, which must not be replaced by a ledger.
        _ = try session.settings.hasLedger
        try session.places.makeDataFolder()
        try session.places.require()
        let currency = try session.settings.currency
        let received = try received(file)
        let restoration: Restoration
        do throws(TapcardError) {
            restoration = try await LedgerAccess.asking { () throws(LedgerError) in
                try await session.drivers.restore(
                    received?.file ?? file.path, ledgerFile, currency)
            }
        } catch {
            let copy = received?.file ?? file.path
            // Restoring this very backup from a backup would not help.
            if error.kind == .ledgerCorrupt, error.what.contains(copy) {
                throw TapcardError(
                    .ledgerCorrupt,
                    "\(file.shown) is not a ledger backup, or it is damaged.",
                    meaning: error.meaning, advice: "tapcard backup FILE makes one.")
            }
            // The error must not name the temporary file that holds standard input.
            guard let name = received?.file else { throw error }
            throw TapcardError(
                error.kind, error.what.replacing(name, with: file.shown),
                meaning: error.meaning, next: error.next)
        }
        return Report(
            [
                "file": .string(file.path),
                "exhausted": restoration.exhausted.document,
                "stopped": restoration.stopped.document,
                "kept": restoration.kept.document,
            ],
            [
                "Restored from \(file.shown)"
                    + (restoration.kept.map { "; what was there is kept as \($0)" } ?? ""),
                "Cards that were used since then are refused until tapcard repair --card UID",
            ]
                + restoration.exhausted.map {
                    "Card \($0) has no numbers left: move it with tapcard replace --card \($0)"
                } + (restoration.stopped?.map(\.line) ?? [stoppedUnread]),
            isChange: true)
    }

    private static let stoppedUnread =
        "Which cards were blocked or replaced since then could not be read: where you know of one, "
        + "stop it with tapcard block --card UID"

    /// Writes the backup to standard output. SQLite does not write a file from beginning to end, so
    /// the backup goes through a temporary file.
    private static func streamBackup(
        to file: NamedFile, in session: Session
    ) async throws(TapcardError) -> Report {
        let ledgerFile = try session.settings.ledgerFile
        try file.requireOutput("The copy", session.manner)
        guard !session.console.isTerminal else {
            throw TapcardError.usage(
                "A copy of the ledger is not text for a terminal.",
                advice: "Name a file, or redirect standard output into one.")
        }
        let folder: TemporaryFolder
        do { folder = try TemporaryFolder() } catch { throw unpassed(error) }
        try await LedgerAccess.asking { () throws(LedgerError) in
            try await session.drivers.backUp(ledgerFile, folder.file)
        }
        do { try folder.read(session.output.write) } catch { throw unpassed(error) }
        return .nothing
    }

    /// A temporary file with the content of standard input; nil when another file is named.
    private static func received(_ file: NamedFile) throws(TapcardError) -> TemporaryFolder? {
        guard file.isStream else { return nil }
        do {
            let folder = try TemporaryFolder()
            try folder.fillFromStandardInput()
            return folder
        } catch {
            throw unpassed(error)
        }
    }

    private static func unpassed(_ error: FileError) -> TapcardError {
        error.kind == .cancelled
            ? TapcardError(.cancelled, "Stopped.", meaning: "The ledger is as it was.")
            : TapcardError(
                .fileUnusable, "The copy cannot be passed on: \(error.detail).",
                meaning: "The ledger is as it was.")
    }
}

extension Settings {
    /// The ledger's file. A database is copied and restored by the tools of its server.
    fileprivate var ledgerFile: String {
        get throws(TapcardError) {
            if case .file(let path) = try ledgerPlace { return path }
            throw TapcardError.usage(
                "The ledger is in a database, which tapcard neither copies nor restores.",
                advice: "Its server has tools for that, such as pg_basebackup. After a restore: "
                    + "tapcard ledger reopen --after-loss. docs/STATIONS.md shows both.")
        }
    }
}
