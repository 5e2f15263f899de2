import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// How a tag becomes a card.
    static let making = [
        Scenario("an issued card holds what was paid in") { till in
            let open = try await till.open(.issue(1250), id: 1)
            #expect(open.content.sequence.value == 1)
            #expect(open.content.balance == .cents(1250))
            #expect(open.content.holder == .amanda)
            #expect(open.confirmed == .none)
            #expect(open.record == till.sealer.seal(open.content))
            #expect(try await till.knownCard().card.confirmed == .none)

            let operation = try await till.confirm(open)
            #expect(operation.state == .committed)
            #expect(operation.balanceAfter == 1250)
            let known = try await till.knownCard()
            #expect(known.card.confirmed.value == 1)
            #expect(!known.card.isDisplayStale)
            #expect(known.open == nil)
            #expect(try await till.balance(of: .cash) == -1250)
            #expect(try await till.ledger.owner(ofRecord: open.record) == .first)
            #expect(
                try await till.ledger.owner(ofRecord: till.sealer.seal(open.content) + [0]) == nil)
        },
        Scenario("cards are found by their holder's number") { till in
            try await till.complete(.issue(100), id: 1)
            let id = try #require(Holder.amanda.id)
            let found = try await till.ledger.read { rows throws(LedgerError) in
                try rows.cards(of: id).map(\.uid)
            }
            #expect(found == [.first])
            let other = try HolderID(4_711)
            let none = try await till.ledger.read { rows throws(LedgerError) in
                try rows.cards(of: other)
            }
            #expect(none.isEmpty)
        },
        Scenario("an adopted card keeps the foreign message and books what was accepted") { till in
            let message: [UInt8] = [0xD1, 0x01, 0x00, 0x54]
            try await till.complete(
                .make(.sample(.adopt(message: message), balance: 300)), id: 1)
            #expect(try await till.knownCard().card.foreignMessage == message)
            #expect(try await till.balance() == 300)
            #expect(try await till.balance(of: .adopted) == -300)
        },
        Scenario("new numbers are above those under a valid seal on the tag") { till in
            let above = try #require(SequenceNumber(41))
            let open = try await till.open(.make(.sample(above: above)), id: 1)
            #expect(open.content.sequence.value == 42)
        },
        Scenario("a re-issued card begins a new account and goes on counting") { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.pay(.cents(400)), id: 2)
            let above = try #require(SequenceNumber(9))
            try await till.complete(
                .make(.sample(balance: 500, mayReissue: true, above: above)), id: 3)
            let known = try await till.knownCard()
            #expect(known.card.account == 2)
            #expect(known.card.allocated.value == 10)
            #expect(known.balance == .cents(500))
            #expect(try await till.balance(of: .purse(.first, 1)) == 0)
            #expect(try await till.balance(of: .reissued) == 600)
        },
        Scenario("a re-issue voids an open payment") { till in
            try await till.complete(.issue(), id: 1)
            let payment = try await till.open(.pay(.cents(400)), id: 2)
            try await till.complete(.reissue(), id: 3)
            let voided = try await till.ledger.confirm(payment, at: .end)
            guard case .voided(let operation) = voided else {
                throw Unexpected(answer: "\(voided)")
            }
            #expect(operation.id == payment.operation.id)
            #expect(try await till.balance() == 500)
            #expect(try await till.balance(of: .takings) == 0)
        },
        Scenario("a re-issue completes an open top-up, whose cash is in the drawer already") {
            till in
            try await till.complete(.issue(), id: 1)
            let added = try await till.open(.add(.cents(400)), id: 2)
            try await till.complete(.reissue(), id: 3)
            #expect(
                try await till.ledger.operation(added.operation.id)?.state == .committed)
            #expect(try await till.balance(of: .reissued) == 1400)
        },
        Scenario("a card that replaces a lost one takes over money, holder and scratch card") {
            till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.scratch(.numbered(77)), id: 2)
            let payment = try await till.open(.pay(.cents(400)), id: 3)
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0, scratch: .none)), id: 4,
                on: .second)

            #expect(try await till.ledger.operation(payment.operation.id)?.state == .voided)
            let lost = try await till.knownCard()
            #expect(lost.card.status == .replaced)
            #expect(lost.balance == .cents(0))
            let new = try await till.knownCard(.second)
            #expect(new.balance == .cents(1000))
            #expect(new.card.holder == .amanda)
            #expect(new.card.scratch == .scratched(.numbered(77)))
        },
    ]
}
