import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// An NTAG 424 as one look found it.
struct NTAG424Reading: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// It proved with its sell key which card it is.
        case proved(NTAG424State)
        /// It has the factory's keys, however far its making has come.
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
    /// Whether the rest of the card fits its newest record: on an NTAG 424, the grant, and keys of
    /// one version.
    func fits(_ record: SealedRecord) -> Bool {
        guard case .ntag424(let chip) = medium else { return true }
        guard let visit = chip.visit, let grant = visit.grant, let best = slots.best else {
            return false
        }
        let spent = visit.slots.spent(at: slots.bytes[best.place])
        // The balance of an NTAG 424 is what was granted less what was spent.
        return chip.isComplete && grant.granted - spent == Int64(record.balance)
    }
}
