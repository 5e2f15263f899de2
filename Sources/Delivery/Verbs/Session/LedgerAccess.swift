import CardCryptography
package import Ledger
import OperatingSystem
import StationFiles
package import TapcardCore
import TapcardDomain

/// Access to a station's ledger.
package struct LedgerAccess {
    private let session: Session

    package init(_ session: Session) { self.session = session }

    /// The ledger for a program that runs for days. If the database is offline, the program starts
    /// without it and uses it once it is back. `isQuiet` suppresses the message about that.
    package func awaited(isQuiet: Bool = false) async throws(TapcardError) -> any LedgerStore {
        do {
            return try await session.ledger()
        } catch {
            // A station that was never set up must report that now instead of waiting for its
            // database.
            guard [.ledgerUnavailable, .ledgerOffline, .ledgerUndeclared].contains(error.kind),
                case .database(let address) = try session.settings.ledgerPlace,
                let keys = try session.keyFile.load(),
                // The currency of an offline ledger is known only from the settings or the keys.
                let currency = try session.settings.currency ?? keys.currency
            else { throw error }
            if !isQuiet {
                session.say(
                    "tapcard: \(error.what) The server starts without the ledger and will use it "
                        + "as soon as it is available.\n")
            }
            return session.drivers.awaitLedger(address, currency, session.settings.memoryPath)
        }
    }

    /// Makes a request to the ledger. The error contains `meaning`, unless the outcome of a change
    /// is unknown.
    static func translatingErrors<Success>(
        orSay meaning: String = "The ledger is unchanged.",
        _ body: () async throws(LedgerError) -> Success
    ) async throws(TapcardError) -> Success {
        do {
            return try await body()
        } catch {
            let translated = TapcardError(error)
            throw TapcardError(
                translated.kind, translated.what,
                meaning: error.kind == .outcomeUnknown
                    ? "The ledger may have changed; check before you try again." : meaning)
        }
    }

    /// The database that stations share; nil if the ledger is a file, which only one station can
    /// use.
    var sharedDatabase: (any LedgerDatabase)? {
        get throws(TapcardError) {
            guard case .database(let address) = try session.settings.ledgerPlace else { return nil }
            return session.drivers.database(address)
        }
    }

    /// The state of the keys at the stations that share the ledger; nil if the ledger is a file.
    func issuerKeys() async throws(TapcardError) -> IssuerKeys? {
        guard let database = try sharedDatabase else { return nil }
        return try await LedgerAccess.status(of: database).keys
    }

    static func status(
        of database: any LedgerDatabase, orSay meaning: String = "The ledger is unchanged."
    ) async throws(TapcardError) -> DatabaseStatus {
        try await translatingErrors(orSay: meaning) { () throws(LedgerError) in
            try await database.status()
        }
    }

    /// Opens the ledger. A new ledger gets the requested currency or, if none is requested, the
    /// currency of the keys, because cards sealed with these keys could not be read in a different
    /// currency.
    func open(making mayMake: Bool) async throws(TapcardError) -> any LedgerStore {
        let place = try session.settings.ledgerPlace
        // This is determined first, because opening the ledger may create it.
        let isNew = try !session.settings.hasLedger
        if mayMake { try session.places.makeDataFolder() }
        try session.places.require()
        // A database checks logins itself, but a file is only as safe as its permissions.
        if case .file(let path) = place {
            try SafePlaces.requireUnwritable(path, "ledger", .ledgerUnavailable)
        }
        var currency = try session.settings.currency
        if currency == nil, isNew { currency = (try? session.keyFile.load())?.currency }
        do {
            return try await session.drivers.openLedger(
                place, currency, mayMake, session.settings.memoryPath)
        } catch {
            if error.kind == .wrongCurrency { throw otherCurrency(TapcardError(error)) }
            guard error.kind == .unavailable, isNew, !mayMake else { throw TapcardError(error) }
            throw try notSetUp
        }
    }

    /// The error for a station without a ledger.
    private var notSetUp: TapcardError {
        get throws(TapcardError) {
            let settings = session.settings
            let path = try settings.ledgerPlace
            // A moved ledger is also missing here, but the station does not need to be set up.
            if let address = movedTo(from: path) {
                return TapcardError(
                    .ledgerUnavailable,
                    "The ledger at \(path) was moved to the database \(address).",
                    meaning: TapcardError.unchanged, next: [.ledger(.useDatabase(address))])
            }
            guard try session.keyFile.load() == nil else {
                return TapcardError(
                    .notSetUp, "This machine has keys, but there is no ledger at \(path).",
                    meaning: TapcardError.unchanged,
                    advice:
                        "Check the path, and that its disk is mounted. If the ledger is lost, "
                        + "restore a backup with \(settings.commandLine("restore-backup FILE")). "
                        + "To start a new ledger, which does not know the cards issued so far, run: "
                        + settings.commandLine("init"))
            }
            guard !settings.readerIsSimulated else {
                return TapcardError(
                    .ledgerUnavailable, "There is no simulated ledger at \(path) yet.",
                    meaning: TapcardError.unchanged,
                    advice: "The first simulated card creates it. To make the demo card, run: "
                        + settings.commandLine("demo"))
            }
            return TapcardError(
                .notSetUp, "This machine is not set up: there is no ledger at \(path).",
                meaning: TapcardError.unchanged,
                advice:
                    "Set it up once with \(settings.commandLine("init --currency EUR")) (you "
                    + "cannot change the currency later), or try tapcard without real money: "
                    + "tapcard --reader sim demo")
        }
    }

    /// The file with the new address of a ledger that was moved.
    static func note(ofMoving path: String) -> String { path + ".moved" }

    /// The address of the database that a ledger file was moved to; nil if it was not moved.
    private func movedTo(from place: LedgerPlace) -> String? {
        guard case .file(let path) = place,
            let note = try? DurableFile(LedgerAccess.note(ofMoving: path)).read(),
            case .database(let address) = LedgerPlace(
                String(decoding: note, as: UTF8.self).filter { !$0.isNewline })
        else { return nil }
        return address
    }

    /// The refusal of a ledger in a different currency, with advice.
    private func otherCurrency(_ error: TapcardError) -> TapcardError {
        let settings = session.settings
        let code = settings.effective(.currency).text?.uppercased() ?? "EUR"
        let advice: String
        if session.command.verb.spec.path == ["init"], settings.isPlayMoney {
            advice =
                "The currency of a ledger cannot be changed. To use play money in \(code), move "
                + "the current folder out of the way: mv \(settings.dataFolder) "
                + "\(settings.dataFolder)-before"
        } else if session.command.verb.spec.path == ["init"] {
            advice =
                "The currency of a ledger cannot be changed. To use \(code), set up another "
                + "data folder: TAPCARD_DATA=FOLDER tapcard init --currency \(code)"
        } else {
            advice = settings.currencyAdvice
        }
        return TapcardError(error.kind, error.what, meaning: error.meaning, advice: advice)
    }
}

