import CardCryptography
import CardImage
import CardStore
import Ledger
public import TapcardDomain
import Type2Tag

extension Station {
    /// Makes a card of the tag on the reader. Finishes an interrupted making of the same card.
    public func make(_ order: CardOrder, id: OperationID) async throws(TapcardError) -> CardReading
    {
        try await run(CardMaking(order, id))
    }

    /// The earlier making under this id, if it matches the order; throws if it does not.
    func known(
        _ id: OperationID, _ order: CardOrder
    ) async throws(TapcardError) -> Operation? {
        let known = try await whileAsking { () throws(LedgerError) in
            try await ledger.operation(id)
        }
        guard let known else { return nil }
        guard order.isAnswered(by: known) else { throw mismatch(known) }
        if known.state == .voided { throw voided(known) }
        return known
    }

    /// The card after the tag or the reader was lost: the ledger has the outcome, also of an
    /// earlier tap with the same id.
    func concludeMaking(
        _ request: PendingRequest, _ history: TapHistory, after error: TapcardError
    ) async -> Result<CardReading, TapcardError>? {
        // The making with this id belongs to another order.
        guard error.kind != .operationMismatch else { return nil }
        switch await outcome(of: request, history, after: error) {
        case nil: return nil
        case .failure(let failure): return .failure(failure)
        case .success(let making):
            // A card that was made and cannot be trusted is not shown as a good one.
            if error.blamesCard { return nil }
            if let reading = try? await reading(of: making.uid, .outOfDate) {
                return .success(await self.reading(reading, tellingOf: making, history, request))
            }
            return .failure(TapcardError.madeUnread(making, because: error).retriable(making))
        }
    }

    /// Removes the record of an earlier life from a new card's other record place.
    func finish(
        _ id: OperationID, _ sight: Sight, _ history: TapHistory, _ request: PendingRequest
    ) async throws(Interruption) -> Decision<CardReading> {
        guard let view = sight.view, let seen = sight.seen else { return .lookAgain }
        let making = try await asking { () throws(LedgerError) in try await ledger.operation(id) }
        guard let making else { return .lookAgain }
        let other = sight.slots.slots[1 - (sight.slots.best?.place ?? 0)]
        if other != .blank, !isOwn(other, view, since: making) {
            return Decision(try await reseal(sight, seen, above: .none))
        }
        // An earlier try may have ended between the record and the part that phones read.
        let refreshed = await refreshDisplay(
            on: sight, content: view.card.content(sight.highest, balance: view.balance),
            of: view.card, rewritingAll: view.card.isDisplayStale)
        let reading = try await reading(
            of: sight.uid, refreshed == .current ? history.display : refreshed)
        return .done(await self.reading(reading, tellingOf: making, history, request))
    }

    /// Whether a record was made by the operation that made the card, or after it.
    private func isOwn(
        _ slot: RecordSlots.Slot, _ view: CardView, since making: Operation
    ) -> Bool {
        guard case .valid(let record) = slot, let issued = view.issued[record.sequence] else {
            return false
        }
        return issued.operation == making.id || record.sequence > making.sequence
    }

    func make(
        _ order: CardOrder, of sight: Sight, noting request: inout PendingRequest
    ) async throws(Interruption) -> Decision<CardReading> {
        guard let tag = sight.tag else { return .lookAgain }
        let found = try await requireWritable(
            tag, sight.identity, sight.uid, known: sight.view?.card, protecting: order.protects)
        let plan = try await plan(order, for: sight, tag, found)
        try requireConfirmedClosing(order, of: sight)
        if sight.isGivenUp, !found.isSettled {
            // The operation left open by an earlier try goes first: its pages may be weak.
            try admit(plan, on: sight)
            _ = try await release(sight)
            throw .overtaken
        }
        let open = try await openToEnd(by: order, on: sight)
        switch try await begin(.make(plan), on: sight, noting: &request) {
        case .begun(let work):
            request.operation = work.operation
            for id in open {
                let ended = try await asking { () throws(LedgerError) in
                    try await ledger.operation(id)
                }
                if let ended, ended.state != .pending { request.ended.append(ended) }
            }
            return .perform(work, isOpened: false)
        // Another station has begun the same request.
        case .known(let operation):
            request.operation = operation
            return .lookAgain
        case .mismatched(let operation): throw .refused(mismatch(operation))
        case .refused(let refusal): throw .refused(TapcardError(refusal, uid: sight.uid))
        case .changed: return .lookAgain
        }
    }

    /// The open operations that the making ends: that of a card that is issued again, and that of
    /// the lost card.
    private func openToEnd(
        by order: CardOrder, on sight: Sight
    ) async throws(Interruption) -> [OperationID] {
        var open = [sight.view?.open?.id]
        if case .replace(let lost) = order.origin {
            let view = try await asking { () throws(LedgerError) in
                try await ledger.view(of: lost)
            }
            open.append(view?.open?.id)
        }
        return open.compactMap { $0 }
    }

