import BlockingLane
import TapcardDomain

/// A service that gives these answers in order and then repeats the last one.
final class PlayedActivation: ActivationService {
    private let answers: Guarded<[Result<ActivationAnswer, ServiceError>]>
    private let asked = Guarded<[ScratchCode]>([])
    private let meanwhile: @Sendable () async -> Void

    /// Activates every code.
    static var willing: PlayedActivation { PlayedActivation(.success(.active)) }

    init(
        _ answers: Result<ActivationAnswer, ServiceError>...,
        meanwhile: @escaping @Sendable () async -> Void = {}
    ) {
        self.answers = Guarded(answers)
        self.meanwhile = meanwhile
    }

    var codes: [ScratchCode] { asked.withLock { $0 } }

    func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
        asked.withLock { $0.append(code) }
        await meanwhile()
        return try answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }.get()
    }
}
