import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Tickets, their prizes, and games that are kept.
    static let tickets = [
        Scenario("a ticket is held when it begins, and counts once it is confirmed") { till in
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.ticket(.sample(), .cents(200)), id: 2)
            #expect(open.ticket == .sample() && open.content.balance == .cents(800))
            let known = try await till.knownCard()
            #expect(known.purse?.available == .cents(800) && known.card.ticket == nil)
            #expect(try await till.ledger.tickets(of: .first) == [])
            #expect(open.cardAfterConfirmation.ticket == .sample())

            let operation = try await till.confirm(open)
            #expect(operation.balanceAfter == 800 && operation.ticketID == Ticket.sample().id)
            #expect(operation.subject == .ticket(.sample()))
            #expect(operation.change(in: .usd) == .cents(-200))
            #expect(try await till.balance(of: .takings) == 200)
            #expect(
                try await till.knownCard().card == open.cardAfterConfirmation.confirmed(by: open))
            let sold = try #require(try await till.ledger.tickets(of: .first))
            #expect(sold.map(\.sold.ticket) == [.sample()] && sold[0].sold.price == 200)
            #expect(sold[0].claim == nil && sold[0].sold.boughtAt == .tick(2))
        },
        Scenario("a purchase that is voided leaves no ticket and holds nothing") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.ticket(.sample(1), .cents(100)), id: 2)
            let open = try await till.open(.ticket(.sample(2), .cents(200)), id: 3)
            let voided = try await till.ledger.voidOpenPayment(
                on: .first, version: CardVersion(try await till.knownCard()), at: .end)
            #expect(voided?.state == .voided)
            let known = try await till.knownCard()
            #expect(known.purse?.available == .cents(900) && known.card.ticket == .sample(1))
            #expect(try await till.ledger.tickets(of: .first)?.count == 1)
            #expect(
                try await till.refusal(of: .claim(Ticket.sample(2).id, .cents(5)), id: 4)
                    == .wrongState)
            #expect(
                try await till.begin(.ticket(.sample(2), .cents(200)), id: 3)
                    == .known(try #require(voided)))
            #expect(open.ticket == .sample(2))
        },
        Scenario("a purchase is resolved at the next tap either way") { till in
            try await till.complete(.issue(), id: 1)
            let booked = try await till.open(.ticket(.sample(1), .cents(100)), id: 2)
            let resolved = try await till.end(booked, as: .committed, id: 3).open()
            #expect(resolved.card.ticket == .sample(1))
            try await till.confirm(resolved)
            let lost = try await till.open(.ticket(.sample(2), .cents(100)), id: 4)
            let resealed = try await till.end(lost, as: .voided, id: 5).open()
            #expect(resealed.card.ticket == .sample(1))
            try await till.confirm(resealed)
            let again = try await till.open(.ticket(.sample(3), .cents(100)), id: 6)
            let resumed = try await till.resume(again, tagHolds: 5).open()
            #expect(resumed.ticket == .sample(3))
            try await till.confirm(resumed)
            #expect(try await till.knownCard().card.ticket == .sample(3))
            #expect(try await till.balance() == 800)
        },
        Scenario("the same purchase again is the same ticket; another draw or price is another") {
            till in
            try await till.complete(.issue(), id: 1)
            let bought = try await till.complete(.ticket(.sample(1), .cents(100)), id: 2)
            #expect(try await till.begin(.ticket(.sample(9), .cents(100)), id: 2) == .known(bought))
            #expect(try await till.ledger.ticket(of: bought.id)?.ticket == .sample(1))
            for other in [
                CardAction.ticket(.sample(1, draw: 2), .cents(100)),
                .ticket(.sample(1), .cents(99)),
                .pay(.cents(100)),
            ] {
                #expect(try await till.begin(other, id: 2) == .mismatched(bought))
            }
            #expect(
                try await till.refusal(of: .ticket(.sample(1), .cents(100)), id: 3)
                    == .badIdentifier)
        },
        Scenario("a prize is booked at once, and once") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.ticket(.sample(), .cents(200)), id: 2)
            let claim = CardAction.claim(Ticket.sample().id, .cents(3000))
            let open = try await till.open(claim, id: 3)
            #expect(try await till.balance() == 3800)
            #expect(try await till.balance(of: .prizes) == -3000)
            #expect(
                try await till.ledger.voidOpenPayment(
                    on: .first, version: CardVersion(try await till.knownCard()), at: .end) == nil)
            let claimed = try await till.confirm(open)
            #expect(claimed.change(in: .usd) == .cents(3000))
            #expect(try await till.begin(claim, id: 3) == .known(claimed))
            #expect(
                try await till.begin(.claim(Ticket.sample().id, .cents(1)), id: 3)
                    == .mismatched(claimed))
            #expect(try await till.refusal(of: claim, id: 4) == .alreadyClaimed)
            #expect(try await till.ledger.tickets(of: nil)?.map(\.claim) == [claimed])
        },
        Scenario("a prize is for the card that bought the ticket, or one that replaced it") {
            till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            try await till.complete(.ticket(.sample(), .cents(200)), id: 3)
            try await till.complete(.game(.sample), id: 4)
            let claim = CardAction.claim(Ticket.sample().id, .cents(30))
            #expect(try await till.refusal(of: claim, id: 5, on: .second) == .wrongState)
            let third = CardUID.numbered(3)
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 5, on: third)
            let card = try await till.knownCard(third).card
            #expect(card.ticket == .sample() && card.game == .sample)
            #expect(try await till.ledger.tickets(of: third)?.count == 1)
            #expect(try await till.refusal(of: claim, id: 6) == .cardBlocked)
            try await till.complete(claim, id: 6, on: third)
            #expect(try await till.balance(third) == 830)
        },
        Scenario("a prize that has no room on the card is refused, and stays to be claimed") {
            till in
            try await till.complete(.issue(Currency.largestBalance), id: 1)
            try await till.complete(.ticket(.sample(), .cents(200)), id: 2)
            let claim = CardAction.claim(Ticket.sample().id, .cents(300))
            #expect(try await till.refusal(of: claim, id: 3) == .limitExceeded)
            try await till.complete(.pay(.cents(100)), id: 4)
            try await till.complete(claim, id: 3)
            #expect(try await till.balance() == Currency.largestBalance)
        },
        Scenario("a card issued anew has neither the tickets nor the game of its earlier life") {
            till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.ticket(.sample(), .cents(200)), id: 2)
            try await till.complete(.game(.sample), id: 3)
            try await till.complete(.reissue(), id: 4)
            let card = try await till.knownCard().card
            #expect(card.ticket == nil && card.game == nil)
            #expect(try await till.ledger.tickets(of: .first) == [])
            let claim = CardAction.claim(Ticket.sample().id, .cents(30))
            #expect(try await till.refusal(of: claim, id: 5) == .wrongState)
        },
        Scenario("a card issued anew to replace a lost one has the lost one's tickets alone") {
            till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            try await till.complete(.ticket(.sample(1), .cents(200)), id: 3)
            try await till.complete(.ticket(.sample(2), .cents(200)), id: 4, on: .second)
            let paid = try await till.complete(.pay(.cents(100)), id: 5)
            let paidByFormer = try await till.complete(.pay(.cents(100)), id: 6, on: .second)
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0, mayReissue: true)), id: 7,
                on: .second)
            #expect(try await till.balance(of: .reissued) == 700)
            let tickets = try await till.ledger.tickets(of: .second)
            #expect(tickets?.map(\.sold.ticket) == [.sample(1)])
            let claim = CardAction.claim(Ticket.sample(2).id, .cents(30))
            #expect(try await till.refusal(of: claim, id: 8, on: .second) == .wrongState)
            let refund = CardAction.refund(of: paidByFormer.id, nil)
            #expect(try await till.refusal(of: refund, id: 8, on: .second) == .notRefundable)
            try await till.complete(
                .claim(Ticket.sample(1).id, .cents(30)), id: 8, on: .second)
            try await till.complete(.refund(of: paid.id, nil), id: 9, on: .second)
            #expect(try await till.balance(.second) == 830)
            // The card's next holder has none of it, and the prize is still the buyer's.
            try await till.complete(.reissue(), id: 10, on: .second)
            #expect(try await till.ledger.tickets(of: .second) == [])
        },
        Scenario("closing gives up tickets and game; forgetting the holder does not") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.ticket(.sample(), .cents(200)), id: 2)
            try await till.complete(.game(.sample), id: 3)
            let card = try await till.ledger.change(
                .first, .forget, id: .numbered(4), at: .end
            ).get()
            #expect(card.ticket == .sample() && card.game == .sample)
            try await till.complete(.close, id: 5)
            let closed = try await till.knownCard().card
            #expect(closed.ticket == nil && closed.game == nil)
            #expect(try await till.ledger.tickets(of: .first)?.map(\.status) == [.closed])
            #expect(try await till.ledger.tickets(of: nil)?.map(\.status) == [nil])
            let claim = CardAction.claim(Ticket.sample().id, .cents(30))
            #expect(try await till.refusal(of: claim, id: 6) == .cardClosed)
        },
        Scenario("what can never be claimed any more is named, once") { till in
            try await till.complete(.issue(), id: 1)
            for number in 2...4 {
                try await till.complete(.ticket(.sample(number), .cents(10)), id: number)
            }
            try await till.complete(.claim(Ticket.sample(2).id, .cents(5)), id: 5)
            // They go along to the card that replaces it, whatever becomes of the tag.
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 6, on: .second)
            try await till.complete(.reissue(), id: 7)
            try await till.complete(.ticket(.sample(8), .cents(10)), id: 8)
            try await till.complete(.reissue(), id: 9)
            try await till.complete(.close, id: 10, on: .second)
            try await till.complete(
                .make(.sample(balance: 0, mayReissue: true)), id: 11, on: .second)
            let given = [1: [], 5: [], 6: [], 7: [], 9: [8], 10: [4, 3], 11: [], 99: []]
            for (id, tickets) in given {
                #expect(
                    try await till.ledger.ticketsGivenUp(by: .numbered(id))
                        == tickets.map { Ticket.sample($0) }, "\(id)")
            }
        },
        Scenario("a game is kept until another one is, or none") { till in
            try await till.complete(.issue(), id: 1)
            let kept = try await till.complete(.game(.sample), id: 2)
            #expect(kept.amount == 0 && kept.subject == MastermindGame?.sample.map { .game($0.id) })
            #expect(try await till.knownCard().card.game == .sample)
            #expect(try await till.begin(.game(.sample), id: 2) == .known(kept))
            #expect(try await till.begin(.game(nil), id: 2) == .mismatched(kept))
            try await till.complete(.game(nil), id: 3)
            #expect(try await till.knownCard().card.game == nil)
        },
        Scenario("tickets come newest first, also behind a replacement") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.ticket(.sample(1), .cents(1)), id: 2)
            try await till.complete(.ticket(.sample(2), .cents(1)), id: 3)
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 4, on: .second)
            try await till.complete(.ticket(.sample(3), .cents(1)), id: 5, on: .second)
            let tickets = try await till.ledger.tickets(of: .second)
            #expect(tickets?.map(\.sold.ticket) == [.sample(3), .sample(2), .sample(1)])
            #expect(try await till.ledger.tickets(of: .numbered(9)) == nil)
        },
    ]
}

extension LedgerCard {
    /// The card after its record is confirmed.
    fileprivate func confirmed(by open: OpenOperation) -> LedgerCard {
        var card = self
        card.confirmed = open.content.sequence
        return card
    }
}
