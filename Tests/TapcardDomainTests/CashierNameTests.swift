import TapcardDomain
import Testing

@Suite("A cashier's name")
struct CashierNameTests {
    @Test("has one to forty characters in their composed form")
    func lengths() throws {
        #expect(try CashierName("A").text == "A")
        let longest = String(repeating: "é", count: CashierName.longest)
        #expect(try CashierName(longest).text == longest)
        let decomposed = String(repeating: "e\u{301}", count: CashierName.longest)
        #expect(try CashierName(decomposed) == CashierName(longest))
        #expect(throws: Refusal(.badName, "")) { try CashierName(longest + "x") }
    }

    @Test(
        "is refused where it is none",
        arguments: ["", " ", "\t", "A\nB", "A\u{1B}[31m", "A\u{202E}B", "A\u{0}", "\u{FFFD}"])
    func refusals(_ text: String) {
        #expect(throws: Refusal(.badName, "")) { try CashierName(text) }
    }
}
