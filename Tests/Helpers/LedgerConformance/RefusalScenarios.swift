import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Each rule that refuses a request, after which nothing has happened.
    static let refusals = [
        refusing("a card that is not known", .cardUnknown, .pay(.cents(1)), on: .second),
        refusing("more than there is", .insufficientBalance, .pay(.cents(1001))),
        refusing("a payment of nothing", .badAmount, .pay(.cents(0))),
        refusing("a negative payment", .badAmount, .pay(.cents(-1))),
        refusing("a top-up of nothing", .badAmount, .add(.cents(0))),
        refusing("a foreign currency", .badAmount, .pay(Money(minorUnits: 1, .foreign))),
        refusing("a foreign top-up", .badAmount, .add(Money(minorUnits: 1, .foreign))),
        refusing(
            "more than a card can hold", .limitExceeded,
            .add(.cents(Currency.largestBalance - 999))),
        refusing("an issue above the limit", .limitExceeded, .issue(100_000_000), on: .second),
        refusing("an issue below nothing", .limitExceeded, .issue(-1), on: .second),
        refusing("a card that is known", .cardKnown, .issue()),
        refusing("an activation before the scratch", .wrongState, .activate),
        refusing(
            "a ticket for more than there is", .insufficientBalance,
            .ticket(.sample(), .cents(1001))),
        refusing("a ticket for nothing", .badAmount, .ticket(.sample(), .cents(0))),
        refusing(
            "foreign money for a ticket", .badAmount,
            .ticket(.sample(), Money(minorUnits: 1, .foreign))),
        refusing(
            "a prize of a ticket that nobody bought", .wrongState,
            .claim(Ticket.sample().id, .cents(1))),
        refusing(
            "foreign money for a prize", .badAmount,
            .claim(Ticket.sample().id, Money(minorUnits: 1, .foreign))),
        refusing(
            "a replacement for an unknown card", .cardUnknown,
            .make(.sample(.replace(lost: .numbered(9)))), on: .second),
        refusing(
            "a card that replaces itself", .wrongState,
            .make(.sample(.replace(lost: .first), mayReissue: true))),
        refusing("a refund of the unknown", .notRefundable, .refund(of: .numbered(99), nil)),
        refusing("a refund of an issue", .notRefundable, .refund(of: .numbered(1), nil)),
        refusing(
            "a tag whose numbers are used up", .numbersExhausted,
            .make(.sample(above: .highest)), on: .second),
        refusing(
            "a re-issue above the last number", .numbersExhausted,
            .make(.sample(mayReissue: true, above: .highest))),
        Scenario("refuses a refund more than once, above the payment, or on another card") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            let payment = try await till.complete(.pay(.cents(400)), id: 3)
            let refund = CardAction.refund(of: payment.id, nil)
            let tooMuch = CardAction.refund(of: payment.id, .cents(401))
            #expect(try await till.refusal(of: tooMuch, id: 4) == .notRefundable)
            #expect(try await till.refusal(of: refund, id: 4, on: .second) == .notRefundable)
            let nothing = CardAction.refund(of: payment.id, .cents(0))
            #expect(try await till.refusal(of: nothing, id: 4) == .badAmount)
            try await till.complete(refund, id: 4)
            #expect(try await till.refusal(of: refund, id: 5) == .alreadyRefunded)
        },
        Scenario("refuses a refund of a payment that was voided") { till in
            try await till.complete(.issue(), id: 1)
            let payment = try await till.open(.pay(.cents(400)), id: 2)
            _ = try await till.ledger.voidOpenPayment(
                on: .first, version: CardVersion(try await till.knownCard()), at: .end)
            let refund = CardAction.refund(of: payment.operation.id, nil)
            #expect(try await till.refusal(of: refund, id: 3) == .notRefundable)
        },
        Scenario("refuses a second scratch and a second activation") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.scratch(.numbered(7)), id: 2)
            #expect(try await till.refusal(of: .scratch(.numbered(8)), id: 3) == .wrongState)
            try await till.ask(for: 3)
            try await till.answer(3)
            try await till.complete(.activate, id: 3)
            #expect(try await till.refusal(of: .activate, id: 4) == .wrongState)
        },
        Scenario("refuses changes of a closed card") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.close, id: 2)
            for action in [
                CardAction.pay(.cents(1)), .add(.cents(1)), .close, .activate,
                .ticket(.sample(), .cents(1)), .game(.sample),
            ] {
                #expect(try await till.refusal(of: action, id: 3) == .cardClosed)
            }
            let replace = CardAction.make(.sample(.replace(lost: .first)))
            #expect(try await till.refusal(of: replace, id: 3, on: .second) == .cardClosed)
        },
        Scenario("refuses changes of a blocked card, but not its replacement") { till in
            try await till.complete(.issue(), id: 1)
            _ = try await till.ledger.change(.first, .block, id: .numbered(2), at: .end).get()
            for action in [
                CardAction.pay(.cents(1)), .add(.cents(1)), .close, .issue(), .reissue(),
                .ticket(.sample(), .cents(1)), .game(.sample),
            ] {
                #expect(try await till.refusal(of: action, id: 3) == .cardBlocked)
            }
            let replace = CardAction.make(.sample(.replace(lost: .first)))
            try await till.complete(replace, id: 3, on: .second)
            #expect(try await till.refusal(of: .pay(.cents(1)), id: 4) == .cardBlocked)
            #expect(try await till.balance(.second) == 1000)
        },
        Scenario("refuses everything once the numbers are used up, except a replacement") { till in
            let above = try #require(SequenceNumber(SequenceNumber.last - 2))
            try await till.complete(.make(.sample(above: above)), id: 1)
            let last = try await till.open(.pay(.cents(100)), id: 2)
            #expect(last.content.sequence == .highest)
            #expect(
                try await till.resume(last, tagHolds: SequenceNumber.last)
                    == .refused(Refusal(.numbersExhausted, "")))
            #expect(
                try await till.end(last, as: .voided, id: 3)
                    == .refused(Refusal(.numbersExhausted, "")))
            try await till.confirm(last)
            for action in [
                CardAction.pay(.cents(1)), .reseal(above: .none), .close, .issue(), .reissue(),
            ] {
                #expect(try await till.refusal(of: action, id: 3) == .numbersExhausted)
            }
            let replace = CardAction.make(.sample(.replace(lost: .first)))
            try await till.complete(replace, id: 3, on: .second)
            #expect(try await till.balance(.second) == 900)
        },
    ]

    /// One request on a card with 10.00.
    private static func refusing(
        _ what: String, _ rule: Refusal.Rule, _ action: CardAction, on uid: CardUID = .first
    ) -> Scenario {
        Scenario("refuses \(what)") { till in
            try await till.complete(.issue(), id: 1)
            let before = try await Snapshot(of: till.ledger)
            #expect(try await till.refusal(of: action, id: 2, on: uid) == rule)
            #expect(try await Snapshot(of: till.ledger) == before)
        }
    }
}

extension Currency {
    static let foreign = Currency(code: "JPY") ?? .usd
}
