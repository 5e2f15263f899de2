import Cards
import Ledger
import TapcardDomain

/// Reads a tag and returns a summary of the card.
package struct ReadCard: TapUseCase {
    var tap = Tap()
    private let isResolving: Bool
    /// The tag, if it is not in this ledger.
    private(set) var unknown: CardReading?

    /// If `resolving` is false, nothing is ever written.
    package init(resolving: Bool = true) { isResolving = resolving }

    var card: CardUID? { nil }

    mutating func examine(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard let known = reading.known else {
            unknown = reading
            return .done(try await station.summaries.unknown(reading))
        }
        let verdict = station.resolver.verdict(on: reading)
        if !isResolving {
            let problem = known.open.flatMap { verdict?.leavingOpen($0) } ?? verdict
            return .done(
                station.summaries.known(
                    reading, known, station.faceWriter.unresolvedDisplay(reading, known), problem))
        }
        // Even if no fresh record can be written to the tag, the card can be reported, because the
        // ledger has the balance.
        if verdict == nil, tap.history.unusable != nil, known.open?.kind == .reseal {
            return .done(await station.summaries.refreshed(reading, known, tap.history))
        }
        guard var problem = verdict, problem.kind != .refusal(.cardClosed) else { return .proceed }
        // This voids an open payment if necessary, and then throws the error, which reports what
        // was voided.
        do throws(Interruption) {
            _ = try await station.resolver.resolve(reading, for: nil, &tap.history)
        } catch .refused(let refused) {
            problem = refused
            station.dependencies.progress(.hint(problem.what))
        }
        return .done(
            station.summaries.known(
                reading, known, .outOfDate, problem,
                resolved: tap.history.resolved(in: station.currency)))
    }

    func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard let known = reading.known else { return .readAgain }
        return .done(await station.summaries.refreshed(reading, known, tap.history))
    }
}

extension ReadCard {
    /// Reads a card. If the ledger's server does not respond, reads the card again without the
    /// ledger. `unknown` receives the tag, if it is not in this ledger.
    static func summary(
        resolving isResolving: Bool, at station: Station, _ unknown: inout CardReading?
    ) async throws(TapcardError) -> CardSummary {
        var useCase = ReadCard(resolving: isResolving && !station.ledger.isReadOnly)
        do throws(TapcardError) {
            defer { unknown = useCase.unknown }
            while true {
                if let summary = try await useCase.step(at: station) { return summary }
            }
        } catch {
            guard error.kind == .ledgerOffline else { throw error }
            return try await readAgain(withoutLedgerOf: station, error)
        }
    }

    private static func readAgain(
        withoutLedgerOf station: Station, _ problem: TapcardError
    ) async throws(TapcardError) -> CardSummary {
        var offlineStation = station.withoutLedger
        offlineStation.settings.wait = Station.returnLimit
        // If no card is found this time, it was removed in the meantime, so the ledger's error is
        // reported.
        var summary = try await translating(
            awaiting: await ReadCard(resolving: false).run(at: offlineStation)
        ) { (error: TapcardError) in error.result == .noCard ? problem : error }
        summary.resolved = problem.resolved
        return summary.withoutLedger(problem)
    }
}
