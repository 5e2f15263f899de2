import TapcardDomain
import Testing

@Suite("Scratch cards")
struct ScratchCardTests {
    private static func code(_ byte: UInt8) throws -> ScratchCode {
        try #require(ScratchCode(bytes: [UInt8](repeating: byte, count: 16)))
    }

    @Test("A scratch card is scratched and then activated, with one code")
    func legalSteps() throws {
        let code = try Self.code(7)
        let scratched = try ScratchCard.unscratched.scratching(to: code)
        #expect(scratched == .scratched(code))
        #expect(try scratched.activating() == .activated(code))
    }

    @Test("A step out of order is refused with the card's state")
    func illegalSteps() throws {
        let code = try Self.code(7)
        let refusals = [
            #expect(throws: Refusal.self) { try ScratchCard.none.activating() },
            #expect(throws: Refusal.self) { try ScratchCard.unscratched.activating() },
            #expect(throws: Refusal.self) { try ScratchCard.activated(code).activating() },
            #expect(throws: Refusal.self) { try ScratchCard.none.scratching(to: code) },
            #expect(throws: Refusal.self) { try ScratchCard.scratched(code).scratching(to: code) },
            #expect(throws: Refusal.self) { try ScratchCard.activated(code).scratching(to: code) },
        ]
        #expect(refusals.allSatisfy { $0?.rule == .wrongState })
        #expect(
            refusals.map { $0?.detail } == [
                "the card has no scratch field", "this card is not scratched yet",
                "the card has already been activated", "the card has no scratch field",
                "the card has already been scratched", "the card has already been scratched",
            ])
    }

    @Test("Each state has its word and, once scratched, its code")
    func wordsAndCodes() throws {
        let code = try Self.code(7)
        let cards: [ScratchCard] = [.none, .unscratched, .scratched(code), .activated(code)]
        #expect(cards.map(\.word) == [nil, "unscratched", "scratched", "activated"])
        #expect(cards.map(\.code) == [nil, nil, code, code])
    }
}