extension Settings {
    /// Whether the ledger exists, as far as can be determined without opening it. Throws for a
    /// dangling link, because the ledger may be on an unmounted disk.
    var hasLedger: Bool {
        get throws(TapcardError) {
            guard case .file(let path) = try ledgerPlace else { return true }
            do {
                return try DurableFile(path).permissions() != nil
            } catch {
                // Creating a new ledger in place of the link would hide the real ledger.
                guard error.kind == .danglingLink else { return false }
                throw TapcardError(
                    .ledgerUnavailable, "The ledger cannot be opened: \(error.detail).",
                    meaning: TapcardError.needsLedger + ".",
                    advice:
                        "Mount the disk that it is on, or specify another ledger with --ledger.")
            }
        }
    }

    /// The file in which a station records what a database has confirmed to it.
    var memoryPath: String { dataFolder + "/confirmed.txt" }

    /// Advice on removing a wrong currency from the settings.
    var currencyAdvice: String {
        switch effective(.currency).origin {
        case .flag: "The currency comes from the command line; leave out --currency."
        case .variable:
            "The currency comes from the environment; remove it there: unset TAPCARD_CURRENCY"
        case .builtIn: ""
        case .file:
            "The currency comes from the settings file \(configurationPath); remove it there: "
                + commandLine("config set currency")
        }
    }

    /// A command line for the same station, including the current flags for the reader and the
    /// ledger.
    func commandLine(_ words: String) -> String {
        let flags = [Name.reader, .ledger].compactMap { name -> String? in
            let (text, origin) = effective(name)
            // Variables and the settings file apply to the next command anyway.
            guard origin == .flag, let text else { return nil }
            return " --\(name.rawValue) \(text.asShellWord)"
        }
        return "tapcard\(flags.joined()) \(words)"
    }
}

extension String {
    /// The text as a single shell word.
    package var asShellWord: String {
        let needNoQuotes = contains(/^[A-Za-z0-9@%+=:,.\/_-]+$/)
        // Inside single quotes, only the single quote itself has a special meaning to a shell.
        return needNoQuotes ? self : "'\(replacing("'", with: "'\\''"))'"
    }
}
