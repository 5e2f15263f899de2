import TapcardDomain
import Testing

@Suite("The scratch card")
struct ScratchCardTests {
    private static func code(_ byte: UInt8) throws -> ScratchCode {
        try #require(ScratchCode(bytes: [UInt8](repeating: byte, count: 16)))
    }

    @Test("goes from unscratched by scratched to activated, with one code")
    func legalSteps() throws {
        let code = try Self.code(7)
        let scratched = try ScratchCard.unscratched.scratching(to: code)
        #expect(scratched == .scratched(code))
        #expect(try scratched.activating() == .activated(code))
    }

    @Test("is scratched once, and only where there is one")
    func illegalScratching() throws {
        let code = try Self.code(7)
        for card in [ScratchCard.none, .scratched(code), .activated(code)] {
            #expect(throws: Refusal(.wrongState, "")) { try card.scratching(to: Self.code(8)) }
        }
    }

    @Test("is activated once, and only after it was scratched")
    func illegalActivating() throws {
        for card in [ScratchCard.none, .unscratched, .activated(try Self.code(7))] {
            #expect(throws: Refusal(.wrongState, "")) { try card.activating() }
        }
    }

    @Test("each refusal says how things stand")
    func reasons() throws {
        let code = try Self.code(7)
        let refusals = [
            #expect(throws: Refusal.self) { try ScratchCard.none.activating() },
            #expect(throws: Refusal.self) { try ScratchCard.unscratched.activating() },
            #expect(throws: Refusal.self) { try ScratchCard.activated(code).activating() },
            #expect(throws: Refusal.self) { try ScratchCard.none.scratching(to: code) },
            #expect(throws: Refusal.self) { try ScratchCard.scratched(code).scratching(to: code) },
        ]
        #expect(
            refusals.map { $0?.detail } == [
                "there is no scratch card on this card", "this card is not scratched yet",
                "this card was activated before", "there is no scratch card on this card",
                "this card was scratched before",
            ])
    }

    @Test("has a word and, once scratched, a code")
    func wordsAndCodes() throws {
        let code = try Self.code(7)
        let cards: [ScratchCard] = [.none, .unscratched, .scratched(code), .activated(code)]
        #expect(cards.map(\.word) == [nil, "unscratched", "scratched", "activated"])
        #expect(cards.map(\.code) == [nil, nil, code, code])
    }
}
