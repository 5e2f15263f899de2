import BlockingLane
import Bridge
import BuildStamp
import CardCryptography
import CommandLine
import Dispatch
import Glibc
import Ledger
import OperatingSystem
import PostgreSQLLedger
import ReaderDiagnosis
import RemoteServices
import SQLiteLedger
import SimulatedReader
import Tags
import TapcardCore
import TapcardDomain
import TillServer
import Verbs

/// Connects the commands to the drivers. No other code refers to all the drivers.
enum Wiring {
    /// Runs one command and handles signals while it runs.
    ///
    /// The first signal asks the command to stop if it can; the second ends the process
    /// immediately. In both cases, the next tap resolves what is still open.
    static func run(_ arguments: [String]) async -> Int32 {
        // A closed output pipe must not end the process while a card is being written.
        signal(SIGPIPE, SIG_IGN)
        // If the parent process ignored this signal, the system would not report how a child ended.
        signal(SIGCHLD, SIG_DFL)
        if Program.isForVersion(arguments) {
            return Program.showVersion(Build.recorded, console)
        }
        let program = Program(
            drivers: drivers, adding: [.emulate, .sandbox, .serve(in: serving), .reader, watch],
            console: console, environment: environment.variables,
            malformed: environment.malformed, build: Build.recorded)
        // The work starts only after the handlers are registered, because an earlier signal would
        // be lost.
        let (handlersAreReady, startWork) = AsyncStream.makeStream(of: Never.self)
        let work = Task {
            for await _ in handlersAreReady {}
            let ending = await program.run(arguments)
            await RealReaders.closeAll()
            return ending
        }
        let first = Guarded<Int32?>(nil)
        let stopping = [SIGINT, SIGTERM, SIGHUP]
        // The default actions are turned off, so that only the handlers act. Dispatch still
        // receives ignored signals.
        for number in stopping { signal(number, SIG_IGN) }
        await handleSignals(stopping) { number in
            if number == SIGHUP, Hangup.isAnswered() { return }
            if work.isCancelled {
                program.endNow { terminate(by: number) }
            }
            first.withLock { $0 = $0 ?? number }
            work.cancel()
        }
        startWork.finish()
        let ending = await work.value
        // If the signal terminates the process, a shell loop stops, too. But if a service manager
        // stops an endless command, that is a normal end.
        if ending.wasStopped, let number = first.withLock({ $0 }),
            !ending.isEndless || number == SIGINT
        {
            terminate(by: number)
        }
        return ending.status
    }

    private static let signalSources = Guarded<[any DispatchSourceSignal]>([])

    /// Handles these signals from the time this function returns until the process ends.
    static func handleSignals(
        _ numbers: [Int32], _ handle: @escaping @Sendable (Int32) -> Void
    ) async {
        let registered = DispatchGroup()
        for number in numbers {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { handle(number) }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
            // The source is kept, because a source that is released stops listening.
            signalSources.withLock { $0.append(source) }
        }
        await withCheckedContinuation { ready in
            registered.notify(queue: .global()) { ready.resume() }
        }
    }

    /// Performs the default action of the signal.
    static func performDefaultAction(_ number: Int32) {
        let handler = signal(number, SIG_DFL)
        unblocking(number) { _ = raise(number) }
        signal(number, handler)
    }

