import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// An operator's actions without the card.
    static let status = [
        Scenario("a card is blocked and unblocked") { till in
            try await till.complete(.issue(), id: 1)
            let ledger = till.ledger
            let blocked = try await ledger.change(.first, .block, id: .numbered(2), at: .end)
            #expect(try blocked.get().status == .blocked)
            let again = try await ledger.change(.first, .block, id: .numbered(3), at: .end)
            #expect(again == .failure(Refusal(.wrongState, "")))
            _ = try await ledger.change(.first, .unblock, id: .numbered(4), at: .end).get()
            try await till.complete(.pay(.cents(1)), id: 5)
            let third = try await ledger.change(.first, .unblock, id: .numbered(6), at: .end)
            #expect(third == .failure(Refusal(.wrongState, "")))
            #expect(try await ledger.operation(.numbered(2))?.kind == .block)
            #expect(try await ledger.operation(.numbered(3)) == nil)
        },
        Scenario("a card that is not known has no status") { till in
            let answer = try await till.ledger.change(.first, .block, id: .numbered(1), at: .end)
            #expect(answer == .failure(Refusal(.cardUnknown, "")))
        },
        Scenario("forgetting blanks the name and a foreign message, not the id") { till in
            try await till.complete(.make(.sample(.adopt(message: [1, 2, 3]))), id: 1)
            _ = try await till.ledger.change(.first, .forget, id: .numbered(2), at: .end).get()
            let card = try await till.knownCard().card
            #expect(card.holder.name == nil)
            #expect(card.holder.id == Holder.amanda.id)
            #expect(card.foreignMessage == nil)
        },
        Scenario("the display is marked stale and good again") { till in
            try await till.complete(.issue(), id: 1)
            for stale in [false, false, true, true] {
                try await till.ledger.markDisplay(of: .first, stale: stale)
                #expect(try await till.knownCard().card.isDisplayStale == stale)
            }
            try await till.ledger.markDisplay(of: .second, stale: true)
            #expect(try await till.ledger.knownCard(of: .second) == nil)
        },
        Scenario("after a restored backup every card has a gap") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            #expect(try await till.ledger.skipNumbersAfterRestore() == [])
            #expect(try await till.ledger.skipNumbersAfterRestore() == [])
            let gaps = try await till.knownCard().gaps.map { gap in
                [gap.numbers.lowerBound.value, gap.numbers.upperBound.value]
            }
            #expect(gaps == [[2, 1 + restoreGap], [2 + restoreGap, 1 + 2 * restoreGap]])
            let open = try await till.open(.pay(.cents(1)), id: 3)
            #expect(open.content.sequence.value == 2 + 2 * restoreGap)
            try await till.confirm(open)
        },
        Scenario("a card whose numbers end with the gap is named") { till in
            let above = try #require(SequenceNumber(SequenceNumber.last - restoreGap))
            try await till.complete(.make(.sample(above: above)), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            #expect(try await till.ledger.skipNumbersAfterRestore() == [.first])
            #expect(try await till.refusal(of: .reseal(above: .none), id: 3) == .numbersExhausted)
            #expect(try await till.knownCard().gaps.first?.numbers.upperBound == .highest)
        },
    ]
}