    /// Requires a confirmation to close an account that holds money: a person has to hand it out.
    private func requireConfirmedClosing(
        _ order: CardOrder, of sight: Sight
    ) throws(Interruption) {
        guard order.mayReissue, !settings.isConfirmed, let view = sight.view,
            view.balance.minorUnits > 0
        else { return }
        throw .refused(
            TapcardError(
                .confirmationNeeded,
                "The card still holds \(view.balance.shown). A new account on it closes the old one.",
                meaning: "Nothing was changed on card or ledger.",
                next: [.card(.payOutOrConfirm(view.balance))], uid: sight.uid))
    }

    /// Refuses an order that the ledger would refuse, before the tag is touched.
    private func admit(_ plan: CardPlan, on sight: Sight) throws(Interruption) {
        do {
            try sight.view?.admits(.make(plan))
        } catch {
            throw .refused(TapcardError(error, uid: sight.uid))
        }
    }

    /// Whether the making that an earlier tap had left open matches the order.
    func isDone(
        _ order: CardOrder, by settled: Operation, _ view: CardView?
    ) async throws(Interruption) -> Bool {
        guard let view, view.card.face == order.face, order.isAnswered(by: settled),
            !order.protects || view.card.protection != .off
        else { return false }
        switch order.origin {
        case .issue(let holder, _, let hasScratchCard):
            return view.card.holder == holder
                && (view.card.scratch == .unscratched) == hasScratchCard
        case .adopt: return true
        case .replace(let lost):
            let lost = try await asking { () throws(LedgerError) in
                try await ledger.view(of: lost)
            }
            return lost?.card.status == .replaced
        }
    }

    private func plan(
        _ order: CardOrder, for sight: Sight, _ tag: SightedTag, _ found: CardProtection
    ) async throws(Interruption) -> CardPlan {
        var holder = Holder.nobody
        var balance = Money(minorUnits: 0, currency)
        var scratch = ScratchCard.none
        let origin: CardPlan.Origin
        switch order.origin {
        case .issue(let wanted, let amount, let hasScratchCard):
            do {
                try requireOwnCurrency(amount)
            } catch {
                throw .refused(error)
            }
            try await requireFree(sight, order)
            (holder, balance) = (wanted, amount)
            scratch = hasScratchCard ? .unscratched : .none
            origin = .issue
        case .replace(let lost):
            try await requireFree(sight, order)
            let view = try await asking { () throws(LedgerError) in
                try await ledger.view(of: lost)
            }
            if let card = view?.card { (holder, scratch) = (card.holder, card.scratch) }
            origin = .replace(lost: lost)
        case .adopt(let accepted):
            let found = try await foundValue(sight)
            (holder, scratch) = (found.holder, found.scratch)
            if let accepted {
                guard accepted == found.balance else {
                    throw .refused(
                        TapcardError(
                            .refusal(.badAmount),
                            "The tag says \(found.balance.shown), not \(accepted.shown).",
                            meaning: "Nothing was changed on card or ledger.",
                            next: [.request(.acceptBalance)],
                            uid: sight.uid))
                }
                balance = accepted
            }
            origin = .adopt(message: sight.image.area + sight.image.records.joined())
        }
        // The ledger must not begin a card that does not fit on its tag.
        let face = CardFace(
            style: order.face, balance: balance, holder: holder, scratch: scratch)
        do {
            _ = try face.area(in: sight.layout)
            try face.requireRoomForCode(in: sight.layout)
        } catch {
            throw .refused(TapcardError(error).naming(sight.uid))
        }
        return CardPlan(
            origin: origin, chip: sight.chip,
            isGenuineChip: try isGenuine(tag, sight.uid, order), holder: holder,
            scratch: scratch, face: order.face,
            protection: protection(order, sight.view?.card.protection, found), balance: balance,
            parameters: order.parameters, mayReissue: order.mayReissue,
            above: highest(on: sight, for: holder))
    }

    /// The highest number on the tag. A record that could not be checked without its holder's name
    /// may be valid for the new holder: the name is missing now, and the new card would bring it
    /// back.
    private func highest(on sight: Sight, for holder: Holder) -> SequenceNumber {
        let slots = RecordSlots(
            sight.image, uid: sight.uid, holders: [holder], currency: currency, keys: keys)
        return max(sight.highest, slots.best?.record.sequence ?? .none)
    }

    /// The first protection state of the new card, from the tag's actual one. A protection that was
    /// begun on an earlier card is not finished on a card that was ordered without it.
    private func protection(
        _ order: CardOrder, _ known: CardProtection?, _ found: CardProtection
    ) -> CardProtection {
        if order.protects { return found.protecting(with: keys.sealing.id) }
        return known?.isSettled == false ? found.unprotecting : found
    }

