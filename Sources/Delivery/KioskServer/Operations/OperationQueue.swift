import BlockingLane
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The one owner of the reader: shows whatever lies on it, and lets one operation at a time work
/// with it.
///
/// An operation belongs to nobody's connection: it runs to its end whoever leaves. Only what still
/// waits for a card, or scratches one, ends with the page that has asked for it.
actor OperationQueue {
    private static let keepAlive = Duration.seconds(15)
    /// Until a station that could not be set up is tried again.
    private static let retry = Duration.seconds(1)

    private let desk: CounterDesk
    private let log: KioskLog
    private let ledgerCheck: LedgerCheck
    private var hub: EventHub
    private var lying: LyingCard? {
        didSet { shown.withLock { $0 = OperationQueue.answer(lying) } }
    }
    /// What is told of the card, which nobody has to wait for an operation to ask about.
    private nonisolated let shown = Guarded(OperationQueue.answer(nil))
    private var sessions = 0
    private var readerProblem: TapcardError?
    /// What the last operation that needed the ledger has failed with.
    private var ledgerProblem: TapcardError?
    private var readerName: String?
    private var watching: Task<Void, Never>?
    private var beating: Task<Void, Never>?
    /// The operation that has the reader.
    private var atReader: OperationID?
    private var running: [OperationID: CounterOperation] = [:]
    private var ended = EndedOperations()
    private var isClosing = false
    private(set) var metrics = KioskMetrics()

    init(_ desk: CounterDesk, log: KioskLog, mostListeners: Int) {
        (self.desk, self.log) = (desk, log)
        ledgerCheck = LedgerCheck(desk, log)
        hub = EventHub(most: mostListeners)
    }

    func open() async {
        readerName = await desk.readerName
        watch()
        beating = Task { [weak self] in
            while (try? await Task.sleep(for: OperationQueue.keepAlive)) != nil {
                await self?.beat()
            }
        }
    }

    /// Begins nothing new, and returns when all that runs has come to its end.
    func close() async {
        isClosing = true
        for operation in running.values { _ = operation.stop() }
        while let task = running.values.first(where: { $0.task != nil })?.task {
            _ = await task.value
            // Its own end takes it off the list.
            await Task.yield()
        }
        beating?.cancel()
        await ledgerCheck.end()
        await pauseWatching()
        hub.finish()
    }

    // MARK: Looking

    var listenerCount: Int { hub.listenerCount }
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
    var readerWorks: Bool { readerProblem == nil }
    var ledgerWorks: Bool { get async { await askLedger() == nil } }

    /// What is wrong with the ledger. What an operation has met is over when it can be written to;
    /// of room for that only the next operation tells.
    private func askLedger() async -> TapcardError? {
        let met = ledgerProblem
        if let problem = await desk.ledgerProblem(isWriting: met != nil) { return problem }
        if met?.kind != .ledgerFull, ledgerProblem?.kind == met?.kind { ledgerProblem = nil }
        return ledgerProblem ?? ledgerCheck.damage
    }

    func checkLedger() async { await ledgerCheck.check() }

    /// How everything is that operations need; what the reader is called and what is wrong with it
    /// only in full, because files and devices are named there.
    func health(inFull: Bool) async -> JSONValue {
        let ledger = await askLedger()
        let status =
            isClosing
            ? "closing" : ledger != nil ? "no-ledger" : readerWorks ? "ok" : "no-reader"
        let brief: JSONValue = ["state": reader["state"] ?? .null, "name": .null, "problem": .null]
        return [
            "status": .string(status), "reader": inFull ? reader : brief,
            "ledger": [
                "state": .string(ledger == nil ? "ready" : "failed"),
                "error": ledger.map { .string($0.kind.word) } ?? .null,
            ],
            "version": .string(Release.version),
        ]
    }

    private var state: JSONValue {
        [
            "reader": reader, "card": lying?.document ?? .null,
            "operations": .array(
                running.values.filter { $0.call.changes }.map(\.document)),
        ]
    }

    /// A stream that begins with how things are and goes on with what changes.
    ///
    /// It ends when whoever listens is not welcome any more.
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

    /// Ends the streams of those who are not welcome any more.
    func dismissUnwelcome() {
        for client in hub.dismissUnwelcome() { stopWaiting(for: client) }
    }

    /// Whoever has left does not want what has not begun.
    private func stopWaiting(for client: OperationID?) {
        guard let client else { return }
        for operation in running.values where operation.client == client { _ = operation.stop() }
    }

    private func beat() {
        dismissUnwelcome()
        hub.keepAlive()
        if !isClosing { ledgerCheck.beat() }
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
                // It ends early only where reader or ledger could not be opened.
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
            // An operation may have found the reader again before the one who waited for it.
            if readerProblem != nil { readerChanged(nil) }
        case .readerIsBack(let name):
            readerName = name
            readerChanged(nil)
        }
    }

    /// The same card again, after an operation, is still the same session.
    private func lies(_ read: JSONValue?, _ problem: TapcardError?, _ known: String? = nil) {
        if readerProblem != nil { readerChanged(nil) }
        let uid = read?["uid"]?.string ?? problem?.uid?.description ?? known
        if uid == nil || lying?.uid != uid {
            wentAway()
            sessions += 1
            metrics.cards += 1
        }
        let now = LyingCard(session: sessions, uid: uid, read: read, problem: problem)
        lying = now
        publish("card", now.document)
    }

    /// It is read again after an operation. One that came for that is told of before its end, so
    /// that a page knows whether the card still lies there.
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

    /// Carries out what was asked for. The same request that is under way already is joined.
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
            // The ledger knows its own operations; of others this is all that is known.
            if !call.takesOperation, let answer = known.answer, answer.problem == nil {
                return answer
            }
        }
        if isClosing || (needsReader && atReader != nil) {
            return try await answerBeside(operation)
        }
        return try await begin(operation)
    }

    /// What can be said while the reader is in use, or the counter is being closed: what the ledger
    /// has under the operation's id is not denied.
    private func answerBeside(
        _ operation: CounterOperation
    ) async throws(Problem) -> CounterDesk.Answer {
        let booked =
            operation.call.takesOperation
            ? await desk.booked(operation.id, by: operation.call) : .nothing
        // It may have been asked for meanwhile.
        if let known = running[operation.id], let task = known.task {
            guard operation.isSame(as: known) else { throw .otherRequest }
            return await task.value
        }
        if isClosing { throw .closing(booked) }
        if booked == .answered {
            var beside = operation
            (beside.needsReader, beside.gate) = (false, StopGate(isOpen: false))
            let answer = try await begin(beside)
            // Then the ledger alone does not answer it.
            guard answer.problem?.kind != .readerBusy else {
                throw .readerTaken(by: operation.call.path, booked)
            }
            return answer
        }
        guard let taken = atReader else { return try await begin(operation) }
        throw .readerTaken(by: running[taken]?.call.path ?? "another operation", booked)
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
        await following.value
        if needsReader {
            // A task of its own looks, also where this one was cancelled.
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
        guard operation.call.changes else { return }
        if answer.problem?.result == .ledger {
            ledgerProblem = answer.problem
        } else if answer.problem == nil, operation.call.takesOperation {
            ledgerProblem = nil
        }
        metrics.count(operation)
        log.ended(operation)
        publish("operation", operation.document)
        // What was no request, or not the one that the ledger has under its id, must not stand in
        // the way of one, and no password is kept.
        guard answer.problem?.result != .usage, answer.problem?.kind != .operationMismatch,
            !operation.call.takesPassword
        else { return }
        ended.keep(operation)
    }

    func operation(_ id: OperationID) -> CounterOperation? { running[id] ?? ended[id] }

    /// Stops what has not begun on a card, and returns when that has come to its end: an operation may
    /// have been begun under the same id before, and only its end says that it does not happen.
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
