import Ledger
import OperatingSystem
import RemoteReader
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The tills of this server, as listed in the ledger.
/// The list is read once a second, so that tills that were added, renamed, removed, or attached
/// to another server are noticed within about a second. While the ledger cannot be read, all
/// tills stay as they are.
actor EnrolledTills {
    private struct Entry {
        var till: EnrolledTill
        let reader: RemoteReader
    }

    /// How an attempt to attach ended: with an answer for the agent, or with the ledger's refusal.
    enum AttachOutcome {
        case answer(AgentResponse)
        case refused(Refusal)
    }

    private static let interval = Duration.seconds(1)

    private let runners: TillRunners
    private let tills: Tills
    private let forwarding: Forwarding
    /// A closure that is called with the number of each till that is dropped.
    private let forget: @Sendable (Int) -> Void
    private let log: TillLog
    private var entries: [Int: Entry] = [:]
    private var task: Task<Void, Never>?
    /// Whether the latest attempt to read the list failed. It keeps the failure from being logged
    /// more than once.
    private var hasFailed = false
    /// Whether the server is closing. From then on, no till is created, and
    /// no reader is attached.
    private(set) var isClosing = false

    init(
        _ runners: TillRunners, _ tills: Tills, _ forwarding: Forwarding, log: TillLog,
        forget: @escaping @Sendable (Int) -> Void
    ) {
        (self.runners, self.tills, self.log) = (runners, tills, log)
        self.forwarding = forwarding
        self.forget = forget
    }

    /// Reads the list of tills, and starts a task that reads it again once a second.
    func open() async {
        await refresh()
        task = Task {
            while (try? await Task.sleep(for: EnrolledTills.interval)) != nil { await refresh() }
        }
    }

    /// Stops reading the list and detaches all readers.
    func close() async {
        isClosing = true
        task?.cancel()
        for entry in entries.values { await entry.reader.detach() }
    }

    /// Reads the list of tills from the ledger and applies what has changed.
    private func refresh() async {
        let listed: [EnrolledTill]
        do throws(LedgerError) {
            listed = try await runners.server.ledger.read { rows throws(LedgerError) in
                try rows.currentTills()
            }
        } catch {
            if !hasFailed {
                log.say("tills-not-loaded", ["error": .string(TapcardError(error).kind.word)])
            }
            hasFailed = true
            return
        }
        if hasFailed { log.say("tills-loaded") }
        hasFailed = false
        // Removed tills are disconnected first, so that they need not wait for the updates of the
        // other tills.
        let numbers = Set(listed.filter { $0.token != nil && !$0.isSuspended }.map(\.number))
        for number in entries.keys where !numbers.contains(number) {
            forwarding.forget(number)
            drop(number)
            log.say("till-removed", ["till": .number(number)])
        }
        for till in listed where till.token != nil && !till.isSuspended { await keep(till) }
    }

    /// Updates a till from the list. If its reader was attached to another server, the till is
    /// dropped and created again.
    private func keep(_ till: EnrolledTill) async {
        let known = entries[till.number]?.till
        // A higher epoch means that an agent has attached the reader to another server. Pages
        // then reconnect, and their requests are forwarded. There must be no `await` between `drop`
        // and the creation in `update`. Otherwise, a poll of the old agent could find no till and
        // get the wrong answer.
        if let known, till.epoch > known.epoch { drop(till.number, for: till) }
        await update(till)
    }

    /// Creates a till that does not exist here, or whose token, name, or trust has changed.
    /// Otherwise, only records the till's new state.
    private func update(_ till: EnrolledTill) async {
        // While the ledger was answering, the server may have begun to close, or a newer state of
        // this till may already have been stored.
        guard !isClosing, till.epoch >= entries[till.number]?.till.epoch ?? 0 else { return }
        forwarding.note(till)
        if let known = entries[till.number]?.till {
            if (known.token, known.name, known.isTrusted)
                == (till.token, till.name, till.isTrusted)
            {
                entries[till.number]?.till = till
                return
            }
            drop(till.number)
        }
        let line = TillLine(now: runners.server.now)
        let reader = RemoteReader(
            named: till.name.text, latest: till.latestAttachment,
            clock: LineClock { .milliseconds(SystemClock.millisecondsSinceBoot) }, note: line.note)
        entries[till.number] = Entry(till: till, reader: reader)
        let runner = await runners.remote(till, reader)
        // While the runner was being made, the till may have been dropped or created again.
        guard entries[till.number]?.reader === reader else { return }
        await tills.add(till.number, runner, line)?.open()
    }

    /// Drops a till. If an agent has attached its reader to another server, `moved` is the till's
    /// new state.
    private func drop(_ number: Int, for moved: EnrolledTill? = nil) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        let queue = tills.remove(number)
        forget(number)
        // A separate task does this, because `drop` must not wait for anything.
        Task {
            if await entry.reader.detach(for: moved?.latestAttachment) {
                log.say(
                    "till-replaced",
                    ["till": .number(number), "client": .text(moved?.attachment?.address)])
            }
            await queue?.close()
        }
    }

    /// Enters a new machine for the till that the code belongs to, and stores the hash of the
    /// machine's token.
    func enroll(code: String, tokenHash: [UInt8]) async throws(LedgerError) -> TillOutcome {
        try await runners.server.ledger.enroll(
            codeHash: EnrollmentCode.hash(of: code), tokenHash: tokenHash,
            at: runners.server.ledger.time(at: runners.server.now()))
    }

    /// Returns the till that a token identifies, or a refusal, without attaching its reader.
    func check(tokenHash: [UInt8]) async throws(LedgerError) -> TillOutcome {
        try await runners.server.ledger.till(tokenHash: tokenHash)
    }

    /// Whether the server uses simulated readers only.
    nonisolated var isForPlayMoney: Bool { runners.server.readerIsSimulated }

    /// Returns the reader of the till that a token identifies. Returns nil if there is no such till
    /// here, or if the server is closing.
    func reader(tokenHash: [UInt8]) -> RemoteReader? {
        if isClosing { return nil }
        return entries.values.first { $0.till.token == tokenHash }?.reader
    }

    /// Records an attachment in the ledger, and attaches the agent to its till at this server.
    func attach(
        tokenHash: [UInt8], _ greeting: AgentGreeting, from address: String
    ) async throws(LedgerError) -> AttachOutcome {
        let ledger = runners.server.ledger
        let outcome = try await ledger.attach(
            tokenHash: tokenHash,
            EnrolledTill.Attachment(
                at: ledger.time(at: runners.server.now()), server: runners.server.serverName,
                serverAddress: forwarding.sealedAddress, run: greeting.run.bytes,
                release: greeting.release, reader: greeting.reader, address: address))
        switch outcome {
        case .refused(let refusal): return .refused(refusal)
        case .done(let till):
            await update(till)
            guard !isClosing, let entry = entries[till.number] else { return .answer(.detached) }
            let replaced = await entry.reader.greeting.map { $0.run != greeting.run } == true
            let members: Members = ["till": .number(till.number), "client": .string(address)]
            let answer = await entry.reader.attach(greeting, epoch: UInt64(till.epoch))
            if replaced { log.say("till-replaced", members) }
            log.say("till-attached", members)
            return .answer(answer)
        }
    }
}

extension EnrolledTill {
    /// The run and the epoch of the latest attachment, or nil if the till has no valid one.
    fileprivate var latestAttachment: AgentAttachment? {
        attachment.flatMap { AgentRunID($0.run) }
            .map { AgentAttachment($0, epoch: UInt64(epoch)) }
    }
}
