import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// An NTAG 424 as found in one look.
struct NTAG424Reading: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// It authenticated as this card with its sell key.
        case proved(NTAG424State)
        /// It has the factory keys, however far its making has progressed.
        case unmade
        /// It has keys that this station lacks; none was tried.
        case foreign(version: UInt8)
    }

    let state: State
    /// Whether all its keys have one version, as far as is known.
    var isComplete = true
    /// Nil if it was not asked.
    var answers: NTAG424Answers?

    var visit: NTAG424State? {
        if case .proved(let visit) = state { visit } else { nil }
    }
}

extension CardReading {
    /// Whether the rest of the card matches its newest record: on an NTAG 424, the grant, and that
    /// all keys have one version.
    func fits(_ record: SealedRecord) -> Bool {
        guard case .ntag424(let chip) = medium else { return true }
        guard let visit = chip.visit, let grant = visit.grant, let best = slots.best else {
            return false
        }
        let spent = visit.slots.spent(at: slots.bytes[best.place])
        // The balance of an NTAG 424 is the amount granted minus the amount spent.
        return chip.isComplete && grant.granted - spent == Int64(record.balance)
    }
}
