import Cards
import TapcardDomain
import Testing

@Suite("Pages that a changed balance affects")
struct BalancePaddingTests {
    /// The pages that differ from those of a card with a balance of zero.
    private func changedPages(_ units: Int64, _ layout: CardLayout) throws -> [Int] {
        var face = try Example().face
        func area(_ units: Int64) throws -> [UInt8] {
            face.balance = Money(minorUnits: units, .usd)
            return try face.area(in: layout)
        }
        let (before, after) = (try area(0), try area(units))
        try #require(before.count == after.count)
        return Set(before.indices.filter { before[$0] != after[$0] }.map { 4 + $0 / 4 }).sorted()
    }

    @Test(
        "A balance up to 99999.99 changes at most two pages",
        arguments: [CardLayout.ntag213, .larger])
    func two(layout: CardLayout) throws {
        let balances =
            [1, 99, 100, 1_250, 9_999_999] + Array(stride(from: 7, to: 9_999_999, by: 7_919))
        for units in balances {
            let pages = try changedPages(Int64(units), layout)
            #expect(!pages.isEmpty && Set(pages).isSubset(of: [0x09, 0x0A]), "\(units)")
        }
    }

    @Test("A balance above 99999.99 changes three pages", arguments: [CardLayout.ntag213, .larger])
    func three(layout: CardLayout) throws {
        let balances =
            [10_000_000, 99_999_999] + Array(stride(from: 10_000_007, to: 99_999_999, by: 79_193))
        for units in balances {
            #expect(try changedPages(Int64(units), layout) == [0x09, 0x0A, 0x0B], "\(units)")
        }
    }
}
