import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Requests to the service that activates codes, and their outcome.
    static let activation = [
        scratched("nothing goes onto the card before a yes is recorded") { till in
            #expect(try await till.refusal(of: .activate, id: 3) == .wrongState)
            let attempt = try await till.attempt(3)
            #expect(attempt.state == .requested && attempt.code == .numbered(7))
            #expect(try await till.knownCard().activation == attempt)
            #expect(try await till.refusal(of: .activate, id: 3) == .wrongState)
            let yes = try await till.answer(3)
            #expect(try await till.refusal(of: .activate, id: 4) == .wrongState)
            #expect(yes?.state == .active && yes?.answeredAt == .end)
            let open = try await till.open(.activate, id: 3)
            #expect(open.content.scratch == .activated(.numbered(7)))
            try await till.confirm(open)
            #expect(try await till.knownCard().activation == nil)
        },
        scratched("a code has one attempt without an answer, whoever asks again") { till in
            let attempt = try await till.attempt(3)
            #expect(try await till.attempt(3) == attempt)
            #expect(try await till.attempt(4) == attempt)
            #expect(try await till.ledger.activation(.numbered(4)) == nil)
        },
        scratched("an id that has asked about an open attempt stands for that one") { till in
            let attempt = try await till.attempt(3)
            for id in [4, 4, 5] { #expect(try await till.attempt(id) == attempt) }
            for id in [3, 4, 5] {
                #expect(
                    try await till.ledger.attempt(forRequest: .numbered(id)) == .numbered(3))
            }
            let no = try await till.answer(3, rejectedBy: "6.1")
            #expect(try await till.ask(for: 4) == .attempt(try #require(no)))
            _ = try await till.attempt(6)
            #expect(try await till.ask(for: 5) == .attempt(try #require(no)))
            let asking = try #require(try await till.ledger.operation(.numbered(4)))
            #expect(asking.kind == .ask && asking.state == .committed && asking.amount == 0)
            #expect(try await till.begin(.pay(.cents(1)), id: 4) == .mismatched(asking))
            #expect(try await till.begin(.activate, id: 4) == .mismatched(asking))
            // One that is used already is not kept again.
            try await till.ledger.keep(.numbered(3), for: .numbered(6), of: .first, at: .end)
            try await till.ledger.keep(.numbered(4), for: .numbered(6), of: .first, at: .end)
            #expect(try await till.ledger.operation(.numbered(4)) == asking)
        },
        scratched("an activation without an answer is no violation, and is named") { till in
            _ = try await till.attempt(3)
            #expect(try await till.ledger.audit().activating == [.first])
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 4, on: .second)
            #expect(try await till.ledger.audit().activating == [.second])
            try await till.answer(3)
            #expect(try await till.ledger.audit().activating == [])
            try await till.complete(.activate, id: 3, on: .second)
        },
        scratched("the first answer counts") { till in
            _ = try await till.attempt(3)
            let no = try await till.answer(3, rejectedBy: "6.1")
            #expect(no?.state == .rejected && no?.version == "6.1")
            #expect(try await till.answer(3) == no)
            #expect(try await till.knownCard().activation == nil)
            // Only that attempt has ended.
            #expect(try await till.ask(for: 3) == .attempt(try #require(no)))
            let second = try await till.attempt(4)
            #expect(second.id == .numbered(4))
            let yes = try await till.answer(4)
            #expect(try await till.answer(4, rejectedBy: "1") == yes)
            #expect(try await till.answer(99) == nil)
        },
        scratched("an attempt's id is nobody else's") { till in
            let attempt = try await till.attempt(3)
            #expect(try await till.begin(.pay(.cents(1)), id: 3) == .mismatched(attempt.operation))
            let payment = try await till.complete(.pay(.cents(1)), id: 4)
            #expect(try await till.ask(for: 4) == .mismatched(payment))
            try await till.complete(.issue(), id: 5, on: .second)
            #expect(
                try await till.ask(for: 3, on: .second) == .mismatched(attempt.operation))
            try await till.answer(3)
            let activated = try await till.complete(.activate, id: 3)
            #expect(try await till.ask(for: 3) == .known(activated))
        },
        scratched("a card with something open is judged again first") { till in
            let payment = try await till.open(.pay(.cents(1)), id: 3)
            #expect(try await till.ask(for: 4) == .changed)
            try await till.confirm(payment)
            _ = try await till.attempt(4)
        },
        scratched("a card that was blocked meanwhile is activated all the same") { till in
            _ = try await till.attempt(3)
            _ = try await till.ledger.change(.first, .block, id: .numbered(8), at: .end).get()
            #expect(
                try await till.ask(for: 4) == .refused(Refusal(.cardBlocked, "")))
            try await till.answer(3)
            try await till.complete(.activate, id: 3)
            #expect(try await till.knownCard().card.scratch == .activated(.numbered(7)))
            #expect(try await till.knownCard().card.status == .blocked)
        },
        scratched("a card that was closed meanwhile keeps its yes in the ledger alone") { till in
            _ = try await till.attempt(3)
            try await till.complete(.close, id: 4)
            #expect(try await till.answer(3)?.state == .active)
            #expect(try await till.knownCard().activation == nil)
            #expect(try await till.refusal(of: .activate, id: 3) == .cardClosed)
        },
        scratched("the attempt goes along to the card that replaces a lost one") { till in
            let attempt = try await till.attempt(3)
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 4, on: .second)
            #expect(try await till.knownCard().activation == nil)
            #expect(try await till.knownCard(.second).activation == attempt)
            #expect(try await till.ask(for: 5, on: .second) == .attempt(attempt))
            try await till.answer(3)
            #expect(try await till.refusal(of: .activate, id: 3) == .cardBlocked)
            try await till.complete(.activate, id: 3, on: .second)
            #expect(try await till.knownCard(.second).card.scratch == .activated(.numbered(7)))
        },
        scratched("a card issued anew has another code, and nothing comes of the attempt") {
            till in
            _ = try await till.attempt(3)
            try await till.complete(.reissue(), id: 4)
            try await till.answer(3)
            #expect(try await till.knownCard().activation == nil)
            #expect(try await till.refusal(of: .activate, id: 3) == .wrongState)
        },
        scratched("a code stays with the card that has it, whoever brings it as well") { till in
            let copy = CardAction.make(
                .sample(.adopt(message: []), scratch: .scratched(.numbered(7))))
            let adopted = try await till.complete(copy, id: 3, on: .second)
            #expect(adopted.subject == .codeOwner(.first))
            #expect(try await till.knownCard(.second).card.scratch == .none)
            _ = try await till.attempt(4)
            try await till.answer(4)
            try await till.complete(.activate, id: 4)
            try await till.complete(.reissue(), id: 5)
            #expect(try await till.knownCard().card.scratch == .unscratched)
            // The card that the service was asked for had it.
            let late = try await till.complete(copy, id: 6, on: .numbered(3))
            #expect(late.subject == .codeOwner(.first))
            #expect(try await till.knownCard(.numbered(3)).card.scratch == .none)
            let other = CardAction.make(
                .sample(.adopt(message: []), scratch: .scratched(.numbered(8))))
            #expect(
                try await till.complete(other, id: 7, on: .numbered(4)).subject
                    == .scratch(.scratched(.numbered(8))))
            #expect(try await till.knownCard(.numbered(4)).card.scratch == .scratched(.numbered(8)))
        },
        Scenario("of two cards in use with one code, none is asked for until one is closed") {
            till in
            let copy = CardAction.make(
                .sample(.adopt(message: []), balance: 0, scratch: .scratched(.numbered(7))))
            try await till.complete(copy, id: 1, on: .second)
            try await till.complete(.issue(), id: 2)
            try await till.complete(.scratch(.numbered(7)), id: 3)
            for uid in [CardUID.first, .second] {
                #expect(
                    try await till.ask(for: 4, on: uid) == .refused(Refusal(.wrongState, "")))
            }
            #expect(try await till.ledger.audit().violations.map { $0.prefix(3) } == ["I9:"])
            try await till.complete(.close, id: 4, on: .second)
            let attempt = try await till.attempt(5)
            #expect(attempt.card == .first)
        },
        Scenario("nothing is asked for a card without a scratched code") { till in
            try await till.complete(.issue(), id: 1)
            #expect(try await till.ask(for: 2) == .refused(Refusal(.wrongState, "")))
        },
    ]

    private static func scratched(
        _ name: String, _ steps: @escaping @Sendable (LedgerTill) async throws -> Void
    ) -> Scenario {
        Scenario(name) { till in
            try await till.complete(.issue(), id: 1)
            try await till.complete(.scratch(.numbered(7)), id: 2)
            try await steps(till)
        }
    }
}

extension LedgerTill {
    fileprivate func attempt(_ id: Int) async throws -> ActivationAttempt {
        let request = try await ask(for: id)
        guard case .attempt(let attempt) = request else {
            throw Unexpected(answer: "\(request)")
        }
        return attempt
    }
}
