import Cards
public import Ledger
public import TapcardDomain

extension Station {
    /// Reads a card and resolves what an interrupted tap left open on it. A card that cannot be
    /// trusted is shown with the reason, not refused. Without resolving nothing is ever written,
    /// nor where the ledger can only be read.
    ///
    /// Without an answer of the ledger's server, the card is shown as it describes itself.
    public func read(resolving isWanted: Bool = true) async throws(TapcardError) -> CardSummary {
        do throws(TapcardError) {
            return try await ReadCard(resolving: isWanted && !ledger.isReadOnly).run(at: self)
        } catch {
            guard error.kind == .ledgerOffline else { throw error }
            return try await readAgainWithoutLedger(error)
        }
    }

    private func readAgainWithoutLedger(
        _ problem: TapcardError
    ) async throws(TapcardError) -> CardSummary {
        var alone = withoutLedger
        alone.settings.wait = Station.returnLimit
        var summary: CardSummary
        do throws(TapcardError) {
            summary = try await ReadCard(resolving: false).run(at: alone)
        } catch {
            // The card has been taken away in the meantime.
            throw error.result == .noCard ? problem : error
        }
        summary.resolved = problem.resolved
        return summary.withoutLedger(problem)
    }

    /// The card as a change left it.
    public func summary(afterwards receipt: Receipt) async throws(TapcardError) -> CardSummary {
        do {
            var summary = try await summaries.card(
                receipt.uid, receipt.display, resolved: receipt.resolved)
            summary.operation = receipt.operation.id
            return summary
        } catch {
            throw error.error
        }
    }

    /// This station where its ledger cannot be asked: it knows no card, and reads what the cards
    /// say.
    var withoutLedger: Station {
        Station(
            reader: reader, ledger: InMemoryLedger(currency: currency), keySource: keySource,
            settings: settings, surroundings: surroundings)
    }
}

/// One look at a card, whatever it is.
package struct ReadCard: TapUseCase {
    var tap = Tap()
    private let isResolving: Bool

    /// Without `resolving` nothing is ever written.
    package init(resolving: Bool = true) { isResolving = resolving }

    var card: CardUID? { nil }

    mutating func examine(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard let known = reading.known else {
            return .done(try await station.summaries.stranger(reading))
        }
        let verdict = station.resolver.verdict(on: reading)
        if !isResolving {
            let named = known.open.flatMap { verdict?.leavingOpen($0) } ?? verdict
            return .done(
                station.summaries.known(
                    reading, known, station.faces.unresolvedDisplay(reading, known), named))
        }
        // A fresh record that the tag cannot take hides nothing: the ledger has the balance.
        if verdict == nil, tap.history.unusable != nil, known.open?.kind == .reseal {
            return .done(await station.summaries.quiet(reading, known, tap.history))
        }
        guard var problem = verdict, problem.kind != .refusal(.cardClosed) else { return .goOn }
        // Voids the open payment where that is due, and throws the problem with that.
        do throws(Interruption) {
            _ = try await station.resolver.resolve(reading, for: nil, &tap.history)
        } catch .refused(let refused) {
            problem = refused
            station.surroundings.progress(.hint(problem.what))
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
        return .done(await station.summaries.quiet(reading, known, tap.history))
    }
}
