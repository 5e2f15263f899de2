import CardCryptography
import Cards
import Ledger
package import TapcardDomain

/// Makes a card, or finishes making one after an interruption.
package struct CardMaking: TapUseCase {
    var tap = Tap()
    private var request: PendingRequest

    package init(_ cardRequest: CardRequest, _ id: OperationID) {
        request = PendingRequest(id, cardRequest)
    }

    private var cardRequest: CardRequest {
        guard case .making(let cardRequest) = request.parameters else {
            preconditionFailure("a request for a new card has no change")
        }
        return cardRequest
    }

    var pending: PendingRequest? { request }
    var card: CardUID? { nil }
    var isThorough: Bool { true }

    mutating func recall(at station: Station) async throws(TapcardError) -> CardSummary? {
        request.operation = try await known(at: station)
        // A card that has already been made can be reported at any reader.
        if request.operation?.state != .committed { try station.sealing.requireTrustedReader() }
        // A repeated request was checked against the limits when it began.
        if request.operation == nil {
            try station.limits.requireWithinCeilings(cardRequest.origin)
        }
        request.wasDone = request.operation?.state == .committed
        return nil
    }

    /// The operation recorded under this ID; nil if there is none. Throws if the ID belongs to
    /// another request or the operation was voided.
    private func known(at station: Station) async throws(TapcardError) -> Operation? {
        let known = try await queryingLedger(await station.ledger.operation(request.id))
        guard let known else { return nil }
        guard cardRequest.isAnswered(by: known) else { throw station.answering.mismatch(known) }
        if known.state == .voided { throw station.answering.voided(known) }
        return known
    }

    /// Allows a reissue to begin even on a card that cannot be trusted, because an operator
    /// requested it.
    mutating func examine(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard cardRequest.mayReissue, reading.known?.open?.kind.makesCard != true,
            request.operation == nil, station.resolver.verdict(on: reading) != nil
        else { return .proceed }
        return try await make(on: reading, at: station)
    }

    mutating func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        if let making = request.operation {
            guard making.uid == reading.uid else {
                throw .refused(station.answering.mismatch(making))
            }
            return try await finish(request.id, on: reading, at: station)
        }
        if let resolved = tap.history.made,
            try await isDone(by: resolved, reading.known, at: station)
        {
            return try await finish(resolved.id, on: reading, at: station)
        }
        return try await make(on: reading, at: station)
    }

    /// The result after the tag or the reader was lost. The ledger has the outcome, even if an
    /// earlier tap with the same ID made the card.
    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<CardSummary, TapcardError>? {
        // The operation with this ID belongs to another request.
        guard error.kind != .operationMismatch else { return nil }
        switch await station.answering.outcome(of: request, tap.history, after: error) {
        case nil: return nil
        case .failure(let failure): return .failure(failure)
        case .success(let making):
            // A card that was made but cannot be trusted is not reported as a success.
            if error.isCardAtFault { return nil }
            if let summary = try? await station.summaries.card(making.uid, .outOfDate) {
                return .success(await fullSummary(summary, of: making, at: station))
            }
            return .failure(
                TapcardError.madeButUnreadable(making, because: error).advisingRetry(making))
        }
    }
}

extension CardMaking {
    /// Begins making the card in the ledger, unless the tag or its contents prevent that.
    private mutating func make(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        let found: CardProtection
        let signature: [UInt8]?
        switch reading.medium {
        case .pages(let pages):
            guard let tag = pages.tag else { return .readAgain }
            found = try await station.fitness.requireWritable(
                tag, reading.identity, reading.uid, known: reading.known?.card,
                protecting: cardRequest.protects)
            signature = tag.signature
        case .ntag424(let chip):
            guard let answers = chip.answers else { return .readAgain }
            // Some chips can never become a card, so they are refused before the ledger begins
            // anything.
            try await station.ntag424Writer.requireConvertible(chip, reading.uid, &tap.history)
            if reading.known != nil {
                try await station.ntag424Writer.invalidateAddresses(of: reading.uid, answers)
            }
            (found, signature) = (.off, answers.signature)
        }
        let plan = try await station.planning.plan(
            cardRequest, for: reading, signature, found)
        try requireConfirmedClosing(of: reading, at: station)
        if reading.isAbandoned, !found.isStable {
            // If an earlier attempt left the password partly set or removed, that is undone first,
            // because the pages involved may not hold their content reliably.
            try admit(plan, on: reading)
            _ = try await station.protectionSteps.release(reading)
            throw .overtaken
        }
        // The open operations are looked up before the new one begins, because beginning it ends
        // them.
        let open = try await operationsToEnd(on: reading, at: station)
        switch try await request.begin(.make(plan), on: reading, at: station) {
        case .begun(let begun):
            request.operation = begun.operation
            for id in open {
                let ended = try await asking(await station.ledger.operation(id))
                if let ended, ended.state != .pending { request.ended.append(ended) }
            }
            return .perform(begun, isAuthenticated: false)
        // Another station has begun an identical request.
        case .known(let operation):
            request.operation = operation
            return .readAgain
        case .mismatched(let operation): throw .refused(station.answering.mismatch(operation))
        case .refused(let refusal): throw .refused(refusal, uid: reading.uid)
        case .changed: return .readAgain
        }
    }

