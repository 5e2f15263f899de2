import TapcardDomain

extension LedgerRows {
    /// A card's own account, and those of the cards whose balance was moved onto it.
    func accounts(of card: LedgerCard) throws(LedgerError) -> [Account] {
        var accounts = [card.purse]
        var place = 0
        while place < accounts.count, accounts.count < mostReplacements {
            guard case .purse(let uid, _) = accounts[place] else { break }
            for operation in try operations(on: uid) where operation.kind == .replace {
                let booked = try entries(of: operation.id).map(\.account)
                guard booked.contains(accounts[place]) else { continue }
                accounts += booked.filter { !accounts.contains($0) }
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
