import CardCryptography
import CardImage
public import Games
public import Ledger
public import TapcardDomain

/// A change that has happened: it is in the ledger, and the card shows it or follows.
public struct Receipt: Sendable, Hashable {
    /// The operation, committed.
    public let operation: Operation
    /// The amount added to the card; negative for a payment.
    public let amount: Money
    /// The card's balance afterwards.
    public let balance: Money
    /// Whether this was a retry, and nothing happened this time.
    public let isReplayed: Bool
    /// The state of the text that phones read.
    public let display: DisplayState
    /// The unclaimed tickets that cannot be claimed any more.
    public var ticketsGivenUp: [Ticket] = []
    /// The operations of earlier taps that this one has settled before.
    public var settled: [Settled] = []
    /// What the ledger is still to book, where the change is only in the station's journal.
    public var deferral: Deferral?

    /// The card's number.
    public var uid: CardUID { operation.uid }

    /// The receipt of a request that took two taps, with the operations that the first has settled.
    func telling(_ earlier: [Settled]) -> Receipt {
        var receipt = self
        receipt.settled = earlier + settled
        return receipt
    }
}

/// A change of one card under an id: a payment, funds, a prize, a game.
package struct CardChange: UseCase {
    private var tapping: Tapping<ChangeRequest>

    /// `refusingRepetition` is for callers that chose no id of their own: where the tap has just
    /// settled the same request, it throws instead of repeating it.
    package init(
        _ intent: Intent, _ id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) {
        tapping = Tapping(
            ChangeRequest(intent, id, only: card, refusingRepetition: refusingRepetition))
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        try await tapping.step(at: station)
    }
}

/// A tap that changes the card on the reader and is answered by a receipt.
protocol ReceiptRequest: TapRequest where Success == Receipt {
    var intent: Intent { get }
    var request: PendingRequest { get set }
}

extension ReceiptRequest {
    mutating func carryOut(
        on sight: Sight, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<Receipt> {
        try await station.carryOut(intent, on: sight, history, noting: &request)
    }

    func performed(
        _ operation: Operation, _ display: DisplayState, _ history: inout TapHistory,
        at station: Station
    ) throws(Interruption) -> Receipt? {
        try station.performed(operation, display, history)
    }

    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) async -> Result<Receipt, TapcardError>? {
        await station.conclude(request, history, after: error)
    }
}

/// A change that may have begun before this call: under its id it happens once.
struct ChangeRequest: ReceiptRequest {
    let intent: Intent
    var request: PendingRequest
    private(set) var card: CardUID?

    /// `known` is the operation under the id, where the caller has looked it up already.
    init(
        _ intent: Intent, _ id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false, known: Operation? = nil
    ) {
        (self.intent, self.card) = (intent, card)
        request = PendingRequest(id, intent, only: card, refusingRepetition: refusingRepetition)
        request.operation = known
    }

    var pending: PendingRequest? { request }

    mutating func recall(at station: Station) async throws(TapcardError) -> Receipt? {
        if request.operation == nil {
            request.operation = try await station.known(request.id, intent, only: card)
        }
        guard let known = request.operation else {
            try station.requireLoading(for: intent)
            try station.requireUnderCeilings(intent)
            return nil
        }
        if known.state == .committed { return station.receipt(known, isReplayed: true) }
        try station.requireLoading(for: intent)
        card = card ?? known.uid
        return nil
    }
}

extension Station {
    /// Records a payment. `refusingRepetition` is for callers that chose no id of their own: where
    /// this tap has just settled the same payment, it throws and the card is not charged again.
    public func pay(
        _ amount: Money, id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try requirePositive(amount)
        return try await run(
            CardChange(.pay(amount), id, only: card, refusingRepetition: refusingRepetition))
    }

    /// Records funds that are in the drawer already. `refusingRepetition` is for callers that chose
    /// no id of their own, as for a payment.
    public func add(
        _ amount: Money, id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try requirePositive(amount)
        return try await run(
            CardChange(.add(amount), id, only: card, refusingRepetition: refusingRepetition))
    }

    /// The tickets that cannot be claimed any more after this operation; only the lottery knows
    /// their prizes. Empty if the ledger fails now: the operation has happened all the same.
    func ticketsGivenUp(by id: OperationID) async -> [Ticket] {
        (try? await ledger.ticketsGivenUp(by: id)) ?? []
    }

    /// Begins a change of a card without an open operation.
    func carryOut(
        _ intent: Intent, on sight: Sight, _ history: TapHistory,
        noting request: inout PendingRequest
    ) async throws(Interruption) -> Decision<Receipt> {
        let id = request.id
        if let known = try await asking(await ledger.answer(to: id)) {
            if request.isOurs(history) { return try await ended(known, on: sight, history) }
            let isAsked = try await asking(await isAnswered(request, by: known))
            guard isAsked, known.state == .committed || known.uid == sight.uid else {
                throw .refused(mismatch(known))
            }
            return try await ended(
                known, on: sight, history, isReplayed: !request.isNew(history))
        }
        if case .close = intent, let done = history.done(.close) {
            return try await ended(done, on: sight, history)
        }
        if let repeated = request.repetition(in: history) {
            throw .refused(await justSettled(repeated))
        }
        guard let view = sight.view else { throw try await strangerRefusal(sight) }
        try requireUnderCeilings(intent, on: view)
        try requireRoom(for: intent, on: sight)
        try await requireOpened(sight)
        switch try await begin(intent, on: sight, noting: &request) {
        case .begun(let work):
            request.operation = work.operation
            // The ledger's state may have changed since the card was seen.
            let isOpened =
                sight.view?.card.protection.openingKeyID == work.card.protection.openingKeyID
            return .perform(work, isOpened: isOpened)
        case .known, .changed: return .lookAgain
        case .mismatched(let operation): throw .refused(mismatch(operation))
        case .refused(let refusal): throw .refused(refusal, uid: sight.uid)
        }
    }

