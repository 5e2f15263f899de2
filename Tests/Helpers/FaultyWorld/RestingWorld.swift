package import CardCryptography
package import Ledger
package import Tags
package import TapcardDomain

/// Everything that lasts from one tap to the next, as a value that can be kept, compared and
/// restored.
///
/// Time is not part of it: the clock of a scene stands still, and open operations are aged instead.
package struct RestingWorld: Hashable, Sendable {
    package var memory: CardMemory
    /// The pages whose last WRITE was not acknowledged, and their earlier content: they may read
    /// correctly today and lose their bits later.
    package var weak: [UInt8: Page] = [:]
    package var ledger: LedgerTables
    /// The codes that the service has activated for this card.
    package var active: Set<ScratchCode> = []
    /// The keys of an issuer with its own ring; nil for those of every scene.
    package var ring: KeyRing?
    /// Whether a refused key is no violation, because the card may be a copy or the ledger was
    /// restored.
    package var mayRefuseKeys = false

    package init(_ memory: CardMemory, ledger: LedgerTables = LedgerTables()) {
        self.memory = memory
        self.ledger = ledger
    }

    package init(tag: TagMemory, ledger: LedgerTables = LedgerTables()) {
        self.init(.pages(tag), ledger: ledger)
    }

    /// The tag of a world whose card has pages.
    package var tag: TagMemory {
        get {
            guard case .pages(let tag) = memory else {
                preconditionFailure("the card of this world has no pages")
            }
            return tag
        }
        set { memory = .pages(newValue) }
    }

    /// The chip of a world whose card proves itself; nil for a tag with pages.
    package var chip: NTAG424Memory? {
        if case .chip(let chip) = memory { chip } else { nil }
    }

    /// Hashes what differs most often, because hashing a whole ledger takes longer than a step of a
    /// tap.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(memory)
        hasher.combine(weak)
        ledger.hashShortly(into: &hasher)
    }

    /// The card's UID.
    package var uid: CardUID {
        guard let uid = CardUID(bytes: memory.uid) else {
            preconditionFailure("a tag's number has seven bytes")
        }
        return uid
    }

    /// The keys of the issuer. A second key is made before the first one is retired.
    package var keys: KeyRing { ring ?? Scene.keys(of: ledger) }

    /// The ledger's row of the card on the tag.
    package var card: LedgerCard? { ledger.cards[uid] }

    /// The balance of the card's account, computed from its entries.
    package var balance: Int64 {
        guard let purse = card?.purse else { return 0 }
        return ledger.entries.reduce(0) { $0 + ($1.account == purse ? $1.amount : 0) }
    }

    /// The operation that is open on the card.
    package var open: Operation? {
        ledger.operations.values.first { $0.uid == uid && $0.state == .pending }
    }

    /// Lets this much time pass in the world.
    package mutating func age(seconds: Int64) {
        if let open, seconds > 0 { ledger.age(open.id, milliseconds: seconds * 1_000) }
    }
}

extension LedgerTables {
    /// The ids of the keys that the issuer has retired.
    var retiredKeyIDs: Set<UInt8> {
        var unchanged = self
        let keys = try? unchanged.transact { rows throws(LedgerError) in try rows.retiredKeys() }
        guard let keys else { preconditionFailure("the rows in memory can always be read") }
        return Set(keys.map(\.id))
    }

    /// Hashes the number of events and the state of the cards.
    func hashShortly(into hasher: inout Hasher) {
        hasher.combine(operations.count)
        hasher.combine(entries.count)
        hasher.combine(activations.count)
        hasher.combine(operations.values.count { $0.state == .pending })
        for card in cards.values.sorted(by: { $0.uid.bytes.lexicographicallyPrecedes($1.uid.bytes) }
        ) {
            hasher.combine(card.confirmed)
            hasher.combine(card.allocated)
            hasher.combine(card.isDisplayStale)
            hasher.combine(card.protection)
        }
    }
}

/// A way in which weak pages turn bad between two taps.
package enum Decay: Int, Sendable, CaseIterable, Hashable {
    case none
    /// They lose all their one-bits.
    case toZero
    /// Their earlier content reappears.
    case toOld
}

extension RestingWorld {
    /// The world after all of its weak pages, or the chosen one, have turned bad.
    package func decayed(_ decay: Decay, only chosen: UInt8? = nil) -> RestingWorld {
        var world = self
        for (page, old) in weak where chosen == nil || page == chosen {
            switch decay {
            case .none: return self
            case .toZero: world.tag[page] = .zero
            case .toOld: world.tag[page] = old
            }
        }
        return world
    }

    /// The world after every way in which weak pages can turn bad: all of them together, and each
    /// alone.
    package var decays: [RestingWorld] {
        let choices: [UInt8?] = [nil] + (weak.count > 1 ? weak.keys.sorted() : [])
        guard !weak.isEmpty else { return [] }
        return choices.flatMap { page in
            [Decay.toZero, .toOld].map { decayed($0, only: page) }
        }
    }
}
