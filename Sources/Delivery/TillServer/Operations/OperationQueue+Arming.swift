import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The armed sale: the next card that arrives pays it, through the same queue and with its ID.
extension OperationQueue {
    private static let epoch = ContinuousClock.now
    var now: Duration { .now - OperationQueue.epoch }

    /// A request to arm a sale: a payment with everything but its card.
    struct SaleRequest: Sendable {
        let id: OperationID
        let client: OperationID
        let call: TillCall
        let members: [JSONMember]
        let cashier: CashierName?
    }

    /// Arms a sale for the page that sent the request.
    func arm(_ request: SaleRequest) throws(Problem) -> JSONValue {
        if isClosing { throw .closing(.nothing) }
        let command = try translating(
            request.call.parsed(request.members, as: request.id), into: Problem.init)
        // The cashier gives these only for a card that the page shows.
        let ofCard = ["card", "again", "confirmed"]
        guard !request.members.contains(where: { ofCard.contains($0.key) }) else {
            throw Problem(.usage, "An armed sale names no card and confirms nothing.")
        }
        guard request.call.needsReader(command) else {
            throw Problem(.usage, "A sale without a card is not armed.")
        }
        try requireNoConfirmation(command)
        guard hub.hasListener(request.client) else { throw .pageGone }
        guard atReader == nil else { throw .readerTaken(.nothing) }
        let replaced = arming.sale
        let isServed = admission.visit.certainty(of: .pay) == .yes
        switch arming.arm(request.id, for: request.client, at: now, isServed: isServed) {
        case .cardPresent: throw .cardPresent
        case .cardNeeded: throw .cardNeeded
        case .withdrawn: throw .notBegun
        case nil: break
        }
        if let replaced, replaced.client != request.client {
            publish("armed", OperationQueue.ended(replaced.id, .otherPage))
        }
        armed = request
        publish("armed", armedDocument)
        Task { [weak self] in
            try? await Task.sleep(for: Arming.limit)
            await self?.expire()
        }
        return armedDocument
    }

    private func expire() { if arming.expire(at: now) { disarmed(.expired) } }

    /// Disarms because a page changed its cart.
    func disarm(_ id: OperationID?, by client: OperationID?) throws(Problem) -> JSONValue {
        if let id, operation(id) != nil { throw .tooLate }
        if arming.change(id, of: client) { disarmed(.changed) }
        return OperationQueue.ended(id, .changed)
    }

    /// Reports that the sale is no longer armed. `card` pays it, if any does.
    func disarmed(_ end: Arming.End, by card: String? = nil) {
        guard let sale = armed else { return }
        armed = nil
        publish("armed", OperationQueue.ended(sale.id, end, by: card))
    }

    /// Disarms because the till loses sight of what is on the reader.
    func loseSight(_ end: Arming.End) { if arming.loseSight() { disarmed(end) } }

    /// Begins the payment of the armed sale if this card arrived for it.
    func cardArrived(
        _ uid: String?, _ problem: TapcardError?, seen: ContinuousClock.Instant
    ) {
        // Without the ledger, the station may still accept an offline payment.
        guard let uid, problem == nil || problem?.result == .ledger else {
            if arming.meetOther() { disarmed(.unclearCard) }
            return
        }
        let request = armed
        let (pays, ended) = arming.arrive(seen: seen - OperationQueue.epoch, at: now)
        if let ended { disarmed(ended, by: pays == nil ? nil : uid) }
        guard let pays, let request, request.id == pays.id else { return }
        let members =
            request.members + [
                JSONMember(key: "operation", value: .string(pays.id.description)),
                // Only the card that arrived may pay, even if it is swapped now.
                JSONMember(key: "card", value: .string(uid)),
            ]
        // The watch waits for this event to be handled, and the payment for the watch.
        Task { [weak self] in
            do throws(Problem) {
                _ = try await self?.carryOut(
                    request.call, members, by: request.client, cashier: request.cashier,
                    isRepeated: false)
            } catch {
                await self?.refuse(request, error)
            }
        }
    }

    /// Reports that the payment of an armed sale never became an operation.
    private func refuse(_ request: SaleRequest, _ problem: Problem) {
        publish(
            "operation",
            [
                "operation": .string(request.id.description), "verb": .string(request.call.path),
                "client": .string(request.client.description),
                "phase": .string(TillOperation.Phase.failed.rawValue), "uid": .null,
                "answer": .null, "problem": problem.document,
            ])
    }

    /// After a refusal, the page has to name the next card, until its sale is changed or paid.
    func noteOutcome(of id: OperationID, _ answer: TillRunner.Answer) {
        guard let operation = running[id], operation.call.mayBeArmed,
            let client = operation.client
        else { return }
        guard let problem = answer.problem else { return arming.paid(client) }
        switch problem.result {
        case .refused, .untrusted:
            let isQuestion = [.sameCard, .confirmationNeeded, .justResolved, .cancelled]
                .contains(problem.kind)
            if !isQuestion { arming.refused(client) }
        default: break
        }
    }

    // MARK: Documents

    var armedDocument: JSONValue {
        guard let armed else { return .null }
        return [
            "operation": .string(armed.id.description),
            "client": .string(armed.client.description), "verb": .string(armed.call.path),
            "request": .object(armed.members), "ended": .null, "card": .null,
        ]
    }

    private static func ended(
        _ id: OperationID?, _ end: Arming.End, by card: String? = nil
    ) -> JSONValue {
        [
            "operation": id.map { .string($0.description) } ?? .null, "client": .null,
            "verb": .null, "request": .null, "ended": .string(end.rawValue),
            "card": card.map { .string($0) } ?? .null,
        ]
    }

    private func requireNoConfirmation(_ command: ParsedCommand) throws(Problem) {
        guard try translating(runner.mustConfirmPayment(of: command), into: Problem.init)
        else { return }
        throw Problem(
            TapcardError(
                .confirmationNeeded, "A sale of this amount has to name its card.",
                meaning: "Nothing was charged or armed.", next: [.request(.checkAmount)]))
    }
}

extension TillCall {
    /// The kind of request that is carried out only once for a card in a visit. A sale with lines
    /// is a payment, too.
    var visitRequest: VisitRequest? { path == "sell" ? .pay : VisitRequest(rawValue: path) }
    /// Whether an arriving card may pay such a call.
    var mayBeArmed: Bool { visitRequest == .pay }
    /// The calls that can be armed.
    static let armable = all.filter(\.mayBeArmed)
}
