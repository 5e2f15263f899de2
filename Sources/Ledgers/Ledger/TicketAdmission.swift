import TapcardDomain

extension RequestContext {
    /// Refuses a claim unless the ticket is valid, its prize has not been booked yet, and the card
    /// bought the ticket or replaced the card that did.
    func requireClaimable(_ id: TicketID, on known: KnownCard) throws(Refusal) {
        guard let sold, let payment else {
            throw Refusal(.wrongState, "ticket \(id) was not sold by this ledger")
        }
        guard payment.state == .committed else {
            throw Refusal(.wrongState, "ticket \(id) is from a purchase that was not completed")
        }
        guard paidFrom.contains(where: accounts.contains) else {
            throw Refusal(
                .wrongState,
                sold.card == known.card.uid
                    ? "ticket \(id) was bought before the card was reissued and may be another "
                        + "person's"
                    : "ticket \(id) was bought with card \(sold.card), not with this card")
        }
        if let earlierClaim {
            throw Refusal(
                .alreadyClaimed,
                "ticket \(id) already has a prize, recorded by operation \(earlierClaim.id)")
        }
    }

    /// The code after the service has activated it. The activation has already happened, so it is
    /// recorded even on a card that was blocked in the meantime.
    func activating(_ card: LedgerCard) throws(Refusal) -> ScratchCard {
        if card.status != .blocked { try card.requireActive() }
        let activated = try card.scratch.activating()
        guard activation?.state == .active else {
            throw Refusal(.wrongState, "the service has not activated card \(card.uid)'s code")
        }
        return activated
    }
}

extension SoldTicket {
    /// The refusal of a second ticket with the same ID. Ticket IDs are derived from operation IDs,
    /// so a collision is possible but unlikely: there are 2^48 ticket IDs.
    var alreadySoldRefusal: Refusal {
        Refusal(
            .badIdentifier,
            "ticket \(ticket.id) was already sold, by operation \(operation); start again with a "
                + "new ID")
    }
}
