import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// Requests to the service that activates codes, and their outcome.
    static let activation = [
        scratched("nothing goes onto the card before a yes is recorded") { desk in
            #expect(try await desk.refusal(of: .activate, id: 3) == .wrongState)
            let attempt = try await desk.attempt(3)
            #expect(attempt.state == .requested && attempt.code == .numbered(7))
            #expect(try await desk.view().activation == attempt)
            #expect(try await desk.refusal(of: .activate, id: 3) == .wrongState)
            let yes = try await desk.answer(3)
            #expect(try await desk.refusal(of: .activate, id: 4) == .wrongState)
            #expect(yes?.state == .active && yes?.answeredAt == .end)
            let work = try await desk.work(.activate, id: 3)
            #expect(work.content.scratch == .activated(.numbered(7)))
            try await desk.confirm(work)
            #expect(try await desk.view().activation == nil)
        },
        scratched("a code has one attempt without an answer, whoever asks again") { desk in
            let attempt = try await desk.attempt(3)
            #expect(try await desk.attempt(3) == attempt)
            #expect(try await desk.attempt(4) == attempt)
            #expect(try await desk.ledger.activation(.numbered(4)) == nil)
        },
        scratched("an id that has asked about an open attempt stands for that one") { desk in
            let attempt = try await desk.attempt(3)
            for id in [4, 4, 5] { #expect(try await desk.attempt(id) == attempt) }
            for id in [3, 4, 5] {
                #expect(
                    try await desk.ledger.attempt(askedAboutBy: .numbered(id)) == .numbered(3))
            }
            let no = try await desk.answer(3, rejectedBy: "6.1")
            #expect(try await desk.ask(for: 4) == .attempt(try #require(no)))
            _ = try await desk.attempt(6)
            #expect(try await desk.ask(for: 5) == .attempt(try #require(no)))
            let asking = try #require(try await desk.ledger.operation(.numbered(4)))
            #expect(asking.kind == .ask && asking.state == .committed && asking.amount == 0)
            #expect(try await desk.begin(.pay(.cents(1)), id: 4) == .mismatched(asking))
            #expect(try await desk.begin(.activate, id: 4) == .mismatched(asking))
            // One that is used already is not kept again.
            try await desk.ledger.keep(.numbered(3), for: .numbered(6), of: .first, at: .end)
            try await desk.ledger.keep(.numbered(4), for: .numbered(6), of: .first, at: .end)
            #expect(try await desk.ledger.operation(.numbered(4)) == asking)
        },
        scratched("an activation without an answer is no violation, and is named") { desk in
            _ = try await desk.attempt(3)
            #expect(try await desk.ledger.audit().activating == [.first])
            try await desk.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 4, on: .second)
            #expect(try await desk.ledger.audit().activating == [.second])
            try await desk.answer(3)
            #expect(try await desk.ledger.audit().activating == [])
            try await desk.complete(.activate, id: 3, on: .second)
        },
        scratched("the first answer counts") { desk in
            _ = try await desk.attempt(3)
            let no = try await desk.answer(3, rejectedBy: "6.1")
            #expect(no?.state == .rejected && no?.version == "6.1")
            #expect(try await desk.answer(3) == no)
            #expect(try await desk.view().activation == nil)
            // Only that attempt has ended.
            #expect(try await desk.ask(for: 3) == .attempt(try #require(no)))
            let second = try await desk.attempt(4)
            #expect(second.id == .numbered(4))
            let yes = try await desk.answer(4)
            #expect(try await desk.answer(4, rejectedBy: "1") == yes)
            #expect(try await desk.answer(99) == nil)
        },
        scratched("an attempt's id is nobody else's") { desk in
            let attempt = try await desk.attempt(3)
            #expect(try await desk.begin(.pay(.cents(1)), id: 3) == .mismatched(attempt.operation))
            let payment = try await desk.complete(.pay(.cents(1)), id: 4)
            #expect(try await desk.ask(for: 4) == .mismatched(payment))
            try await desk.complete(.issue(), id: 5, on: .second)
            #expect(
                try await desk.ask(for: 3, on: .second) == .mismatched(attempt.operation))
            try await desk.answer(3)
            let activated = try await desk.complete(.activate, id: 3)
            #expect(try await desk.ask(for: 3) == .known(activated))
        },
        scratched("a card with something open is judged again first") { desk in
            let payment = try await desk.work(.pay(.cents(1)), id: 3)
            #expect(try await desk.ask(for: 4) == .changed)
            try await desk.confirm(payment)
            _ = try await desk.attempt(4)
        },
        scratched("a card that was blocked meanwhile is activated all the same") { desk in
            _ = try await desk.attempt(3)
            _ = try await desk.ledger.change(.first, .block, id: .numbered(8), at: .end).get()
            #expect(
                try await desk.ask(for: 4) == .refused(Refusal(.cardBlocked, "")))
            try await desk.answer(3)
            try await desk.complete(.activate, id: 3)
            #expect(try await desk.view().card.scratch == .activated(.numbered(7)))
            #expect(try await desk.view().card.status == .blocked)
        },
        scratched("a card that was closed meanwhile keeps its yes in the ledger alone") { desk in
            _ = try await desk.attempt(3)
            try await desk.complete(.close, id: 4)
            #expect(try await desk.answer(3)?.state == .active)
            #expect(try await desk.view().activation == nil)
            #expect(try await desk.refusal(of: .activate, id: 3) == .cardClosed)
        },
        scratched("the attempt goes along to the card that replaces a lost one") { desk in
            let attempt = try await desk.attempt(3)
            try await desk.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 4, on: .second)
            #expect(try await desk.view().activation == nil)
            #expect(try await desk.view(.second).activation == attempt)
            #expect(try await desk.ask(for: 5, on: .second) == .attempt(attempt))
            try await desk.answer(3)
            #expect(try await desk.refusal(of: .activate, id: 3) == .cardBlocked)
            try await desk.complete(.activate, id: 3, on: .second)
            #expect(try await desk.view(.second).card.scratch == .activated(.numbered(7)))
        },
        scratched("a card issued anew has another code, and nothing comes of the attempt") {
            desk in
            _ = try await desk.attempt(3)
            try await desk.complete(.reissue(), id: 4)
            try await desk.answer(3)
            #expect(try await desk.view().activation == nil)
            #expect(try await desk.refusal(of: .activate, id: 3) == .wrongState)
        },
        scratched("a code stays with the card that has it, whoever brings it as well") { desk in
            let copy = Intent.make(
                .sample(.adopt(message: []), scratch: .scratched(.numbered(7))))
            let adopted = try await desk.complete(copy, id: 3, on: .second)
            #expect(adopted.subject == .codeOwner(.first))
            #expect(try await desk.view(.second).card.scratch == .none)
            _ = try await desk.attempt(4)
            try await desk.answer(4)
            try await desk.complete(.activate, id: 4)
            try await desk.complete(.reissue(), id: 5)
            #expect(try await desk.view().card.scratch == .unscratched)
            // The card that the service was asked for had it.
            let late = try await desk.complete(copy, id: 6, on: .numbered(3))
            #expect(late.subject == .codeOwner(.first))
            #expect(try await desk.view(.numbered(3)).card.scratch == .none)
            let other = Intent.make(
                .sample(.adopt(message: []), scratch: .scratched(.numbered(8))))
            #expect(
                try await desk.complete(other, id: 7, on: .numbered(4)).subject
                    == .scratch(.scratched(.numbered(8))))
            #expect(try await desk.view(.numbered(4)).card.scratch == .scratched(.numbered(8)))
        },
        Scenario("of two cards in use with one code, none is asked for until one is closed") {
            desk in
            let copy = Intent.make(
                .sample(.adopt(message: []), balance: 0, scratch: .scratched(.numbered(7))))
            try await desk.complete(copy, id: 1, on: .second)
            try await desk.complete(.issue(), id: 2)
            try await desk.complete(.scratch(.numbered(7)), id: 3)
            for uid in [CardUID.first, .second] {
                #expect(
                    try await desk.ask(for: 4, on: uid) == .refused(Refusal(.wrongState, "")))
            }
            #expect(try await desk.ledger.audit().violations.map { $0.prefix(3) } == ["I9:"])
            try await desk.complete(.close, id: 4, on: .second)
            let attempt = try await desk.attempt(5)
            #expect(attempt.card == .first)
        },
        Scenario("nothing is asked for a card without a scratched code") { desk in
            try await desk.complete(.issue(), id: 1)
            #expect(try await desk.ask(for: 2) == .refused(Refusal(.wrongState, "")))
        },
    ]

    private static func scratched(
        _ name: String, _ steps: @escaping @Sendable (Desk) async throws -> Void
    ) -> Scenario {
        Scenario(name) { desk in
            try await desk.complete(.issue(), id: 1)
            try await desk.complete(.scratch(.numbered(7)), id: 2)
            try await steps(desk)
        }
    }
}

extension Desk {
    fileprivate func attempt(_ id: Int) async throws -> ActivationAttempt {
        let request = try await ask(for: id)
        guard case .attempt(let attempt) = request else {
            throw Unexpected(answer: "\(request)")
        }
        return attempt
    }
}
