package import TapcardDomain

/// The lottery over HTTP, with a disk cache of its last answers.
package struct RemoteLottery: LotteryService {
    private let cached: CachedCaller
    private let rules: LotteryRules

    package init(
        _ address: ServiceAddress, through transport: any HTTPTransport, cache: AnswerCache,
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

    package func draws(forgetting: Bool) async throws(ServiceError) -> Fetched<DrawList> {
        try await cached.fetch(
            "/StubLottoResultsData.json", keptAs: "draws", forgetting: forgetting,
            objection: RemoteLottery.hasGoneBack
        ) { body throws(ServiceError) in
            try LotteryParsing.draws(body, under: rules)
        }
    }

    /// The error for a list that lacks draws from the cached one. A draw never disappears, so such
    /// a list is outdated, and a station that trusted it would sell tickets whose numbers are
    /// already known.
    private static func hasGoneBack(_ list: DrawList, behind kept: DrawList) -> ServiceError? {
        guard let lost = list.lost(from: kept) else { return nil }
        let newest = list.draws.first.map { "ends with \($0.id) of \($0.date)" } ?? "is empty"
        return ServiceError(
            .goneBack,
            "the list of draws \(newest), although \(lost.id) of \(lost.date) is already "
                + "known; tickets would be sold for past draws")
    }

    package func tickets() async throws(ServiceError) -> Fetched<[Ticket]> {
        try await cached.fetch("/StubMyTicketsData.json", keptAs: "tickets") {
            body throws(ServiceError) in
            try LotteryParsing.tickets(body, under: rules)
        }
    }
}
