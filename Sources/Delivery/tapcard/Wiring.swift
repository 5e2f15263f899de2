import BlockingLane
import CommandLine
import Dispatch
import Glibc
import KioskServer
import Ledger
import RemoteServices
import SQLiteLedger
import SimulatedReader
import SystemClock
import TagReading
import TapcardCore
import TapcardDomain
import TerminalControl
import Verbs

/// The one place that knows every driver.
enum Wiring {
    /// Runs one command, and listens to signals meanwhile.
    ///
    /// The first asks the work to stop where it may, the second ends it at once. Either way card
    /// and ledger are left in a state that the next tap settles.
    static func run(_ arguments: [String]) async -> Int32 {
        // A reader of our output that goes away is no reason to die in the middle of a card.
        signal(SIGPIPE, SIG_IGN)
        let program = Program(
            drivers: drivers, adding: [.emulate, .sandbox, .serve(in: serving)], console: console,
            environment: environment.variables,
            malformed: environment.malformed)
        // Not before somebody listens: until then a signal would be lost.
        let (listening, listens) = AsyncStream.makeStream(of: Never.self)
        let registered = DispatchGroup()
        let work = Task {
            for await _ in listening {}
            let ending = await program.end(of: arguments)
            await RealReaders.closeAll()
            return ending
        }
        let first = Guarded<Int32?>(nil)
        let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if number == SIGHUP, Hangup.isAnswered() { return }
                if work.isCancelled {
                    program.cutShort {
                        giveTerminalBack()
                        die(by: number)
                    }
                }
                first.withLock { $0 = $0 ?? number }
                work.cancel()
            }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.activate()
            return source
        }
        registered.notify(queue: .global()) { listens.finish() }
        let ending = await work.value
        for source in sources { source.cancel() }
        // A loop in a shell goes on after a command that ends by itself. What goes on until it is
        // stopped has come to its usual end where a service manager has stopped it.
        if ending.wasStopped, let number = first.withLock({ $0 }),
            !ending.isEndless || number == SIGINT
        {
            die(by: number)
        }
        return ending.status
    }

    /// Ends the process as the signal does where nobody listens to it.
    private static func die(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        _exit(128 + number)
    }

    /// The counter in this process: systemd waits for it, and SIGHUP asks for its certificate again.
    private static let serving = ServingProcess(
        prepare: HTTPClient.prepare,
        whenServing: { kiosk in
            // Also without a certificate: a signal that nobody answers would end the counter, and
            // systemctl reload sends it to any.
            Hangup.listen { Task { await kiosk.reload() } }
            ServiceManager.tell(.ready)
        }, whenStopping: { ServiceManager.tell(.stopping) })

    private static let drivers = Drivers(
        openReader: openReader,
        openLedger: { path, currency, mayMake throws(LedgerError) in
            guard unsafe mayMake || access(path, F_OK) == 0 else {
                throw LedgerError(.unavailable, "there is no ledger at \(path)")
            }
            return try await SQLiteLedger.open(path: path, currency: currency, mayOnlyRead: true)
        },
        backUp: { path, copy throws(LedgerError) in
            try await SQLiteLedger.open(path: path, currency: nil, mayOnlyRead: true)
                .backup(to: copy)
        },
        restore: { copy, path, currency throws(LedgerError) in
            try await SQLiteLedger.restore(from: copy, to: path, currency: currency)
        },
        simulatedTags: SimulationDrawer(),
        readers: MachineReaders.all,
        services: services,
        surroundings: { progress in
            Station.Surroundings(
                now: Wiring.now, uptime: Wiring.uptime,
                sleep: { try await Task.sleep(for: $0) }, progress: progress)
        })

    static let console = Console(
        isTerminal: isatty(STDOUT_FILENO) == 1, isErrorTerminal: isatty(STDERR_FILENO) == 1,
        size: terminalSize, keyboard: SystemTerminal(),
        write: { bytes throws(OutputError) in try Wiring.write(bytes, to: STDOUT_FILENO) },
        // Where nobody hears what is wrong, nobody can be told that either.
        writeError: { text in try? Wiring.write(Array(text.utf8), to: STDERR_FILENO) })

    /// What is no UTF-8 is not repaired: it would be another password, or another file.
    static let environment: (variables: [String: String], malformed: Set<String>) = {
        var variables: [String: String] = [:]
        var malformed: Set<String> = []
        for name in Set(names + DecimalComma.variables + strays) {
            guard let bytes = unsafe getenv(name) else { continue }
            variables[name] = unsafe String(validatingCString: bytes)
            // What is no setting cannot be a wrong one.
            if variables[name] == nil, names.contains(name) { malformed.insert(name) }
        }
        return (variables, malformed)
    }()

    /// The variables that mean something here.
    private static let names =
        [
            "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE",
            "LANG",
        ] + Settings.variables

    /// The variables that look like settings, whether or not there are such settings.
    private static var strays: [String] {
        var names: [String] = []
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let name = unsafe String(cString: entry).prefix { $0 != "=" }
            if name.hasPrefix("TAPCARD_") { names.append(String(name)) }
            unsafe next += 1
        }
        return names
    }

    private static func openReader(
        _ name: String?, _ folder: String, _ use: ReaderUse
    ) async throws(ReaderError) -> any TagReader {
        if name == "sim" { return try simulatedReader(folder + "/simulation.txt") }
        if let name, name.hasPrefix("sim:"), name.count > 4 {
            return try simulatedReader(String(name.dropFirst(4)))
        }
        return switch use {
        case .tap: try await RealReaders.openForTap(name)
        case .watch: try await RealReaders.openLasting(name)
        case .counter: RealReaders.lasting(name)
        }
    }

    private static func simulatedReader(_ path: String) throws(ReaderError) -> SimulatedReader {
        let file = SimulationFile(path: path)
        let reader = try SimulatedReader(file)
        // A file that makes no sense is named now, not when a card is waited for.
        try file.change { _ in }
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

    /// Each service has a client of its own, so that none waits for another.
    private static func services(_ settings: ServiceSettings) -> Services {
        let options = HTTPClient.Options(
            version: Release.version, authorities: settings.authorities)
        return Services(
            activation: RemoteActivation(settings.activation, through: HTTPClient(options)),
            lottery: RemoteLottery(
                settings.lottery, through: HTTPClient(options),
                cache: HTTPCache(folder: settings.dataFolder + "/cache"), rules: settings.rules),
            mastermind: RemoteMastermind(settings.mastermind, through: HTTPClient(options)))
    }

    private static func terminalSize() -> TerminalSize? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
            size.ws_row > 0
        else { return nil }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes all of it, or as much as the other end still wants.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw OutputError(unsafe String(cString: strerror(errno))) }
            rest = rest.dropFirst(count)
        }
    }
}
