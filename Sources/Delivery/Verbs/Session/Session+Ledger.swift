import CardCryptography
package import Ledger
import OperatingSystem
import StationFiles
package import TapcardCore
import TapcardDomain

extension Session {
    /// The ledger. A simulated station makes one on first use, a real one with `tapcard init`.
    /// Read-only commands require an existing ledger: a mistyped name must not show an empty one
    /// where "all is well".
    ///
    /// Commands that change something refuse a read-only ledger before they ask for a card.
    package func ledger(
        making mayMake: Bool = true, changing mayChange: Bool? = nil
    ) async throws(TapcardError) -> any LedgerStore {
        // A ledger is made before its keys, so a ledger missing next to keys was lost.
        if mayMake, settings.readerIsSimulated { try makeDataFolder() }
        let wasUsed = exists(settings.keyPath)
        let ledger = try await openLedger(
            making: mayMake && settings.readerIsSimulated && !wasUsed)
        if mayChange ?? mayMake {
            try await withLedgerErrors { () throws(LedgerError) in
                try await ledger.requireWritable()
            }
        }
        return ledger
    }

    /// The ledger, for a program that runs for days: where its database is offline, it begins
    /// without it and goes on once the database is back. That is said once, whatever the number of
    /// its connections.
    package func awaitedLedger(isTold: Bool = false) async throws(TapcardError) -> any LedgerStore {
        do {
            return try await ledger()
        } catch {
            guard [.ledgerUnavailable, .ledgerOffline, .ledgerUndeclared].contains(error.kind),
                case .database(let address) = try settings.ledgerPlace,
                let keys = try keyFile.load(),
                let currency = try settings.currency ?? keys.currency
            else { throw error }
            if !isTold { say("tapcard: \(error.what) It is waited for.\n") }
            return drivers.awaitLedger(address, currency, memoryPath)
        }
    }

    /// The file in which a station keeps what it has to remember of a database.
    var memoryPath: String { settings.dataFolder + "/confirmed.txt" }

    /// Opens the ledger. A new one uses the requested currency or that of the keys, because their
    /// cards could not be read in another.
    func openLedger(making mayMake: Bool) async throws(TapcardError) -> any LedgerStore {
        let place = try settings.ledgerPlace
        let isNew = try !hasLedger
        if mayMake { try makeDataFolder() }
        try requireSafePlaces()
        if case .file(let path) = place {
            try requireUnwritable(path, "ledger", .ledgerUnavailable)
        }
        var currency = try settings.currency
        if currency == nil, isNew { currency = (try? keyFile.load())?.currency }
        do {
            return try await drivers.openLedger(
                place, currency, mayMake, memoryPath)
        } catch {
            if error.kind == .wrongCurrency { throw otherCurrency(TapcardError(error)) }
            guard error.kind == .unavailable, isNew, !mayMake else { throw TapcardError(error) }
            throw try notSetUp
        }
    }

    /// Whether the ledger exists, as far as that is known before it is opened. Throws for a
    /// dangling link, which may lead to one.
    var hasLedger: Bool {
        get throws(TapcardError) {
            guard case .file(let path) = try settings.ledgerPlace else { return true }
            do {
                return try DurableFile(path).permissions() != nil
            } catch {
                guard error.kind == .danglingLink else { return false }
                throw TapcardError(
                    .ledgerUnavailable, "The ledger cannot be opened: \(error.detail).",
                    meaning: "Without its ledger tapcard takes and gives no money.",
                    advice: "Mount the disk that it is on, or name another ledger with --ledger.")
            }
        }
    }

    /// Whether this is a real station that has neither keys nor a ledger.
    var isFresh: Bool {
        get throws(TapcardError) {
            guard !settings.readerIsSimulated, try !hasLedger else { return false }
            return try keyFile.load() == nil
        }
    }

