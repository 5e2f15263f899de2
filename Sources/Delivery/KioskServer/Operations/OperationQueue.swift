import BlockingLane
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The owner of one counter's reader: reports the card on it and gives it to one operation at a
/// time.
///
/// An operation does not depend on a connection: it runs to its end when its client leaves. Only an
/// operation that still waits for a card, or for the scratching of one, ends with its page.
actor OperationQueue {
    private static let keepAlive = Duration.seconds(15)
    /// The delay before a failed set-up of the station is retried.
    private static let retry = Duration.seconds(1)

    private let desk: CounterDesk
    /// The number of this counter; nil for the only one.
    private let number: Int?
    private let log: KioskLog
    private let ledgerCheck: LedgerCheck
    private let deferrals: DeferralKeeper
    private var hub: EventHub
    private var lying: LyingCard? {
        didSet { shown.withLock { $0 = OperationQueue.answer(lying) } }
    }
    /// The answer about the card, readable without waiting for the actor.
    private nonisolated let shown = Guarded(OperationQueue.answer(nil))
    private var sessions = 0
    private var readerProblem: TapcardError?
    /// The problem that the last operation with the ledger has met.
    private var ledgerProblem: TapcardError?
    private var readerName: String?
    private var watching: Task<Void, Never>?
    private var beating: Task<Void, Never>?
    /// The operation that uses the reader.
    private var atReader: OperationID?
    private var running: [OperationID: CounterOperation] = [:]
    private var ended = EndedOperations()
    private var isClosing = false
    private var metrics = KioskMetrics()

    init(
        _ desk: CounterDesk, number: Int?, log: KioskLog, ledgerCheck: LedgerCheck,
        deferrals: DeferralKeeper, mostListeners: Int
    ) {
        (self.desk, self.number, self.log) = (desk, number, log)
        (self.ledgerCheck, self.deferrals) = (ledgerCheck, deferrals)
        hub = EventHub(most: mostListeners)
    }

    func open() async {
        readerName = await desk.readerName
        deferrals.listen { [weak self] news in await self?.publish("deferral", news) }
        watch()
        keepDeferral()
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
        beating?.cancel()
        await ledgerCheck.end()
        await pauseWatching()
        hub.finish()
    }

    // MARK: Looking

    nonisolated var card: WebResponse { shown.withLock { $0 } }
    private static func answer(_ lying: LyingCard?) -> WebResponse {
        .answer(lying?.document ?? ["session": .null, "read": .null, "problem": .null]).forMany()
    }
    var reader: JSONValue {
        [
            "state": .string(readerProblem == nil ? "ready" : "missing"),
            "name": readerName.map { .string($0) } ?? .null,
            "problem": readerProblem.map { Problem($0).document } ?? .null,
        ]
    }
    private var readerWorks: Bool { readerProblem == nil }

    /// The problem with the ledger. A problem met by an operation is over once a write succeeds;
    /// only the next operation can tell whether a full disk has room again.
    private func askLedger() async -> TapcardError? {
        let met = ledgerProblem
        if let problem = await desk.ledgerProblem(isWriting: met != nil) { return problem }
        if met?.kind != .ledgerFull, ledgerProblem?.kind == met?.kind { ledgerProblem = nil }
        return ledgerProblem ?? ledgerCheck.damage
    }

    /// The health of reader and ledger.
    func health() async -> CounterHealth {
        let ledger = await askLedger()
        let database = ledger == nil ? await desk.database() : nil
        return CounterHealth(
            isClosing: isClosing, reader: reader, readerWorks: readerWorks, ledger: ledger,
            database: database)
    }

    /// The counts and the state of this counter, for Prometheus.
    func counted() async -> KioskMetrics.OfCounter {
        KioskMetrics.OfCounter(
            number: number, counts: metrics, listeners: hub.listenerCount,
            readerWorks: readerWorks, ledgerWorks: await askLedger() == nil)
    }

    private var state: JSONValue {
        [
            "reader": reader, "card": lying?.document ?? .null,
            "deferral": deferrals.document,
            "operations": .array(
                running.values.filter { $0.call.changes }.map(\.document)),
        ]
    }

    /// An event stream that begins with the current state and continues with changes.
    ///
    /// It ends when its listener loses permission.
    func listen(
        _ client: OperationID?, while isWelcome: @escaping @Sendable () -> Bool
    ) throws(Problem) -> WebStream {
        if isClosing { throw .closing(.nothing) }
        let stream = hub.add(client, first: EventHub.bytes("state", state), while: isWelcome) {
            [weak self] number in
            Task { await self?.left(number) }
        }
        guard let stream else { throw .tooManyListeners }
        return stream
    }

    private func left(_ number: UInt64) { stopWaiting(for: hub.remove(number)) }

    /// Ends the streams of listeners that have lost permission.
    func dismissUnwelcome() {
        for client in hub.dismissUnwelcome() { stopWaiting(for: client) }
    }

    /// Stops the operations of a client that has left, as far as they have not begun.
    private func stopWaiting(for client: OperationID?) {
        guard let client else { return }
        for operation in running.values where operation.client == client { _ = operation.stop() }
    }

    private func beat() {
        dismissUnwelcome()
        hub.keepAlive()
        if !isClosing { ledgerCheck.beat() }
        if !isClosing { keepDeferral() }
    }

    private func keepDeferral() {
        let isQuiet = atReader == nil && running.isEmpty
        deferrals.beat(isQuiet: isQuiet)
    }

    private func publish(_ event: String, _ data: JSONValue) {
        dismissUnwelcome()
        hub.publish(event, data)
    }

    // MARK: Watching

    private func watch() {
        watching = Task { [desk] in
            while !Task.isCancelled {
                await desk.watch { [weak self] event in
                    await self?.saw(event)
                    return self != nil
                }
                // The watch ends early only when reader or ledger could not be opened.
                do { try await Task.sleep(for: OperationQueue.retry) } catch { return }
            }
        }
    }

    private func pauseWatching() async {
        watching?.cancel()
        await watching?.value
        watching = nil
    }

    private func saw(_ event: CounterDesk.Event) {
        ledgerCheck.use()
        switch event {
        case .card(let read, let problem):
            deferrals.noteReading(problem)
            lies(read, problem)
        case .problem(let error) where error.result == .noReader:
            wentAway()
            readerChanged(error)
        case .problem(let error):
            lies(nil, error)
        case .gone:
            wentAway()
        case .empty:
            wentAway()
            // An operation may have found the reader again before the watch did.
            if readerProblem != nil { readerChanged(nil) }
        case .readerIsBack(let name):
            readerName = name
            readerChanged(nil)
        }
    }

    /// Reports a card. The same card keeps its session after an operation.
    private func lies(_ read: JSONValue?, _ problem: TapcardError?, _ known: String? = nil) {
        if readerProblem != nil { readerChanged(nil) }
        let uid = read?["uid"]?.string ?? problem?.uid?.description ?? known
        if lying?.isStillWithoutLedger(uid, read, problem) == true { return }
        if uid == nil || lying?.uid != uid {
            wentAway()
            sessions += 1
            metrics.cards += 1
        }
        let now = LyingCard(session: sessions, uid: uid, read: read, problem: problem)
        lying = now
        publish("card", now.document)
    }

    /// Marks the card to be read again after an operation. A card that arrived for the operation is
    /// reported before the operation's end, so that pages know that it is still there.
    private func stays(_ uid: CardUID?) {
        guard let uid = uid?.description, lying?.uid != uid else {
            lying?.forget()
            return
        }
        lies(nil, nil, uid)
    }

    private func wentAway() {
        guard let gone = lying else { return }
        lying = nil
        publish("gone", ["session": .number(String(gone.session))])
    }

    private func readerChanged(_ problem: TapcardError?) {
        readerProblem = problem
        publish("reader", reader)
    }

    // MARK: Operations

    /// Carries out a request, or joins the same request that is already under way.
    func carryOut(
        _ call: CounterCall, _ members: [JSONMember], by client: OperationID?,
        cashier: CashierName?
    ) async throws(Problem) -> CounterDesk.Answer {
        let named = call.changes ? members.first { $0.key == "operation" } : nil
        let rest = members.filter { $0 != named }
        let id = try CallRoutes.id(named?.value ?? .null) ?? desk.newID()
        let needsReader = call.needsReader(rest)
        let operation = CounterOperation(
            id: id, call: call, members: rest, needsReader: needsReader, client: client,
            cashier: cashier, gate: StopGate(isOpen: needsReader))
        if let known = running[id] ?? ended[id] {
            guard operation.isSame(as: known) else { throw .otherRequest }
            if let task = known.task { return await task.value }
            // The ledger knows its own operations; for others this answer is the only record.
            if !call.takesOperation, let answer = known.answer, answer.problem == nil {
                return answer
            }
        }
        if isClosing || (needsReader && atReader != nil) {
            return try await answerBeside(operation)
        }
        return try await begin(operation)
    }

    /// The answer while the reader is in use or the counter is closing. It includes the ledger's
    /// state of the operation id.
    private func answerBeside(
        _ operation: CounterOperation
    ) async throws(Problem) -> CounterDesk.Answer {
        let booked =
            operation.call.takesOperation
            ? await desk.booked(operation.id, by: operation.call) : .nothing
        // The same id may have been requested in the meantime.
        if let known = running[operation.id], let task = known.task {
            guard operation.isSame(as: known) else { throw .otherRequest }
            return await task.value
        }
        if isClosing { throw .closing(booked) }
        if booked == .answered {
            var beside = operation
            (beside.needsReader, beside.gate) = (false, StopGate(isOpen: false))
            let answer = try await begin(beside)
            // The ledger alone could not answer it.
            guard answer.problem?.kind != .readerBusy else {
                throw .readerTaken(booked)
            }
            return answer
        }
        guard atReader == nil else { throw .readerTaken(booked) }
        return try await begin(operation)
    }

    private func begin(
        _ operation: CounterOperation
    ) async throws(Problem) -> CounterDesk.Answer {
        let (id, call, needsReader) = (operation.id, operation.call, operation.needsReader)
        let request: CounterDesk.Request
        do {
            request = try desk.request(call, operation.namedMembers)
        } catch {
            throw Problem(error)
        }
        if needsReader { atReader = id }
        running[id] = operation
        let task = Task { [self] in await work(request, for: id, needsReader: needsReader) }
        running[id]?.task = task
        if call.changes { publish("operation", operation.document) }
        return await task.value
    }

    private func work(
        _ request: CounterDesk.Request, for id: OperationID, needsReader: Bool
    ) async -> CounterDesk.Answer {
        ledgerCheck.use()
        if needsReader { await pauseWatching() }
        let (steps, listener) = AsyncStream.makeStream(of: Station.Progress.self)
        let following = Task { [self] in
            for await step in steps { note(step, id) }
        }
        let (cashier, gate) = (running[id]?.cashier, running[id]?.gate)
        let answer = await desk.carryOut(request, for: cashier, withReader: needsReader) { step in
            gate?.note(step)
            listener.yield(step)
        }
        listener.finish()
        // All steps are published before the end of their operation.
        await following.value
        if needsReader {
            // A separate task checks the reader, because this one may be cancelled.
            let isOccupied = await Task { [desk] in await desk.isOccupied() }.value
            atReader = nil
            if isOccupied { stays(running[id]?.uid) } else { wentAway() }
            if !isClosing { watch() }
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

    private func end(_ id: OperationID, _ answer: CounterDesk.Answer) {
        guard var operation = running.removeValue(forKey: id) else { return }
        operation.end(answer)
        operation.task = nil
        deferrals.note(answer, of: operation.call)
        guard operation.call.changes else { return }
        if answer.problem?.result == .ledger {
            ledgerProblem = answer.problem
        } else if answer.problem == nil, operation.call.takesOperation {
            ledgerProblem = nil
        }
        metrics.count(operation)
        log.ended(operation, at: number)
        publish("operation", operation.document)
        // A malformed or mismatched request must not block a later one under its id, and passwords
        // are never stored.
        guard answer.problem?.result != .usage, answer.problem?.kind != .operationMismatch,
            !operation.call.takesPassword
        else { return }
        ended.keep(operation)
    }

    func operation(_ id: OperationID) -> CounterOperation? { running[id] ?? ended[id] }

    /// Stops an operation that has not begun on a card, and returns when it has ended: the same id
    /// may have been begun before, and only the end proves that it does not happen.
    func stop(_ id: OperationID) async throws(Problem) -> CounterOperation {
        guard var operation = operation(id) else { throw .noSuchOperation }
        if let task = operation.task {
            guard operation.stop() else { throw .tooLate }
            operation.end(await task.value)
        }
        guard operation.hasNotHappened else { throw .overAlready(operation.answer?.problem) }
        return operation
    }
}
