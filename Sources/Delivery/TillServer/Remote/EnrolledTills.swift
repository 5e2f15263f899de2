import Ledger
import RemoteReader
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The tills in the ledger whose readers agents can attach to this server.
///
/// The ledger decides. This server reads its list every second, and asks it at each attachment, so
/// that a removed till is cut off within a second.
actor EnrolledTills {
    private struct Entry {
        var till: EnrolledTill
        let reader: RemoteReader
    }

    private static let interval = Duration.seconds(1)

    private let runners: TillRunners
    private let tills: Tills
    private let closeSessions: @Sendable (Int) -> Void
    private let log: TillLog
    private var entries: [Int: Entry] = [:]
    private var task: Task<Void, Never>?
    /// Whether the server is closing, so that agents can no longer attach readers.
    private(set) var isClosed = false

    init(
        _ runners: TillRunners, _ tills: Tills, log: TillLog,
        closeSessions: @escaping @Sendable (Int) -> Void
    ) {
        (self.runners, self.tills, self.log) = (runners, tills, log)
        self.closeSessions = closeSessions
    }

    /// Opens the tills, and keeps them up to date with the ledger's list.
    func open() async {
        await refresh()
        task = Task {
            while (try? await Task.sleep(for: EnrolledTills.interval)) != nil { await refresh() }
        }
    }

    /// Attaches no reader from now on, and leaves the tills as they are.
    func beginClosing() async {
        isClosed = true
        task?.cancel()
        await task?.value
    }

    func close() async {
        for entry in entries.values { await entry.reader.end() }
    }

    /// Updates the tills from the ledger. While the ledger is offline, they stay as they are.
    private func refresh() async {
        guard
            let listed = try? await runners.server.ledger.read({ rows throws(LedgerError) in
                try rows.currentTills()
            })
        else { return }
        // A removed till is cut off before anything else is done.
        let numbers = Set(listed.filter { $0.token != nil && !$0.isSuspended }.map(\.number))
        for number in entries.keys where !numbers.contains(number) { await drop(number) }
        for till in listed where till.token != nil && !till.isSuspended { await keep(till) }
    }

    /// Adds a till, or updates it with what the ledger says.
    private func keep(_ till: EnrolledTill) async {
        let known = entries[till.number]
        // The list may have been read before the latest attachment at this server.
        guard till.epoch >= known?.till.epoch ?? 0 else { return }
        await update(till)
        guard let known, till.epoch > known.till.epoch else { return }
        // The reader has been attached at another server.
        await known.reader.end()
    }

    /// Adds a till, or replaces it if its token, its name, or its rights are others now.
    private func update(_ till: EnrolledTill) async {
        guard !isClosed else { return }
        if let known = entries[till.number]?.till {
            if (known.token, known.name, known.isTrusted)
                == (till.token, till.name, till.isTrusted)
            {
                entries[till.number]?.till = till
                return
            }
            await drop(till.number)
        }
        let reader = RemoteReader(named: till.name.text)
        entries[till.number] = Entry(till: till, reader: reader)
        let runner = await runners.remote(till, reader)
        // The till may have been removed in the meantime.
        guard entries[till.number]?.reader === reader else { return }
        await tills.add(till.number, runner)
    }

    private func drop(_ number: Int) async {
        guard let entry = entries.removeValue(forKey: number) else { return }
        let queue = tills.take(number)
        closeSessions(number)
        await entry.reader.end()
        log.say("till-removed", ["till": .number(number)])
        // What is under way at this till does not hold up the others.
        Task { await queue?.close() }
    }

    /// Gives the till with this code to the agent with this token.
    func enroll(code: String, tokenHash: [UInt8]) async throws(LedgerError) -> TillOutcome {
        try await runners.server.ledger.enroll(
            codeHash: EnrollmentCode.hash(of: code), tokenHash: tokenHash,
            at: runners.server.ledger.time(at: runners.server.now()))
    }

    /// The reader that the agent with this token drives.
    func reader(tokenHash: [UInt8]) -> RemoteReader? {
        if isClosed { return nil }
        return entries.values.first { $0.till.token == tokenHash }?.reader
    }

    /// Attaches the reader of the agent with this token.
    func attach(
        tokenHash: [UInt8], _ greeting: AgentGreeting, from address: String
    ) async throws(LedgerError) -> (answer: AgentAnswer?, refusal: Refusal?) {
        let ledger = runners.server.ledger
        guard greeting.isSimulated == runners.server.readerIsSimulated else {
            return (
                nil,
                Refusal(
                    .wrongState,
                    greeting.isSimulated
                        ? "a simulated reader cannot be used with real money"
                        : "a real reader cannot be used with a simulated station")
            )
        }
        let outcome = try await ledger.attach(
            tokenHash: tokenHash,
            EnrolledTill.Attachment(
                at: ledger.time(at: runners.server.now()), server: runners.server.serverName,
                release: greeting.release, reader: greeting.reader, address: address))
        switch outcome {
        case .refused(let refusal): return (nil, refusal)
        case .done(let till):
            await update(till)
            guard let entry = entries[till.number] else { return (.over, nil) }
            let replaced = await entry.reader.greeting.map { $0.boot != greeting.boot } == true
            let place: Members = ["till": .number(till.number), "client": .string(address)]
            let answer = await entry.reader.attach(greeting, epoch: UInt64(till.epoch))
            if replaced { log.say("till-replaced", place) }
            log.say("till-attached", place)
            return (answer, nil)
        }
    }
}
