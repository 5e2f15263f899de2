import CardCryptography
import Cards
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
    /// The operations of earlier taps that this one has resolved before.
    public var resolved: [ResolvedOperation] = []
    /// What the ledger is still to book, where the change is only in the station's journal.
    public var unbooked: UnbookedPayments?

    /// The card's number.
    public var uid: CardUID { operation.uid }

    /// The receipt of a request that took two taps, with the operations that the first has
    /// resolved.
    func telling(_ earlier: [ResolvedOperation]) -> Receipt {
        var receipt = self
        receipt.resolved = earlier + resolved
        return receipt
    }
}

/// A change of one card under an id: a payment, a top-up, a prize, a game.
package struct CardChange: UseCase {
    private var tapping: Tapping<ChangeRequest>

    /// `refusingRepetition` is for callers that chose no id of their own: where the tap has just
    /// resolved the same request, it throws instead of repeating it.
    package init(
        _ action: CardAction, _ id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) {
        tapping = Tapping(
            ChangeRequest(action, id, only: card, refusingRepetition: refusingRepetition))
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        try await tapping.step(at: station)
    }
}

/// A tap that changes the card on the reader and is answered by a receipt.
protocol ReceiptRequest: TapRequest where Success == Receipt {
    var action: CardAction { get }
    var request: PendingRequest { get set }
}

