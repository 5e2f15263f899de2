import Ledger
import Tags
import TapcardDomain

/// The state machine of a tap, which decides what to do next. `TapUseCase` performs the actions;
/// this type itself never waits.
struct Tap: Sendable, Hashable {
    /// The next action of a tap.
    indirect enum Action: Sendable, Hashable {
        /// Ask the ledger whether the request was already carried out.
        case recall
        /// Wait for a card for as long as the settings allow or, if `again` is true, only briefly
        /// for the card that was on the reader a moment ago.
        case find(again: Bool)
        /// Read the tag and look up the card in the ledger.
        case scan(TagIdentity, CardUID)
        /// Compare the card with the request before anything is resolved.
        case examine(CardReading)
        /// Begin to resolve what an earlier tap left open.
        case resolve(CardReading)
        /// Begin the requested operation, because no other operation is open on the card.
        case carryOut(CardReading)
        /// Write the record, and read it back.
        case write(RecordWriting)
        /// Take the next step toward the protection that the ledger specifies.
        case switchProtection(RecordWriting)
        /// Confirm to the ledger that the record is on the card.
        case confirm(RecordWriting)
        /// Write the text for phones.
        case refresh(RecordWriting, Operation)
        /// Ask the ledger for the outcome of the request. The error says why the tap ended.
        case conclude(TapcardError)
    }

    /// The result of an action, as reported to the tap.
    enum Event: Sendable {
        /// The request is new or still open, and only this card is accepted; nil if any card is.
        case recalled(only: CardUID?)
        case found(TagIdentity, CardUID)
        case scanned(CardReading)
        /// The tap can continue: what is open can be resolved, or nothing is open.
        case examined
        /// The change is durable in the ledger.
        case begun(RecordWriting)
        case written
        case switched(RecordWriting, isLast: Bool)
        case confirmed(Operation)
        /// An operation was resolved. `closed` is the balance of the tag's earlier account, if the
        /// operation closed it.
        case resolved(Operation?, DisplayState, closed: Int64)
        /// The card or the ledger has changed since the tag was read.
        case changed
        case failed(Interruption)
    }

    /// How many times one tap may read a card. Resolving takes at most two readings, and a change
    /// by another station one more; the rest allow for poor contact.
    private static let maxRounds = 6

    private(set) var next = Action.recall
    private(set) var rounds = 0
    /// The first card found on the reader.
    private(set) var touched: CardUID?
    var history = TapHistory()
    private var card: CardUID?
    /// Evidence against the card that so far only one session has found.
    private var claimed: TapcardError?
    /// The error to report if the card can no longer be read.
    private var last = TapcardError(
        .tagLost, "The card was removed too soon.", meaning: TapcardError.unchanged,
        next: [.tag(.tapAgain)])

    mutating func take(_ event: Event) {
        switch (event, next) {
        case (.recalled(let card), _):
            self.card = card
            next = .find(again: false)
        case (.found(let identity, let uid), _):
            // Once a card has been read, no other card may take its place during this tap.
            if let wanted = card ?? touched, wanted != uid {
                take(.failed(.refused(.wrongCard(uid, insteadOf: wanted))))
            } else {
                touched = uid
                next = .scan(identity, uid)
            }
        case (.scanned(let reading), _): next = .examine(reading)
        case (.examined, .examine(let reading)): next = .resolve(reading)
        case (.examined, .resolve(let reading)): next = .carryOut(reading)
        case (.begun(let writing), _): next = .write(writing)
        case (.written, .write(let writing)):
            history.noteWritten()
            next = switchingOrConfirming(writing)
        case (.switched(let writing, let isLast), _):
            next = isLast ? .confirm(writing) : switchingOrConfirming(writing)
        case (.confirmed(let operation), .confirm(let writing)): next = .refresh(writing, operation)
        case (.examined, _), (.written, _), (.confirmed, _):
            preconditionFailure("the event does not match the tap's next action")
        case (.resolved(let operation, let display, let closed), _):
            history.note(operation, display)
            if let operation { history.note(closed: closed, by: operation.id) }
            readAgain()
        case (.changed, _): readAgain()
        case (.failed(let interruption), _) where interruption.isClaim:
            weigh(interruption.error.naming(touched))
        case (.failed(let interruption), _):
            // If the card is then removed, or a key must not be sent again, the previous error says
            // more, because it gives the reason why the card had to be read again.
            if touched == nil || !interruption.isUninformative {
                last = interruption.error.naming(touched)
            }
            if interruption.mayPass { readAgain() } else { next = .conclude(last) }
        }
    }

    /// Weighs evidence against the card, which counts only if two sessions find it.
    private mutating func weigh(_ claim: TapcardError) {
        // Errors of the same kind are equal, so the texts have to be compared, too.
        guard claim != claimed || claim.what != claimed?.what else {
            next = .conclude(claim)
            return
        }
        claimed = claim
        last = TapcardError.poorContact.naming(touched)
        readAgain()
    }

    private func switchingOrConfirming(_ writing: RecordWriting) -> Action {
        writing.open.card.protection.isStable ? .confirm(writing) : .switchProtection(writing)
    }

    private mutating func readAgain() {
        rounds += 1
        next = rounds < Tap.maxRounds ? .find(again: true) : .conclude(last)
    }
}

extension Interruption {
    /// Whether the card was taken off the reader, or a key was not sent because the tap had already
    /// sent it the maximum number of times.
    fileprivate var isUninformative: Bool {
        switch self {
        case .reader(let error): error.kind == .noTag
        case .ntag424(let error): error.isWithheldKey
        default: false
        }
    }
}

extension TapcardError {
    /// The error for a card that failed a check once, which may be due to poor contact.
    fileprivate static let poorContact = TapcardError(
        .tagLost,
        "The connection between the card and the reader failed, perhaps because of poor contact.",
        meaning: unchanged)

    fileprivate static func wrongCard(
        _ found: CardUID, insteadOf wanted: CardUID
    ) -> TapcardError {
        TapcardError(
            .wrongCard, "Card \(found) is on the reader, but card \(wanted) was requested.",
            meaning: "Nothing was changed on this card.", next: [.tag(.tap(wanted))], uid: found)
    }
}
