import TapcardDomain

extension Circumstances {
    /// Requires a prize that is not booked yet, on the card that bought the ticket or one that
    /// replaced it.
    func requireClaimable(_ id: TicketID, on known: KnownCard) throws(Refusal) {
        guard let sold, let payment else {
            throw Refusal(.wrongState, "this ledger has sold no ticket \(id)")
        }
        guard payment.state == .committed else {
            throw Refusal(.wrongState, "the purchase of ticket \(id) was not completed")
        }
        guard paidFrom.contains(where: accounts.contains) else {
            throw Refusal(
                .wrongState,
                sold.card == known.card.uid
                    ? "ticket \(id) was bought before the card was issued anew, maybe by someone else"
                    : "ticket \(id) was bought with card \(sold.card), not this one")
        }
        if let earlierClaim {
            throw Refusal(
                .alreadyClaimed,
                "the prize of ticket \(id) was booked before, by operation \(earlierClaim.id)")
        }
    }

    /// The code after the service activated it. That has already happened, so it is noted even on a
    /// card that was blocked meanwhile.
    func activating(_ card: LedgerCard) throws(Refusal) -> ScratchCard {
        if card.status != .blocked { try card.requireActive() }
        let activated = try card.scratch.activating()
        guard activation?.state == .active else {
            throw Refusal(.wrongState, "the service has not activated the code of card \(card.uid)")
        }
        return activated
    }
}

extension SoldTicket {
    /// The refusal of a second ticket with the same name. Names come from operation ids, and there
    /// are 2^48 of them.
    var isSold: Refusal {
        Refusal(
            .badIdentifier,
            "ticket \(ticket.id) was sold before, by operation \(operation); begin with another id")
    }
}
