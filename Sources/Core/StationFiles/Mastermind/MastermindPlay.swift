package import TapcardCore
package import TapcardDomain

/// Mastermind at a station: the service, its login, and the stored games.
package struct MastermindPlay: Sendable {
    private static let maximumUserBytes = 256

    private let file: MastermindFile
    private let address: String
    private let service: any MastermindService
    private let password: @Sendable (String) async throws(TapcardError) -> String?

    /// `address` is the address of the service: data from one service is never sent to another.
    /// `password` is called if a login has expired; it returns nil if nobody can enter a password.
    /// `note` receives other messages for the user.
    package init(
        path: String, address: String, service: any MastermindService,
        password: @escaping @Sendable (String) async throws(TapcardError) -> String?,
        note: @escaping @Sendable (String) -> Void
    ) {
        file = MastermindFile(path: path, note: note)
        (self.address, self.service, self.password) = (address, service, password)
    }

    /// The current game, if any.
    package func currentGame() throws(TapcardError) -> SavedMastermindGame? {
        try file.load().current(at: address)
    }

    /// The name of the user who is logged in; nil if nobody is. The login may have expired.
    package func user() throws(TapcardError) -> String? {
        try file.load().login.flatMap { $0.address == address ? $0.user : nil }
    }

    package func logIn(
        as user: String, password: String, timeToLive: Int? = nil
    ) async throws(TapcardError) {
        try MastermindPlay.requireLogin(user, timeToLive)
        _ = try await token(
            user, password, timeToLive,
            orSay: "The login was not changed.")
    }

    /// Checks the user name and the duration of a login, before the user is asked for a password.
    package static func requireLogin(
        _ user: String, _ timeToLive: Int?
    ) throws(TapcardError) {
        guard !user.isEmpty, user.utf8.count <= maximumUserBytes,
            !user.unicodeScalars.contains(where: \.isMisleading)
        else {
            throw TapcardError(
                .usage,
                "The user name must be 1 to \(maximumUserBytes) bytes long and contain no control "
                    + "characters.",
                meaning: nothingSent)
        }
        if let timeToLive, !MastermindRules.loginSeconds.contains(timeToLive) {
            throw TapcardError(
                .usage,
                "A login cannot last \(timeToLive) s; the allowed range is "
                    + "\(MastermindRules.loginSeconds.words) s.", meaning: nothingSent)
        }
    }

    private static func requirePassword(_ password: String) throws(TapcardError) {
        let (count, maximum) = (password.utf8.count, MastermindRules.maximumPasswordBytes)
        guard (1...maximum).contains(count) else {
            throw TapcardError(
                .usage,
                count == 0
                    ? "The password is empty."
                    : "The password is \(count) bytes long, but only \(maximum) bytes are allowed.",
                meaning: nothingSent)
        }
    }

    /// Starts a game and makes it the current one.
    package func start(slots: Int) async throws(TapcardError) -> SavedMastermindGame {
        // An impossible size is refused here, before anything is sent.
        _ = try translating(MastermindRules(slots: slots), into: MastermindPlay.unsent)
        let id = try await withLogin("No game was started.") {
            token throws(ServiceError) in
            try await service.start(slots: slots, with: token)
        }
        return try resume(MastermindGame(id: id, slots: slots))
    }

    /// Makes a game the current one. The game may have been started at this station or elsewhere.
    @discardableResult
    package func resume(_ game: MastermindGame) throws(TapcardError) -> SavedMastermindGame {
        try file.change { book in
            let saved = book.saved(game, at: address)
            book.save(saved, asCurrent: true)
            return saved
        }
    }

    package func ranking() async throws(TapcardError) -> [MastermindRank] {
        try await withLogin("The ranking is not available.") { token throws(ServiceError) in
            try await service.ranking(with: token)
        }
    }

    /// Sends a guess for the current game, and returns the game including the service's evaluation.
    ///
    /// The guess is saved in the file before it is sent. If there is no response, the guess stays
    /// in the file as one that may have counted. It is never sent again, because the service would
    /// count it a second time.
    package func guess(_ colors: [Int]) async throws(TapcardError) -> SavedMastermindGame {
        let game = try currentGame(accepting: colors)
        _ = try translating(change(game) { $0.send(colors) }) { (error: TapcardError) in
            // The guess may be in the file already, although its disk failed.
            _ = try? change(game) { $0.withdraw(colors) }
            return error.reworded(meaning: "\(error.meaning) The guess was not sent.")
        }
        let answer: MastermindAnswer
        do throws(Failure) {
            answer = try await callWithLogin { token throws(ServiceError) in
                try await service.guess(colors, in: game.id, with: token)
            }
        } catch {
            throw try recordFailure(of: colors, in: game, error)
        }
        return try save(answer, of: colors, in: game)
    }

    /// The current game. Throws if there is none, if it is already solved, or if the guess is not
    /// valid for it.
    private func currentGame(accepting colors: [Int]) throws(TapcardError) -> MastermindGame {
        guard let saved = try currentGame() else {
            throw TapcardError(
                .refusal(.wrongState), "No game is in progress.",
                meaning: MastermindPlay.nothingSent, next: [.service(.startGame)])
        }
        try translating(
            MastermindRules(slots: saved.game.slots).requireGuess(colors),
            into: MastermindPlay.unsent)
        if let count = saved.solvedIn {
            throw TapcardError(
                .refusal(.wrongState), "This game was already solved on guess \(count).",
                meaning: MastermindPlay.nothingSent,
                next: [.service(.startAnotherGame)])
        }
        return saved.game
    }

    @discardableResult
    private func change(
        _ game: MastermindGame, _ body: (inout MastermindHistory) -> Void
    ) throws(TapcardError) -> SavedMastermindGame {
        try file.change { book in
            var saved = book.saved(game, at: address)
            body(&saved.history)
            // Another process may have started another game in the meantime; the current game must
            // not change back.
            book.save(saved, asCurrent: false)
            return saved
        }
    }

    private func save(
        _ answer: MastermindAnswer, of colors: [Int], in game: MastermindGame
    ) throws(TapcardError) -> SavedMastermindGame {
        do throws(TapcardError) {
            return try change(game) {
                $0.answer(colors, answer.evaluation, number: answer.guessCount)
            }
        } catch {
            // A repeated guess would count again, so the error itself reports the result.
            let result = answer.evaluation
            throw TapcardError(
                error.kind, error.what,
                meaning: "The guess counted: \(result.black) black, \(result.white) white.",
                next: error.next)
        }
    }

    /// Records what happened to a guess that was not evaluated, and returns the error that reports
    /// it.
    private func recordFailure(
        of colors: [Int], in game: MastermindGame, _ failure: Failure
    ) throws(TapcardError) -> TapcardError {
        if case .call(let error) = failure, error.mayHaveHappened {
            // If this write fails, the file still lists the guess as not evaluated.
            _ = try? change(game) { $0.lose(colors) }
            let reported = TapcardError(error, meaning: "")
            return TapcardError(
                reported.kind, reported.what,
                meaning: "The guess may or may not have counted. It is not repeated automatically.",
                next: [.service(.keepGuessing)])
        }
        // The service did not process the guess, so the guess is removed from the file.
        try change(game) { $0.withdraw(colors) }
        return failure.error(meaning: "The guess did not count.")
    }
}

