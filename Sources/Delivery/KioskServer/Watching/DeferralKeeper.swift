import BlockingLane
import StationFiles
import TapcardCore
import TextCodecs
import Verbs

/// Books deferred purchases and takes snapshots of the cards in quiet moments, and knows what the
/// pages are to be told of it. The counters of one server share it, as they share the journal.
final class DeferralKeeper: Sendable {
    private struct State {
        var schedule = SnapshotSchedule(.now)
        var isOutOfReach = false
        var settledAt: String?
        var news: DeferralNews?
        var isFirst = true
        var listeners: [@Sendable (JSONValue) async -> Void] = []
    }

    /// A card that lies on the reader from the start is settled first: a snapshot of a card on
    /// which something is open does not count.
    private static let firstPause = Duration.seconds(2)

    private let desk: CounterDesk
    private let log: KioskLog
    private let state = Guarded(State())

    init(_ desk: CounterDesk, _ log: KioskLog) { (self.desk, self.log) = (desk, log) }

    /// The state as it is now; null at a station that defers nothing.
    var document: JSONValue {
        state.withLock { news($0) }?.document ?? .null
    }

    /// From now on this gets the news.
    func listen(_ listener: @escaping @Sendable (JSONValue) async -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    /// Starts the work when it is due.
    func beat(isQuiet: Bool) {
        let isDue = state.withLock { $0.schedule.begins(at: .now, isQuiet: isQuiet) }
        guard isDue else { return }
        Task { [self] in await keep() }
    }

    private func keep() async {
        let isFirst = state.withLock { state in
            defer { state.isFirst = false }
            return state.isFirst
        }
        if isFirst { try? await Task.sleep(for: DeferralKeeper.firstPause) }
        let began = ContinuousClock.now
        let outcome = await desk.keepDeferral()
        let lasted = began.duration(to: .now)
        var problem: TapcardError?
        switch outcome {
        case .success(let settled):
            if let settled, settled.purchases > 0 {
                log.say("deferred-booked", ["purchases": .number(String(settled.purchases))])
            }
        case .failure(let error):
            problem = error
            if error.kind != .ledgerUnreachable {
                log.say("deferral-failed", ["error": .string(error.kind.word)])
            }
        }
        state.withLock { $0.schedule.end(at: .now, lasted: lasted, isDone: problem == nil) }
        reached(problem?.kind != .ledgerUnreachable)
    }

    /// Notes the end of an operation.
    func note(_ answer: CounterDesk.Answer, of call: CounterCall) {
        let isDeferred = answer.document?["deferred"] != nil
        if isDeferred || answer.problem?.kind == .ledgerUnreachable { return reached(false) }
        if answer.problem == nil, call.takesOperation { reached(true) }
    }

    /// Notes whether the ledger has answered, and tells what is new.
    func reached(_ isThere: Bool) {
        let told = state.withLock { state -> (JSONValue, [@Sendable (JSONValue) async -> Void])? in
            state.isOutOfReach = !isThere
            if !isThere { state.schedule.hasten(at: .now) }
            var now = news(state)
            if let before = state.news, before.purchases > 0, now?.purchases == 0 {
                state.settledAt = desk.time
                now = news(state)
            }
            guard now != state.news else { return nil }
            state.news = now
            return (now?.document ?? .null, state.listeners)
        }
        guard let (news, listeners) = told else { return }
        Task { for listener in listeners { await listener(news) } }
    }

    private func news(_ state: State) -> DeferralNews? {
        desk.deferral().map {
            DeferralNews(
                $0.status, $0.caps, isOutOfReach: state.isOutOfReach, settledAt: state.settledAt)
        }
    }
}
