import CardCryptography
import Cards
import Ledger
import Tags
import TapcardDomain

/// An NTAG 424, as one look found it.
struct NTAG424Reading: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// It has proved with its sell key which card it is.
        case proved(NTAG424State)
        /// It has keys of the factory, whatever else was begun.
        case unmade
        /// It has keys that this station lacks. None was tried.
        case foreign(version: UInt8)
    }

    let state: State
    /// Whether it has, as far as is known, all its keys in one version.
    var isComplete = true
    /// Nil where it was not asked.
    var answers: NTAG424Answers?

    var visit: NTAG424State? {
        if case .proved(let visit) = state { visit } else { nil }
    }
}

extension CardReading {
    /// Whether the rest of the card fits its newest record. On a chip that is the grant, and keys
    /// of one version.
    func fits(_ record: SealedRecord) -> Bool {
        guard case .ntag424(let chip) = medium else { return true }
        guard let visit = chip.visit, let grant = visit.grant, let best = slots.best else {
            return false
        }
        let spent = visit.slots.spent(at: slots.bytes[best.place])
        return chip.isComplete && grant.granted - spent == Int64(record.balance)
    }
}