extension MastermindPlay {
    private static let nothingSent = "Nothing was sent."

    private static func unsent(_ refusal: Refusal) -> TapcardError {
        TapcardError(refusal).reworded(meaning: nothingSent)
    }

    /// Why a call that requires a login failed.
    private enum Failure: Error {
        case call(ServiceError)
        /// The login failed before the call, or before its retry.
        case login(TapcardError)

        func error(meaning: String) -> TapcardError {
            switch self {
            case .call(let error): TapcardError(error, meaning: meaning)
            case .login(let error):
                TapcardError(error.kind, error.what, meaning: meaning, next: error.next)
            }
        }
    }

    private func withLogin<Success: Sendable>(
        _ meaning: String, _ call: (MastermindToken) async throws(ServiceError) -> Success
    ) async throws(TapcardError) -> Success {
        try await translating(awaiting: await callWithLogin(call)) { (error: Failure) in
            error.error(meaning: meaning)
        }
    }

    /// Makes the call with the stored token. If the token has expired, logs in again once and
    /// retries the call once. This is safe, because a call that was refused because of its token
    /// had no effect.
    private func callWithLogin<Success: Sendable>(
        _ call: (MastermindToken) async throws(ServiceError) -> Success
    ) async throws(Failure) -> Success {
        let login = try translating(requireLogin(), into: Failure.login)
        do {
            return try await call(login.token)
        } catch {
            // Logging in again helps only if the service did not accept the token.
            guard error.kind == .unauthorized else { throw .call(error) }
        }
        let token = try await translating(awaiting: await logInAgain(login), into: Failure.login)
        return try await translating(awaiting: await call(token), into: Failure.call)
    }

    private func requireLogin() throws(TapcardError) -> MastermindBook.Login {
        let login = try file.load().login
        // A token from one service must not be revealed to another.
        guard let login, login.address == address else {
            throw TapcardError(
                .service(.unauthorized),
                login.map { "You are logged in at \($0.address), not at \(address)." }
                    ?? "You are not logged in.")
        }
        return login
    }

    private func logInAgain(
        _ old: MastermindBook.Login
    ) async throws(TapcardError) -> MastermindToken {
        // Another process may have logged in since then.
        let now = try requireLogin()
        guard now == old else { return now.token }
        guard let password = try await password(old.user) else {
            throw TapcardError(
                .service(.unauthorized), "The login for \(old.user) has expired.",
                next: [.service(.logInOrSetPassword)])
        }
        return try await token(old.user, password, old.timeToLive, orSay: "")
    }

    /// Logs in and stores the token.
    private func token(
        _ user: String, _ password: String, _ timeToLive: Int?, orSay meaning: String
    ) async throws(TapcardError) -> MastermindToken {
        try MastermindPlay.requirePassword(password)
        let token = try await translating(
            awaiting: await service.logIn(user: user, password: password, timeToLive: timeToLive)
        ) { (error: ServiceError) in TapcardError(error, meaning: meaning) }
        try file.change { book in
            book.login = MastermindBook.Login(
                address: address, user: user, token: token, timeToLive: timeToLive)
        }
        return token
    }
}

extension ServiceError {
    /// Whether the service may have processed the request that failed.
    fileprivate var mayHaveHappened: Bool {
        switch kind {
        // Canceling cannot recall a request that has been sent. A redirect in response to a POST
        // often means that the request was processed.
        case .timedOut, .cutOff, .tooLarge, .redirected, .notHTTP, .broken, .notJSON, .wrongShape,
            .goneBack, .emptyVersion, .badVersion, .badBalls, .badDate, .cancelled:
            true
        case .offline, .certificate, .refused, .unauthorized, .wrongPassword,
            .badAddress, .noClient:
            false
        }
    }
}
