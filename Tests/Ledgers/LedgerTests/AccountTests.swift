import Ledger
import LedgerConformance
import TapcardDomain
import Testing

/// Accounts as the text that ledgers store.
@Suite("Names of accounts") struct AccountTests {
    @Test(
        "An account is read back from its stored name",
        arguments: [
            Account.purse(.first, 1), .purse(.second, 12), .takings, .cash, .adopted, .prizes,
            .reissued,
        ])
    func isReadBack(_ account: Account) {
        #expect(Account(account.description) == account)
    }

    @Test(
        "A text that is not the name of an account is refused",
        arguments: [
            "", "Cash", "cash ", "purse", "purse:", "purse:\(CardUID.first)", "purse:00:1",
            "purse:\(CardUID.first):", "purse:\(CardUID.first):x", "purse:\(CardUID.first):1:",
        ])
    func isRefusedWhenItIsNone(_ text: String) {
        #expect(Account(text) == nil)
    }
}
