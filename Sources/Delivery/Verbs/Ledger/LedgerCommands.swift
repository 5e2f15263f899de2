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
    fileprivate static var into: Self {
        .option(
            "into", "ADDRESS", .word, "Target, as `postgresql://OWNER@HOST/DATABASE` (required)")
    }
}

extension Parameter<StationName> {
    fileprivate static var station: Self {
        .argument(
            "NAME", .station,
            "Station name: up to \(StationName.longest) of a-z, 0-9, - and _, starting with a "
                + "letter")
    }
}

extension Command {
    /// The commands for the owner of a ledger that stations share.
    static let ledgerCommands: [Command] = [
        Command(
            "ledger init", group: .ledger, "Create an empty ledger in a PostgreSQL database",
            discussion: "Name the empty database with `--ledger` and the currency with "
                + "`--currency`; the currency is fixed for good. The login becomes the ledger's "
                + "owner and needs CREATEROLE and the right to create tables. The database's name "
                + "may have at most 40 characters.",
            answers: .database,
            example: "tapcard --ledger postgresql://owner@db.example/tapcard ledger init "
                + "--currency EUR", run: LedgerCommands.make),
        Command(
            "ledger copy", group: .ledger, "Move a ledger file into an empty database",
            discussion: "No station may be using FILE; it is renamed to `FILE.moved-NUMBER` and "
                + "kept. If interrupted, run the same command again. Stations that still use FILE "
                + "are told the new address.",
            takes: .file("Ledger file to move"), .into, answers: .copied,
            example: "tapcard ledger copy ledger.sqlite --into "
                + "postgresql://owner@db.example/tapcard", run: LedgerCommands.copy),
        Command(
            "ledger migrate", group: .ledger, "Update a shared ledger's tables to this version",
            discussion: "Only the owner can do this; a ledger in a file needs no migration. "
                + "Stations with an older version keep working as long as the ledger allows it. "
                + "Tables from a newer version are refused.",
            answers: .database, example: "tapcard ledger migrate", run: LedgerCommands.migrate),
        Command(
            "ledger status", group: .ledger, "Show the state of a shared ledger",
            discussion: "Operations that this station knows to be lost are listed too. If the "
                + "ledger is not open on this server, the exit status is 9.",
            answers: .database, example: "tapcard ledger status", run: LedgerCommands.status),
        Command(
            "ledger reopen", group: .ledger, "Reopen the ledger on a promoted or restored server",
            discussion: "Until the owner does this with one of the two options, no station takes "
                + "payments or top-ups. After `--after-loss`, cards whose last operations were "
                + "lost are refused until repaired. `tapcard ledger status` at each station lists "
                + "what it knows to be lost.",
            takes: .lossless, .afterLoss, answers: .database,
            example: "tapcard ledger reopen --lossless", run: LedgerCommands.reopen),
        Command(
            "station register", group: .ledger, "Create a database login for a station",
            discussion: "Only the owner can do this, and a name can never be used twice. FILE "
                + "receives a random password: install it as `~/.pgpass` at the station. Then "
                + "import the keys there and set `ledger` to the address that this command prints.",
            takes: .station, .newFile, answers: .registered,
            example: "tapcard station register till-1 till-1.pgpass", run: LedgerCommands.register),
        Command(
            "station list", group: .ledger, "List the stations of a shared ledger",
            answers: .stations, example: "tapcard station list", run: LedgerCommands.list),
        Command(
            "station revoke", group: .ledger, "Revoke a station's login at once",
            discussion: "Only the owner can do this; the name can never be used again. The keys on "
                + "a stolen or sold machine are still valid: run `tapcard keys rotate`, then "
                + "`tapcard keys retire`.",
            takes: .station, answers: .revoked, example: "tapcard station revoke till-1",
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
                "\(place) is a file, which no other station shares.",
                advice: "Name a database: postgresql://LOGIN@HOST/DATABASE.")
        }
        return session.drivers.database(address)
    }

    private static let unchanged = "Nothing was changed."

    private static func waiting(for names: String) -> String {
        "tapcard: No replica is in step, and the server confirms no change before one has it "
            + "(synchronous_standby_names is '\(names)'). This waits for a replica, for ten minutes "
            + "at most. If the server has to go on alone, at the risk of its disk:\n  "
            + "\(DatabaseStatus.goingAlone)\n"
    }

    private static func asOwner<Success: Sendable>(
        at place: LedgerPlace? = nil, isChanging: Bool = true, in session: Session,
        _ body: (any LedgerDatabase) async throws(LedgerError) -> Success
    ) async throws(TapcardError) -> Success {
        let database = try database(at: place, in: session)
        do {
            if isChanging, let names = try await database.missingReplicas() {
                session.say(waiting(for: names))
            }
            return try await body(database)
        } catch {
            let translated = TapcardError(error)
            guard error.kind != .undeclared else { throw translated }
            throw TapcardError(
                translated.kind, translated.what,
                meaning: error.kind == .outcomeUnknown
                    ? "It may have been done: look before you repeat it." : unchanged)
        }
    }

    static func make(in session: Session) async throws(TapcardError) -> Report {
        guard let currency = try session.settings.currency else {
            throw TapcardError.usage(
                "Which currency does this ledger keep? It cannot be changed later.",
                advice: "Name it, such as --currency EUR. There are "
                    + Currency.known.map(\.code).joined(separator: ", ") + ".")
        }
        let status = try await asOwner(in: session) { database throws(LedgerError) in
            try await database.makeLedger(in: currency)
            return try await database.status()
        }
        return report(
            on: status,
            [
                "The ledger is made, in \(currency.code)",
                "Next: tapcard station register NAME FILE for each station",
            ])
    }

    static func migrate(in session: Session) async throws(TapcardError) -> Report {
        let status = try await asOwner(in: session) { database throws(LedgerError) in
            try await database.migrate()
            return try await database.status()
        }
        return report(on: status, ["The tables are up to date, in version \(status.schema)"])
    }

    static func copy(in session: Session) async throws(TapcardError) -> Report {
        let path = try session[.file()]
        guard let address = try session[.into] else {
            throw TapcardError.usage(
                "Where is the ledger to be copied?",
                advice: "Name an empty database with --into postgresql://LOGIN@HOST/DATABASE.")
        }
        let place = LedgerPlace(address)
        try Settings.requireSafe(place)
        // A fault of the database is reported before the ledger is out of use.
        if DurableFile(path).mayExist {
            try await asOwner(at: place, in: session) { database throws(LedgerError) in
                try await database.requireRoom()
            }
        }
        let source: any LedgerStore
        let aside: String
        do {
            aside = try await session.drivers.setAside(path)
            source = try await session.drivers.openLedger(.file(aside), nil, false, nil)
        } catch {
            let translated = TapcardError(error)
            throw TapcardError(
                translated.kind, translated.what, meaning: "Nothing was copied.",
                advice: error.kind == .locked
                    ? "End every program that uses the ledger, such as tapcard serve." : "")
        }
        try requireOneTarget(of: aside, address)
        noteMove(of: path, to: place)
        let filled: Filled
        do throws(TapcardError) {
            filled = try await asOwner(at: place, in: session) { database throws(LedgerError) in
                try await database.fill(from: source, origin: number(of: aside))
            }
        } catch {
            throw TapcardError(
                error.kind, error.what, meaning: "The ledger is out of use, as \(aside).",
                advice: error.meaning == unchanged
                    ? "Repeat the command, or go on with the file: mv \(aside) \(path)"
                    : "Repeat the command: the copy may be there.")
        }
        return Report(
            [
                "file": .string(aside), "cards": .number(String(filled.cards)),
                "operations": .number(String(filled.operations)),
            ],
            [
                (filled.wasThere ? "It was copied before: " : "Copied: ")
                    + "cards \(filled.cards), operations \(filled.operations)",
                "The file is kept as \(aside), and is not used any more",
                "Next: tapcard station register NAME FILE for each station, and there",
                "  tapcard config set ledger 'postgresql://NAME@HOST/DATABASE'",
            ], isChange: true)
    }

    /// The number that a ledger out of use has in its name.
    private static func number(of path: String) -> String {
        path.split(separator: "-").last.map { String($0) } ?? path
    }

    /// Notes where a ledger out of use goes, and refuses another place: each copy would go on with
    /// the same numbers and the same money.
    private static func requireOneTarget(of aside: String, _ address: String) throws(TapcardError) {
        let note = DurableFile(aside + ".into")
        let noted: [UInt8]?
        do throws(FileError) {
            noted = try note.read()
            if noted == nil { try note.write(Array((address + "\n").utf8), mode: 0o600) }
        } catch {
            throw TapcardError(
                .fileUnusable, "The place of the copy cannot be noted: \(error.detail).",
                meaning: "Nothing was copied.")
        }
        guard let noted, noted != Array((address + "\n").utf8) else { return }
        let other = String(decoding: noted, as: UTF8.self).filter { !$0.isNewline }
        throw TapcardError(
            .refusal(.wrongState), "The ledger \(aside) was to be copied into \(other).",
            meaning: "Nothing was copied: two copies would have the same money twice.",
            advice: "Name that database. Only if it holds no ledger: rm \(aside).into")
    }

    /// Leaves the new place for a station that still names the file.
    private static func noteMove(of path: String, to place: LedgerPlace) {
        let note = "\(place.ofStations)\n"
        // The move counts without it: a station then hears that there is no ledger.
        try? DurableFile(LedgerAccess.note(ofMoving: path)).write(Array(note.utf8), mode: 0o644)
    }

    static func status(in session: Session) async throws(TapcardError) -> Report {
        let status = try await asOwner(isChanging: false, in: session) {
            database throws(LedgerError) in
            try await database.status()
        }
        return report(on: status, lost: try await LostOperations.findings(status, in: session))
    }

    static func reopen(in session: Session) async throws(TapcardError) -> Report {
        guard session[.lossless] != session[.afterLoss] else {
            throw TapcardError.usage(
                "Say whether commits may be lost.",
                advice: "Write --lossless, or --after-loss if you are not sure.")
        }
        let loss = session[.lossless] ? DeclaredLoss.nothing : .something
        let status = try await asOwner(in: session) { database throws(LedgerError) in
            try await database.reopen(loss)
            return try await database.status()
        }
        return report(
            on: status,
            ["The ledger is open on this server"]
                + (loss == .nothing
                    ? []
                    : [
                        "Every card skips \(restoreGap) numbers at its next change",
                        "At each station: tapcard ledger status lists what it knows to be lost",
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
                    advice: "Follow the steps above."),
            isPlain: done.isEmpty, isChange: !done.isEmpty)
    }

    static func register(in session: Session) async throws(TapcardError) -> Report {
        let (name, path) = (try session[.station], try session[.newFile])
        let place = try session.settings.ledgerPlace.place(for: name)
        let file = NamedFile(path)
        try file.requireOutput("The password", session.manner)
        try file.requireNew()
        let password = session.surroundings.random(16).map { String($0, radix: 36) }.joined()
        let line = "*:*:*:\(name):\(password)\n"
        // Written first: a login whose password is lost would have to be revoked.
        if !file.isStream {
            do throws(FileError) {
                try DurableFile(path).write(Array(line.utf8), mode: 0o600)
            } catch {
                throw TapcardError(
                    .fileUnusable, "The password cannot be written: \(error.detail).",
                    meaning: "No station was registered.")
            }
        }
        let number: Int
        do throws(TapcardError) {
            number = try await asOwner(in: session) { database throws(LedgerError) in
                try await database.register(name, password: password)
            }
        } catch {
            let isUnused = !file.isStream && error.meaning == unchanged
            // The password is kept where the login may exist.
            if isUnused { try? DurableFile(path).remove() }
            throw error
        }
        if file.isStream {
            session.output.write(Array(line.utf8))
            return .nothing
        }
        return Report(
            [
                "station": .string(name.text), "number": .number(String(number)),
                "ledger": .string("\(place)"), "file": .string(path),
            ],
            [
                "Station \(name) is registered; its password is in \(path)",
                "There: make that file ~/.pgpass, import the keys, and then",
                "  tapcard config set ledger '\(place)'",
            ], isChange: true)
    }

    static func list(in session: Session) async throws(TapcardError) -> Report {
        let stations = try await asOwner(in: session) { database throws(LedgerError) in
            try await database.stations()
        }
        let widest = stations.map(\.name.count).max() ?? 0
        return Report(
            ["stations": stations.document],
            stations.isEmpty
                ? ["No station is registered yet: tapcard station register adds one"]
                : stations.map { station in
                    let state =
                        station.revokedAt.map { "revoked \(LocalTime.text($0))" }
                        ?? station.seenAt.map { "last seen \(LocalTime.text($0))" }
                        ?? "never seen"
                    return "\(station.number)  \(station.name.padded(widest))  \(state)"
                        + (station.isDamaged ? "; \(RegisteredStation.damage)" : "")
                }, isPlain: true)
    }

    static func revoke(in session: Session) async throws(TapcardError) -> Report {
        let name = try session[.station]
        try await asOwner(in: session) { database throws(LedgerError) in
            try await database.revoke(name)
        }
        return Report(
            ["station": .string(name.text)],
            [
                "Station \(name) takes no money any more",
                "If its machine is in other hands: tapcard keys rotate, then tapcard keys retire",
            ], isChange: true)
    }
}
