public import TapcardDomain

/// The cards that still depend on a key.
public struct KeyUse: Hashable, Sendable {
    /// The maximum number of cards to list.
    package static let maximumListed = 10

    /// The number of cards whose last record is sealed with the key.
    public private(set) var cards = 0
    /// The first of these cards.
    public private(set) var first: [CardUID] = []
    /// The number of cards that have a tag password derived from the key, or are about to get one.
    public private(set) var protected = 0

    /// Creates the use of a key, initially without cards.
    public init() {}

    package init(cards: Int, first: [CardUID], protected: Int) {
        (self.cards, self.first, self.protected) = (cards, first, protected)
    }

    /// Counts a card whose last record is sealed with the key.
    package mutating func countSealed(_ card: CardUID) {
        cards += 1
        if first.count < KeyUse.maximumListed { first.append(card) }
    }

    package mutating func countProtected(_ more: Int = 1) { protected += more }
}

/// Default implementations, for storage that has no single query for this. They read all cards.
extension LedgerRows {
    public func keyUsage() throws(LedgerError) -> [UInt8: KeyUse] {
        var uses: [UInt8: KeyUse] = [:]
        var cards = pagesOfCards()
        while let card = try cards.next() {
            if let key = card.protection.keyID { uses[key, default: KeyUse()].countProtected() }
            guard let issued = try issued(card.uid, card.confirmed) else { continue }
            uses[issued.keyID, default: KeyUse()].countSealed(card.uid)
        }
        return uses
    }

    public func usedKeys() throws(LedgerError) -> Set<UInt8> {
        var used = Set(try retiredKeys().map(\.id))
        var cards = pagesOfCards()
        while let card = try cards.next() {
            if let key = card.protection.keyID { used.insert(key) }
            // Old records count, too: the ID of a key that ever sealed a record must not be given
            // to another key.
            used.formUnion(try issuedRecords(on: card.uid).map(\.keyID))
        }
        return used
    }
}
