package import Ledger
package import TapcardCore
package import TapcardDomain

/// One customer's request to a station, always under the same id.
package struct StationRequest: Sendable {
    /// How to find its operation in the ledger.
    package enum Trace: Sendable {
        case id(OperationID)
        /// The ledger derives a refund's id itself.
        case refund(of: OperationID)
        /// A prize's id is derived from its ticket.
        case only(Operation.Kind)
        case none
    }

    package let name: String
    package let trace: Trace
    /// Makes the use case before its first step, at a station of a scene.
    let begin: @Sendable (Scene, Int) -> any UseCase<Answer>

    package init<Case: UseCase>(
        _ name: String, _ trace: Trace, _ begin: @escaping @Sendable (Scene, Int) -> Case
    ) where Case.Success: Answering {
        (self.name, self.trace) = (name, trace)
        self.begin = { Answered(useCase: begin($0, $1)) }
    }

    /// A request of one step that is never saved, such as an operator's.
    package init(
        _ name: String,
        inOneStep ask: @escaping @Sendable (Station) async throws(TapcardError) -> Answer
    ) {
        (self.name, trace) = (name, .none)
        begin = { _, _ in OneStep(ask: ask) }
    }

    /// A read of the card, which resolves what is open. A card that it accuses is a failure.
    package static let read = StationRequest("read", .none) { _, _ in ReadCard() }

    /// Whether a repetition must see the card, too.
    var isOfCard: Bool { if case .only = trace { true } else { false } }

    package func operation(in ledger: LedgerTables) -> Operation? {
        switch trace {
        case .id(let id): ledger.operations[id]
        case .refund(let id): ledger.operations.values.first { $0.reverses == id }
        case .only(let kind): ledger.operations.values.first { $0.kind == kind }
        case .none: nil
        }
    }

    /// Runs it at a station of the scene until it ends or the process dies.
    package func run(in scene: Scene, at station: Int = 0) async -> Said {
        var useCase = begin(scene, station)
        let till = scene.station(station)
        while true {
            if let said = await useCase.said(at: till) {
                return scene.isDead(station) ? .nothing : said
            }
        }
    }
}

/// The answer at the end of a tap.
package enum Said: Sendable, CustomStringConvertible {
    case done(Answer)
    case failed(TapcardError)
    /// The process was killed before it could say anything.
    case nothing

    package var description: String {
        switch self {
        case .done: "done"
        case .failed(let error): "\(error.kind.word): \(error)"
        case .nothing: "nothing; the process is dead"
        }
    }

    /// I6 and I7: the answer is true, and no honest card was accused. `before` and `after` are the
    /// ledger when the request came and when it was answered.
    package func broken(
        _ request: StationRequest, from before: LedgerTables, to after: LedgerTables
    ) -> [Violation] {
        let was = request.operation(in: before)?.state
        let operation = request.operation(in: after)
        let state = operation?.state
        switch self {
        case .nothing: return []
        case .done(let answer):
            if case .none = request.trace { return [] }
            guard let operation, state == .committed else {
                return [
                    Violation(.i6, "\(request.name) was said to be done; it is \(words(state))")
                ]
            }
            return answer.broken(operation, was)
        case .failed(let error):
            if error.result == .untrusted || error.kind == .ledgerBehind {
                return [Violation(.i7, "an honest card was accused: \(error.kind.word)")]
            }
            if error.kind == .ledgerCorrupt {
                return [
                    Violation(.i5, "the ledger's rows were to break their rules: \(error.what)")
                ]
            }
            if error.kind == .operationVoided, state != .voided {
                return [
                    Violation(.i6, "\(request.name) was said to be void; it is \(words(state))")
                ]
            }
            // Any other word says that the request has done nothing.
            let isTrue =
                switch error.kind {
                case .outcomeUnknown: true
                case .ledgerUnavailable: state == was
                // Which ticket it is about, only the card says: without it nothing was looked up.
                case _ where request.isOfCard: state == was
                default: state != .committed && (state == was || state == .voided)
                }
            if isTrue { return [] }
            return [
                Violation(
                    .i6,
                    "\(request.name) was \(words(was)); \(error.kind.word) was said, and it is "
                        + words(state))
            ]
        }
    }

    private func words(_ state: Operation.State?) -> String { state?.rawValue ?? "not begun" }
}

extension UseCase<Answer> {
    /// Takes one step; returns the answer after the last one.
    mutating func said(at station: Station) async -> Said? {
        do throws(TapcardError) {
            return try await step(at: station).map(Said.done)
        } catch {
            return .failed(error)
        }
    }
}

/// A use case whose success is turned into an answer.
private struct Answered<Case: UseCase>: UseCase where Case.Success: Answering {
    var useCase: Case

    mutating func step(at station: Station) async throws(TapcardError) -> Answer? {
        guard let success = try await useCase.step(at: station) else { return nil }
        if let accusation = success.accusation { throw accusation }
        return success.answer
    }
}

/// A use case of one step. No two are equal, because they are never saved.
private struct OneStep: UseCase {
    let ask: @Sendable (Station) async throws(TapcardError) -> Answer

    static func == (left: OneStep, right: OneStep) -> Bool { false }
    func hash(into hasher: inout Hasher) {}

    func step(at station: Station) async throws(TapcardError) -> Answer? {
        try await ask(station)
    }
}

/// One tap and its result.
package struct Tap: Sendable {
    package let world: RestingWorld
    package let said: Said
    package let steps: [Step]
    package let violations: [Violation]

    /// Plays a request in a world, with these mishaps at its steps.
    package static func play(
        _ request: StationRequest, in world: RestingWorld, mishaps: [Int: Mishap] = [:],
        keepsWorlds: Bool = false
    ) async -> Tap {
        let scene = Scene(world, mishaps: mishaps, keepsWorlds: keepsWorlds)
        let said = await request.run(in: scene)
        let after = scene.world
        let found = Tap.broken(
            request, said, from: world, to: after, LedgerTrouble(mishaps.values))
        return Tap(
            world: after, said: said, steps: scene.steps, violations: scene.violations + found)
    }

    /// The violations at the end of a tap.
    static func broken(
        _ request: StationRequest, _ said: Said, from before: RestingWorld, to after: RestingWorld,
        _ trouble: LedgerTrouble
    ) -> [Violation] {
        var found = said.broken(request, from: before.ledger, to: after.ledger)
        found += after.touchedTooSoon(since: before)
        found += before.resolvedOtherwise(than: after, request, trouble)
        if case .done(let answer) = said {
            found += answerBroken(request, answer, from: before, to: after)
        }
        found += untold(said, request, from: before, to: after, trouble)
        if isUnknownOfNothing(said, request, from: before, to: after, trouble) {
            found.append(Violation(.i6, "nothing was begun, and the outcome is said to be unknown"))
        }
        return found
    }
}

/// The mishaps of a tap that limit what its answer can know.
struct LedgerTrouble: Sendable, Hashable {
    private(set) var hasLostCommit = false
    private(set) var hasFailed = false
    /// The number of times that a tag has refused.
    private(set) var refusals = 0

    init(_ mishaps: some Sequence<Mishap> = []) {
        for mishap in mishaps { note(mishap) }
    }

    mutating func note(_ mishap: Mishap) {
        if mishap.isOfCommit { hasLostCommit = true }
        if mishap.isLedgerProblem { hasFailed = true }
        if mishap.isRefusal { refusals += 1 }
    }
}
