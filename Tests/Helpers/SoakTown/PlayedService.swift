import BlockingLane
import FaultyWorld
import TapcardDomain

/// The activation service, which activates a code once, however often it is asked, and sometimes
/// fails.
struct PlayedService: ActivationService {
    enum Mood: String, Sendable, CaseIterable {
        case willing, refusing, failing
        /// It activates the code, and the answer is lost.
        case answerLost
    }

    let scene: Scene
    let mood: Mood
    let active: Guarded<Set<ScratchCode>>

    func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
        // Asking is a step, at which the process may die: before or after the code is active.
        if mood == .answerLost { active.withLock { _ = $0.insert(code) } }
        _ = try await SceneService(scene: scene).activate(code)
        switch mood {
        case .refusing where !active.withLock({ $0.contains(code) }):
            return .refused(version: "1.0")
        case .failing: throw ServiceError(.offline, "it is in no mood")
        case .answerLost: throw ServiceError(.offline, "the answer was lost")
        case .willing, .refusing:
            active.withLock { _ = $0.insert(code) }
            return .active
        }
    }
}