    /// The receipt of a change that was begun.
    func performed(
        _ operation: Operation, _ display: DisplayState, _ history: TapHistory
    ) throws(Interruption) -> Receipt? {
        try finished(
            operation, history, display == .outOfDate ? .outOfDate : history.display)
    }

    /// Begins a request in the ledger, and notes it where the outcome is unknown.
    func begin(
        _ intent: Intent, on sight: Sight, noting pending: inout PendingRequest
    ) async throws(Interruption) -> Beginning {
        let request = request(intent, pending.id, sight.uid)
        do throws(TapcardError) {
            try requireLoading(for: intent)
        } catch {
            throw .refused(error)
        }
        let sealer = try sealer(of: sight)
        do throws(LedgerError) {
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

    /// The receipt for a request whose operation has ended.
    private func finished(
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

    /// The answer to a request that is found to have ended, with a card on the reader. Where the
    /// answer of the commit was lost, what phones read was not refreshed.
    func ended(
        _ operation: Operation, on sight: Sight, _ history: TapHistory, isReplayed: Bool = false
    ) async throws(Interruption) -> Decision<Receipt> {
        var display = history.display
        if operation.state == .committed, operation.uid == sight.uid, let view = sight.view {
            // A view from before the operation would bring an older text back.
            let isSeen = view.open == nil && view.card.confirmed >= operation.sequence
            display = isSeen ? await refreshDisplay(ofQuiet: sight, view, history) : .outOfDate
        }
        return Decision(try finished(operation, history, display, isReplayed: isReplayed))
    }

    func conclude(
        _ request: PendingRequest, _ history: TapHistory, after error: TapcardError
    ) async -> Result<Receipt, TapcardError>? {
        // The operation with this id belongs to another request.
        guard error.kind != .operationMismatch else { return nil }
        if let outcome = await outcome(of: request, history, after: error) {
            return outcome.map {
                receipt($0, isReplayed: !request.isNew(history), history, .outOfDate)
            }
        }
        return await answer(request, by: history)
    }

    /// Answers a request that was not begun from the operations that the tap has settled: the
    /// requested closing, or the payment that a caller without an id would repeat.
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

    /// The operation under a known id, if it matches the request; throws if it does not.
    func known(
        _ id: OperationID, _ intent: Intent, only card: CardUID?
    ) async throws(TapcardError) -> Operation? {
        let repetition = try await whileAsking(await ledger.repetition(of: intent, id))
        switch repetition {
        case .known(let operation):
            guard card.map(operation.wasTapped) ?? true else { throw mismatch(operation) }
            if operation.state == .voided { throw voided(operation) }
            return operation
        case .mismatched(let operation): throw mismatch(operation)
        case .begun, .changed, .refused, nil: return nil
        }
    }

    /// The receipt of an operation; of a tap, with the operations that it has settled before.
    func receipt(
        _ operation: Operation, isReplayed: Bool, _ history: TapHistory? = nil,
        _ display: DisplayState? = nil
    ) -> Receipt {
        Receipt(
            operation: operation, amount: operation.change(in: currency),
            balance: Money(minorUnits: operation.balanceAfter ?? 0, currency),
            isReplayed: isReplayed, display: display ?? history?.display ?? .current,
            settled: history.map { settled($0, besides: operation.id) } ?? [])
    }

    func requirePositive(_ amount: Money) throws(TapcardError) {
        guard amount.minorUnits > 0 else {
            throw TapcardError(Refusal(.badAmount, "the amount must be above 0"))
        }
        try requireOwnCurrency(amount)
    }

    /// Refuses an amount in another currency.
    func requireOwnCurrency(_ amount: Money) throws(TapcardError) {
        guard amount.currency == currency else {
            throw TapcardError(
                LedgerError(
                    .wrongCurrency,
                    "the ledger is kept in \(currency.code), the amount is in "
                        + amount.currency.code))
        }
    }

    /// Requires room on the tag for a code: members that other writers added may have taken it.
    func requireRoom(for intent: Intent, on sight: Sight) throws(Interruption) {
        guard case .scratch(let code) = intent, let view = sight.view, let pages = sight.pages
        else { return }
        let face = CardFace(
            style: view.card.face, balance: view.balance, holder: view.card.holder,
            scratch: .scratched(code), extras: extras(on: sight, pages, of: view.card))
        do {
            _ = try face.area(in: pages.layout)
        } catch {
            throw .refused(TapcardError(error).naming(sight.uid))
        }
    }
}

extension UniqueID {
    /// The id derived from this one and a purpose, so that a retry has the same id.
    func derived(for purpose: String) -> UniqueID { UniqueID(for: purpose, bytes) }

    /// Derives the id from a purpose and its subject.
    init(for purpose: String, _ subject: [UInt8]) {
        let digest = SHA256.digest(Array("tapcard/\(purpose)/".utf8) + subject)
        guard let id = UniqueID(random: Array(digest.prefix(16))) else {
            preconditionFailure("a digest has fewer bytes than an id")
        }
        self = id
    }
}
