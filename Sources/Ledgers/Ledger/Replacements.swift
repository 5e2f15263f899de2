import TapcardDomain

extension LedgerRows {
    /// A card's own account, and the accounts of the cards whose balances were moved to it.
    func accounts(of card: LedgerCard) throws(LedgerError) -> [Account] {
        try accounts(behind: card.purse)
    }

    /// An account, and the accounts whose balances were moved to it when their cards were replaced.
    func accounts(behind purse: Account) throws(LedgerError) -> [Account] {
        var accounts = [purse]
        var index = 0
        // Altered rows may form a cycle, so the search is limited.
        while index < accounts.count, accounts.count < maximumReplacements {
            guard case .purse(let uid, _) = accounts[index] else { break }
            for operation in try replacements(on: uid) {
                let booked = try entries(of: operation.id).map(\.account)
                // A reissued tag may have replaced other cards while it had a different account.
                guard booked.contains(accounts[index]) else { continue }
                // The same operation may close the account of the tag's earlier holder. That
                // account is not one of the lost card's.
                accounts += booked.filter { account in
                    guard case .purse(let lost, _) = account else { return false }
                    return lost != uid && !accounts.contains(account)
                }
            }
            index += 1
        }
        return accounts
    }

    /// Whether this account's money is on an active or blocked card: the account's own card, or the
    /// last card to which the balance was moved.
    func isInUse(_ purse: Account) throws(LedgerError) -> Bool {
        var purse = purse
        for _ in 0..<maximumReplacements {
            guard case .purse(let uid, _) = purse else { return false }
            if let card = try card(uid), card.isInUse, card.purse == purse { return true }
            guard let next = try successor(of: purse) else { return false }
            purse = next
        }
        return false
    }

    /// The account that received this account's balance when the card was replaced.
    func successor(of purse: Account) throws(LedgerError) -> Account? {
        guard case .purse(let uid, _) = purse else { return nil }
        for replacement in try replacements(of: uid) {
            let booked = try entries(of: replacement.id).map(\.account)
            guard booked.contains(purse) else { continue }
            // The same operation may close the account of the tag's earlier holder; the new account
            // has the higher number.
            return booked.filter { $0.uid == replacement.uid }.max { $0.number < $1.number }
        }
        return nil
    }

    /// Whether `card` is `other` or has replaced it, which moved its balance to `card`.
    func isSameOrReplacement(_ card: LedgerCard, of other: CardUID) throws(LedgerError) -> Bool {
        if other == card.uid { return true }
        return try accounts(of: card).contains { account in
            if case .purse(other, _) = account { true } else { false }
        }
    }
}

/// The maximum number of replacements to follow; no real card is replaced that often.
let maximumReplacements = 64

extension Account {
    fileprivate var number: Int { if case .purse(_, let number) = self { number } else { 0 } }
}
