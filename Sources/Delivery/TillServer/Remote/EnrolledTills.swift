import Ledger
import OperatingSystem
import RemoteReader
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// Keeps this server's tills with readers on other machines in step with the ledger.
///
/// The server reads the ledger's list of tills every second, so it disconnects a removed till
/// within about a second. It also asks the ledger whenever an agent attaches its reader.
actor EnrolledTills {
    private struct Entry {
        var till: EnrolledTill
        let reader: RemoteReader
    }

    /// The answer to an agent that attaches its reader, or why it is refused.
    enum AttachOutcome {
        case answer(AgentResponse)
        case refused(Refusal)
    }

    private static let interval = Duration.seconds(1)

    private let runners: TillRunners
    private let tills: Tills
    private let forwarding: Forwarding
    /// Drops what other parts of the server keep about a till.
    private let forget: @Sendable (Int) -> Void
    private let log: TillLog
    private var entries: [Int: Entry] = [:]
    private var task: Task<Void, Never>?
    /// Whether the latest attempt to load the tills failed.
    private var hasFailed = false
    /// Whether the server is closing, so that agents can no longer attach readers.
    private(set) var isClosing = false

    init(
        _ runners: TillRunners, _ tills: Tills, _ forwarding: Forwarding, log: TillLog,
        forget: @escaping @Sendable (Int) -> Void
    ) {
        (self.runners, self.tills, self.log) = (runners, tills, log)
        self.forwarding = forwarding
        self.forget = forget
    }

    /// Loads the tills from the ledger, and then refreshes them every second.
    func open() async {
        await refresh()
        task = Task {
            while (try? await Task.sleep(for: EnrolledTills.interval)) != nil { await refresh() }
        }
    }

    /// Detaches all readers, and refuses to attach any from now on.
    func close() async {
        isClosing = true
        task?.cancel()
        for entry in entries.values { await entry.reader.detach() }
    }

    /// Updates the tills from the ledger. While the ledger is offline, they stay as they are.
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
        // Removed and suspended tills are disconnected first, so that adding others cannot delay
        // it.
        let numbers = Set(listed.filter { $0.token != nil && !$0.isSuspended }.map(\.number))
        for number in entries.keys where !numbers.contains(number) {
            forwarding.forget(number)
            drop(number)
            log.say("till-removed", ["till": .number(number)])
        }
        for till in listed where till.token != nil && !till.isSuspended { await keep(till) }
    }

    /// Adds a till or updates it from the ledger, and detaches a reader with an older epoch.
    private func keep(_ till: EnrolledTill) async {
        let known = entries[till.number]?.till
        // A newer epoch means that the reader has since been attached to another server. The till
        // is recreated, so that its pages reconnect and are forwarded to that server. There must be
        // no suspension in between; otherwise, a poll of the replaced agent could find no till.
        if let known, till.epoch > known.epoch { drop(till.number, for: till) }
        await update(till)
    }

    /// Adds a till, or replaces it if its token, its name, or whether it is trusted has changed.
    private func update(_ till: EnrolledTill) async {
        // An older epoch means that the reader has been attached again since the till was read.
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
        // The till may have been removed in the meantime.
        guard entries[till.number]?.reader === reader else { return }
        await tills.add(till.number, runner, line)?.open()
    }

    /// Drops a till. `moved` is the till as another server changed it by attaching its reader.
    private func drop(_ number: Int, for moved: EnrolledTill? = nil) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        let queue = tills.remove(number)
        forget(number)
        // Closing waits for running operations, which must not delay the other tills.
        Task {
            if await entry.reader.detach(for: moved?.latestAttachment) {
                log.say(
                    "till-replaced",
                    ["till": .number(number), "client": .text(moved?.attachment?.address)])
            }
            await queue?.close()
        }
    }

    /// Enrolls an agent: the ledger stores the hash of its token for the till with this code.
    func enroll(code: String, tokenHash: [UInt8]) async throws(LedgerError) -> TillOutcome {
        try await runners.server.ledger.enroll(
            codeHash: EnrollmentCode.hash(of: code), tokenHash: tokenHash,
            at: runners.server.ledger.time(at: runners.server.now()))
    }

    /// The till of the agent with this token, or why its reader would not be attached.
    func check(tokenHash: [UInt8]) async throws(LedgerError) -> TillOutcome {
        try await runners.server.ledger.till(tokenHash: tokenHash)
    }

    /// Whether only simulated readers can be attached.
    nonisolated var isForPlayMoney: Bool { runners.server.readerIsSimulated }

    /// The reader driven by the agent with this token; nil if this server has no such till.
    func reader(tokenHash: [UInt8]) -> RemoteReader? {
        if isClosing { return nil }
        return entries.values.first { $0.till.token == tokenHash }?.reader
    }

    /// Attaches the reader of the agent with this token.
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
            guard let entry = entries[till.number] else { return .answer(.detached) }
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
    /// The latest attachment of an agent, at any server.
    fileprivate var latestAttachment: AgentAttachment? {
        attachment.flatMap { AgentRunID($0.run) }
            .map { AgentAttachment($0, epoch: UInt64(epoch)) }
    }
}
