import Ledger
import OperatingSystem
import ReaderDiagnosis
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<Bool> {
    fileprivate static var lossless: Self {
        .flag("lossless", "Only for a synchronous replica that confirmed every commit")
    }
    fileprivate static var afterLoss: Self {
        .flag("after-loss", "After a restore, or if commits may be missing")
    }
}

extension Parameter<String?> {
    static var into: Self {
        .option(
            "into", "ADDRESS", .word, "Target, as `postgresql://OWNER@HOST/DATABASE` (required)")
    }
}

extension Parameter<StationName> {
    fileprivate static var station: Self {
        .argument(
            "NAME", .station,
            "Server name: up to \(StationName.maximumLength) characters (a-z, 0-9, -, and _), "
                + "starting with a letter")
    }
}

extension Command {
    /// The commands for the owner of a ledger that several stations share.
    static let ledgerCommands: [Command] = [
        Command(
            "ledger init", group: .ledger, "Create an empty ledger in a PostgreSQL database",
            discussion: "Specify the empty database with `--ledger` and the currency with "
                + "`--currency`; the currency cannot be changed later. The login becomes the "
                + "ledger's owner; it needs CREATEROLE and permission to create tables. The "
                + "database name can have at most 40 characters.",
            answers: .database,
            example: "tapcard --ledger postgresql://owner@db.example/tapcard ledger init "
                + "--currency EUR", run: LedgerCommands.make),
        Command(
            "ledger copy", group: .ledger, "Move a ledger file into an empty database",
            discussion: "FILE must not be in use. The file is kept, but renamed to "
                + "`FILE.moved-NUMBER`. If the command is interrupted, run it again. Commands that "
                + "still try to use FILE report the new address.",
            takes: .file("Ledger file to move"), .into, answers: .copied,
            example: "tapcard ledger copy ledger.sqlite --into "
                + "postgresql://owner@db.example/tapcard", run: LedgerCommands.copy),
        Command(
            "ledger migrate", group: .ledger, "Update a shared ledger's tables to this version",
            discussion: "Only the ledger's owner can do this; a ledger in a file does not need "
                + "to be migrated. Servers with an older version keep working as long as the "
                + "ledger allows that version. Tables from a newer version are refused.",
            answers: .database, example: "tapcard ledger migrate", run: LedgerCommands.migrate),
        Command(
            "ledger status", group: .ledger, "Show the state of a shared ledger",
            discussion: "The output includes operations that this machine knows were lost. If the "
                + "ledger is not open on the database server, the exit status is 9.",
            answers: .database, example: "tapcard ledger status", run: LedgerCommands.status),
        Command(
            "ledger reopen", group: .ledger, "Reopen the ledger on a promoted or restored server",
            discussion: "Until the ledger's owner does this with one of the two options, no "
                + "payments or top-ups are possible. After `--after-loss`, cards whose latest "
                + "operations were lost are refused until they are repaired. On each server, "
                + "`tapcard ledger status` lists the operations that the server knows were lost.",
            takes: .lossless, .afterLoss, answers: .database,
            example: "tapcard ledger reopen --lossless", run: LedgerCommands.reopen),
        Command(
            "servers add", group: .ledger, "Create a database login for a server",
            discussion: "Only the ledger's owner can do this, and a name can never be reused. A "
                + "random password is written to FILE; install that file as `~/.pgpass` on the "
                + "server. Then import the keys there and set the `ledger` setting to the address "
                + "that this command prints.",
            takes: .station, .newFile, answers: .registered,
            example: "tapcard servers add server-1 server-1.pgpass", run: LedgerCommands.register),
        Command(
            "servers list", group: .ledger, "List the servers of a shared ledger",
            answers: .stations, example: "tapcard servers list", run: LedgerCommands.list),
        Command(
            "servers remove", group: .ledger, "Remove a server and block its login immediately",
            discussion: "Only the ledger's owner can do this, and the name can never be reused. "
                + "The keys on a stolen or sold machine are still valid: run `tapcard keys "
                + "rotate`, then `tapcard keys retire`.",
            takes: .station, answers: .revoked, example: "tapcard servers remove server-1",
            run: LedgerCommands.revoke),
    ]
}

enum LedgerCommands {
    private static func database(
        at place: LedgerPlace? = nil, in session: Session
    ) throws(TapcardError) -> any LedgerDatabase {
        let place = if let place { place } else { try session.settings.ledgerPlace }
        guard case .database(let address) = place else {
            throw TapcardError.usage(
                "This command needs a ledger in a database, but \(place) is a file, which only one "
                    + "machine can use.",
                advice: "Use a database as the ledger: postgresql://LOGIN@HOST/DATABASE")
        }
        return session.drivers.database(address)
    }

