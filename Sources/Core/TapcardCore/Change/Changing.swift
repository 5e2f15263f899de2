import CardCryptography
import CardImage
public import Ledger
public import TapcardDomain

/// A change that has happened: the ledger has it, and the card, or it follows.
public struct Receipt: Sendable, Hashable {
    public let operation: Operation
    /// What was added to the card; negative for a payment.
    public let amount: Money
    /// What the card held afterwards.
    public let balance: Money
    /// The same request came again; nothing happened this time.
    public let isReplayed: Bool
    public let display: DisplayState
    /// Those that were not claimed and cannot be from now on.
    public var ticketsGivenUp: [Ticket] = []
    /// What earlier taps had left open and this one has settled before.
    public var settled: [Settled] = []

    public var uid: CardUID { operation.uid }

    /// The receipt of a request that took two taps, with what the first has settled.
    func telling(_ earlier: [Settled]) -> Receipt {
        var receipt = self
        receipt.settled = earlier + settled
        return receipt
    }
}

extension Station {
    /// Records a payment.
    ///
    /// `refusingRepetition` is for callers that chose no id of their own: where this tap has just
    /// settled the same payment, they are told so and the card is not charged once more.
    public func pay(
        _ amount: Money, id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try requirePositive(amount)
        return try await run(
            CardChange(.pay(amount), id, only: card, refusingRepetition: refusingRepetition))
    }

    /// Records funds that are in the drawer already.
    ///
    /// `refusingRepetition` is for callers that chose no id of their own, as for a payment.
    public func add(
        _ amount: Money, id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try requirePositive(amount)
        return try await run(
            CardChange(.add(amount), id, only: card, refusingRepetition: refusingRepetition))
    }

    /// The tickets that nobody can claim since that was done to their card: whether they were worth
    /// anything, the lottery knows. What was done is not denied where the ledger goes away behind it.
    func ticketsGivenUp(by id: OperationID) async -> [Ticket] {
        (try? await ledger.ticketsGivenUp(by: id)) ?? []
    }

    /// Begins a change of a card on which nothing is open.
    func carryOut(
        _ intent: Intent, on sight: Sight, _ history: TapHistory,
        noting request: inout PendingRequest
    ) async throws(Interruption) -> Decision<Receipt> {
        let id = request.id
        if let known = try await asking({ () throws(LedgerError) in try await ledger.operation(id) }
        ) {
            if request.isOurs(history) { return Decision(try finished(known, history)) }
            let isAsked = try await asking { [request] () throws(LedgerError) in
                try await isAnswered(request, by: known)
            }
            guard isAsked, known.state == .committed || known.uid == sight.uid else {
                throw .refused(mismatch(known))
            }
            return Decision(
                try finished(known, history, isReplayed: !request.isNew(history)))
        }
        if case .close = intent, let done = history.done(.close) {
            return .done(receipt(done, isReplayed: false, history))
        }
        if let repeated = request.repetition(in: history) {
            throw .refused(await justSettled(repeated))
        }
        guard let view = sight.view else { throw .refused(try await strangerRefusal(sight)) }
        try requireUnderCeilings(intent, on: view)
        try requireRoom(for: intent, on: sight)
        try await requireOpened(sight)
        switch try await begin(intent, on: sight, noting: &request) {
        case .begun(let work):
            request.operation = work.operation
            // The ledger may have it otherwise by now than it was seen.
            let isOpened =
                sight.view?.card.protection.openingKeyID == work.card.protection.openingKeyID
            return .perform(work, isOpened: isOpened)
        case .known, .changed: return .lookAgain
        case .mismatched(let operation): throw .refused(mismatch(operation))
        case .refused(let refusal): throw .refused(TapcardError(refusal, uid: sight.uid))
        }
    }

    /// The end of a change that was begun.
    func performed(
        _ operation: Operation, _ display: DisplayState, _ history: TapHistory
    ) throws(Interruption) -> Receipt? {
        try finished(
            operation, history, display == .outOfDate ? .outOfDate : history.display)
    }

    /// Begins a request in the ledger. Where nobody can say whether it has, that is remembered.
    func begin(
        _ intent: Intent, on sight: Sight, noting pending: inout PendingRequest
    ) async throws(Interruption) -> Beginning {
        let request = request(intent, pending.id, sight.uid)
        do {
            return try await ledger.begin(request, seen: sight.seen, sealer: sealer)
        } catch {
            if error.kind == .outcomeUnknown {
                pending.perhaps = Operation(
                    id: pending.id, uid: sight.uid, kind: intent.kind, cashier: cashier,
                    begunAt: now)
            }
            throw .ledger(error)
        }
    }

    /// What to say of a request whose operation has come to an end.
    func finished(
        _ operation: Operation, _ history: TapHistory, _ display: DisplayState? = nil,
        isReplayed: Bool = false
    ) throws(Interruption) -> Receipt? {
        switch operation.state {
        case .pending: return nil
        case .voided: throw .refused(voided(operation))
        case .committed:
            return receipt(operation, isReplayed: isReplayed, history, display)
        }
    }

    func conclude(
        _ request: PendingRequest, _ history: TapHistory, after error: TapcardError
    ) async -> Result<Receipt, TapcardError>? {
        // The operation that has this id is not the one that was asked for.
        guard error.kind != .operationMismatch else { return nil }
        if let outcome = await outcome(of: request, history, after: error) {
            return outcome.map {
                receipt($0, isReplayed: !request.isNew(history), history, .outOfDate)
            }
        }
        return await answer(request, by: history)
    }

