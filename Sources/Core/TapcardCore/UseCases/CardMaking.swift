import CardCryptography
import CardImage
import CardStore
import ChipCard
import Ledger
public import TapcardDomain

/// The making of a card. It finishes an interrupted making of the same card.
package struct CardMaking: UseCase {
    private var tapping: Tapping<MakingRequest>

    package init(_ order: CardOrder, _ id: OperationID) {
        tapping = Tapping(MakingRequest(order, id))
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> CardReading? {
        try await tapping.step(at: station)
    }
}

private struct MakingRequest: TapRequest {
    private let order: CardOrder
    private var request: PendingRequest

    init(_ order: CardOrder, _ id: OperationID) {
        (self.order, request) = (order, PendingRequest(id, order))
    }

    var pending: PendingRequest? { request }
    var card: CardUID? { nil }
    var isThorough: Bool { true }

    mutating func recall(at station: Station) async throws(TapcardError) -> CardReading? {
        request.operation = try await station.known(request.id, order)
        if request.operation?.state != .committed { try station.requireLoading() }
        if request.operation == nil { try station.requireUnderCeilings(order.origin) }
        request.wasDone = request.operation?.state == .committed
        return nil
    }

    /// An operator who orders a reissue knows that the card cannot be trusted.
    mutating func examine(
        _ sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        guard order.mayReissue, sight.view?.open?.kind.makesCard != true,
            request.operation == nil, station.verdict(on: sight) != nil
        else { return .goOn }
        return try await station.make(order, of: sight, &history, noting: &request)
    }

    mutating func carryOut(
        on sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        if let making = request.operation {
            guard making.uid == sight.uid else { throw .refused(station.mismatch(making)) }
            return try await station.finish(request.id, sight, history, request)
        }
        if let settled = history.made,
            try await station.isDone(order, by: settled, sight.view)
        {
            return try await station.finish(settled.id, sight, history, request)
        }
        return try await station.make(order, of: sight, &history, noting: &request)
    }

    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) async -> Result<CardReading, TapcardError>? {
        await station.concludeMaking(request, history, after: error)
    }
}

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
        let known = try await whileAsking(await ledger.operation(id))
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
        let making = try await asking(await ledger.operation(id))
        guard let making else { return .lookAgain }
        // On a chip the highest number counts, and no record can be put back.
        let isStale = sight.slots.others.contains { slot in
            slot != .blank && !isOwn(slot, view, since: making)
        }
        if sight.pages != nil, isStale {
            return Decision(try await reseal(sight, seen, above: .none))
        }
        // An earlier try may have ended between the record and the part that phones read.
        let display = await refreshDisplay(ofQuiet: sight, view, history)
        let reading = try await reading(of: sight.uid, display)
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
        _ order: CardOrder, of sight: Sight, _ history: inout TapHistory,
        noting request: inout PendingRequest
    ) async throws(Interruption) -> Decision<CardReading> {
        let found: CardProtection
        let signature: [UInt8]?
        switch sight.medium {
        case .pages(let pages):
            guard let tag = pages.tag else { return .lookAgain }
            found = try await requireWritable(
                tag, sight.identity, sight.uid, known: sight.view?.card,
                protecting: order.protects)
            signature = tag.signature
        case .chip(let chip):
            guard let answers = chip.answers else { return .lookAgain }
            try await requireMakeable(chip, sight.uid, &history)
            if sight.view != nil { try await endAddresses(of: sight.uid, answers) }
            (found, signature) = (.off, answers.signature)
        }
        let plan = try await plan(order, for: sight, signature, found)
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
                let ended = try await asking(await ledger.operation(id))
                if let ended, ended.state != .pending { request.ended.append(ended) }
            }
            return .perform(work, isOpened: false)
        // Another station has begun the same request.
        case .known(let operation):
            request.operation = operation
            return .lookAgain
        case .mismatched(let operation): throw .refused(mismatch(operation))
        case .refused(let refusal): throw .refused(refusal, uid: sight.uid)
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
            let view = try await asking(await ledger.view(of: lost))
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
            .confirmationNeeded,
            "The card still holds \(view.balance.shown). A new account on it closes the old one.",
            meaning: "Nothing was changed on card or ledger.",
            next: [.card(.payOutOrConfirm(view.balance))], uid: sight.uid)
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
            !order.protects || view.card.protection != .off || view.card.chip == .ntag424
        else { return false }
        switch order.origin {
        case .issue(let holder, _, let hasScratchCard):
            return view.card.holder == holder
                && (view.card.scratch == .unscratched) == hasScratchCard
        case .adopt: return true
        case .replace(let lost):
            let lost = try await asking(await ledger.view(of: lost))
            return lost?.card.status == .replaced
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

extension TapcardError {
    /// The card was made, and neither tag nor ledger can be asked what it holds now.
    fileprivate static func madeUnread(
        _ making: Operation, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown, "\(error.what) The ledger cannot be asked what the card holds.",
            meaning: "The card was made (\(making.kind.noun) \(making.id)); the ledger has it.",
            next: [.ledger(.readCardWhenBack)], uid: making.uid, operation: making.id)
    }
}