    /// Lets a signal reach this thread while `body` runs, because Dispatch's threads block signals.
    static func unblocking<Success>(_ number: Int32, _ body: () -> Success) -> Success {
        var signals = sigset_t()
        var mask = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &mask, nil) }
        return body()
    }

    /// Ends the process with the default action of the signal.
    private static func terminate(by number: Int32) -> Never {
        performDefaultAction(number)
        // This is reached only if the signal did not end the process. The status is the one that a
        // shell reports for the signal.
        _exit(128 + number)
    }

    /// The hooks for `serve`: it reports its state to systemd, and SIGHUP rereads the certificates.
    private static let serving = ServingProcess(
        // The client is prepared before connections can use up the file descriptors.
        prepare: HTTPClient.prepare,
        whenServing: { pages in
            // SIGHUP is handled even without a certificate, because `systemctl reload` always sends
            // it, and it would otherwise end the server.
            Hangup.listen { Task { await pages.reload() } }
            ServiceManager.report(.ready)
        }, whenStopping: { ServiceManager.report(.stopping) },
        peers: { authorities in
            // A proxy must not see what servers tell each other.
            HTTPPeerLine(
                HTTPClient.Options(
                    version: Release.version, authorities: authorities, proxy: ""))
        })

    private static let drivers = Drivers(
        openReader: openReader,
        openLedger: { place, currency, mayMake, memory throws(LedgerError) in
            guard case .file(let path) = place else {
                return try await PostgreSQLLedger.open(
                    place.description, currency: currency, memory: memory)
            }
            // SQLite would create an empty ledger at a mistyped path.
            guard unsafe mayMake || access(path, F_OK) == 0 else {
                throw LedgerError(.unavailable, "there is no ledger at \(path)")
            }
            return try await SQLiteLedger.open(path: path, currency: currency, allowsReadOnly: true)
        },
        awaitLedger: { PostgreSQLLedger.notYetConnected($0, currency: $1, memory: $2) },
        database: { PostgreSQLDatabase($0, now: Wiring.now) },
        backUp: { path, copy throws(LedgerError) in
            try await SQLiteLedger.open(path: path, currency: nil, allowsReadOnly: true)
                .backup(to: copy)
        },
        restore: { copy, path, currency throws(LedgerError) in
            try await SQLiteLedger.restore(from: copy, to: path, currency: currency)
        },
        setAside: { path throws(LedgerError) in try await SQLiteLedger.setAside(path) },
        simulatedTags: SimulationDrawer(),
        readers: MachineReaders.all,
        checkConnections: MachineConnections.check,
        services: services,
        dependencies: { progress in
            Station.Dependencies(
                now: Wiring.now, uptime: Wiring.uptime,
                sleep: { try await Task.sleep(for: $0) }, progress: progress)
        })

    static let console = Console(
        isTerminal: isatty(STDOUT_FILENO) == 1, isErrorTerminal: isatty(STDERR_FILENO) == 1,
        columns: columns, promptHidden: Keyboard.promptHidden,
        write: { bytes throws(OutputError) in try Wiring.write(bytes, to: STDOUT_FILENO) },
        // A failure to write to standard error cannot be reported anywhere.
        writeError: { text in try? Wiring.write(Array(text.utf8), to: STDERR_FILENO) })

    /// The environment. Values that are not valid UTF-8 are not repaired, because the result would
    /// be a different password or file name.
    static let environment: (variables: [String: String], malformed: Set<String>) = {
        var variables: [String: String] = [:]
        var malformed: Set<String> = []
        for name in names + DecimalComma.variables + settingLookalikes {
            guard let bytes = unsafe getenv(name) else { continue }
            variables[name] = unsafe String(validatingCString: bytes)
            // Malformed values of other variables do not matter.
            if variables[name] == nil, names.contains(name) { malformed.insert(name) }
        }
        return (variables, malformed)
    }()

    /// The names of the known variables.
    private static let names =
        [
            "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE",
            "LANG",
        ] + Settings.variables

    /// Variables that look like settings, whether or not such settings exist.
    private static var settingLookalikes: [String] {
        let prefix = "TAPCARD_"
        var names: [String] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            unsafe next += 1
            guard unsafe strncmp(entry, prefix, prefix.utf8.count) == 0 else { continue }
            names.append(String(unsafe String(cString: entry).prefix { $0 != "=" }))
        }
        return names
    }

    private static func openReader(
        _ name: ReaderName?, _ folder: String, _ use: ReaderUse
    ) async throws(ReaderError) -> any TagReader {
        if case .simulated(let file) = name {
            var others: [ReaderName] = []
            if case .till(let all) = use { others = all }
            return try simulatedReader(
                file ?? Settings.simulationFile(in: folder),
                nextTo: others.compactMap { other in
                    guard case .simulated(let file) = other else { return nil }
                    return file ?? Settings.simulationFile(in: folder)
                })
        }
        return switch use {
        case .tap: try await RealReaders.openForTap(name)
        case .till(let others): RealReaders.persistent(name, nextTo: others)
        }
    }

    private static func simulatedReader(
        _ path: String, nextTo others: [String]
    ) throws(ReaderError) -> SimulatedReader {
        let file = SimulationFile(path: path)
        let reader = try SimulatedReader(file)
        // With this empty change, an invalid file is reported now, not while waiting for a card.
        try file.change { _ in }
        try file.requireOwnTag(nextTo: others, random: RandomBytes.make)
        return reader
    }

    static func now() -> Timestamp {
        Timestamp(milliseconds: SystemClock.millisecondsSince1970)
    }

    static func uptime() -> Uptime? {
        SystemClock.bootID.map {
            Uptime(boot: $0, milliseconds: SystemClock.millisecondsSinceBoot)
        }
    }

    private static let watch = Command.watch { authorities, isDirect in
        HTTPClient(
            HTTPClient.Options(
                version: Release.version, authorities: authorities, proxy: isDirect ? "" : nil))
    }

    /// Creates the services, each with its own HTTP client so that they do not wait for each other.
    private static func services(_ settings: ServiceSettings) -> Services {
        let options = HTTPClient.Options(
            version: Release.version, authorities: settings.authorities)
        return Services(
            activation: RemoteActivation(settings.activation, through: HTTPClient(options)),
            lottery: RemoteLottery(
                settings.lottery, through: HTTPClient(options),
                cache: AnswerCache(folder: settings.dataFolder + "/cache"), rules: settings.rules),
            mastermind: RemoteMastermind(settings.mastermind, through: HTTPClient(options)))
    }

    private static func columns() -> Int? {
        // A terminal of unknown width reports 0 columns.
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
        else { return nil }
        return Int(size.ws_col)
    }

    /// Writes all bytes, or throws if that is not possible.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            // A signal can interrupt a write before any byte is written.
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw OutputError(unsafe String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
    }
}

extension Build {
    /// What the build recorded in this program.
    fileprivate static var recorded: Build {
        func text(_ recorded: UnsafePointer<CChar>) -> String? {
            let text = unsafe String(cString: recorded)
            return text.isEmpty ? nil : text
        }
        return unsafe Build(
            commit: text(build_stamp_commit), date: text(build_stamp_date),
            toolchain: text(build_stamp_toolchain))
    }
}
