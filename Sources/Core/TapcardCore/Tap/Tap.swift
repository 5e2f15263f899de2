import Ledger
import Tags
import TapcardDomain

/// `TapUseCase` performs its actions; this type itself never waits.
struct Tap: Sendable, Hashable {
    /// The next thing to do in a tap.
    indirect enum Action: Sendable, Hashable {
        /// Ask the ledger whether the request was answered before.
        case recall
        /// Wait for a card as long as the settings allow, or only for the one that was just there.
        case find(again: Bool)
        /// Read the tag and ask the ledger about it.
        case look(TagIdentity, CardUID)
        /// Compare what was seen with the request before anything is resolved.
        case examine(CardReading)
        /// Begin to finish what an earlier tap left open.
        case resolve(CardReading)
        /// Begin what was requested: nothing is open on the card.
        case carryOut(CardReading)
        /// Write the record, and read it back.
        case write(RecordWriting)
        /// Take the next step toward the protection that the ledger wants.
        case switchProtection(RecordWriting)
        /// Tell the ledger that the record is on the card.
        case confirm(RecordWriting)
        /// Write the text for phones.
        case refresh(RecordWriting, Operation)
        /// Ask the ledger what became of the request; the error is the reason why the tap ended.
        case conclude(TapcardError)
    }

    /// What happened, as reported to the tap.
    enum Event: Sendable {
        /// The request is new or still open; nil for any card.
        case recalled(only: CardUID?)
        case found(TagIdentity, CardUID)
        case looked(CardReading)
        /// There is no reason not to continue: what is open can be resolved, or nothing is open.
        case examined
        /// The change is durable in the ledger.
        case begun(RecordWriting)
        case written
        case switched(RecordWriting, isLast: Bool)
        case confirmed(Operation)
        /// Something was resolved; the amount is what it paid out of an older account when closing
        /// it.
        case resolved(Operation?, DisplayState, closed: Int64)
        /// The card or the ledger has changed since the tag was read.
        case changed
        case failed(Interruption)
    }

    /// How often one tap reads a card: resolving takes at most two reads, and another station's
    /// work one more; the rest allow for a bad contact.
    private static let mostRounds = 6

    private(set) var next = Action.recall
    private(set) var rounds = 0
    /// The card that was on the reader.
    private(set) var touched: CardUID?
    var history = TapHistory()
    private var card: CardUID?
    /// What a single session has found against the card.
    private var claimed: TapcardError?
    private var last = TapcardError(
        .tagLost, "The card was removed too soon.", meaning: TapcardError.unchanged,
        next: [.tag(.holdAgain)])

    mutating func take(_ event: Event) {
        switch (event, next) {
        case (.recalled(let card), _):
            self.card = card
            next = .find(again: false)
        case (.found(let identity, let uid), _):
            // After a radio fault, no other card may take the place of the first one.
            if let wanted = card ?? touched, wanted != uid {
                take(.failed(.refused(.wrongCard(uid, insteadOf: wanted))))
            } else {
                touched = uid
                next = .look(identity, uid)
            }
        case (.looked(let reading), _): next = .examine(reading)
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
            preconditionFailure("this is not what the tap has asked for")
        case (.resolved(let operation, let display, let closed), _):
            history.note(operation, display)
            if let operation { history.note(closed: closed, by: operation.id) }
            readAgain()
        case (.changed, _): readAgain()
        case (.failed(let interruption), _) where interruption.isClaim:
            hear(interruption.error.naming(touched))
        case (.failed(let interruption), _):
            // That a card was removed, or that a key is used up, says less than the reason why the
            // card had to be read again.
            if touched == nil || !interruption.isAfterAll {
                last = interruption.error.naming(touched)
            }
            if interruption.mayPass { readAgain() } else { next = .conclude(last) }
        }
    }

    /// Weighs a claim against the card: it counts only if two sessions report it.
    private mutating func hear(_ claim: TapcardError) {
        guard claim != claimed || claim.what != claimed?.what else {
            next = .conclude(claim)
            return
        }
        claimed = claim
        last = TapcardError.disturbed.naming(touched)
        readAgain()
    }

    private func switchingOrConfirming(_ writing: RecordWriting) -> Action {
        writing.open.card.protection.isSteady ? .confirm(writing) : .switchProtection(writing)
    }

    private mutating func readAgain() {
        rounds += 1
        next = rounds < Tap.mostRounds ? .find(again: true) : .conclude(last)
    }
}

extension Interruption {
    /// Whether the card was taken off the reader, or the tap has used up a key.
    fileprivate var isAfterAll: Bool {
        switch self {
        case .reader(let error): error.kind == .noTag
        case .ntag424(let error): error.sparesKey
        default: false
        }
    }
}

extension TapcardError {
    /// The error for a card that failed one check, which a bad contact can cause.
    fileprivate static let disturbed = TapcardError(
        .tagLost,
        "The connection between the card and the reader failed, perhaps because of poor contact.",
        meaning: unchanged)

    fileprivate static func wrongCard(
        _ found: CardUID, insteadOf wanted: CardUID
    ) -> TapcardError {
        TapcardError(
            .wrongCard, "Card \(found) is on the reader, but card \(wanted) was requested.",
            meaning: "Nothing was changed on this card.", next: [.tag(.hold(wanted))], uid: found)
    }
}
