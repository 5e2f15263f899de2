import TapcardDomain
import Testing

@Suite("Refusals")
struct RefusalTests {
    @Test("Refusals of one rule are equal, whatever their details")
    func equality() {
        let refusals = Refusal.Rule.allCases.map { Refusal($0, "the facts") }
        #expect(Set(refusals + refusals.map { Refusal($0.rule, "others") }).count == refusals.count)
        #expect(refusals.allSatisfy { "\($0)" == "the facts" })
    }

    @Test("Each rule has its fixed word")
    func words() {
        let words = Refusal.Rule.allCases.map(\.rawValue)
        #expect(
            words == [
                "bad-amount", "bad-identifier", "bad-name", "insufficient-balance",
                "limit-exceeded",
                "wrong-state", "card-blocked", "card-closed", "card-known", "card-unknown",
                "card-has-money", "numbers-exhausted", "not-for-sale", "shift-needed",
                "not-refundable", "already-refunded",
                "bad-balls",
                "bad-draw", "no-such-draw", "draw-over", "no-draw-known", "bad-guess",
                "nothing-won", "already-claimed",
            ])
    }
}