    /// Refuses a chip with an invalid signature. A chip without one is accepted: it does not claim
    /// to be genuine.
    private func isGenuine(
        _ tag: SightedTag, _ uid: CardUID, _ order: CardOrder
    ) throws(Interruption) -> Bool? {
        let originality = TagInfo.Originality(tag.signature, of: uid)
        guard originality != .invalid || order.acceptsAnyChip else {
            throw .refused(
                TapcardError(
                    .unsupportedTag,
                    "The maker's signature on this chip is not true: it is not the "
                        + "\(tag.chip.name) it says it is.", meaning: "Nothing was written to it.",
                    next: [.tag(.useAnotherOrAnyChip)], uid: uid))
        }
        return originality.isGenuine
    }

    /// Refuses to overwrite a tag that may be worth something to somebody.
    private func requireFree(_ sight: Sight, _ order: CardOrder) async throws(Interruption) {
        let unchanged = "Nothing was written to it."
        if let card = sight.view?.card {
            let content = sight.content
            if !sight.isGivenUp || order.mayOverwrite || content.isLeft(by: card) { return }
            throw .refused(
                TapcardError(
                    .notACard, "The tag carries something (\(content.word)).", meaning: unchanged,
                    next: [.tag(.overwrite)], uid: sight.uid))
        }
        switch try await stranger(sight) {
        case .blank: return
        case .sealed:
            if order.mayReissue { return }
            throw .refused(
                TapcardError(
                    .refusal(.cardKnown),
                    "The tag carries a card of another ledger, with a true seal.",
                    meaning: unchanged,
                    next: [.card(.adoptOrReissue)], uid: sight.uid))
        case .sealedElsewhere(_, _, let other):
            if !order.mayReissue { throw .refused(otherCurrency(other, sight.uid)) }
        case .unsealed:
            if order.mayOverwrite { return }
            throw .refused(
                TapcardError(
                    .refusal(.cardKnown), "The tag carries a card that others wrote.",
                    meaning: unchanged,
                    next: [.card(.adoptOrOverwrite)],
                    uid: sight.uid))
        case .untrusted(let error):
            if !order.mayOverwrite { throw .refused(error) }
        case .senseless, .other:
            if !order.mayOverwrite { throw .refused(try await strangerRefusal(sight)) }
        }
    }

    /// The value that a card of another writer shows.
    private func foundValue(
        _ sight: Sight
    ) async throws(Interruption) -> (holder: Holder, balance: Money, scratch: ScratchCard) {
        if let view = sight.view {
            throw .refused(
                TapcardError(
                    Refusal(.cardKnown, "card \(view.card.uid) is in this ledger already"),
                    uid: sight.uid))
        }
        switch try await stranger(sight) {
        case .sealed(let record, let face):
            return (
                face?.holder ?? .nobody, Money(minorUnits: Int64(record.balance), currency),
                record.scratch(beside: face)
            )
        // Any phone can write that a code is activated; the service can be asked for it.
        case .unsealed(let face): return (face.holder, face.balance, face.scratch.unactivated)
        case .sealedElsewhere(_, _, let other):
            throw .refused(otherCurrency(other, sight.uid))
        case .untrusted(let error): throw .refused(error)
        case .blank, .senseless, .other: throw .refused(try await strangerRefusal(sight))
        }
    }
}

extension Station {
    /// The reading of a new card, with the parts that it has lost or never had, and the operations
    /// settled on the way.
    fileprivate func reading(
        _ reading: CardReading, tellingOf making: Operation, _ history: TapHistory,
        _ request: PendingRequest
    ) async -> CardReading {
        var reading = reading
        reading.ticketsGivenUp = await ticketsGivenUp(by: making.id)
        // A repeated request must not make a cashier hand the money out twice.
        if !request.wasDone {
            let closed = await balanceClosed(by: making)
            if closed > 0 { reading.closed = Money(minorUnits: closed, currency) }
        }
        if case .codeOwner(let owner) = making.subject { reading.codeOwner = owner }
        reading.operation = making.id
        reading.settled =
            settled(history, besides: making.id) + request.ended.map { Settled($0, currency) }
        reading.sameHolderID = await cards(sharingNumberOf: reading)
        return reading
    }

    /// The cards that share the holder's number: two people with one number are a typing error; one
    /// person may have two cards. Empty where the ledger fails: the card was made all the same.
    private func cards(sharingNumberOf reading: CardReading) async -> [CardUID] {
        guard let id = reading.holder.id else { return [] }
        let sharing = try? await ledger.read { rows throws(LedgerError) in
            try rows.cards(of: id).filter {
                $0.isInUse && $0.uid != reading.uid && $0.holder.name != reading.holder.name
            }
        }
        return (sharing ?? []).map(\.uid)
    }
}

extension ScratchCard {
    /// The scratch card before its activation.
    fileprivate var unactivated: ScratchCard {
        if case .activated(let code) = self { .scratched(code) } else { self }
    }
}
