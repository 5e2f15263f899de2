import Ledger
import LedgerConformance
import TapcardDomain
import Testing

/// Accounts as the text under which storages keep them.
@Suite("An account's name") struct AccountTests {
    @Test(arguments: [
        Account.purse(.first, 1), .purse(.second, 12), .takings, .cash, .adopted, .prizes,
        .reissued,
    ])
    func isReadBack(_ account: Account) {
        #expect(Account(account.description) == account)
    }

    @Test(arguments: [
        "", "Cash", "cash ", "purse", "purse:", "purse:\(CardUID.first)", "purse:00:1",
        "purse:\(CardUID.first):", "purse:\(CardUID.first):x", "purse:\(CardUID.first):1:",
    ])
    func isRefusedWhenItIsNone(_ text: String) {
        #expect(Account(text) == nil)
    }
}
