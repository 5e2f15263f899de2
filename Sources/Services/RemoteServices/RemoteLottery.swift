package import TapcardDomain

/// The lottery over HTTP, with its last responses cached on disk.
package struct RemoteLottery: LotteryService {
    private let cached: CachedCaller
    private let rules: LotteryRules

    package init(
        _ address: ServiceAddress, through transport: any HTTPTransport, cache: AnswerCache,
        rules: LotteryRules = .standard, timeouts: ServiceTimeouts = .lottery,
        in dependencies: ServiceDependencies = .system
    ) {
        cached = CachedCaller(
            caller: ServiceCaller(
                address: address, transport: transport, timeouts: timeouts,
                dependencies: dependencies),
            cache: cache)
        self.rules = rules
    }

    package func draws(forgetting: Bool) async throws(ServiceError) -> Fetched<DrawList> {
        try await cached.fetch(
            "/StubLottoResultsData.json", storedAs: "draws", forgetting: forgetting,
            objection: RemoteLottery.outdatedListError
        ) { body throws(ServiceError) in
            try LotteryParsing.draws(body, under: rules)
        }
    }

    /// The error for a list that ends before the newest draw in the cached list. Draws never
    /// disappear, so such a list is outdated. A station that used it would sell tickets for draws
    /// whose balls are already known.
    private static func outdatedListError(
        _ list: DrawList, comparedWith cached: DrawList
    ) -> ServiceError? {
        guard let lost = list.lost(from: cached) else { return nil }
        let newest = list.draws.first.map { "ends with \($0.id) of \($0.date)" } ?? "is empty"
        return ServiceError(
            .goneBack,
            "the list of draws \(newest), but \(lost.id) of \(lost.date) is already known; with "
                + "this list, tickets for past draws would be sold")
    }

    package func tickets() async throws(ServiceError) -> Fetched<[Ticket]> {
        try await cached.fetch("/StubMyTicketsData.json", storedAs: "tickets") {
            body throws(ServiceError) in
            try LotteryParsing.tickets(body, under: rules)
        }
    }
}
