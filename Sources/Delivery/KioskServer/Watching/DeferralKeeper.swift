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
        var isAsking = false
        var settledAt: String?
        var news: DeferralNews?
        var isFirst = true
        var listeners: [@Sendable (JSONValue) async -> Void] = []
    }

    /// A card that lies on the reader from the start is settled first: a snapshot of a card on
    /// which something is open does not count.
    private static let firstPause = Duration.seconds(2)
    /// The pause before a ledger that is out of reach is asked again.
    private static let askingPause = Duration.seconds(1)

    private let desk: CounterDesk
    private let log: KioskLog
    private let state = Guarded(State())

    init(_ desk: CounterDesk, _ log: KioskLog) { (self.desk, self.log) = (desk, log) }

    /// The present state; null at a till that defers nothing while the ledger is in reach.
    var document: JSONValue {
        state.withLock { news($0) }?.document ?? .null
    }

    /// From now on this gets the news.
    func listen(_ listener: @escaping @Sendable (JSONValue) async -> Void) {
        state.withLock { $0.listeners.append(listener) }
    }

    /// Asks whether the ledger is there, and starts the work when it is due.
    func beat(isQuiet: Bool) {
        askLedger()
        let isDue = state.withLock { $0.schedule.begins(at: .now, isQuiet: isQuiet) }
        guard isDue else { return }
        Task { [self] in await keep() }
    }

    /// Asks the ledger once, and while it is out of reach again and again: no card on a reader
    /// would tell that it is gone, or back.
    private func askLedger() {
        let begins = state.withLock { state in
            defer { state.isAsking = true }
            return !state.isAsking
        }
        guard begins else { return }
        Task { [weak self] in
            while await self?.isCutOff() == true {
                try? await Task.sleep(for: DeferralKeeper.askingPause)
            }
        }
    }

    private func isCutOff() async -> Bool {
        let answers = await desk.ledgerAnswers()
        if let answers { reached(answers) }
        let isCutOff = answers == false
        state.withLock { $0.isAsking = isCutOff }
        return isCutOff
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
        // A station that defers nothing does not ask the ledger here.
        var hasAsked = desk.deferral() != nil
        switch outcome {
        case .success(let settled):
            hasAsked = hasAsked || settled != nil
            if let settled, settled.purchases > 0 {
                log.say("deferred-booked", ["purchases": .number(String(settled.purchases))])
            }
        case .failure(let error):
            (problem, hasAsked) = (error, true)
            if error.kind != .ledgerUnreachable {
                log.say("deferral-failed", ["error": .string(error.kind.word)])
            }
        }
        state.withLock { $0.schedule.end(at: .now, lasted: lasted, isDone: problem == nil) }
        if hasAsked { reached(problem?.kind != .ledgerUnreachable) }
    }

    /// Notes the end of an operation.
    func note(_ answer: CounterDesk.Answer, of call: CounterCall) {
        let isDeferred = answer.document?["deferred"] != nil
        if isDeferred || answer.problem?.kind == .ledgerUnreachable { return reached(false) }
        if answer.problem == nil, call.takesOperation { reached(true) }
    }

    /// Notes that a card was read. One with another problem may have been refused before the ledger
    /// was asked.
    func noteReading(_ problem: TapcardError?) {
        guard problem == nil || problem?.kind == .ledgerUnreachable else { return }
        reached(problem == nil)
    }

    /// Notes whether the ledger has answered, and tells what is new. One that is gone is asked from
    /// now on, so that a page that could not show something hears when it can.
    private func reached(_ isThere: Bool) {
        if !isThere { askLedger() }
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
        let isOutOfReach = state.isOutOfReach
        guard let (status, caps) = desk.deferral() else {
            return isOutOfReach ? DeferralNews(outOfReachWithoutAny: desk.currency) : nil
        }
        return DeferralNews(
            status, caps, isOutOfReach: isOutOfReach, settledAt: state.settledAt)
    }
}
