import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// An NTAG 424 as one reading found it.
struct NTAG424Reading: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// The chip authenticated as this card with the card's sell key.
        case proved(NTAG424State)
        /// Keys 0 and 3 are still the factory keys, so the chip is not a card yet.
        case unmade
        /// The chip has keys that this station lacks; none was tried.
        case foreign(version: UInt8)
    }

    let state: State
    /// Whether all of the chip's keys have the same version, as far as the reading shows.
    var isComplete = true
    /// What the chip reported without authentication; nil if it was not asked.
    var answers: NTAG424Answers?

    var visit: NTAG424State? {
        if case .proved(let visit) = state { visit } else { nil }
    }
}

extension CardReading {
    /// Whether the rest of the card matches its newest record. On an NTAG 424, the grant must match
    /// the balance, and all keys must have the same version.
    func fits(_ record: SealedRecord) -> Bool {
        guard case .ntag424(let chip) = medium else { return true }
        guard let visit = chip.visit, let grant = visit.grant, let best = slots.best else {
            return false
        }
        let spent = visit.slots.spent(at: slots.bytes[best.slotIndex])
        // The balance of an NTAG 424 is the amount granted minus the amount spent.
        return chip.isComplete && grant.granted - spent == Int64(record.balance)
    }
}
