package import Ledger
package import TapcardDomain
package import Verbs

/// An unused drawer, because the bench holds its reader itself.
package struct EmptyDrawer: SimulatedTags {
    package init() {}

    package func put(
        _ which: [String], _ reader: String, nextTo others: [String]
    ) -> [SimulatedTag] { [] }
    package func take(_ reader: String) {}
    package func tear(_ fault: String?, _ reader: String) {}
    package func list(
        _ reader: String, nextTo others: [String]
    ) -> (tags: [SimulatedTag], fault: String?) { ([], nil) }
    package func showToPhone(_ uid: String?, _ reader: String) -> SeenByPhone {
        SeenByPhone(
            tag: SimulatedTag(uid: "04000000000000", chip: "NTAG213", isOnReader: false),
            content: .message([]), reads: nil)
    }
}

/// Services without a network: all of them are offline.
package struct NoServices: ActivationService, LotteryService, MastermindService {
    package static let offline = ServiceError(.offline, "there is no network")
    /// The addresses with which they are called anyway.
    package static let addresses = [
        "TAPCARD_ACTIVATION_URL": "http://127.0.0.1:9/activation",
        "TAPCARD_LOTTERY_URL": "http://127.0.0.1:9/lottery",
        "TAPCARD_MASTERMIND_URL": "http://127.0.0.1:9/mastermind",
    ]
    package static let all = Services(
        activation: NoServices(), lottery: NoServices(), mastermind: NoServices())

    package init() {}

    package func activate(_ code: ScratchCode) throws(ServiceError) -> ActivationAnswer {
        throw NoServices.offline
    }

    package func draws(forgetting: Bool) throws(ServiceError) -> Fetched<DrawList> {
        throw NoServices.offline
    }
    package func tickets() throws(ServiceError) -> Fetched<[Ticket]> {
        throw NoServices.offline
    }

    package func logIn(
        user: String, password: String, timeToLive: Int?
    ) throws(ServiceError) -> MastermindToken { throw NoServices.offline }
    package func start(
        slots: Int, with token: MastermindToken
    ) throws(ServiceError) -> MastermindGameID { throw NoServices.offline }
    package func guess(
        _ colors: [Int], in game: MastermindGameID, with token: MastermindToken
    ) throws(ServiceError) -> MastermindAnswer { throw NoServices.offline }
    package func ranking(with token: MastermindToken) throws(ServiceError) -> [MastermindRank] {
        throw NoServices.offline
    }
}

/// An activation service that answers when a test tells it to.
package final class HeldActivation: ActivationService {
    private let questions: AsyncStream<Void>
    private let answers: AsyncStream<ActivationAnswer>
    private let asked: AsyncStream<Void>.Continuation
    private let answered: AsyncStream<ActivationAnswer>.Continuation

    package init() {
        (questions, asked) = AsyncStream.makeStream()
        (answers, answered) = AsyncStream.makeStream()
    }

    package func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
        asked.yield()
        for await answer in answers { return answer }
        throw ServiceError(.cancelled, "nobody waits any more")
    }

    package func waitForQuestion() async { for await _ in questions { return } }
    package func answer(_ answer: ActivationAnswer) { answered.yield(answer) }

    /// The services, with the others offline.
    package var services: Services {
        Services(activation: self, lottery: NoServices(), mastermind: NoServices())
    }
}

/// A database that fails every request, or that only reports its state.
package struct NoDatabase: LedgerDatabase {
    private let failure: LedgerError
    private let known: DatabaseStatus?

    package init(
        _ known: DatabaseStatus? = nil,
        failing failure: LedgerError = LedgerError(.unavailable, "the database does not answer")
    ) {
        (self.known, self.failure) = (known, failure)
    }

    package func requireNoLedger() throws(LedgerError) { throw failure }
    package func makeLedger(in currency: Currency) throws(LedgerError) { throw failure }
    package func fill(
        from source: any LedgerStore, origin: String
    ) throws(LedgerError) -> Filled { throw failure }
    package func migrate() throws(LedgerError) { throw failure }
    package func status() throws(LedgerError) -> DatabaseStatus {
        guard let known else { throw failure }
        return known
    }
    package func missingReplicas() -> String? { nil }
    package func reopen(_ loss: DeclaredLoss) throws(LedgerError) { throw failure }
    package func register(_ name: StationName, password: String) throws(LedgerError) -> Int {
        throw failure
    }
    package func stations() throws(LedgerError) -> [RegisteredStation] { throw failure }
    package func revoke(_ name: StationName) throws(LedgerError) { throw failure }
    package func announce(_ key: UInt8, mark: String) throws(LedgerError) { throw failure }
    package func seal(
        with key: UInt8, mark: String, isForced: Bool
    ) throws(LedgerError) { throw failure }
}
