public import ServicePorts
public import TapcardCommands
public import TapcardDomain
public import TextCodecs

/// A drawer that nobody looks into: the bench holds its reader itself.
public struct EmptyDrawer: SimulatedTags {
    public init() {}

    public func put(_ which: [String], _ reader: String) -> [SimulatedTag] { [] }
    public func take(_ reader: String) {}
    public func tear(_ fault: String?, _ reader: String) {}
    public func list(_ reader: String) -> (tags: [SimulatedTag], fault: String?) { ([], nil) }
}

/// Readers that end as soon as they are plugged in: whoever plays them does so elsewhere.
public struct NoEmulation: ReaderEmulation, PluggedEmulation {
    public let device = "/dev/pts/0"
    public let connectionString = "pn532_uart:/dev/pts/0:115200"
    public let counters: JSONValue = ["hostCommands": 0]

    public init() {}

    public func start(
        _ request: EmulationRequest, answer: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) -> any PluggedEmulation { self }
    public func tell(_ line: String, _ socket: String) -> JSONValue { ["result": "done"] }
    public func waitForCancellation() async {}
    public func stop() {}
}

/// A world without a network: every service is out of reach.
public struct NoServices: ActivationService, LotteryService, MastermindService {
    public static let unreachable = ServiceError(.unreachable, "there is no network")
    public static let all = Services(
        activation: NoServices(), lottery: NoServices(), mastermind: NoServices())

    public init() {}

    public func activate(_ code: ScratchCode) throws(ServiceError) -> ActivationAnswer {
        throw NoServices.unreachable
    }

    public func draws(revalidating: Bool) throws(ServiceError) -> Fetched<DrawList> {
        throw NoServices.unreachable
    }
    public func drawsBegunAnew() throws(ServiceError) -> Fetched<DrawList> {
        throw NoServices.unreachable
    }
    public func tickets() throws(ServiceError) -> Fetched<[Ticket]> {
        throw NoServices.unreachable
    }

    public func logIn(
        user: String, password: String, timeToLive: Int?
    ) throws(ServiceError) -> MastermindToken { throw NoServices.unreachable }
    public func start(
        slots: Int, with token: MastermindToken
    ) throws(ServiceError) -> MastermindGameID { throw NoServices.unreachable }
    public func guess(
        _ colours: [Int], in game: MastermindGameID, with token: MastermindToken
    ) throws(ServiceError) -> MastermindAnswer { throw NoServices.unreachable }
    public func ranking(with token: MastermindToken) throws(ServiceError) -> [MastermindRank] {
        throw NoServices.unreachable
    }
}

/// Services that end as soon as they are begun: whoever plays them does so elsewhere.
public struct NoStandIns: ServiceStandIns, RunningSandbox {
    public let address = "http://127.0.0.1:40231"
    public let activation = "http://127.0.0.1:40231/activation"
    public let lottery = "http://127.0.0.1:40231/lottery"
    public let mastermind = "http://127.0.0.1:40231/mastermind/api/v2"
    public let control = "http://127.0.0.1:40231/sandbox"
    public let password = "sandbox"
    public let requestCount = 3

    public init() {}

    public func start(_ request: SandboxRequest) -> any RunningSandbox { self }
    public func waitForCancellation() async {}
    public func stop() async {}
}

/// A counter page that is gone as soon as it is there: whoever serves one does so elsewhere.
public struct NoCounterPages: CounterPages, RunningCounterPage {
    public let address = "http://127.0.0.1:40231/"
    private let note: @Sendable (ServeRequest) -> Void

    /// `note` is told what was to be served.
    public init(_ note: @escaping @Sendable (ServeRequest) -> Void = { _ in }) { self.note = note }

    public func start(
        _ request: ServeRequest, _ desk: CounterDesk, log: @escaping @Sendable (String) -> Void
    ) -> any RunningCounterPage {
        note(request)
        return self
    }
    public func waitForCancellation() async {}
    public func stop() async {}
}

/// An activation service that takes its time: it answers when a test says so.
public final class HeldActivation: ActivationService {
    private let questions: AsyncStream<Void>
    private let answers: AsyncStream<ActivationAnswer>
    private let asked: AsyncStream<Void>.Continuation
    private let answered: AsyncStream<ActivationAnswer>.Continuation

    public init() {
        (questions, asked) = AsyncStream.makeStream()
        (answers, answered) = AsyncStream.makeStream()
    }

    public func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer {
        asked.yield()
        for await answer in answers { return answer }
        throw ServiceError(.cancelled, "nobody waits any more")
    }

    public func waitForQuestion() async { for await _ in questions { return } }
    public func answer(_ answer: ActivationAnswer) { answered.yield(answer) }

    /// With the others out of reach.
    public var services: Services {
        Services(activation: self, lottery: NoServices(), mastermind: NoServices())
    }
}
