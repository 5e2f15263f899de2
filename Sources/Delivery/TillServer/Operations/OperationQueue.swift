import BlockingLane
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// Owns one till's reader: reports the card on it, and lets one operation at a time use it.
///
/// An operation continues even if the connection that requested it is lost. Closing its page stops
/// it only if it is still waiting for a card or scratching one.
actor OperationQueue {
    /// Well below the eight seconds of silence after which live.js considers the server lost.
    private static let keepAlive = Duration.seconds(3)
    /// The pause before the watch is restarted.
    private static let retry = Duration.seconds(1)

    let runner: TillRunner
    /// The number of this till; nil if it is the only one.
    private let number: Int?
    private let log: TillLog
    private let ledgerCheck: LedgerCheck
    private let offlinePayments: OfflineKeeper
    /// The line to the reader's machine; nil if the reader is on this machine.
    let line: TillLine?
    var hub: EventHub
    /// The tap events of this till.
    var taps: TapNews
    var customerDisplay: CustomerDisplay
    /// What may be started for the card on the reader.
    var admission = Admission()
    /// Decides whether the next card pays the armed sale.
    var arming = Arming()
    /// The request for the armed sale; nil if none is armed. ``disarmed(_:by:)`` keeps it in step
    /// with ``arming``.
    var armed: SaleRequest?
    private(set) var onReader: CardOnReader? {
        didSet { shown.withLock { $0 = OperationQueue.answer(onReader) } }
    }
    /// The response about the card on the reader. Reading it does not wait for the actor.
    private nonisolated let shown = Guarded(OperationQueue.answer(nil))
    private var sessions = 0
    private(set) var readerProblem: TapcardError?
    private var readerName: String?
    private var watching: Task<Void, Never>?
    private var beating: Task<Void, Never>?
    /// The operation that is using the reader.
    private(set) var atReader: OperationID?
    /// Checks whether the last operation's card is still there. The next operation waits for it.
    private(set) var checking: Task<Void, Never>?
    private(set) var running: [OperationID: TillOperation] = [:]
    private var ended = EndedOperations()
    private(set) var isClosing = false
    private var metrics = TillMetrics()

    init(
        _ runner: TillRunner, number: Int?, log: TillLog, ledgerCheck: LedgerCheck,
        offlinePayments: OfflineKeeper, line: TillLine? = nil, maximumListeners: Int
    ) {
        (self.runner, self.number, self.log) = (runner, number, log)
        (self.ledgerCheck, self.offlinePayments, self.line) = (ledgerCheck, offlinePayments, line)
        hub = EventHub(limit: maximumListeners)
        taps = TapNews(runner.tapEvents)
        customerDisplay = CustomerDisplay(showsBalance: runner.settings.isOn(.displayBalance))
    }

    func open() async {
        await noteReaderName()
        // The till may have been removed in the meantime.
        guard !isClosing else { return }
        watchPrinter()
        // If an operation started in the meantime, it starts the watch when it ends.
        if atReader == nil, checking == nil { watch() }
        beating = Task { [weak self] in
            while (try? await Task.sleep(for: OperationQueue.keepAlive)) != nil {
                await self?.beat()
            }
        }
    }

    /// Refuses new operations and returns when all running ones have ended.
    func close() async {
        isClosing = true
        for operation in running.values { _ = operation.stop() }
        while let task = running.values.first(where: { $0.task != nil })?.task {
            _ = await task.value
            // The operation removes itself from the list.
            await Task.yield()
        }
        await checking?.value
        beating?.cancel()
        await ledgerCheck.end()
        await pauseWatching()
        hub.finish()
    }

    // MARK: State

    nonisolated var card: WebResponse { shown.withLock { $0 } }
    private static func answer(_ onReader: CardOnReader?) -> WebResponse {
        .answer(onReader?.document ?? CardOnReader.none).preparedForReuse()
    }
    var reader: JSONValue {
        [
            "state": .string(readerProblem == nil ? "ready" : "missing"),
            "name": readerName.map { .string($0) } ?? .null,
            "problem": readerProblem.map { Problem($0).document } ?? .null,
            "line": line?.document ?? .null,
        ]
    }
    private var readerWorks: Bool { readerProblem == nil }
    /// Whether no operation is running.
    var isIdle: Bool { atReader == nil && running.isEmpty }

    var health: TillHealth {
        TillHealth(
            isClosing: isClosing, reader: reader, readerWorks: readerWorks, printer: printer)
    }

    /// This till's counts and state, for Prometheus.
    var metricSample: TillMetrics.TillSample {
        TillMetrics.TillSample(
            number: number, counts: metrics, listeners: hub.listenerCount,
            readerWorks: readerWorks, line: line?.state)
    }

    var state: JSONValue {
        [
            "till": .text(runner.tillName), "makesCards": .bool(runner.settings.isReaderTrusted),
            "reader": reader, "card": onReader?.document ?? .null, "armed": armedDocument,
            "offlinePayments": offlinePayments.document, "printer": printer,
            "operations": .array(
                running.values.filter { $0.call.changes }.map(\.document)),
        ]
    }

    private func beat() {
        endUnauthorizedStreams()
        hub.keepAlive()
        if customerDisplay.beat() { publishDisplay() }
    }

    // MARK: Watching

    private func watch() {
        watching = Task { [weak self, runner, line] in
            while let isDetached = await self?.isKnownDetached {
                if isDetached {
                    await line?.waitForAttachment()
                    await self?.noteReaderName()
                }
                if Task.isCancelled { return }
                // Pages must learn of a lost reader first, or they assume the card was removed.
                await runner.watch { [weak self] event in
                    await self?.handle(event)
                    return await self?.isKnownDetached == false
                }
                try? await Task.sleep(for: OperationQueue.retry)
            }
        }
    }

    private func noteReaderName() async { readerName = await runner.readerName }

    private func pauseWatching() async {
        watching?.cancel()
        await watching?.value
        watching = nil
    }

    private func handle(_ event: TillRunner.Event) async {
        ledgerCheck.use()
        switch event {
        case .card(let summary, let read, let problem, let seen):
            offlinePayments.recordReading(problem)
            let uid = read["uid"]?.string ?? problem?.uid?.description
            await arrived(uid, read["resolved"], problem)
            cardDetected(read, problem)
            publish(taps.arrived(.card(summary)))
            cardArrived(uid, problem, seen: seen)
        // When the reader is back, a card on it may have been there all along.
        case .problem(let error, _) where error.result == .noReader:
            admission.visit.open()
            loseSight(.readerLost)
            cardRemoved()
            readerChanged(error)
        case .problem(let error, let tag):
            if arming.meetOther() { disarmed(.unclearCard) }
            await arrived(error.uid?.description, .resolved(error.resolved), error)
            cardDetected(nil, error)
            publish(taps.arrived(tag, error))
        case .gone:
            // If one of several tags remains, it may be the card that was there first.
            if onReader?.problem?.kind != .severalTags { admission.visit.leave() }
            arming.empty(at: now)
            cardRemoved()
        case .empty:
            arming.empty(at: now)
            admission.visit.leave()
            cardRemoved()
            // An operation may have found the reader again before the watch did.
            if readerProblem != nil { readerChanged(nil) }
        case .readerReturned(let name):
            readerName = name
            readerChanged(nil)
        }
    }

    /// Reports a card. The same card keeps its session after an operation.
    private func cardDetected(
        _ read: JSONValue?, _ problem: TapcardError?, _ known: String? = nil
    ) {
        if readerProblem != nil { readerChanged(nil) }
        let uid = read?["uid"]?.string ?? problem?.uid?.description ?? known
        // A tag whose number cannot be read may be a different tag each time.
        let isOther = uid == nil || onReader?.uid != uid
        let found = CardOnReader(
            session: sessions + (isOther ? 1 : 0), uid: uid, read: read, problem: problem,
            served: admission.visit.document)
        if onReader?.isStillWithoutLedger(found) == true { return }
        if isOther {
            cardRemoved()
            sessions += 1
            metrics.cards += 1
        }
        onReader = found
        publish("card", found.document)
    }

    /// Marks the card to be read again after an operation. A card that was put on the reader only
    /// for the operation is reported before the operation ends, so that pages know it is still
    /// there.
    func keepOnReader(_ uid: CardUID?) {
        guard let uid = uid?.description, onReader?.uid != uid else {
            onReader?.forget()
            onReader?.served = admission.visit.document
            return
        }
        cardDetected(nil, nil, uid)
    }

    func cardRemoved() {
        guard let gone = onReader else { return }
        onReader = nil
        publish("gone", ["session": .number(String(gone.session))])
        publish(taps.departed())
    }

    private func readerChanged(_ problem: TapcardError?) {
        readerProblem = problem
        publish("reader", reader)
        publish(taps.readerChanged(problem))
    }

    // MARK: Operations

    /// Runs a request, or joins an identical request that is already running.
    func carryOut(
        _ call: TillCall, _ members: [JSONMember], by client: OperationID?,
        for requester: Requester, isRepeated: Bool
    ) async throws(Problem) -> TillRunner.Answer {
        let named = call.changes ? members.first { $0.key == "operation" } : nil
        let rest = members.filter { $0 != named }
        let id = try CallRoutes.id(named?.value ?? .null) ?? runner.newID()
        let command = try translating(call.parsed(rest, as: id), into: Problem.init)
        let needsReader = call.needsReader(command)
        let operation = TillOperation(
            id: id, call: call, command: command, members: rest, needsReader: needsReader,
            client: client, requester: requester, gate: StopGate(canStop: needsReader))
        if let known = running[id] ?? ended[id] {
            guard operation.isSame(as: known) else { throw .otherRequest }
            if let task = known.task { return await task.value }
            // If the ledger does not record such operations, this answer is the only record.
            if !call.takesOperation, let answer = known.answer, answer.problem == nil {
                return answer
            }
        }
        if isRepeated { try await requireBegun(operation) }
        // The ledger can answer for recorded operations even while the till is busy or closing.
        if isRepeated || isClosing || (needsReader && atReader != nil) {
            return try await answerWithoutReader(operation)
        }
        return try await begin(operation)
    }

    func begin(
        _ operation: TillOperation
    ) async throws(Problem) -> TillRunner.Answer {
        let (id, needsReader) = (operation.id, operation.needsReader)
        if operation.call.path == "sell", !needsReader { endArmedSale(of: operation.client) }
        guard !admission.isWithdrawn(id) else { throw .notBegun }
        // Both are set before any `await`, so that a second request joins this one or is refused.
        if needsReader {
            atReader = id
            loseSight(.readerUsed)
        }
        running[id] = operation
        let task = Task { [self] in
            await work(operation.command, for: id, needsReader: needsReader)
        }
        running[id]?.task = task
        if operation.call.changes { publish("operation", operation.document) }
        return await task.value
    }

    private func work(
        _ command: ParsedCommand, for id: OperationID, needsReader: Bool
    ) async -> TillRunner.Answer {
        ledgerCheck.use()
        // The watch also resolves cards, so it could write to the tag at the same time.
        if needsReader {
            await checking?.value
            await pauseWatching()
        }
        let (steps, listener) = AsyncStream.makeStream(of: Station.Progress.self)
        let following = Task { [self] in
            for await step in steps { note(step, id) }
        }
        let (requester, gate) = (running[id]?.requester ?? Requester(), running[id]?.gate)
        let refused = needsReader ? await refusal(of: id) : nil
        var answer = await runner.carryOut(
            command, for: requester, withReader: needsReader && refused == nil
        ) { step in
            gate?.note(step)
            if refused == nil { listener.yield(step) }
        }
        // Requests that need no card, such as replays, have been answered without the reader.
        if let refused, answer.problem?.kind == .readerBusy {
            answer = TillRunner.Answer(document: nil, problem: refused)
        }
        listener.finish()
        // All steps must be published before the operation ends.
        await following.value
        if needsReader {
            let uid = running[id]?.uid
            let check = Task { [self, hasTag = uid != nil || onReader != nil] in
                note(await runner.checkPresence(again: hasTag), uid)
                checking = nil
                // The next operation may have the reader already.
                guard atReader == nil || atReader == id else { return }
                atReader = nil
                if !isClosing { watch() }
            }
            checking = check
            note(uid, answer, of: id)
            noteOutcome(of: id, answer)
            // The card was changed a moment ago, so it is probably still there, and the cashier
            // does not wait for the check.
            if answer.problem == nil, uid != nil {
                stayed(uid)
                atReader = nil
            } else {
                await check.value
            }
        }
        end(id, answer)
        return answer
    }

    private func note(_ step: Station.Progress, _ id: OperationID) {
        guard let before = running[id] else { return }
        running[id]?.note(step)
        guard let now = running[id], now.call.changes,
            now.phase != before.phase || now.uid != before.uid
        else { return }
        publish("operation", now.document)
    }

    private func end(_ id: OperationID, _ answer: TillRunner.Answer) {
        guard var operation = running.removeValue(forKey: id) else { return }
        let wasUnknown = ended[id]?.answer?.problem?.result == .unknown
        operation.end(answer)
        operation.task = nil
        offlinePayments.note(answer, of: operation.call)
        noteReceipt(of: operation, wasUnknown: wasUnknown)
        guard operation.call.changes else { return }
        ledgerCheck.note(answer, of: operation.call)
        metrics.count(operation)
        log.ended(operation, at: number)
        publish("operation", operation.document)
        // A malformed or mismatched request must not block a later one with the same ID, and
        // passwords must not be kept.
        guard answer.problem?.result != .usage, !operation.call.takesPassword else { return }
        ended.keep(operation)
    }

    func operation(_ id: OperationID) -> TillOperation? { running[id] ?? ended[id] }

    /// Stops an operation that has not begun work on a card, and returns when it ends. Throws if it
    /// may have taken effect, because an earlier attempt with its ID may have begun.
    func stop(_ id: OperationID) async throws(Problem) -> TillOperation {
        guard var operation = operation(id) else { throw unknownOperation }
        if let task = operation.task {
            guard operation.stop() else { throw .tooLate }
            operation.end(await task.value)
        }
        guard operation.hasNotHappened else { throw .alreadyOver(operation.answer?.problem) }
        return operation
    }
}
