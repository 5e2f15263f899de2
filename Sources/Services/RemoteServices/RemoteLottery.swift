public import ServicePorts
public import TapcardDomain

/// The lottery over HTTP, with what it said last kept on disk.
public struct RemoteLottery: LotteryService {
    private let cached: CachedCaller
    private let rules: LotteryRules

    public init(
        _ address: ServiceAddress, through transport: any HTTPTransport, cache: HTTPCache,
        rules: LotteryRules = .standard, patience: Patience = .lottery,
        in surroundings: ServiceSurroundings = .system
    ) {
        cached = CachedCaller(
            caller: ServiceCaller(
                address: address, transport: transport, patience: patience,
                surroundings: surroundings),
            cache: cache)
        self.rules = rules
    }

    public func draws(revalidating: Bool) async throws(ServiceError) -> Fetched<DrawList> {
        try await cached.fetch(
            "/StubLottoResultsData.json", revalidating: revalidating
        ) { body throws(ServiceError) in
            try LotteryParsing.draws(body, under: rules)
        }
    }

    public func tickets() async throws(ServiceError) -> Fetched<[Ticket]> {
        try await cached.fetch("/StubMyTicketsData.json") { body throws(ServiceError) in
            try LotteryParsing.tickets(body, under: rules)
        }
    }
}
