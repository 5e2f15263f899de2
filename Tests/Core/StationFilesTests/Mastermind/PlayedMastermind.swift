import BlockingLane
import Glibc
import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain

/// A Mastermind service that fails when told to and records its calls.
final class PlayedMastermind: MastermindService {
    static let secret = [1, 2, 3, 4]
    static let passwordText = "sesame"

    struct State {
        var asked: [String] = []
        /// The errors of the next calls, in this order.
        var failures: [ServiceError?] = []
        var tokens = 0
        var games = 0
        var guesses = 0
        /// The work to do while the next guess is under way, even if that fails.
        var meanwhile: (@Sendable () async -> Void)?
    }

    let state = Guarded(State())

    var asked: [String] { state.withLock { $0.asked } }

    func fail(_ kinds: ServiceError.Kind?...) {
        state.withLock { $0.failures = kinds.map { $0.map { ServiceError($0, "it is played") } } }
    }

    /// Records a call, and returns the error that it fails with.
    private func failure(of text: String) -> ServiceError? {
        state.withLock { state in
            state.asked.append(text)
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
    }

    private func note(_ text: String) throws(ServiceError) {
        if let failure = failure(of: text) { throw failure }
    }

    func logIn(
        user: String, password: String, timeToLive: Int?
    ) throws(ServiceError) -> MastermindToken {
        try note("login \(user)" + (timeToLive.map { " \($0)" } ?? ""))
        guard password == PlayedMastermind.passwordText else {
            throw ServiceError(.wrongPassword, "no")
        }
        let number = state.withLock { state in
            state.tokens += 1
            return state.tokens
        }
        guard let token = MastermindToken("token-\(number)") else {
            throw ServiceError(.wrongShape, "no token")
        }
        return token
    }

    func start(slots: Int, with token: MastermindToken) throws(ServiceError) -> MastermindGameID {
        try note("start \(slots) \(token.secret)")
        let number = state.withLock { state in
            state.games += 1
            return state.games
        }
        let digits = String(number, radix: 16)
        let text = String(repeating: "0", count: 32 - digits.count) + digits
        guard let id = MastermindGameID(text) else { throw ServiceError(.wrongShape, "no id") }
        return id
    }

    func guess(
        _ colors: [Int], in game: MastermindGameID, with token: MastermindToken
    ) async throws(ServiceError) -> MastermindAnswer {
        let failure = failure(of: "guess \(colors.map(String.init).joined()) \(token.secret)")
        await state.withLock { $0.meanwhile.take() }?()
        if let failure { throw failure }
        let answer = state.withLock { state in
            state.guesses += 1
            return MastermindAnswer(
                MastermindEvaluation(of: colors, against: PlayedMastermind.secret),
                guessCount: state.guesses, slots: colors.count)
        }
        guard let answer else { throw ServiceError(.wrongShape, "no answer") }
        return answer
    }

    func ranking(with token: MastermindToken) throws(ServiceError) -> [MastermindRank] {
        try note("ranking \(token.secret)")
        return []
    }
}

/// Plays whose file is in a temporary folder, which is removed when the test ends.
final class PlayBench: Sendable {
    let service = PlayedMastermind()
    let notes = Guarded<[String]>([])
    let passwords = Guarded<[String?]>([])
    private let folder: String

    init() throws {
        folder = "/tmp/tapcard-play-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try DurableFile.makeFolder(folder)
    }

    deinit {
        for name in ["", ".lock", ".damaged"] { unsafe unlink(path + name) }
        unsafe rmdir(folder)
    }

    var path: String { folder + "/mastermind.json" }

    /// A new play, which may share the file with others.
    func play(at address: String = "http://127.0.0.1:1") -> MastermindPlay {
        MastermindPlay(
            path: path, address: address, service: service,
            password: { [passwords] _ in
                passwords.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            },
            note: { [notes] text in notes.withLock { $0.append(text) } })
    }

    /// A play after a login and the start of a game with four slots.
    func playing() async throws -> MastermindPlay {
        let play = play()
        try await play.logIn(as: "amanda", password: PlayedMastermind.passwordText)
        _ = try await play.start(slots: 4)
        return play
    }

    func text() throws -> String {
        String(decoding: try DurableFile(path).read() ?? [], as: UTF8.self)
    }

    /// The error of a refused call.
    func refusal(
        _ body: () async throws(TapcardError) -> Void
    ) async -> TapcardError? {
        do throws(TapcardError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}
