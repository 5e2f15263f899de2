package import CardCryptography
package import Ledger
import OperatingSystem
import ReaderDiagnosis
import StationFiles
package import Tags
package import TapcardCore
import TapcardDomain

/// The line that tells a person to wait; inactive without a terminal.
package struct WaitingLine: Sendable {
    let show: @Sendable (String) -> Void
    /// Removes the line and returns when it is gone.
    let stop: @Sendable () async -> Void

    package init(
        show: @escaping @Sendable (String) -> Void = { _ in },
        stop: @escaping @Sendable () async -> Void = {}
    ) {
        (self.show, self.stop) = (show, stop)
    }
}

/// One run of one command: its arguments, the settings, and the drivers.
package struct Session: Sendable {
    package let command: ParsedCommand
    /// Makes all commands of the program.
    package let verbs: @Sendable () -> [Command]
    package let settings: Settings
    package let manner: Manner
    package let drivers: Drivers
    package let console: Console
    package let output: StandardOutput
    package let waiting: WaitingLine
    package let madeServices: MadeServices
    package let lastWords: LastWords

    package init(
        command: ParsedCommand, verbs: @escaping @Sendable () -> [Command] = { [] },
        settings: Settings, manner: Manner, drivers: Drivers, console: Console,
        output: StandardOutput, waiting: WaitingLine = WaitingLine(),
        madeServices: MadeServices = MadeServices(), lastWords: LastWords
    ) {
        (self.command, self.verbs) = (command, verbs)
        (self.settings, self.manner, self.drivers) = (settings, manner, drivers)
        (self.console, self.output, self.waiting) = (console, output, waiting)
        (self.madeServices, self.lastWords) = (madeServices, lastWords)
    }

    /// A run of the same command with other settings, and with services of its own.
    package func using(_ settings: Settings) -> Session {
        Session(
            command: command, verbs: verbs, settings: settings, manner: manner, drivers: drivers,
            console: console, output: output, waiting: waiting, lastWords: lastWords)
    }

    package var isJSON: Bool { manner.isJSON }
    package var isQuiet: Bool { manner.isQuiet }
    var isVerbose: Bool { manner.isVerbose }

    /// Reader, ledger and keys, opened in the order that gives the clearest error.
    package func station() async throws(TapcardError) -> Station {
        try await station(with: try await ledger())
    }

    /// A station that reads tags and writes nothing. On a station that was never set up it works
    /// without keys and ledger, and makes neither.
    func lookingStation() async throws(TapcardError) -> Station {
        guard try isFresh else {
            return try await station(with: try await ledger(changing: false))
        }
        return try await station(
            with: InMemoryLedger(currency: try settings.currency ?? .usd),
            KeyRingSource(KeyRing.none))
    }

    package func station(with ledger: any LedgerStore) async throws(TapcardError) -> Station {
        let keys = try await keys(beside: ledger)
        try await requireCommonKeys(keys, ledger)
        await bookOfflinePayments(into: ledger, keys)
        return try await station(with: ledger, KeyRingSource(keyFile, holding: keys))
    }

    /// Refuses keys that differ from those of the other stations: each would reject the other's
    /// cards.
    func requireCommonKeys(
        _ keys: KeyRing, _ ledger: any LedgerStore
    ) async throws(TapcardError) {
        let others = try await withLedgerErrors { () throws(LedgerError) in
            try await ledger.otherKeys(than: keys.told)
        }
        guard let id = others.min() else { return }
        throw TapcardError(
            .keysUnusable,
            "Key \(id) of this station differs from the other stations' key.",
            meaning: "Nothing was changed: each would reject the other's cards.",
            advice: "Put \(settings.keyPath) away, and bring the keys of another station: there "
                + "tapcard keys export FILE, here tapcard keys import FILE.")
    }

    package func station(
        with ledger: any LedgerStore, _ keys: KeyRingSource
    ) async throws(TapcardError) -> Station {
        var station = Station.Settings(
            wait: try settings.timeout, paymentLifetime: try settings.paymentLifetime,
            ceilings: try settings.ceilings(ledger.currency), isConfirmed: self[.confirmed])
        try settings.setCardAddress(of: &station)
        return Station(
            reader: try await reader(for: self[.watch] ? .watch : .tap), ledger: ledger,
            keySource: keys, settings: station, surroundings: surroundings)
    }

    /// The services at the addresses of the settings.
    func services() throws(TapcardError) -> Services {
        try madeServices.once { () throws(TapcardError) in
            drivers.services(try settings.checkedServices())
        }
    }

    var keyFile: KeyFile {
        let console = console
        return KeyFile(path: settings.keyPath) { console.writeError("tapcard: \($0)\n") }
    }

    /// Whether this station has the keys that load and make cards, and not a table of card keys.
    /// One without keys gets its own.
    package var loadsCards: Bool { (try? keyFile.load())?.isTable != true }

    /// The keys, made together with the ledger; the first time, their places are printed.
    ///
    /// Keys are not made for a ledger that has cards: then the old ones were lost, and new ones
    /// would only hide that.
    package func keys(beside known: (any LedgerStore)? = nil) async throws(TapcardError) -> KeyRing
    {
        if let keys = try keyFile.load() { return keys }
        let ledger: any LedgerStore
        if let known { ledger = known } else { ledger = try await self.ledger() }
        return try await makeKeys(beside: ledger)
    }

    /// Makes the keys. `isTold` suppresses the message for a command that prints the places itself.
    func makeKeys(
        beside ledger: any LedgerStore, isTold: Bool = false
    ) async throws(TapcardError) -> KeyRing {
        try makeDataFolder()
        let place = try settings.ledgerPlace
        if try keyFile.load() == nil {
            let first = try await withLedgerErrors { () throws(LedgerError) in
                try await ledger.read { rows throws(LedgerError) in
                    try rows.cards(after: nil, atMost: 1).first
                }
            }
            guard first == nil else { throw lostKeys }
        }
        let (keys, areNew) = try keyFile.loadOrMake(
            created: LocalTime.date(surroundings.now()), currency: ledger.currency,
            random: surroundings.random)
        if areNew, !isTold {
            let words =
                "first run, in \(ledger.currency.code). Keys are in \(settings.keyPath), the ledger "
                + "is in \(place)."
            for line in [words] + firstAdvice { say("tapcard: \(line.shown)\n") }
        }
        return keys
    }

    /// Advice about new keys and a new ledger.
    private var firstAdvice: [String] {
        if settings.isPlayMoney {
            return ["the reader is simulated: this is play money, apart from the real books."]
        }
        // A simulated station has printed its ledger already.
        if settings.readerIsSimulated { return [] }
        return [
            "back up the keys now (tapcard keys export FILE): without them your cards cannot be "
                + "told from forged ones."
        ]
    }

    var lostKeys: TapcardError {
        TapcardError(
            .keysUnusable,
            "The key file \(settings.keyPath) is missing, but the ledger has cards.",
            meaning: "Nothing was changed; without their keys these cards cannot be told from "
                + "forged ones.",
            advice: "Put the backup of your keys in its place, or bring it with tapcard keys "
                + "import FILE.")
    }

    /// Whether a file exists; also true when that cannot be determined.
    func exists(_ path: String) -> Bool {
        do {
            return try DurableFile(path).permissions() != nil
        } catch {
            return true
        }
    }

    package var surroundings: Station.Surroundings {
        var surroundings = drivers.surroundings { progress in
            if let text = Session.words(progress) { waiting.show(text) }
            if isVerbose { say("tapcard: \(Session.detail(progress).shown)\n") }
        }
        surroundings.cashier = settings.cashier
        return surroundings
    }

    /// Writes a message to standard error, next to the result.
    package func say(_ text: String) { console.writeError(text) }

    /// Makes the data folder, where drivers keep their files as well.
    func makeDataFolder() throws(TapcardError) { try makeFolder(settings.dataFolder) }

    /// Makes the folder of the simulated tags.
    func makeDrawerFolder() throws(TapcardError) { try makeFolder(settings.simulatedFolder) }

    private func makeFolder(_ path: String) throws(TapcardError) {
        do {
            try DurableFile.makeFolder(path)
        } catch {
            throw TapcardError(
                .fileUnusable, "The folder for keys and ledger cannot be made: \(error.detail).",
                meaning: "Nothing was done.",
                advice: "Give yourself the right to write there, or set XDG_DATA_HOME.")
        }
        try requireSafeDataFolder()
    }

    /// The reader of a till, which may be connected later.
    package func tillReader() async throws(TapcardError) -> any TagReader {
        try await reader(for: .till(nextTo: settings.readersNextTo))
    }

    private func reader(for use: ReaderUse) async throws(TapcardError) -> any TagReader {
        if settings.readerIsSimulated { try makeDrawerFolder() }
        do throws(ReaderError) {
            return try await drivers.openReader(settings.reader, settings.simulatedFolder, use)
        } catch {
            throw settings.readerIsSimulated
                ? TapcardError(ofSimulation: error) : TapcardError(error)
        }
    }

    /// Opens a reader by name to look at it. Only a simulated one has a file in the data folder.
    func openReader(_ name: ReaderName) async throws(ReaderError) -> any TagReader {
        if name == .simulated(file: nil) {
            do {
                try makeDrawerFolder()
            } catch {
                throw ReaderError(.noReader, error.what)
            }
        }
        return try await drivers.openReader(name, settings.simulatedFolder, .tap)
    }

    private static func words(_ progress: Station.Progress) -> String? {
        switch progress {
        case .waitingForCard: "Hold a card to the reader"
        case .cardSeen: "Reading the card"
        case .resolving: "Resolving what was left open"
        case .scratching: "Scratching"
        case .asking: "Activating"
        case .writing: "Writing; hold the card still"
        case .switchingProtection: "Switching the tag's protection; hold the card still"
        case .committed, .hint: nil
        }
    }

    private static func detail(_ progress: Station.Progress) -> String {
        switch progress {
        case .waitingForCard: "waiting for a card"
        case .cardSeen(let uid): "card \(uid) is on the reader"
        case .resolving(let id): "resolving operation \(id)"
        case .scratching: "scratching"
        case .asking: "asking the activation service"
        case .writing: "writing the record"
        case .switchingProtection(.settingPassword): "setting the tag's password"
        case .switchingProtection(.switchingOn): "making the tag ask for its password"
        case .switchingProtection(.switchingOff): "making the tag ask for no password"
        case .switchingProtection(.clearingPassword): "taking the password off the tag"
        case .switchingProtection(let protection): "the tag's protection is \(protection.word)"
        case .committed(let id): "operation \(id) is committed"
        case .hint(let text): text
        }
    }
}

extension Session {
    /// Whether a tap that has just resolved an equal request refuses this one. A terminal's user
    /// who gives an id knows which request it is; a page gives an id to every request.
    var refusesRepetition: Bool {
        !self[.again] && (manner.isOfPage || !command.isGiven(.operation))
    }

    /// The id that makes a retry safe: the given one, or a new one.
    func operation(_ station: Station) throws(TapcardError) -> OperationID {
        try self[.operation] ?? station.newID()
    }
}