    /// The open operations that making the card ends: the one on the reissued card, and the one on
    /// the lost card that the new card replaces.
    private func operationsToEnd(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> [OperationID] {
        var open = [reading.known?.open?.id]
        if case .replace(let lost) = cardRequest.origin {
            let known = try await asking(await station.ledger.knownCard(of: lost))
            open.append(known?.open?.id)
        }
        return open.compactMap { $0 }
    }

    /// Requires confirmation before an account with money in it is closed, because someone has to
    /// pay that money out.
    private func requireConfirmedClosing(
        of reading: CardReading, at station: Station
    ) throws(Interruption) {
        guard cardRequest.mayReissue, !station.settings.isConfirmed, let known = reading.known,
            known.balance.minorUnits > 0
        else { return }
        throw .refused(
            .confirmationNeeded,
            "The card still has a balance of \(known.balance.shown), and reissuing it closes its "
                + "account and opens a new one.",
            meaning: TapcardError.unchanged,
            next: [.card(.payOutOrConfirm(known.balance))], uid: reading.uid)
    }

    /// Refuses a plan that the ledger would refuse, before anything is written to the tag.
    private func admit(_ plan: CardPlan, on reading: CardReading) throws(Interruption) {
        try translating(reading.known?.admits(.make(plan))) { (error: Refusal) in
            Interruption.refused(error, uid: reading.uid)
        }
    }
}

extension CardMaking {
    /// Whether the card that this tap finished making for an earlier request is also the one
    /// requested now.
    private func isDone(
        by resolved: Operation, _ known: KnownCard?, at station: Station
    ) async throws(Interruption) -> Bool {
        guard let known, known.card.face == cardRequest.face, cardRequest.isAnswered(by: resolved),
            // An NTAG 424 has no password, because its keys protect it anyway.
            !cardRequest.protects || known.card.protection != .off || known.card.chip == .ntag424
        else { return false }
        switch cardRequest.origin {
        case .issue(let holder, _, let hasScratchCard):
            return known.card.holder == holder
                && (known.card.scratch == .unscratched) == hasScratchCard
        case .adopt: return true
        case .replace(let lost):
            let lost = try await asking(await station.ledger.knownCard(of: lost))
            return lost?.card.status == .replaced
        }
    }

    /// Finishes making the card: overwrites the other slot if it holds a record from before the
    /// card was made, updates the text for phones, and returns the card's summary.
    private func finish(
        _ id: OperationID, on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard let known = reading.known, let version = reading.version else { return .readAgain }
        let making = try await asking(await station.ledger.operation(id))
        guard let making else { return .readAgain }
        let isStale = reading.slots.others.contains { slot in
            slot != .blank && !isOwn(slot, known, since: making)
        }
        // On an NTAG 424, the highest number counts, and nobody can write an old record back.
        if reading.pages != nil, isStale {
            return Decision(try await station.resolver.reseal(reading, version, above: .none))
        }
        // An earlier attempt may have ended after writing the record but before writing the text
        // for phones.
        let display = await station.faceWriter.refresh(ofResolved: reading, known, tap.history)
        let summary = try await station.summaries.card(reading.uid, display)
        return .done(await fullSummary(summary, of: making, at: station))
    }

    /// Whether the slot's record comes from the operation that made the card or from a later one.
    private func isOwn(
        _ slot: RecordSlots.Slot, _ known: KnownCard, since making: Operation
    ) -> Bool {
        guard case .valid(let record) = slot, let issued = known.issued[record.sequence] else {
            return false
        }
        return issued.operation == making.id || record.sequence > making.sequence
    }

    /// The new card's summary, with everything that has to be reported: lost tickets, a closed
    /// account, a code that another card keeps, resolved operations, and similar cards.
    private func fullSummary(
        _ summary: CardSummary, of making: Operation, at station: Station
    ) async -> CardSummary {
        var summary = summary
        summary.ticketsGivenUp = await station.answering.ticketsGivenUp(by: making.id)
        // A repeated request must not make a cashier pay out the money twice.
        if !request.wasDone {
            let closed = await station.resolver.balanceClosed(by: making)
            if closed > 0 { summary.closed = Money(minorUnits: closed, station.currency) }
        }
        if case .codeOwner(let owner) = making.subject { summary.codeOwner = owner }
        summary.operation = making.id
        summary.resolved =
            tap.history.resolved(besides: making.id, in: station.currency)
            + request.ended.map { ResolvedOperation($0, station.currency) }
        summary.sameHolderID = await cards(sharingNumberOf: summary, at: station)
        return summary
    }

    /// Other cards in use with the same cardholder number but a different name, probably because of
    /// a typing error. Two cards with the same name are fine, because a person may have two. Empty
    /// if the ledger fails: the card has already been made, so that is not reported as an error.
    private func cards(
        sharingNumberOf summary: CardSummary, at station: Station
    ) async -> [CardUID] {
        guard let id = summary.holder.id else { return [] }
        let sharing = try? await station.ledger.read { rows throws(LedgerError) in
            try rows.cards(of: id).filter {
                $0.isInUse && $0.uid != summary.uid && $0.holder.name != summary.holder.name
            }
        }
        return (sharing ?? []).map(\.uid)
    }
}

extension TapcardError {
    /// The error for a card that was made, if neither the tag nor the ledger can be read now.
    fileprivate static func madeButUnreadable(
        _ making: Operation, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) The card was made, but its content cannot be read from the ledger right "
                + "now.",
            meaning: "\(making.kind.titled(making.id)) is recorded.",
            next: [.ledger(.readCardWhenBack)], uid: making.uid, operation: making.id)
    }
}
