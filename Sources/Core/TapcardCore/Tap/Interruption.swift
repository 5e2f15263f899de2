import Cards
import Ledger
import Tags
import TapcardDomain

/// Why the work on a card ended, before it is known what that means for the money.
enum Interruption: Error, Sendable {
    case reader(ReaderError)
    case card(CardStoreError)
    case ntag424(NTAG424CardError)
    case ledger(LedgerError)
    /// Another station changed the card while this one looked at it.
    case overtaken
    case refused(TapcardError)
    /// Evidence against a chip, but no proof: one disturbed answer can incriminate an honest card.
    /// It counts once two sessions have found it.
    case claimed(TapcardError)

    static func refused(
        _ kind: TapcardError.Kind, _ what: String, meaning: String, next: [NextStep],
        uid: CardUID? = nil
    ) -> Interruption {
        .refused(TapcardError(kind, what, meaning: meaning, next: next, uid: uid))
    }

    static func refused(_ refusal: Refusal, uid: CardUID) -> Interruption {
        .refused(TapcardError(refusal, uid: uid))
    }

    var error: TapcardError {
        switch self {
        case .reader(let error): TapcardError(error)
        case .card(let error): TapcardError(error)
        case .ntag424(let error): TapcardError(error)
        case .ledger(let error): TapcardError(error)
        case .overtaken:
            TapcardError(
                .tagLost, "Another station updated the card after this station had read it.",
                meaning: TapcardError.unchanged, next: [.tag(.holdAgain)])
        case .refused(let error), .claimed(let error): error
        }
    }

    /// Whether it counts only once two sessions have found it: nothing proves it, and if it were
    /// true, looking again would not help.
    var isClaim: Bool {
        switch self {
        case .claimed: true
        case .ntag424(let error): !mayPass && !error.sparesKey && error.isForGood
        case .reader, .card, .ledger, .overtaken, .refused: false
        }
    }

    /// Whether looking at the card again can help.
    var mayPass: Bool {
        switch self {
        case .reader(let error): Interruption.mayPass(error.kind)
        case .card(let error):
            switch error.kind {
            case .reader(let kind), .interrupted(let kind): Interruption.mayPass(kind)
            // A bad contact can cause any of these.
            case .differs, .garbled, .otherChip: true
            case .otherTag, .wrongPassword, .limitsPasswords, .lockedSettings, .ignoresPassword:
                false
            }
        case .ntag424(let error):
            switch error.kind {
            case .reader(let kind), .unknown(let kind): Interruption.mayPass(kind)
            // Looking again cannot help the card, but decides what becomes of an open payment.
            case .fixedSettings, .deadKey: true
            // The key sent before a write may have arrived damaged.
            case _ where error.isImpostor: true
            case .spared: false
            default: !error.isForGood
            }
        // The next look asks the ledger what became of the commit.
        case .ledger(let error): error.kind == .outcomeUnknown
        case .overtaken: true
        case .refused, .claimed: false
        }
    }

    private static func mayPass(_ kind: ReaderError.Kind) -> Bool {
        switch kind {
        case .tagLost, .refused, .garbled, .timedOut: true
        case .noReader, .busy, .readerLost, .noTag, .severalTags, .unsupported, .cancelled: false
        }
    }
}

/// Asks the ledger during a tap.
func asking<Success: Sendable>(
    _ question: @autoclosure () async throws(LedgerError) -> Success
) async throws(Interruption) -> Success {
    try await translating(awaiting: try await question(), into: Interruption.ledger)
}

extension TagReader {
    /// Performs a read, which a tag refuses only if its contents are hidden behind a password.
    func performing<Procedure: TagProcedure>(
        _ procedure: Procedure, on known: CardUID?
    ) async throws(Interruption) -> Procedure.Outcome {
        do throws(Interruption) {
            return try await performing(procedure)
        } catch .card(let cause) where cause.kind == .reader(.refused(NAK.invalidArgument)) {
            throw .refused(TapcardError.hidden(known))
        }
    }

    /// Performs a procedure during a tap.
    func performing<Procedure: TagProcedure>(
        _ procedure: Procedure
    ) async throws(Interruption) -> Procedure.Outcome {
        try await translating(awaiting: await perform(procedure), into: Interruption.card)
    }

    /// Performs a procedure, counts a key that the chip did not confirm, and sends no key that this
    /// tap has used up.
    func performing<Procedure: NTAG424Procedure>(
        _ procedure: Procedure, _ history: inout TapHistory
    ) async throws(Interruption) -> Procedure.Outcome {
        do {
            return try await perform(procedure, sparing: history.spentKeys)
        } catch {
            history.noteSpentKey(by: error)
            throw .ntag424(error)
        }
    }
}