    /// The error of a station without a ledger.
    private var notSetUp: TapcardError {
        get throws(TapcardError) {
            let path = try settings.ledgerPlace
            let nothing = "Nothing was changed on card or ledger."
            if let address = movedTo(from: path) {
                return TapcardError(
                    .ledgerUnavailable, "The ledger of \(path) was moved to \(address).",
                    meaning: nothing, next: [.ledger(.useDatabase(address))])
            }
            guard try keyFile.load() == nil else {
                return TapcardError(
                    .notSetUp, "There is no ledger at \(path), but there are keys.",
                    meaning: nothing,
                    advice:
                        "Put a backup back with \(commandLine("restore-backup FILE")), or begin "
                        + "a new ledger with \(commandLine("init")).")
            }
            guard !settings.readerIsSimulated else {
                return TapcardError(
                    .ledgerUnavailable, "There is no ledger at \(path).", meaning: nothing,
                    advice: "The first card makes one: \(commandLine("demo")).")
            }
            return TapcardError(
                .notSetUp, "This station is not set up: there is no ledger at \(path).",
                meaning: nothing,
                advice: "Set it up once, in the currency that it takes: "
                    + "\(commandLine("init --currency EUR")). To play first: tapcard --reader sim "
                    + "demo.")
        }
    }

    /// The file that says where a ledger was moved to.
    static func note(ofMoving path: String) -> String { path + ".moved" }

    /// The address of the database into which the ledger of a file was moved; nil for none.
    private func movedTo(from place: LedgerPlace) -> String? {
        guard case .file(let path) = place,
            let note = try? DurableFile(Session.note(ofMoving: path)).read(),
            case .database(let address) = LedgerPlace(
                String(decoding: note, as: UTF8.self).filter { !$0.isNewline })
        else { return nil }
        return address
    }

    /// The refusal of a ledger in another currency, with advice.
    private func otherCurrency(_ error: TapcardError) -> TapcardError {
        let code = settings.effective(.currency).text?.uppercased() ?? "EUR"
        let advice: String
        if command.spec.path == ["init"], settings.isPlayMoney {
            advice =
                "To play in \(code), put the play money away first: mv \(settings.dataFolder) "
                + "\(settings.dataFolder)-before"
        } else if command.spec.path == ["init"] {
            advice =
                "A station keeps its currency. To begin another one: TAPCARD_DATA=FOLDER tapcard "
                + "init --currency \(code)"
        } else {
            advice = currencyAdvice
        }
        return TapcardError(error.kind, error.what, meaning: error.meaning, advice: advice)
    }

    /// Advice on removing a wrong currency from the settings.
    var currencyAdvice: String {
        switch settings.effective(.currency).origin {
        case .flag: "Leave --currency out."
        case .variable: "The currency comes from a variable: unset TAPCARD_CURRENCY"
        case .builtIn: ""
        case .file:
            "The currency comes from \(settings.configurationPath). To take it out: "
                + commandLine("config set currency")
        }
    }

    /// A command line for the same station, with the reader and the ledger given by flags.
    func commandLine(_ words: String) -> String {
        let flags = [Settings.Name.reader, .ledger].compactMap { name -> String? in
            let (text, origin) = settings.effective(name)
            guard origin == .flag, let text else { return nil }
            return " --\(name.rawValue) \(text.asShellWord)"
        }
        return "tapcard\(flags.joined()) \(words)"
    }

    /// The ledger; nil if the default one does not exist yet.
    func ledgerIfThere() async throws(TapcardError) -> (any LedgerStore)? {
        do {
            return try await ledger(making: false)
        } catch {
            guard [.ledgerUnavailable, .notSetUp].contains(error.kind),
                settings.effective(.ledger).origin == .builtIn, try !hasLedger
            else { throw error }
            return nil
        }
    }
}

extension String {
    /// The text as one word of a shell.
    fileprivate var asShellWord: String {
        let needNoQuotes = contains(/^[A-Za-z0-9@%+=:,.\/_-]+$/)
        return needNoQuotes ? self : "'\(replacing("'", with: "'\\''"))'"
    }
}
