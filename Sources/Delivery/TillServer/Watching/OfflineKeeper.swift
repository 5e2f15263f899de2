import BlockingLane
import StationFiles
import TapcardCore
import TextCodecs
import Verbs

/// Books offline payments and takes snapshots of the cards while the tills are idle, and reports
/// both to the pages. A server's tills share one keeper, just as they share the journal.
final class OfflineKeeper: Sendable {
    private struct State {
        var schedule = SnapshotSchedule(.now)
        var isOffline = false
        var isPolling = false
        var bookedAt: String?
        var news: OfflineNews?
        var isFirst = true
        var listener: (@Sendable (JSONValue) async -> Void)?
    }

    /// The delay before the first booking and snapshot. It leaves time to resolve a card that is on
    /// the reader from the start. While an operation is open on a card, the card's entry in a
    /// snapshot does not count.
    private static let firstPause = Duration.seconds(2)
    /// The delay before an offline ledger is queried again.
    private static let pollInterval = Duration.seconds(1)

    private let runner: TillRunner
    private let log: TillLog
    private let state = Guarded(State())

    init(_ runner: TillRunner, _ log: TillLog) { (self.runner, self.log) = (runner, log) }

    /// The current state; null if the ledger is online and the station does not accept offline
    /// payments.
    var document: JSONValue {
        state.withLock { news($0) }?.document ?? .null
    }

    /// Calls the listener at each change from now on. There is only one listener, so this replaces
    /// any other.
    func listen(_ listener: @escaping @Sendable (JSONValue) async -> Void) {
        state.withLock { $0.listener = listener }
    }

    /// Checks whether the ledger is online, and starts the work if it is due.
    func beat(isQuiet: Bool) {
        pollLedger()
        let isDue = state.withLock { $0.schedule.begins(at: .now, isQuiet: isQuiet) }
        guard isDue else { return }
        Task { [self] in await keep() }
    }

    /// Queries the ledger until it responds. If no card is on a reader, nothing else would notice
    /// that the ledger is offline or back online.
    private func pollLedger() {
        // Only one loop runs at a time, because all tills share this keeper.
        let begins = state.withLock { state in
            defer { state.isPolling = true }
            return !state.isPolling
        }
        guard begins else { return }
        Task { [weak self] in
            while await self?.isStillOffline() == true {
                try? await Task.sleep(for: OfflineKeeper.pollInterval)
            }
        }
    }

    private func isStillOffline() async -> Bool {
        let answers = await runner.ledgerAnswers()
        if let answers { recordReachability(answers) }
        let isStillOffline = answers == false
        state.withLock { $0.isPolling = isStillOffline }
        return isStillOffline
    }

    private func keep() async {
        let isFirst = state.withLock { state in
            defer { state.isFirst = false }
            return state.isFirst
        }
        if isFirst { try? await Task.sleep(for: OfflineKeeper.firstPause) }
        let began = ContinuousClock.now
        var booked: OfflinePayments.Booked?
        var problem: TapcardError?
        do throws(TapcardError) {
            booked = try await runner.keepOfflinePayments()
        } catch {
            problem = error
        }
        let duration = began.duration(to: .now)
        // If the station does not accept offline payments, the ledger was not queried here.
        let hasQueried = runner.offlinePayments() != nil || booked != nil || problem != nil
        if let booked, booked.payments > 0 {
            log.say("offline-booked", ["payments": .number(String(booked.payments))])
        }
        if let problem, problem.kind != .ledgerOffline {
            log.say("offline-failed", ["error": .string(problem.kind.word)])
        }
        state.withLock { $0.schedule.end(at: .now, duration: duration, isDone: problem == nil) }
        if hasQueried { recordReachability(problem?.kind != .ledgerOffline) }
    }

    /// Records the end of an operation.
    func note(_ answer: TillRunner.Answer, of call: TillCall) {
        let isOffline = answer.document?["offline"] != nil
        if isOffline || answer.problem?.kind == .ledgerOffline { return recordReachability(false) }
        // Other calls can succeed without the ledger.
        if answer.problem == nil, call.takesOperation { recordReachability(true) }
    }

    /// Records that a card was read. If the reading had another problem, the ledger may not have
    /// been queried at all.
    func recordReading(_ problem: TapcardError?) {
        guard problem == nil || problem?.kind == .ledgerOffline else { return }
        recordReachability(problem == nil)
    }

    /// Records whether the ledger responded, and reports any change. An offline ledger is then
    /// queried repeatedly, so that pages are notified when they can try again.
    private func recordReachability(_ hasAnswered: Bool) {
        if !hasAnswered { pollLedger() }
        let change = state.withLock {
            state -> (JSONValue, @Sendable (JSONValue) async -> Void)? in
            state.isOffline = !hasAnswered
            if !hasAnswered { state.schedule.bringForward(at: .now) }
            var now = news(state)
            // All payments are now booked, and the page shows when that happened.
            if let before = state.news, before.payments > 0, now?.payments == 0 {
                state.bookedAt = runner.time
                now = news(state)
            }
            guard now != state.news else { return nil }
            state.news = now
            return state.listener.map { (now?.document ?? .null, $0) }
        }
        guard let (news, listener) = change else { return }
        Task { await listener(news) }
    }

    private func news(_ state: State) -> OfflineNews? {
        let isOffline = state.isOffline
        guard let (status, limits) = runner.offlinePayments() else {
            return isOffline ? OfflineNews(offlineWithoutAny: runner.currency) : nil
        }
        return OfflineNews(
            status, limits, isOffline: isOffline, bookedAt: state.bookedAt)
    }
}
