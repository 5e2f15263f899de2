/// The port to the Mastermind service.
///
/// Only `logIn` takes a password. If the service refuses a token, the error is `.unauthorized`: the
/// caller logs in again, once, and repeats the call.
package protocol MastermindService: Sendable {
    /// Logs in. `timeToLive` is in seconds and within `MastermindRules.loginSeconds`; if it is
    /// `nil`, the service decides.
    func logIn(
        user: String, password: String, timeToLive: Int?
    ) async throws(ServiceError) -> MastermindToken
    func start(
        slots: Int, with token: MastermindToken
    ) async throws(ServiceError) -> MastermindGameID
    func guess(
        _ colors: [Int], in game: MastermindGameID, with token: MastermindToken
    ) async throws(ServiceError) -> MastermindAnswer
    func ranking(with token: MastermindToken) async throws(ServiceError) -> [MastermindRank]
}

/// A user's access token. Never shown and never logged.
package struct MastermindToken: Hashable, Sendable, CustomStringConvertible {
    package let secret: String

    /// `nil` for text that cannot be sent in a header.
    package init?(_ secret: String) {
        guard (1...4_096).contains(secret.utf8.count),
            secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.secret = secret
    }

    package var description: String { "a token" }
}

/// The service's answer to a guess.
package struct MastermindAnswer: Hashable, Sendable {
    package let evaluation: MastermindEvaluation
    /// The number of guesses in this game, including this one.
    package let guessCount: Int

    /// `nil` for an evaluation that is impossible with this many slots.
    package init?(_ evaluation: MastermindEvaluation, guessCount: Int, slots: Int) {
        guard evaluation.isPossible(slots: slots),
            (1...MastermindRules.maximumGuesses).contains(guessCount)
        else { return nil }
        (self.evaluation, self.guessCount) = (evaluation, guessCount)
    }
}

/// A row in the ranking: fewer guesses are better.
package struct MastermindRank: Hashable, Sendable {
    package let id: String
    package let participant: String
    package let name: String
    /// The time as the service writes it: "2021-04-26 17:26:22".
    package let time: String
    package let score: Int
    package let slots: Int
    /// The addresses of an icon in three sizes, if there is one.
    package let icons: [String]

    package init(
        id: String, participant: String, name: String, time: String, score: Int, slots: Int,
        icons: [String]
    ) {
        (self.id, self.participant, self.name) = (id, participant, name)
        (self.time, self.score, self.slots, self.icons) = (time, score, slots, icons)
    }
}
