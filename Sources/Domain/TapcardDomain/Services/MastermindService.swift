/// The interface to the Mastermind service.
///
/// Only `logIn` takes a password. If the service rejects a token, the error is `.unauthorized`. The
/// caller then logs in again, once, and repeats the call.
package protocol MastermindService: Sendable {
    /// Logs in. `timeToLive` is in seconds and within `MastermindRules.loginSeconds`. If it is
    /// `nil`, the service chooses the lifetime.
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

/// A user's access token. It is never displayed or logged.
package struct MastermindToken: Hashable, Sendable, CustomStringConvertible {
    package let secret: String

    /// Creates a token; `nil` if the text is empty or too long, or cannot be sent in a header.
    package init?(_ secret: String) {
        guard (1...4_096).contains(secret.utf8.count),
            secret.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.secret = secret
    }

    package var description: String { "a token" }
}

/// The service's response to a guess.
package struct MastermindAnswer: Hashable, Sendable {
    package let evaluation: MastermindEvaluation
    /// The number of guesses so far in this game, including this one.
    package let guessCount: Int

    /// Creates a response; `nil` if the evaluation or the number of guesses is impossible.
    package init?(_ evaluation: MastermindEvaluation, guessCount: Int, slots: Int) {
        guard evaluation.isPossible(slots: slots),
            (1...MastermindRules.maximumGuesses).contains(guessCount)
        else { return nil }
        (self.evaluation, self.guessCount) = (evaluation, guessCount)
    }
}

/// A row in the ranking, where fewer guesses are better.
package struct MastermindRank: Hashable, Sendable {
    package let id: String
    package let participant: String
    package let name: String
    /// The time as the service writes it: "2021-04-26 17:26:22".
    package let time: String
    package let score: Int
    package let slots: Int
    /// The addresses of an icon in up to three sizes, starting with the largest.
    package let icons: [String]

    package init(
        id: String, participant: String, name: String, time: String, score: Int, slots: Int,
        icons: [String]
    ) {
        (self.id, self.participant, self.name) = (id, participant, name)
        (self.time, self.score, self.slots, self.icons) = (time, score, slots, icons)
    }
}