    static let unchanged = "Nothing was changed."

    private static func waiting(for names: String) -> String {
        "tapcard: No replica is in sync, and the server confirms changes only after one of its "
            + "replicas has them (synchronous_standby_names is '\(names)').\nWaiting up to ten "
            + "minutes for a replica. To let the server continue alone, at the risk of losing "
            + "payments if its disk fails:\n  \(DatabaseStatus.stopWaitingForReplicas)\n"
    }

    /// Makes a request to the database. The error contains `meaning`, unless the outcome is unknown
    /// or the database has refused a change.
    static func asOwner<Success: Sendable>(
        at place: LedgerPlace? = nil, isChanging: Bool = true,
        orSay meaning: String = LedgerCommands.unchanged, in session: Session,
        _ body: (any LedgerDatabase) async throws(LedgerError) -> Success
    ) async throws(TapcardError) -> Success {
        let database = try database(at: place, in: session)
        do {
            // The notice is printed first, because the change may wait up to ten minutes for a
            // replica.
            if isChanging, let names = try await database.missingReplicas() {
                session.say(waiting(for: names))
            }
            return try await body(database)
        } catch {
            let translated = TapcardError(error)
            guard error.kind != .undeclared else { throw translated }
            let meaning = isChanging && error.kind == .refused ? unchanged : meaning
            throw TapcardError(
                translated.kind, translated.what,
                meaning: error.kind == .outcomeUnknown ? mayHaveBeenMade : meaning)
        }
    }

    private static let mayHaveBeenMade =
        "The change may have been made; check with tapcard ledger status or tapcard servers list "
        + "before you try again."

    /// The state after a change. If it cannot be read, the error says that the change was made.
    private static func statusAfterChange(
        in session: Session
    ) async throws(TapcardError) -> DatabaseStatus {
        try await asOwner(
            isChanging: false,
            orSay: "The change was made, but the state of the ledger could not be read; check with "
                + "tapcard ledger status.", in: session
        ) { database throws(LedgerError) in
            try await database.status()
        }
    }

    static func make(in session: Session) async throws(TapcardError) -> Report {
        guard let currency = try session.settings.currency else {
            throw TapcardError.usage(
                "The currency is missing.",
                advice:
                    "Specify it with an option such as --currency EUR; it cannot be changed later. "
                    + "Supported currencies are "
                    + Currency.known.map(\.code).joined(separator: ", ") + ".")
        }
        try await asOwner(in: session) { database throws(LedgerError) in
            try await database.makeLedger(in: currency)
        }
        let status = try await statusAfterChange(in: session)
        return report(
            on: status,
            [
                "Ledger created in the database; its currency is \(currency.code)",
                "Next, for each server: tapcard servers add NAME FILE",
            ])
    }

    static func migrate(in session: Session) async throws(TapcardError) -> Report {
        try await asOwner(in: session) { database throws(LedgerError) in
            try await database.migrate()
        }
        let status = try await statusAfterChange(in: session)
        return report(on: status, ["Tables are now at version \(status.schema)"])
    }

    static func status(in session: Session) async throws(TapcardError) -> Report {
        let status = try await asOwner(isChanging: false, in: session) {
            database throws(LedgerError) in
            try await database.status()
        }
        return report(on: status, lost: try await LostOperations.findings(status, in: session))
    }

    static func reopen(in session: Session) async throws(TapcardError) -> Report {
        // Neither is the default, because only the owner can know whether commits were lost.
        guard session[.lossless] != session[.afterLoss] else {
            throw TapcardError.usage(
                "The option --lossless or --after-loss is missing.",
                advice:
                    "Use --lossless if no commit was lost, or --after-loss if some were lost or "
                    + "you are not sure.")
        }
        let loss = session[.lossless] ? DeclaredLoss.nothing : .something
        try await asOwner(in: session) { database throws(LedgerError) in
            try await database.reopen(loss)
        }
        let status = try await statusAfterChange(in: session)
        return report(
            on: status,
            ["Ledger open on this server"]
                + (loss == .nothing
                    ? []
                    : [
                        "The next record number of each card skips ahead by \(restoreGap)",
                        "To list known losses, run this on each server: tapcard ledger status",
                    ]))
    }