    /// Answers a request that was not begun from what the tap has settled: the closing that was
    /// asked for, or the payment that a caller without an id would repeat.
    private func answer(
        _ request: PendingRequest, by history: TapHistory
    ) async -> Result<Receipt, TapcardError>? {
        guard request.operation == nil, case .change(let intent, _) = request.parameters
        else { return nil }
        if case .close = intent, let done = history.done(.close) {
            return .success(receipt(done, isReplayed: false, history, .outOfDate))
        }
        guard let repeated = request.repetition(in: history) else { return nil }
        return .failure(await justSettled(repeated))
    }

    /// The card is gone, or is no longer to be trusted: the ledger alone says what became of the
    /// request, and where it cannot be asked any more, what this tap has seen of it. What it has is
    /// done, whatever the card is by now; the next tap tells. Nil where nothing was begun: then
    /// the error says it all.
    func outcome(
        of request: PendingRequest, _ history: TapHistory, after error: TapcardError
    ) async -> Result<Operation, TapcardError>? {
        let known: Operation?
        do {
            known = try await ledger.operation(request.id)
        } catch {
            known = history.seen(request.id) ?? request.operation
            if known == nil, let perhaps = request.perhaps {
                return .failure(
                    TapcardError.perhapsBegun(perhaps, because: TapcardError(error))
                        .retriable(perhaps))
            }
        }
        guard let operation = known else {
            guard error.result == .ledger, let perhaps = request.perhaps else { return nil }
            return .failure(TapcardError.notBegun(perhaps))
        }
        if !request.isOurs(history), (try? await isAnswered(request, by: operation)) == false {
            return .failure(mismatch(operation))
        }
        switch operation.state {
        case .committed: return .success(operation)
        case .pending where error.blamesCard: return .failure(error.leavingOpen(operation))
        case _ where error.blamesCard: return nil
        // Why it was voided is in the error.
        case .voided where error.kind == .lockedTag && operation.kind.switchesProtection:
            return .failure(error)
        case .voided: return .failure(voided(operation))
        case .pending:
            let open =
                error.kind == .outcomeUnknown
                ? error : TapcardError.openStill(operation, because: error)
            return .failure(open.retriable(operation))
        }
    }

    /// A request whose id is known: the same request again, or a mistake.
    func known(
        _ id: OperationID, _ intent: Intent, only card: CardUID?
    ) async throws(TapcardError) -> Operation? {
        let repetition = try await whileAsking { () throws(LedgerError) in
            try await ledger.repetition(of: intent, id)
        }
        switch repetition {
        case .known(let operation):
            guard card == nil || card == operation.uid else { throw mismatch(operation) }
            if operation.state == .voided { throw voided(operation) }
            return operation
        case .mismatched(let operation): throw mismatch(operation)
        case .begun, .changed, .refused, nil: return nil
        }
    }

    func receipt(
        _ operation: Operation, isReplayed: Bool, _ display: DisplayState = .current
    ) -> Receipt {
        Receipt(
            operation: operation, amount: operation.change(in: currency),
            balance: Money(minorUnits: operation.balanceAfter ?? 0, currency),
            isReplayed: isReplayed, display: display)
    }

    /// The answer of a tap, with what it has settled before.
    func receipt(
        _ operation: Operation, isReplayed: Bool, _ history: TapHistory,
        _ display: DisplayState? = nil
    ) -> Receipt {
        var receipt = receipt(operation, isReplayed: isReplayed, display ?? history.display)
        receipt.settled = settled(history, besides: operation.id)
        return receipt
    }

    /// The same question to the ledger outside of a tap.
    func whileAsking<Success: Sendable>(
        _ question: () async throws(LedgerError) -> Success
    ) async throws(TapcardError) -> Success {
        do {
            return try await question()
        } catch {
            throw TapcardError(error)
        }
    }

    func requirePositive(_ amount: Money) throws(TapcardError) {
        guard amount.minorUnits > 0 else {
            throw TapcardError(
                Refusal(.badAmount, "the amount must be above 0"))
        }
        try requireOwnCurrency(amount)
    }

    /// Minor units of another currency are other money.
    func requireOwnCurrency(_ amount: Money) throws(TapcardError) {
        guard amount.currency == currency else {
            throw TapcardError(
                LedgerError(
                    .wrongCurrency,
                    "the ledger is kept in \(currency.code), the amount is in "
                        + amount.currency.code))
        }
    }

    /// A code needs room on the tag. Members that others added may have taken it.
    func requireRoom(for intent: Intent, on sight: Sight) throws(Interruption) {
        guard case .scratch(let code) = intent, let view = sight.view else { return }
        let face = CardFace(
            style: view.card.face, balance: view.balance, holder: view.card.holder,
            scratch: .scratched(code), extras: extras(on: sight, of: view.card))
        do {
            _ = try face.area(in: sight.layout)
        } catch {
            throw .refused(TapcardError(error).naming(sight.uid))
        }
    }
}

extension UniqueID {
    /// An id that follows from this one and a purpose, so that asking again asks for the same.
    func derived(for purpose: String) -> UniqueID { UniqueID(for: purpose, bytes) }

    /// The id that follows from a purpose and what it is about.
    init(for purpose: String, _ subject: [UInt8]) {
        let digest = SHA256.digest(Array("tapcard/\(purpose)/".utf8) + subject)
        guard let id = UniqueID(random: Array(digest.prefix(16))) else {
            preconditionFailure("a digest has fewer bytes than an id")
        }
        self = id
    }
}
