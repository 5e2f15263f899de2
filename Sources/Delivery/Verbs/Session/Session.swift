package import CardCryptography
package import Ledger
import OperatingSystem
package import StationFiles
package import Tags
package import TapcardCore
package import TapcardDomain

/// The line that tells the user to wait. It does nothing if there is no terminal.
package struct WaitingLine: Sendable {
    package let show: @Sendable (String) -> Void
    /// Removes the line and returns once it is gone.
    package let stop: @Sendable () async -> Void

    package init(
        show: @escaping @Sendable (String) -> Void = { _ in },
        stop: @escaping @Sendable () async -> Void = {}
    ) {
        (self.show, self.stop) = (show, stop)
    }
}

/// One run of a command: its arguments, the settings, and the drivers.
package struct Session: Sendable {
    package let command: ParsedCommand
    /// Creates all commands of the program.
    package let verbs: @Sendable () -> [Command]
    package let settings: Settings
    package let outputOptions: OutputOptions
    package let drivers: Drivers
    package let console: Console
    package let output: StandardOutput
    package let waiting: WaitingLine
    package let serviceCache: ServiceCache
    package let finalMessage: FinalMessage

    package init(
        command: ParsedCommand, verbs: @escaping @Sendable () -> [Command] = { [] },
        settings: Settings, outputOptions: OutputOptions, drivers: Drivers, console: Console,
        output: StandardOutput, waiting: WaitingLine = WaitingLine(),
        serviceCache: ServiceCache = ServiceCache(), finalMessage: FinalMessage
    ) {
        (self.command, self.verbs) = (command, verbs)
        (self.settings, self.outputOptions, self.drivers) = (settings, outputOptions, drivers)
        (self.console, self.output, self.waiting) = (console, output, waiting)
        (self.serviceCache, self.finalMessage) = (serviceCache, finalMessage)
    }

    /// A run of the same command with different settings and its own services.
    package func using(_ settings: Settings) -> Session {
        Session(
            command: command, verbs: verbs, settings: settings, outputOptions: outputOptions,
            drivers: drivers,
            console: console, output: output, waiting: waiting, finalMessage: finalMessage)
    }

    /// The reader, ledger, and keys, opened in the order that gives the clearest errors.
    package func station() async throws(TapcardError) -> Station {
        try await station(with: try await ledger())
    }

    package func station(with ledger: any LedgerStore) async throws(TapcardError) -> Station {
        let keys = try await keys(beside: ledger)
        try await requireCommonKeys(keys, ledger)
        // The journal is booked before the tap, so that the tap finds a balance that reflects
        // offline payments.
        await journal.book(into: ledger, keys)
        return try await station(with: ledger, KeyRingSource(keyFile, holding: keys))
    }

    package func station(
        with ledger: any LedgerStore, _ keys: KeyRingSource, for use: ReaderUse = .tap
    ) async throws(TapcardError) -> Station {
        var station = Station.Settings(
            wait: try settings.timeout, paymentLifetime: try settings.paymentLifetime,
            ceilings: try settings.ceilings(ledger.currency), isConfirmed: self[.confirmed])
        station.isReaderTrusted = settings.isReaderTrusted
        try settings.setCardAddress(of: &station)
        return Station(
            reader: try await reader(for: use), ledger: ledger, keySource: keys,
            settings: station, dependencies: dependencies)
    }

    /// A station for tags of any kind. Its errors say nothing about money.
    func tagStation() async throws(TapcardError) -> Station {
        try await translating(awaiting: await readOnlyStation()) { (error: TapcardError) in
            error.withoutMoney
        }
    }

    /// A station that uses the keys and the ledger but creates neither.
    func readOnlyStation() async throws(TapcardError) -> Station {
        let keys = try keyFile.load()
        let hasLedger = try settings.hasLedger
        guard keys != nil || hasLedger else { return try await stationWithoutLedger(for: .tap) }
        let ledger = try await ledger(making: false)
        guard keys != nil else {
            return try await station(with: ledger, KeyRingSource(KeyRing.none))
        }
        return try await station(with: ledger)
    }

    /// Returns a station for watching tags without changing them or the ledger. Uses the keys and
    /// the ledger if both exist.
    package func watchOnlyStation() async throws(TapcardError) -> Station {
        // The reader may be connected later.
        let use = ReaderUse.till(nextTo: settings.otherReaders)
        guard let keys = try keyFile.load(), let ledger = try await existingLedger() else {
            return try await stationWithoutLedger(for: use)
        }
        return try await station(with: ledger, KeyRingSource(keyFile, holding: keys), for: use)
    }

    private func stationWithoutLedger(for use: ReaderUse) async throws(TapcardError) -> Station {
        try await station(
            with: InMemoryLedger(currency: try settings.currency ?? .usd),
            KeyRingSource(KeyRing.none), for: use)
    }

    /// The station for watching the reader, and whether its keys were compared with the other
    /// stations' keys. While the ledger is offline, the keys cannot be compared.
    package func watchingStation() async throws(TapcardError) -> (Station, isChecked: Bool) {
        let ledger = try await ledger()
        do throws(TapcardError) {
            return (try await station(with: ledger), true)
        } catch {
            guard error.kind == .ledgerOffline, let keys = try keyFile.load() else { throw error }
            return (try await station(with: ledger, KeyRingSource(keyFile, holding: keys)), false)
        }
    }

    /// Whether this is a real station without keys or a ledger.
    var isFresh: Bool {
        get throws(TapcardError) {
            guard !settings.readerIsSimulated, try !settings.hasLedger else { return false }
            return try keyFile.load() == nil
        }
    }

    /// Creates the folder for this station's files if it does not exist.
    package func makeDataFolder() throws(TapcardError) { try places.makeDataFolder() }

    /// The reader for a till, which may be connected later.
    package func tillReader() async throws(TapcardError) -> any TagReader {
        try await reader(for: .till(nextTo: settings.otherReaders))
    }

    private func reader(for use: ReaderUse) async throws(TapcardError) -> any TagReader {
        if settings.readerIsSimulated { try places.makeDrawerFolder() }
        return try await translating(
            awaiting: await drivers.openReader(settings.reader, settings.simulatedFolder, use)
        ) { (error: ReaderError) in
            settings.readerIsSimulated ? TapcardError(ofSimulation: error) : TapcardError(error)
        }
    }

    /// The ledger. A simulated station creates one on first use; for a real station, `tapcard init`
    /// creates it. Read-only commands require an existing ledger; otherwise, a mistyped name would
    /// produce a report about an empty ledger as if all were well.
    ///
    /// Commands that change something refuse a read-only ledger before they ask for a card.
    package func ledger(
        making mayMake: Bool = true, changing mayChange: Bool? = nil
    ) async throws(TapcardError) -> any LedgerStore {
        // A ledger is created before its keys. If there are keys but no ledger, the ledger was
        // lost, so no new one is created.
        if mayMake, settings.readerIsSimulated { try places.makeDataFolder() }
        let wasUsed = DurableFile(settings.keyPath).mayExist
        let ledger = try await LedgerAccess(self).open(
            making: mayMake && settings.readerIsSimulated && !wasUsed)
        if mayChange ?? mayMake {
            try await LedgerAccess.translatingErrors { () throws(LedgerError) in
                try await ledger.requireWritable()
            }
        }
        return ledger
    }

    /// The ledger; nil if the default one does not exist yet.
    func existingLedger() async throws(TapcardError) -> (any LedgerStore)? {
        do {
            return try await ledger(making: false)
        } catch {
            // A ledger that the user specified must exist, because its name may be mistyped.
            guard [.ledgerUnavailable, .notSetUp].contains(error.kind),
                settings.effective(.ledger).origin == .builtIn, try !settings.hasLedger
            else { throw error }
            return nil
        }
    }

    /// The keys, which are created if missing; in that case, their path and the ledger's are
    /// printed.
    ///
    /// No keys are created for a ledger that has cards: its keys were lost, and new ones would only
    /// hide that.
    package func keys(beside known: (any LedgerStore)? = nil) async throws(TapcardError) -> KeyRing
    {
        if let keys = try keyFile.load() { return keys }
        let ledger = if let known { known } else { try await self.ledger() }
        return try await KeyCreation(self).make(beside: ledger)
    }

    /// Refuses keys that differ from the other stations' keys, because stations with different keys
    /// reject each other's cards.
    func requireCommonKeys(_ keys: KeyRing, _ ledger: any LedgerStore) async throws(TapcardError) {
        let others = try await LedgerAccess.translatingErrors { () throws(LedgerError) in
            try await ledger.otherKeys(than: keys.reported)
        }
        guard let id = others.min() else { return }
        throw TapcardError(
            .keysUnusable,
            "Key \(id) in \(settings.keyPath) differs from key \(id) on the other servers of this "
                + "ledger.",
            meaning:
                "Servers with different keys reject each other's cards. The card and the ledger "
                + "were not changed.",
            advice:
                "Move the key file out of the way. Run tapcard keys export FILE on another "
                + "server, then import the file here: tapcard keys import FILE")
    }

    package var keyFile: KeyFile {
        let console = console
        return KeyFile(path: settings.keyPath) { console.writeError("tapcard: \($0)\n") }
    }

    var places: SafePlaces { SafePlaces(settings) }

    package var journal: JournalKeeping { JournalKeeping(self) }

    /// The services at the addresses from the settings.
    func services() throws(TapcardError) -> Services {
        try serviceCache.once { () throws(TapcardError) in
            // These settings are checked only here, because commands that use no service do not
            // depend on them.
            drivers.services(try settings.checkedServices())
        }
    }

    package var dependencies: Station.Dependencies {
        var dependencies = drivers.dependencies { progress in
            if let text = progress.words { waiting.show(text) }
            if outputOptions.isVerbose { say("tapcard: \(progress.detail.shown)\n") }
        }
        // The ledger records them with each operation.
        dependencies.requester = settings.requester
        return dependencies
    }

    /// Writes a message to standard error, separate from the result.
    package func say(_ text: String) { console.writeError(text) }

    /// Prints a report in the requested format; returns false if the output failed.
    @discardableResult package func show(_ report: Report) -> Bool {
        if outputOptions.isJSON {
            return report.document.map { output.write(document: $0) } ?? true
        }
        var isShown = true
        if !outputOptions.isQuiet, !report.lines.isEmpty {
            let hasColor = outputOptions.hasColor(console.isTerminal)
            var lines = report.lines.map { $0.rendered(hasColor) }
            if console.isTerminal, !report.isPlain {
                let mark =
                    report.problem == nil
                    ? Style.good.applied(to: "✓", hasColor) : Style.bad.applied(to: "✗", hasColor)
                // The other lines are indented so that they align with the text after the mark.
                lines = ["\(mark) \(lines[0])"] + lines.dropFirst().map { "  \($0)" }
            }
            isShown = output.write(lines.joined(separator: "\n") + "\n")
        }
        if let problem = report.problem { show(problem) }
        return isShown
    }

    package func show(_ error: TapcardError) {
        say(Report.line(error, outputOptions.hasColor(console.isErrorTerminal)))
    }

    /// Waits until the task is canceled, while other tasks do the work.
    package func waitUntilStopped() async {
        while !Task.isCancelled {
            // `sleep` throws when the task is canceled, which is the expected end.
            try? await Task.sleep(for: .seconds(86_400))
        }
    }
}

/// The values given on the command line.
extension Session {
    /// The value of a parameter of the running command.
    package subscript<Value>(_ parameter: Parameter<Value>) -> Value { command[parameter] }

    /// An amount in the ledger's currency.
    package subscript(_ parameter: Parameter<TypedAmount>, in currency: Currency) -> Money {
        get throws(TapcardError) { try money(self[parameter], currency) }
    }

    package subscript(_ parameter: Parameter<TypedAmount?>, in currency: Currency) -> Money? {
        get throws(TapcardError) {
            try self[parameter].map { amount throws(TapcardError) in try money(amount, currency) }
        }
    }

    private func money(
        _ amount: TypedAmount, _ currency: Currency
    ) throws(TapcardError) -> Money {
        try translating(settings.amount(amount.text, currency)) { (error: Refusal) in
            TapcardError(error)
        }
    }

    /// Whether this request is refused if its tap has just resolved an identical one. A user who
    /// types an ID knows which request is meant, but a page gives every request an ID.
    var refusesIfJustResolved: Bool {
        !self[.again] && (outputOptions.isForPage || !command.isGiven(.operation))
    }
}
