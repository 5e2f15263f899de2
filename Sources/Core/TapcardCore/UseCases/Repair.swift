import Cards
import Ledger
import Tags
import TapcardDomain

/// Repairs a card at an operator's request.
struct RepairCard: TapUseCase {
    var tap = Tap()
    let card: CardUID?
    private var hasWritten = false
    /// Whether this repair replaces the record of a card that was not trusted.
    private var replacesRecord = false

    init(card: CardUID?) { self.card = card }

    mutating func examine(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        // A card that cannot be trusted is accepted only if the operator enters its number.
        guard card != nil, let version = reading.version, let known = reading.known else {
            return .proceed
        }
        let problem = station.resolver.verdict(on: reading)
        if problem?.kind != .refusal(.cardClosed) {
            try await correctProtection(of: reading, known.card, at: station)
        }
        guard problem != nil else { return .proceed }
        // If the chip accepts no writes, the card cannot be repaired, only replaced.
        if let unusable = tap.history.unusable { throw .refused(unusable) }
        replacesRecord = true
        do throws(Interruption) {
            return Decision(try await rewrite(reading, known, version, at: station))
        } catch {
            throw await station.passwords.diagnosed(error, reading)
        }
    }

    mutating func performed(
        _ operation: Operation, _ display: DisplayState, at station: Station
    ) -> CardSummary? {
        hasWritten = true
        // An operation that the repair finished is reported like any other that a tap resolved.
        if operation.state == .committed { tap.history.note(ended: operation) }
        return nil
    }

    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<CardSummary, TapcardError>? {
        guard replacesRecord, let card else { return nil }
        let failure = await station.answering.unresolved(error, nil, card)
        guard failure.kind == .outcomeUnknown else { return nil }
        // If the rewriting is interrupted, the card may have no valid record at all.
        return .failure(
            failure.reworded(next: failure.next + [.trust(.repairIfRefused(card))]))
    }

    func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard let known = reading.known else {
            throw try await station.unknownTags.refusal(reading)
        }
        let content = known.card.content(reading.highest, balance: known.balance)
        let resolved = tap.history.resolved(in: station.currency)
        do throws(Interruption) {
            let display = try await station.faceWriter.write(
                on: reading, content: content, of: known.card, rewritingAll: true,
                keepingExtras: false)
            return .done(
                try await station.summaries.card(reading.uid, display, resolved: resolved))
        } catch {
            // Once something else has been written or resolved, the repair has mostly succeeded, so
            // this failure is only logged.
            guard hasWritten || tap.history.hasWorked else { throw error }
            station.dependencies.progress(
                .hint(
                    "the NFC text for phones could not be updated and will be tried again at the "
                        + "next tap: \(error.error.what)"))
            return .done(
                try await station.summaries.card(reading.uid, .outOfDate, resolved: resolved))
        }
    }

    /// Corrects the ledger's protection state for a card whose number the operator entered, and
    /// then has the card read again.
    private func correctProtection(
        of reading: CardReading, _ card: LedgerCard, at station: Station
    ) async throws(Interruption) {
        guard let chip = Type2Chip(card.chip) else { return }
        let settings = try await station.passwords.configuration(of: chip, known: card.uid)
        let found = card.protection.corrected(
            by: try await station.passwords.evidence(
                on: reading.identity, chip, settings, noted: card.protection))
        guard found != card.protection else { return }
        try await station.passwords.recordProtection(
            found, insteadOf: card.protection, of: card.uid)
        throw .overtaken
    }

    /// Voids an open payment or finishes any other operation. A fresh record gets a number above
    /// every number on the tag.
    private mutating func rewrite(
        _ reading: CardReading, _ known: KnownCard, _ version: CardVersion, at station: Station
    ) async throws(Interruption) -> Decision<Never> {
        try await station.passwords.switchToSealingKey(for: reading)
        guard let open = known.open else {
            return try await station.resolver.reseal(reading, version, above: reading.highest)
        }
        // Without a trusted record, nothing shows that the payment reached the card.
        if open.kind.isVoidable {
            let voided = try await asking(
                await station.ledger.voidOpenPayment(
                    on: reading.uid, version: version, at: station.now))
            if let voided { tap.history.note(ended: voided) }
            // Voiding ended the open operation, so the expected version has no open operation.
            let version = CardVersion(confirmed: version.confirmed, open: nil)
            return try await station.resolver.reseal(reading, version, above: reading.highest)
        }
        let sealer = try station.sealing.sealer(of: reading)
        let resolution = try await asking(
            await station.ledger.resume(
                open, version: version, tagHolds: reading.highest, sealer: sealer, at: station.now))
        if case .open(let resumed) = resolution { return .perform(resumed, isAuthenticated: false) }
        return .readAgain
    }
}