    private static func report(
        on status: DatabaseStatus, _ done: [String] = [], lost: [Finding] = []
    ) -> Report {
        let findings = status.findings + lost
        return Report(
            status.members + ["findings": findings.document],
            done + (done.isEmpty ? findings.flatMap(\.lines) : []),
            problem: status.isOpen
                ? nil
                : TapcardError(
                    .ledgerUndeclared, "The ledger is not open on this server.",
                    advice: "Follow the steps shown above."),
            isPlain: done.isEmpty, isChange: !done.isEmpty)
    }

    static func register(in session: Session) async throws(TapcardError) -> Report {
        let (name, path) = (session[.station], session[.newFile])
        let place = try session.settings.ledgerPlace.place(for: name)
        let file = NamedFile(path)
        try file.requireOutput("The password", session.outputOptions)
        try file.requireAbsent()
        // The password consists of digits and letters, which need no escaping in ~/.pgpass.
        let password = session.dependencies.random(16).map { String($0, radix: 36) }.joined()
        // A line for ~/.pgpass that applies to any host, port, and database.
        let line = "*:*:*:\(name):\(password)\n"
        // The password is written before the station is registered, because a login whose password
        // was lost would have to be revoked.
        if !file.isStream {
            try translating(DurableFile(path).write(Array(line.utf8), mode: 0o600)) {
                (error: FileError) in
                // No login has been created, so the password is useless.
                if error.isReplaced { try? DurableFile(path).remove() }
                return TapcardError(
                    .fileUnusable, "The password file could not be written: \(error.detail).",
                    meaning: "The server was not added.")
            }
        }
        let number = try await translating(
            awaiting: await asOwner(in: session) { database throws(LedgerError) in
                try await database.register(name, password: password)
            }
        ) { (error: TapcardError) in registrationError(error, name, file) }
        if file.isStream {
            session.output.write(Array(line.utf8))
            return .nothing
        }
        return Report(
            [
                "server": .string(name.text), "number": .number(String(number)),
                "ledger": .string("\(place)"), "file": .string(path),
            ],
            [
                "Server \(name) added; its password is in \(path)",
                "On the server, install that file as ~/.pgpass, import the keys, then run:",
                "  tapcard config set ledger '\(place)'",
            ], isChange: true)
    }

    /// The error to report for a failed registration. The password file is kept if the login may
    /// exist.
    private static func registrationError(
        _ error: TapcardError, _ name: StationName, _ file: NamedFile
    ) -> TapcardError {
        if error.meaning == unchanged || error.kind == .ledgerUndeclared {
            // No login was created, so the password is useless. If its file cannot be removed, that
            // does no harm.
            if !file.isStream { try? DurableFile(file.path).remove() }
            return error
        }
        guard !file.isStream else {
            return TapcardError(
                error.kind, error.what,
                meaning: "The server may have been added, but its password was not printed.",
                advice: "If tapcard servers list shows it, remove it with tapcard servers remove "
                    + "\(name), then add the server under another name.")
        }
        return TapcardError(
            error.kind, error.what,
            meaning: "The server may have been added; its password is in \(file.path).",
            advice: "To find out, run: tapcard servers list")
    }

    static func list(in session: Session) async throws(TapcardError) -> Report {
        let stations = try await asOwner(
            isChanging: false, orSay: "The servers could not be listed.", in: session
        ) { database throws(LedgerError) in
            try await database.stations()
        }
        let widest = stations.map(\.name.count).max() ?? 0
        return Report(
            ["servers": stations.document],
            stations.isEmpty
                ? [
                    "No servers added yet; to add one, run: tapcard servers add NAME FILE"
                ]
                : stations.map { station in
                    let state =
                        station.revokedAt.map { "removed \(LocalTime.text($0))" }
                        ?? station.seenAt.map { "last seen \(LocalTime.text($0))" }
                        ?? "never seen"
                    return "\(station.number)  \(station.name.padded(widest))  \(state)"
                        + (station.isDamaged ? "; \(RegisteredStation.damage)" : "")
                }, isPlain: true)
    }

    static func revoke(in session: Session) async throws(TapcardError) -> Report {
        let name = session[.station]
        // The login loses its access first, and the rest of the revocation can still fail.
        try await asOwner(
            orSay:
                "The login may already be locked out, but the server may not be removed yet; "
                + "check with tapcard servers list before you try again.", in: session
        ) { database throws(LedgerError) in
            try await database.revoke(name)
        }
        return Report(
            ["server": .string(name.text)],
            [
                "Server \(name) removed; it can no longer take payments or top-ups",
                "If its computer was stolen or sold, run tapcard keys rotate, then tapcard keys "
                    + "retire",
            ], isChange: true)
    }
}
