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
            for operation in try operations(on: uid) where operation.kind == .replace {
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
