import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The till's armed sale, which the next arriving card pays.
extension OperationQueue {
    /// The time that ``now`` counts from.
    private static let epoch = ContinuousClock.now
    /// The time on a monotonic clock, for ``arming``.
    var now: Duration { .now - OperationQueue.epoch }

    /// A page's request to arm a sale.
    struct SaleRequest: Sendable {
        /// The operation ID that the payment will have.
        let id: OperationID
        /// The page that armed the sale.
        let client: OperationID
        /// The call that makes the payment: `pay` or `sell`.
        let call: TillCall
        /// The members of that call, without `verb`, `operation`, and `client`.
        let members: [JSONMember]
        /// Who armed the sale.
        let requester: Requester
    }

    /// Arms a sale, replacing any other, and returns it as pages see it.
    ///
    /// - Throws: A ``Problem`` if the sale cannot be armed, for example because a card is on the
    ///   reader. A sale that was armed before stays armed.
    func arm(_ request: SaleRequest) async throws(Problem) -> JSONValue {
        await checking?.value
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

    /// Disarms the sale if its time is up. The timer of a sale that has been replaced changes
    /// nothing.
    private func expire() { if arming.expire(at: now) { disarmed(.expired) } }

    /// Disarms the till's sale, whichever page armed it. If `id` is given, the sale with this ID
    /// can no longer be armed, even by a request that arrives later. The page `client` no longer
    /// has to name its next card.
    ///
    /// - Throws: ``Problem/tooLate`` if the payment with this ID has begun.
    func disarm(_ id: OperationID?, by client: OperationID?) throws(Problem) -> JSONValue {
        if let id, operation(id) != nil { throw .tooLate }
        if !isReaderHere { throw .readerElsewhere }
        if arming.change(id, of: client) { disarmed(.changed) }
        return OperationQueue.ended(id, .changed)
    }

    /// Disarms a page's sale, because the page has begun a sale without a card.
    func endArmedSale(of client: OperationID?) {
        guard let client, armed?.client == client else { return }
        if arming.change(nil, of: client) { disarmed(.changed) }
    }

    /// Tells the pages why the sale is no longer armed. Call this after ``arming`` has ended it.
    /// `card` is the UID of the card that pays, if that is why the sale ended.
    func disarmed(_ end: Arming.End, by card: String? = nil) {
        guard let sale = armed else { return }
        armed = nil
        publish("armed", OperationQueue.ended(sale.id, end, by: card))
    }

    /// Disarms the sale because the reader was lost or is used by an operation.
    func loseSight(_ end: Arming.End) { if arming.loseSight() { disarmed(end) } }

    /// Starts the armed sale's payment if this card has just been put on the reader. Disarms the
    /// sale if the card has a problem of its own, or if it is unclear whether the card just
    /// arrived. `seen` is when the card was first detected, before it was read.
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
        // Waiting for the payment here would be a deadlock: the payment first waits for the watch
        // to end, and the watch waits for this method.
        Task { [weak self] in
            do throws(Problem) {
                _ = try await self?.carryOut(
                    request.call, members, by: request.client, for: request.requester,
                    isRepeated: false)
            } catch {
                await self?.refuse(request, error)
            }
        }
    }

    /// Tells the pages that a payment could not begin. They see it as a failed operation.
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

    /// Records the outcome of a page's payment. After a refusal, the page has to name its next
    /// card, unless the refusal only asks the cashier a question.
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

    /// The armed sale as pages see it; null if there is none.
    var armedDocument: JSONValue {
        guard let armed else { return .null }
        return [
            "operation": .string(armed.id.description),
            "client": .string(armed.client.description), "verb": .string(armed.call.path),
            "request": .object(armed.members), "ended": .null, "card": .null,
        ]
    }

    /// The document that says why a sale is no longer armed.
    private static func ended(
        _ id: OperationID?, _ end: Arming.End, by card: String? = nil
    ) -> JSONValue {
        [
            "operation": id.map { .string($0.description) } ?? .null, "client": .null,
            "verb": .null, "request": .null, "ended": .string(end.rawValue),
            "card": card.map { .string($0) } ?? .null,
        ]
    }

    /// Refuses a sale that leaves nothing to charge, or that needs a confirmation for its amount.
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
    /// The kind of request that a card's visit keeps track of; nil for all other calls.
    var visitRequest: VisitRequest? { path == "sell" ? .pay : VisitRequest(rawValue: path) }
    /// Whether the call takes a payment, so that it can be armed.
    var mayBeArmed: Bool { visitRequest == .pay }
    static let armable = all.filter(\.mayBeArmed)
}
