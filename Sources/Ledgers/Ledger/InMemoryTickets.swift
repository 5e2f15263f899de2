import TapcardDomain

/// Tickets and activation attempts, with the constraints that a database would enforce.
extension MemoryRows {
    func ticket(_ id: TicketID) -> SoldTicket? { tables.tickets.first { $0.ticket.id == id } }

    func ticket(of operation: OperationID) -> SoldTicket? {
        tables.tickets.first { $0.operation == operation }
    }

    func tickets(on uid: CardUID?) -> [SoldTicket] {
        tables.tickets.filter { uid == nil || $0.card == uid }
    }

    func insert(_ sold: SoldTicket) throws(LedgerError) {
        guard ticket(sold.ticket.id) == nil, ticket(of: sold.operation) == nil else {
            throw LedgerError(.corrupt, "ticket \(sold.ticket.id) is sold twice")
        }
        tables.tickets.append(sold)
    }

    func claim(of id: TicketID) -> Operation? {
        tables.operations.values.first { $0.subject == .prize(id) }
    }

    func activation(_ id: OperationID) -> ActivationAttempt? {
        tables.activations.first { $0.id == id }
    }

    func activation(of code: ScratchCode) -> ActivationAttempt? {
        tables.activations.first { $0.code == code && $0.state != .rejected }
    }

    func activations(
        on uid: CardUID?, or code: ScratchCode?, after id: OperationID?, atMost count: Int
    ) -> [ActivationAttempt] {
        activations(on: uid, or: code).after(id).prefixed(count)
    }

    func activations(
        on uid: CardUID?, or code: ScratchCode?, since start: Timestamp
    ) -> [ActivationAttempt] {
        activations(on: uid, or: code)
            .filter { $0.requestedAt.milliseconds >= start.milliseconds }
    }

    /// The attempts for this card, along with those for this code on any card; all attempts if no
    /// card is given.
    private func activations(on uid: CardUID?, or code: ScratchCode?) -> [ActivationAttempt] {
        tables.activations.filter { uid == nil || $0.card == uid || $0.code == code }
    }

    func insert(_ attempt: ActivationAttempt) throws(LedgerError) {
        guard activation(attempt.id) == nil, activation(of: attempt.code) == nil else {
            throw LedgerError(.corrupt, "code \(attempt.code) already has another attempt")
        }
        tables.activations.append(attempt)
    }

    func update(_ attempt: ActivationAttempt) throws(LedgerError) {
        guard
            let place = tables.activations.firstIndex(where: {
                $0.id == attempt.id && $0.state == .requested
            })
        else { throw LedgerError(.corrupt, "attempt \(attempt.id) is not open") }
        tables.activations[place] = attempt
    }
}
