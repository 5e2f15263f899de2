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

    func close() async {
        isClosed = true
        task?.cancel()
        for entry in entries.values { await entry.reader.end() }
    }

    /// Updates the tills from the ledger. While the ledger is offline, they stay as they are.
    private func refresh() async {
        guard
            let listed = try? await runners.server.ledger.read({ rows throws(LedgerError) in
                try rows.currentTills()
            })
        else { return }
        for till in listed { await keep(till) }
        let numbers = Set(listed.filter { $0.token != nil && !$0.isSuspended }.map(\.number))
        for number in entries.keys where !numbers.contains(number) { await drop(number) }
    }

    /// Adds a till, or updates it with what the ledger says.
    private func keep(_ till: EnrolledTill) async {
        guard till.token != nil, !till.isSuspended, !isClosed else { return }
        guard let entry = entries[till.number] else { return await add(till) }
        // The list may have been read before the latest attachment at this server.
        guard till.epoch >= entry.till.epoch else { return }
        entries[till.number]?.till = till
        if till.token != entry.till.token || till.name != entry.till.name
            || till.isTrusted != entry.till.isTrusted
        {
            await drop(till.number)
            await add(till)
        } else if till.epoch > entry.till.epoch {
            // The reader has been attached at another server.
            await entry.reader.end()
        }
    }

    private func add(_ till: EnrolledTill) async {
        let reader = RemoteReader(named: till.name.text)
        entries[till.number] = Entry(till: till, reader: reader)
        await tills.add(till.number, await runners.remote(till, reader))
    }

    private func drop(_ number: Int) async {
        guard let entry = entries.removeValue(forKey: number) else { return }
        await entry.reader.end()
        closeSessions(number)
        await tills.remove(number)
        log.say("till-removed", ["till": .number(number)])
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
            if entries[till.number] == nil { await add(till) }
            guard let entry = entries[till.number], entry.till.epoch <= till.epoch else {
                return (.over, nil)
            }
            if await entry.reader.greeting.map({ $0.boot != greeting.boot }) == true {
                log.say(
                    "till-replaced", ["till": .number(till.number), "client": .string(address)])
            }
            entries[till.number]?.till = till
            log.say("till-attached", ["till": .number(till.number), "client": .string(address)])
            return (await entry.reader.attach(greeting, epoch: UInt64(till.epoch)), nil)
        }
    }
}
