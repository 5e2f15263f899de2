public import TapcardDomain

/// The port to the Mastermind service.
///
/// Only `logIn` is given a password. What a token is refused for is `.unauthorized`: the caller
/// logs in again, once, and repeats the call.
public protocol MastermindService: Sendable {
    /// `timeToLive` is in seconds, one of `MastermindRules.loginSeconds`; without it the service decides.
    func logIn(
        user: String, password: String, timeToLive: Int?
    ) async throws(ServiceError) -> MastermindToken
    func start(
        slots: Int, with token: MastermindToken
    ) async throws(ServiceError) -> MastermindGameID
    func guess(
        _ colours: [Int], in game: MastermindGameID, with token: MastermindToken
    ) async throws(ServiceError) -> MastermindAnswer
    func ranking(with token: MastermindToken) async throws(ServiceError) -> [MastermindRank]
}

/// What the service lets its users in with. Never shown and never logged.
public struct MastermindToken: Hashable, Sendable, CustomStringConvertible {
    public let secret: String

    /// Nil for what cannot stand in a header.
    public init?(_ secret: String) {
        guard (1...4_096).contains(secret.utf8.count),
            secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.secret = secret
    }

    public var description: String { "a token" }
}

/// How a guess was evaluated.
public struct MastermindAnswer: Hashable, Sendable {
    public let evaluation: MastermindEvaluation
    /// How many guesses this game has had, this one included.
    public let guessCount: Int

    /// Nil for what no game of so many slots can be answered with.
    public init?(_ evaluation: MastermindEvaluation, guessCount: Int, slots: Int) {
        guard evaluation.isPossible(slots: slots),
            (1...MastermindRules.mostGuesses).contains(guessCount)
        else { return nil }
        (self.evaluation, self.guessCount) = (evaluation, guessCount)
    }
}

/// A row of the ranking: the fewest guesses are the best.
public struct MastermindRank: Hashable, Sendable {
    public let id: String
    public let participant: String
    public let name: String
    /// As the service writes it: "2021-04-26 17:26:22".
    public let time: String
    public let score: Int
    public let slots: Int
    /// Addresses of pictures of three sizes, where it names any.
    public let icons: [String]

    public init(
        id: String, participant: String, name: String, time: String, score: Int, slots: Int,
        icons: [String]
    ) {
        (self.id, self.participant, self.name) = (id, participant, name)
        (self.time, self.score, self.slots, self.icons) = (time, score, slots, icons)
    }
}
