import CardCryptography
import Cards
public import Ledger
public import TapcardDomain

extension TapcardError {
    /// The error for a card with an old record and a damaged one. The card may be a copy, but a
    /// genuine card looks the same if its newest record was lost.
    fileprivate static func onlyOldRecord(
        _ sequence: SequenceNumber, on card: LedgerCard
    ) -> TapcardError {
        TapcardError(
            .damaged,
            "The newest record on the card is number \(sequence), but the ledger has confirmed "
                + "number \(card.confirmed).",
            meaning: "The tag may be an old copy, or its newer record was lost. "
                + moneyIsSafe,
            next: [.card(.showHistory(card.uid)), .trust(.blockIfUnsure(card.uid))], uid: card.uid)
    }

    /// This error for a tap that also voided this open operation.
    fileprivate func voiding(_ open: Operation) -> TapcardError {
        reworded(
            meaning: meaning.replacing(
                TapcardError.moneyIsSafe,
                with: "The open \(open.kind.noun) was voided because of this, and the full balance "
                    + "is safe in the ledger."))
    }
}

extension LedgerCard {
    /// Whether the card's balance was moved to another card before its own tag was completely
    /// written.
    fileprivate var wasReplacedBeforeCompletion: Bool { status == .replaced && confirmed == .none }
}

extension CardReading {
    /// The refusal for a card that was closed or replaced and then formatted, so that its tag has
    /// no records; nil for any other card.
    var formattedRefusal: TapcardError? {
        guard let card = known?.card, isAbandoned else { return nil }
        return TapcardError(
            Refusal(
                .cardClosed,
                "the card on this tag was \(card.status.rawValue) earlier, and the tag now "
                    + content.state
            ), uid: uid)
    }
}

/// Evaluates the tag, and finishes or voids the operation that an earlier tap left open on the
/// card.
struct Resolver: StationWork {
    let station: Station

    /// Why this tag cannot be trusted; nil if it can, or if it is not in the ledger.
    func verdict(on reading: CardReading) -> TapcardError? {
        let uid = reading.uid
        if let closed = reading.formattedRefusal { return closed }
        switch reading.judgment {
        case .unknown, .inTheMaking, .trusted: return nil
        case .damaged where reading.known?.card.wasReplacedBeforeCompletion == true:
            // The tag was never completely written, so nothing can have been damaged since.
            return TapcardError(LedgerCard.reportedLost, uid: uid)
        case .damaged:
            if let sequence = reading.slots.best?.record.sequence, let card = reading.known?.card {
                return TapcardError.onlyOldRecord(sequence, on: card)
            }
            // Another station may have made the tag into a card in its own currency.
            if let other = station.unknownTags.sealedElsewhere(reading)?.currency {
                return issuedElsewhere(other, uid)
            }
            return TapcardError(
                .damaged,
                "This card is in the ledger, but all records on it are damaged or altered.",
                meaning: TapcardError.moneyIsSafe, next: [.trust(.repair(uid))], uid: uid)
        // Without a valid record, a card counts as forged only if one of its records is sealed with
        // a retired key.
        case .forged where reading.slots.best == nil:
            return TapcardError(
                .forged, "The card is forged: its records are sealed with a retired key.",
                meaning: "The card was rejected; the full balance is safe in the ledger.",
                next: [.trust(.repairIfKnown(uid))], uid: uid)
        case .forged:
            return TapcardError(
                .forged, "The card is forged: its record was never issued by this ledger.",
                meaning: "The card was rejected; the full balance is safe in the ledger.",
                next: [.trust(.keepAndBlock(uid))], uid: uid)
        case .rolledBack:
            return TapcardError(
                .rolledBack,
                "The card was rolled back: its record is older than the ledger's.",
                meaning: "This is a duplicate with the same number, or an old image was written "
                    + "back to the original card, so the card is not accepted. The full balance is "
                    + "safe in the ledger.",
                next: [.trust(.blockOrRepair(uid))], uid: uid)
        case .ledgerBehind:
            return TapcardError(
                .ledgerBehind, "The card's record is newer than the ledger's.",
                meaning: reading.known?.gaps.isEmpty == false
                    ? "The ledger was restored from a backup, and the operations since that backup "
                        + "are missing."
                    : "No restore is recorded, so an older ledger file was copied into place or "
                        + "someone else has key \(reading.slots.best?.record.keyID ?? 0).",
                next: [.ledger(.restoreNewer(uid))], uid: uid)
        }
    }