extension ReceiptRequest {
    mutating func carryOut(
        on reading: CardReading, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<Receipt> {
        try await station.carryOut(action, on: reading, history, noting: &request)
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
    let action: CardAction
    var request: PendingRequest
    private(set) var card: CardUID?

    /// `known` is the operation under the id, where the caller has looked it up already.
    init(
        _ action: CardAction, _ id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false, known: Operation? = nil
    ) {
        (self.action, self.card) = (action, card)
        request = PendingRequest(id, action, only: card, refusingRepetition: refusingRepetition)
        request.operation = known
    }

    var pending: PendingRequest? { request }

    mutating func recall(at station: Station) async throws(TapcardError) -> Receipt? {
        if request.operation == nil {
            request.operation = try await station.known(request.id, action, only: card)
        }
        guard let known = request.operation else {
            try station.requireLoading(for: action)
            try station.requireUnderCeilings(action)
            return nil
        }
        if known.state == .committed { return station.receipt(known, isReplayed: true) }
        try station.requireLoading(for: action)
        card = card ?? known.uid
        return nil
    }
}

extension Station {
    /// Records a payment. `refusingRepetition` is for callers that chose no id of their own: where
    /// this tap has just resolved the same payment, it throws and the card is not charged again.
    public func pay(
        _ amount: Money, id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try requirePositive(amount)
        return try await run(
            CardChange(.pay(amount), id, only: card, refusingRepetition: refusingRepetition))
    }

    /// Records a top-up whose cash is in the drawer already. `refusingRepetition` is for callers that chose
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
        _ action: CardAction, on reading: CardReading, _ history: TapHistory,
        noting request: inout PendingRequest
    ) async throws(Interruption) -> Decision<Receipt> {
        let id = request.id
        if let known = try await asking(await ledger.answer(to: id)) {
            if request.isOurs(history) { return try await ended(known, on: reading, history) }
            let isAsked = try await asking(await isAnswered(request, by: known))
            guard isAsked, known.state == .committed || known.uid == reading.uid else {
                throw .refused(mismatch(known))
            }
            return try await ended(
                known, on: reading, history, isReplayed: !request.isNew(history))
        }
        if case .close = action, let done = history.done(.close) {
            return try await ended(done, on: reading, history)
        }
        if let repeated = request.repetition(in: history) {
            throw .refused(await justResolved(repeated))
        }
        guard let known = reading.known else { throw try await strangerRefusal(reading) }
        try requireUnderCeilings(action, on: known)
        try requireRoom(for: action, on: reading)
        try await requireOpened(reading)
        switch try await begin(action, on: reading, noting: &request) {
        case .begun(let open):
            request.operation = open.operation
            // The ledger's state may have changed since the card was seen.
            let isOpened =
                reading.known?.card.protection.openingKeyID == open.card.protection.openingKeyID
            return .perform(open, isOpened: isOpened)
        case .known, .changed: return .readAgain
        case .mismatched(let operation): throw .refused(mismatch(operation))
        case .refused(let refusal): throw .refused(refusal, uid: reading.uid)
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
        _ action: CardAction, on reading: CardReading, noting pending: inout PendingRequest
    ) async throws(Interruption) -> Beginning {
        let request = request(action, pending.id, reading.uid)
        do throws(TapcardError) {
            try requireLoading(for: action)
        } catch {
            throw .refused(error)
        }
        let sealer = try sealer(of: reading)
        do throws(LedgerError) {
            return try await ledger.begin(request, version: reading.version, sealer: sealer)
        } catch {
            if error.kind == .outcomeUnknown {
                pending.perhaps = Operation(
                    id: pending.id, uid: reading.uid, kind: action.kind, cashier: cashier,
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
        _ operation: Operation, on reading: CardReading, _ history: TapHistory,
        isReplayed: Bool = false
    ) async throws(Interruption) -> Decision<Receipt> {
        var display = history.display
        if operation.state == .committed, operation.uid == reading.uid, let known = reading.known {
            // What was known before the operation would bring an older text back.
            let isSeen = known.open == nil && known.card.confirmed >= operation.sequence
            display = isSeen ? await refreshDisplay(ofQuiet: reading, known, history) : .outOfDate
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

    /// Answers a request that was not begun from the operations that the tap has resolved: the
    /// requested closing, or the payment that a caller without an id would repeat.
    private func answer(
        _ request: PendingRequest, by history: TapHistory
    ) async -> Result<Receipt, TapcardError>? {
        guard request.operation == nil, case .change(let action, _) = request.parameters
        else { return nil }
        if case .close = action, let done = history.done(.close) {
            return .success(receipt(done, isReplayed: false, history, .outOfDate))
        }
        guard let repeated = request.repetition(in: history) else { return nil }
        return .failure(await justResolved(repeated))
    }

    /// The operation under a known id, if it matches the request; throws if it does not.
    func known(
        _ id: OperationID, _ action: CardAction, only card: CardUID?
    ) async throws(TapcardError) -> Operation? {
        let repetition = try await whileAsking(await ledger.repetition(of: action, id))
        switch repetition {
        case .known(let operation):
            guard card.map(operation.wasTapped) ?? true else { throw mismatch(operation) }
            if operation.state == .voided { throw voided(operation) }
            return operation
        case .mismatched(let operation): throw mismatch(operation)
        case .begun, .changed, .refused, nil: return nil
        }
    }

    /// The receipt of an operation; of a tap, with the operations that it has resolved before.
    func receipt(
        _ operation: Operation, isReplayed: Bool, _ history: TapHistory? = nil,
        _ display: DisplayState? = nil
    ) -> Receipt {
        Receipt(
            operation: operation, amount: operation.change(in: currency),
            balance: Money(minorUnits: operation.balanceAfter ?? 0, currency),
            isReplayed: isReplayed, display: display ?? history?.display ?? .current,
            resolved: history.map { resolved($0, besides: operation.id) } ?? [])
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
    func requireRoom(for action: CardAction, on reading: CardReading) throws(Interruption) {
        guard case .scratch(let code) = action, let known = reading.known, let pages = reading.pages
        else { return }
        let face = CardFace(
            style: known.card.face, balance: known.balance, holder: known.card.holder,
            scratch: .scratched(code), extras: extras(on: reading, pages, of: known.card))
        do {
            _ = try face.area(in: pages.layout)
        } catch {
            throw .refused(TapcardError(error).naming(reading.uid))
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
