import TapcardDomain
import Testing

@Suite("Purses")
struct PurseTests {
    private func usd(_ units: Int64) -> Money { Money(minorUnits: units, .usd) }

    private func purse(_ balance: Int64, held: Int64 = 0) throws -> Purse {
        try #require(Purse(balance: usd(balance), held: usd(held)))
    }

    @Test("A new purse is empty")
    func empty() {
        let purse = Purse(emptyIn: .usd)
        #expect([purse.balance, purse.held, purse.available] == [usd(0), usd(0), usd(0)])
        #expect(purse == Purse(balance: usd(0), held: usd(0)))
    }

    @Test(
        "A purse exists only within its limits",
        arguments: [
            (0, 0, true), (99_999_999, 99_999_999, true), (99_999_999, 0, true), (5, 5, true),
            (100_000_000, 0, false), (-1, 0, false), (-1, -1, false), (5, 6, false),
            (5, -1, false), (.max, 0, false), (.min, .min, false),
        ])
    func limits(balance: Int64, held: Int64, exists: Bool) {
        #expect((Purse(balance: usd(balance), held: usd(held)) != nil) == exists)
    }

    @Test("A purse has only one currency")
    func currency() throws {
        let yen = Money(minorUnits: 1, try #require(Currency(code: "JPY")))
        #expect(Purse(balance: usd(5), held: yen) == nil)
        #expect(throws: Refusal(.badAmount, "")) { try purse(5).holding(yen) }
        #expect(throws: Refusal(.badAmount, "")) { try purse(5).adding(yen) }
    }

    @Test("A purse can hold its whole available balance")
    func holds() throws {
        let first = try purse(1_250).holding(usd(450))
        #expect(first == (try purse(1_250, held: 450)))
        #expect(first.available == usd(800))
        #expect(try first.holding(usd(800)).available == usd(0))
    }

    @Test(
        "A purse refuses to hold more than is available",
        arguments: [(0, 0, 1), (1_250, 450, 801), (5, 5, 1), (5, 0, .max)])
    func insufficient(balance: Int64, held: Int64, amount: Int64) throws {
        let purse = try purse(balance, held: held)
        let refusal = try #require(
            #expect(throws: Refusal(.insufficientBalance, "")) { try purse.holding(usd(amount)) })
        #expect(refusal.detail.contains(purse.available.shown))
        #expect(refusal.detail.contains(usd(amount).shown))
    }

    @Test("A purse takes top-ups up to the largest balance")
    func adds() throws {
        let full = try purse(99_999_998, held: 3).adding(usd(1))
        #expect(full == (try purse(99_999_999, held: 3)))
        #expect(try purse(0).adding(usd(99_999_999)).balance == usd(99_999_999))
    }

    @Test(
        "A top-up beyond the largest balance is refused",
        arguments: [(99_999_999, 1), (0, 100_000_000), (1, .max)])
    func tooMuch(balance: Int64, amount: Int64) throws {
        let refusal = try #require(
            #expect(throws: Refusal(.limitExceeded, "")) {
                try purse(balance).adding(usd(amount))
            })
        #expect(refusal.detail.contains("$999999.99"))
    }

    @Test("Amounts of zero or less are refused", arguments: [0, -1, -450, Int64.min])
    func notPositive(amount: Int64) throws {
        let purse = try purse(1_250)
        #expect(throws: Refusal(.badAmount, "")) { try purse.holding(usd(amount)) }
        #expect(throws: Refusal(.badAmount, "")) { try purse.adding(usd(amount)) }
    }
}