    /// The error for a card in this ledger whose tag has been turned into a card by another
    /// station.
    private func issuedElsewhere(_ other: Currency, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .cardCurrency,
            "This tag is listed in this machine's \(currency.code) ledger, but the card on it "
                + "uses \(other.code); use the card where \(other.code) is accepted.",
            meaning: TapcardError.moneyIsSafe,
            next: [.trust(.useAtItsStation), .trust(.replace(uid))], uid: uid)
    }

    /// Decides how to finish the operation that an earlier tap left open. Throws if the card cannot
    /// be trusted; an operation that is voided because of that is recorded in the tap's history.
    func resolve(
        _ reading: CardReading, for request: OperationID?, _ history: inout TapHistory
    ) async throws(Interruption) -> Decision<Never> {
        if let error = verdict(on: reading) {
            // Without a valid record, nothing shows that an open payment reached the card, so the
            // payment is voided.
            guard [.damaged, .cardCurrency].contains(error.kind) else { throw .refused(error) }
            let voided = try await asking(
                await ledger.voidOpenPayment(on: reading.uid, version: reading.version, at: now))
            if let voided { history.note(ended: voided) }
            throw .refused(voided.map(error.voiding) ?? error)
        }
        guard let known = reading.known, let version = reading.version else { return .proceed }
        if let error = history.unusable,
            let decision = try await end(on: reading, known, because: error, for: request, &history)
        {
            return decision
        }
        try await station.passwords.switchToSealingKey(for: reading)
        switch step(on: reading, known, for: request) {
        case .nothing:
            return .proceed
        case .resume(let open):
            dependencies.progress(.resolving(open.id))
            history.note(resolving: open)
            let sealer = try station.sealing.sealer(of: reading)
            let resolution = try await asking(
                await ledger.resume(
                    open, version: version, tagHolds: reading.highest, sealer: sealer, at: now))
            return try decision(after: resolution, on: reading)
        case .end(let open, let end):
            dependencies.progress(.resolving(open.id))
            history.note(resolving: open)
            let sealer = try station.sealing.sealer(of: reading)
            let resolution = try await asking(
                await ledger.end(
                    open, as: end, resealWith: station.newID(), version: version, sealer: sealer,
                    by: requester,
                    at: now))
            // The operation has ended, whether or not the fresh record can be written.
            if case .open = resolution { await recordOutcomeOfResolving(&history) }
            return try decision(after: resolution, on: reading)
        case .activate(let attempt):
            dependencies.progress(.resolving(attempt.id))
            do throws(Interruption) {
                let decision = try await begin(.activate, attempt.id, reading, version)
                if case .perform = decision { history.note(possiblyBegun: attempt.id) }
                return decision
            } catch .ledger(let cause) where cause.kind == .outcomeUnknown {
                // The operation may have begun, and the error for the activation has to say so.
                history.note(possiblyBegun: attempt.id)
                throw .ledger(cause)
            }
        case .reseal:
            // Without a sealing key, the tap continues; another station can write the fresh record.
            guard (try? station.sealing.sealer(of: reading)) != nil else { return .proceed }
            return try await reseal(reading, version, above: .none)
        }
    }

    /// Voids an open operation if this reading proves that its record is not on the chip, and the
    /// chip can never be written to again. The command that was to write the record belonged to a
    /// session that is over, so it cannot take effect later. Returns nil if the tap should continue
    /// as usual.
    private func end(
        on reading: CardReading, _ known: KnownCard, because error: TapcardError,
        for request: OperationID?, _ history: inout TapHistory
    ) async throws(Interruption) -> Decision<Never>? {
        guard let open = known.open else {
            // If the card is only being read, nothing has to be written to it.
            guard request == nil else { throw .refused(error) }
            return nil
        }
        // If the card has the new record, it was written in spite of the error.
        guard reading.highest < open.sequence else { return nil }
        guard open.kind.isVoidable else { throw .refused(error) }
        let voided = try await asking(
            await ledger.voidOpenPayment(on: reading.uid, version: reading.version, at: now))
        // Another station has changed the card in the meantime.
        guard let voided else { return .readAgain }
        history.note(ended: voided)
        // A request needs a write, but a card that is only read can still be reported.
        guard request == nil else { throw .refused(error) }
        return .readAgain
    }

    /// Looks up whether the operation that this tap was resolving has ended although no reply
    /// arrived. If so, the result of this tap has to report it.
    func recordOutcomeOfResolving(_ history: inout TapHistory) async {
        guard let open = history.resolving, let now = try? await ledger.operation(open.id) else {
            return
        }
        history.note(ended: now)
    }

    /// The balance that the tag's earlier account had when a new card was made from the tag. 0 if
    /// the ledger fails: the card has already been made, so that is not reported as an error.
    func balanceClosed(by making: Operation) async -> Int64 {
        guard making.kind.makesCard else { return 0 }
        return
            (try? await ledger.read { rows throws(LedgerError) in
                try rows.booked(besides: making).closed
            }) ?? 0
    }

    /// Begins writing the ledger's state to the card as a record with a new number.
    func reseal(
        _ reading: CardReading, _ version: CardVersion, above floor: SequenceNumber
    ) async throws(Interruption) -> Decision<Never> {
        try await begin(.reseal(above: floor), station.newID(), reading, version)
    }

    /// Begins an operation that is needed to bring the card up to date.
    private func begin(
        _ action: CardAction, _ id: OperationID, _ reading: CardReading, _ version: CardVersion
    ) async throws(Interruption) -> Decision<Never> {
        let request = Request(action, id, reading.uid, at: station)
        let sealer = try station.sealing.sealer(of: reading)
        let beginning = try await asking(
            await ledger.begin(request, version: version, sealer: sealer))
        switch beginning {
        case .begun(let open): return .perform(open, isAuthenticated: false)
        case .refused(let refusal): throw .refused(refusal, uid: reading.uid)
        case .known, .mismatched, .changed: return .readAgain
        }
    }

    private func decision(
        after resolution: Resolution, on reading: CardReading
    ) throws(Interruption) -> Decision<Never> {
        switch resolution {
        case .open(let open): return .perform(open, isAuthenticated: false)
        case .changed: return .readAgain
        case .refused(let refusal): throw .refused(refusal, uid: reading.uid)
        }
    }

    private func step(
        on reading: CardReading, _ known: KnownCard, for request: OperationID?
    ) -> ResolvingStep {
        // Until the card has been made, the tag's contents do not matter.
        if case .inTheMaking(let open) = reading.judgment { return .resume(open) }
        guard let best = reading.slots.best else { return .nothing }
        return ResolvingStep(
            tag: best.record, bytes: reading.slots.bytes[best.slotIndex],
            isUnderRetiredKey: keys.entry(best.record.keyID)?.status == .retired, known: known,
            expected: expectedBytes(of: best.record, known, on: reading), request: request,
            now: now,
            uptime: dependencies.uptime(), lifetime: settings.paymentLifetime)
    }

    /// The bytes that a record with this number would have if the ledger's current state were
    /// sealed with the same key. The key stays the same, so that a key rotation alone is no reason
    /// to write a fresh record. Empty if the rest of the card does not match.
    private func expectedBytes(
        of record: SealedRecord, _ known: KnownCard, on reading: CardReading
    ) -> [UInt8] {
        guard let entry = keys.entry(record.keyID), reading.fits(record) else { return [] }
        let content = known.card.content(record.sequence, balance: known.balance)
        return SealedRecord(content, on: reading.medium, under: entry)?.bytes ?? []
    }
}

/// An operation that an earlier tap left open and this tap ended.
///
/// Its outcome was never reported, so the result of this tap reports it, regardless of what was
/// requested.
public struct ResolvedOperation: Sendable, Hashable {
    /// The operation, in its final state.
    public let operation: Operation
    /// The amount that the operation added, or would have added, to the balance; negative for a
    /// payment.
    public let amount: Money
    /// The balance of the tag's earlier account if this operation closed it; otherwise, 0.
    public let closed: Money

    init(_ operation: Operation, closed: Int64 = 0, _ currency: Currency) {
        self.operation = operation
        amount = operation.change(in: currency)
        self.closed = Money(minorUnits: closed, currency)
    }

    /// Whether the operation happened; otherwise, it was voided.
    public var isDone: Bool { operation.state == .committed }
}

extension TapHistory {
    /// The operations that a tap resolved, except the requested one, which has its own receipt.
    func resolved(
        besides request: OperationID? = nil, in currency: Currency
    ) -> [ResolvedOperation] {
        if SafetyRule.resolvedIsReported.isDisabled { return [] }
        return resolved.filter { $0.id != request }.map {
            ResolvedOperation($0, closed: closed[$0.id] ?? 0, currency)
        }
    }
}
