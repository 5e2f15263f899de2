import CardStore
import Ledger
public import TapcardDomain
import Type2Tag

extension Station {
    /// Writes the ledger's state to a card, and every page that phones read. A card that cannot be
    /// trusted is only written when the operator names it; the password of a named card is searched
    /// for as well, because a restored ledger may not know of it.
    public func repair(naming card: CardUID? = nil) async throws(TapcardError) -> CardReading {
        try await run(Tapping(RepairRequest(card: card)))
    }

    /// Corrects the ledger's protection of a card that the operator has named, and has the card
    /// looked at again.
    fileprivate func learnProtection(
        of sight: Sight, _ card: LedgerCard
    ) async throws(Interruption) {
        guard let chip = Type2Chip(card.chip) else { return }
        let settings = try await configuration(of: chip, known: card.uid)
        let found = card.protection.corrected(
            by: try await evidence(on: sight.identity, chip, settings, noted: card.protection))
        guard found != card.protection else { return }
        try await note(found, insteadOf: card.protection, of: card.uid)
        throw .overtaken
    }

    /// Ends an open payment, finishes any other operation, and seals above every number on the tag.
    fileprivate func rewrite(
        _ sight: Sight, _ view: CardView, _ seen: Seen, _ history: inout TapHistory
    ) async throws(Interruption) -> Decision<Never> {
        try await takeTrustedKey(for: sight)
        guard let open = view.open else {
            return try await reseal(sight, seen, above: sight.highest)
        }
        if open.kind.isVoidable {
            let voided = try await asking(
                await ledger.voidOpenPayment(on: sight.uid, seen: seen, at: now))
            if let voided { history.note(ended: voided) }
            let seen = Seen(confirmed: seen.confirmed, open: nil)
            return try await reseal(sight, seen, above: sight.highest)
        }
        let sealer = try sealer(of: sight)
        let settlement = try await asking(
            await ledger.resume(open, seen: seen, tagHolds: sight.highest, sealer: sealer, at: now))
        if case .work(let work) = settlement { return .perform(work, isOpened: false) }
        return .lookAgain
    }
}

/// The repair of a card, by an operator.
private struct RepairRequest: TapRequest {
    let card: CardUID?
    var hasWritten = false

    mutating func examine(
        _ sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        guard card != nil, let seen = sight.seen, let view = sight.view else { return .goOn }
        let problem = station.verdict(on: sight)
        if problem?.kind != .refusal(.cardClosed) {
            try await station.learnProtection(of: sight, view.card)
        }
        guard problem != nil else { return .goOn }
        if let unusable = history.unusable { throw .refused(unusable) }
        do throws(Interruption) {
            return Decision(try await station.rewrite(sight, view, seen, &history))
        } catch {
            throw await station.reconsidered(error, sight)
        }
    }

    mutating func performed(
        _ operation: Operation, _ display: DisplayState, _ history: inout TapHistory,
        at station: Station
    ) -> CardReading? {
        hasWritten = true
        if operation.state == .committed { history.note(ended: operation) }
        return nil
    }

    func carryOut(
        on sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        guard let view = sight.view else {
            throw try await station.strangerRefusal(sight)
        }
        let content = view.card.content(sight.highest, balance: view.balance)
        let settled = station.settled(history)
        do throws(Interruption) {
            let display = try await station.writeDisplay(
                on: sight, content: content, of: view.card, rewritingAll: true,
                keepingExtras: false)
            return .done(
                try await station.reading(of: sight.uid, display, settled: settled))
        } catch {
            // The error tells which part was done, and that the rest was not.
            guard hasWritten || history.hasWorked else { throw error }
            station.surroundings.progress(
                .hint("what phones read was not refreshed: \(error.error.what)"))
            return .done(
                try await station.reading(of: sight.uid, .outOfDate, settled: settled))
        }
    }
}
