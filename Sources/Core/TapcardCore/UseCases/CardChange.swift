package import Ledger
package import TapcardDomain

/// A change to one card, identified by an ID: a payment, a top-up, a prize, or a game.
///
/// The change may have begun in an earlier call. Each ID takes effect only once.
package struct CardChange: ReceiptUseCase {
    var tap = Tap()
    var request: PendingRequest

    /// `refusingIfJustResolved` is for callers without an ID of their own: if the tap has just
    /// resolved an identical request, this use case throws instead of repeating it.
    package init(
        _ action: CardAction, _ id: OperationID, only card: CardUID? = nil,
        refusingIfJustResolved: Bool = false
    ) {
        request = PendingRequest(
            id, action, only: card, refusingIfJustResolved: refusingIfJustResolved)
    }

    /// `known` is the operation with this ID, which the caller has already looked up.
    init(_ action: CardAction, _ id: OperationID, known: Operation) {
        self.init(action, id)
        request.operation = known
    }

    var pending: PendingRequest? { request }
    /// The only card that is accepted. If the request has already begun, it continues with the card
    /// on which it began.
    var card: CardUID? { request.only ?? request.operation?.uid }

    mutating func recall(at station: Station) async throws(TapcardError) -> Receipt? {
        if request.operation == nil {
            request.operation = try await station.answering.known(
                request.id, request.action, only: request.only, &tap.history)
        }
        // A recorded request was within the limits when it began, so only a new one is checked.
        guard let known = request.operation else {
            try station.sealing.requirePermission(for: request.action)
            try station.limits.requireWithinCeilings(request.action)
            return nil
        }
        if known.state == .committed { return station.answering.receipt(known, isReplayed: true) }
        try station.sealing.requirePermission(for: request.action)
        return nil
    }
}

/// A tap that changes the card on the reader and returns a receipt.
protocol ReceiptUseCase: TapUseCase where Success == Receipt {
    var request: PendingRequest { get set }
}

extension ReceiptUseCase {
    /// Begins the change on a card that has no open operation.
    mutating func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Receipt> {
        // Another caller may have used the ID while we waited for the card. `beginning` also
        // detects that, so the first attempt at a new request can skip this query.
        if tap.rounds > 0 || request.operation != nil,
            let decision = try await recorded(on: reading, at: station)
        {
            return decision
        }
        do throws(Interruption) {
            return try await beginning(on: reading, at: station)
        } catch {
            // A refusal says that nothing happened.
            guard case .refused = error, tap.rounds == 0,
                let decision = try await recorded(on: reading, at: station)
            else { throw error }
            return decision
        }
    }

    /// How the tap continues if the ledger has recorded the request by now; nil if it has not.
    private func recorded(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Receipt>? {
        guard let known = try await asking(await station.ledger.answer(to: request.id)) else {
            return nil
        }
        if request.wasHandledByThisCall(tap.history) {
            return try await station.answering.ended(known, on: reading, tap.history)
        }
        let isSame = try await asking(await station.answering.isAnswered(request, by: known))
        // A pending operation can only be finished with its own card.
        guard isSame, known.state == .committed || known.uid == reading.uid else {
            throw .refused(station.answering.mismatch(known))
        }
        return try await station.answering.ended(
            known, on: reading, tap.history, isReplayed: !request.isNew(tap.history))
    }

    private mutating func beginning(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Receipt> {
        // This tap completed an earlier request to close the card, and the money has not been paid
        // out yet.
        if case .close = request.action, let done = tap.history.done(.close) {
            return try await station.answering.ended(done, on: reading, tap.history)
        }
        if let repeated = request.repetition(in: tap.history) {
            throw .refused(await station.answering.justResolved(repeated))
        }
        guard let known = reading.known else {
            throw try await station.unknownTags.refusal(reading)
        }
        try station.limits.requireWithinCeilings(request.action, on: known)
        try station.faceWriter.requireRoom(for: request.action, on: reading)
        // The password is checked before the operation begins, so that no money is reserved for a
        // copied card.
        try await station.passwords.requirePasswordAccepted(reading)
        switch try await request.begin(request.action, on: reading, at: station) {
        case .begun(let open):
            request.operation = open.operation
            // The card's protection may have changed since the tag was opened.
            let isAuthenticated =
                reading.known?.card.protection.possiblyRequiredKeyID
                == open.card.protection.possiblyRequiredKeyID
            return .perform(open, isAuthenticated: isAuthenticated)
        case .known, .changed: return .readAgain
        case .mismatched(let operation): throw .refused(station.answering.mismatch(operation))
        case .refused(let refusal): throw .refused(refusal, uid: reading.uid)
        }
    }
}

extension PendingRequest {
    /// Begins the request in the ledger. If the outcome is unknown, sets `possiblyBegun` to the
    /// operation that may have begun.
    mutating func begin(
        _ action: CardAction, on reading: CardReading, at station: Station
    ) async throws(Interruption) -> BeginOutcome {
        let request = Request(action, id, reading.uid, at: station, under: reading.known?.keyPolicy)
        try translating(station.sealing.requirePermission(for: action), into: Interruption.refused)
        let sealer = try station.sealing.sealer(of: reading)
        do throws(LedgerError) {
            return try await station.ledger.begin(
                request, version: reading.version, sealer: sealer)
        } catch {
            if error.kind == .outcomeUnknown {
                // The transaction may be on disk, so no error may claim that nothing happened.
                possiblyBegun = Operation(
                    id: id, uid: reading.uid, kind: action.kind, by: station.requester,
                    beganAt: station.now)
            }
            throw .ledger(error)
        }
    }
}

extension Request {
    /// Creates a request that is made now by the station's requester.
    init(
        _ action: CardAction, _ id: OperationID, _ uid: CardUID, at station: Station,
        under keyPolicy: KeyPolicy? = nil
    ) {
        self.init(
            id: id, uid: uid, action: action, by: station.requester, at: station.now,
            uptime: station.dependencies.uptime(), under: keyPolicy)
    }
}

extension ReceiptUseCase {
    /// The receipt for the change that was begun.
    func performed(
        _ operation: Operation, _ display: DisplayState, at station: Station
    ) throws(Interruption) -> Receipt? {
        try station.answering.receiptIfEnded(
            operation, tap.history, display == .outOfDate ? .outOfDate : tap.history.display)
    }

    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<Receipt, TapcardError>? {
        await station.answering.conclude(request, tap.history, after: error)
    }
}
