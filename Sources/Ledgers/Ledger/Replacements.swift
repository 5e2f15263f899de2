import TapcardDomain

extension LedgerRows {
    /// A card's own account, and those of the cards whose balance was moved onto it.
    func accounts(of card: LedgerCard) throws(LedgerError) -> [Account] {
        try accounts(behind: card.purse)
    }

    /// An account, and those whose balance it began with, because their card was replaced.
    func accounts(behind purse: Account) throws(LedgerError) -> [Account] {
        var accounts = [purse]
        var place = 0
        while place < accounts.count, accounts.count < mostReplacements {
            guard case .purse(let uid, _) = accounts[place] else { break }
            for operation in try replacements(on: uid) {
                let booked = try entries(of: operation.id).map(\.account)
                guard booked.contains(accounts[place]) else { continue }
                // Where the card had another holder before, that one's account is closed by the
                // same operation: it is not what the lost card has left.
                accounts += booked.filter { account in
                    guard case .purse(let lost, _) = account else { return false }
                    return lost != uid && !accounts.contains(account)
                }
            }
            place += 1
        }
        return accounts
    }

    /// Whether what was paid from this account belongs to a card that is not closed or replaced: the
    /// account's own card, or the last one that its balance was moved onto.
    func isInUse(_ purse: Account) throws(LedgerError) -> Bool {
        var purse = purse
        for _ in 0..<mostReplacements {
            guard case .purse(let uid, _) = purse else { return false }
            if let card = try card(uid), card.isInUse, card.purse == purse { return true }
            guard let next = try successor(of: purse) else { return false }
            purse = next
        }
        return false
    }

    /// The account that the balance of this one was moved onto when its card was replaced.
    func successor(of purse: Account) throws(LedgerError) -> Account? {
        guard case .purse(let uid, _) = purse else { return nil }
        for replacement in try replacements(of: uid) {
            let booked = try entries(of: replacement.id).map(\.account)
            guard booked.contains(purse) else { continue }
            // Where the card had another holder before, that one's account is closed by the same
            // operation; the new one has the higher number.
            return booked.filter { $0.uid == replacement.uid }.max { $0.number < $1.number }
        }
        return nil
    }

    /// Whether what belonged to another card is this one's now.
    func replaces(_ other: CardUID, by card: LedgerCard) throws(LedgerError) -> Bool {
        if other == card.uid { return true }
        return try accounts(of: card).contains { account in
            if case .purse(other, _) = account { true } else { false }
        }
    }
}

/// A card that was lost more often than this has other troubles than a refund.
private let mostReplacements = 64

extension Account {
    fileprivate var number: Int { if case .purse(_, let number) = self { number } else { 0 } }
}
