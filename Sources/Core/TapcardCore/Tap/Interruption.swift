import Cards
import Ledger
import Tags
import TapcardDomain

/// Why work on a card stopped. What that means for the money is determined later.
enum Interruption: Error, Sendable {
    case reader(ReaderError)
    case card(CardStoreError)
    case ntag424(NTAG424CardError)
    case ledger(LedgerError)
    /// Another station changed the card after this station had read it.
    case overtaken
    case refused(TapcardError)
    /// Evidence against a chip, but not proof: interference with a single response can make a
    /// genuine card look like a copy. The evidence counts only if two sessions find it.
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
                .tagLost, "The card was updated elsewhere after it had been read here.",
                meaning: TapcardError.unchanged, next: [.tag(.tapAgain)])
        case .refused(let error), .claimed(let error): error
        }
    }

    /// Whether the error counts only if two sessions find it. The error may be wrong, but if it is
    /// right, reading the card again does not help.
    var isClaim: Bool {
        switch self {
        case .claimed: true
        case .ntag424(let error): !mayPass && !error.isWithheldKey && error.isPermanent
        case .reader, .card, .ledger, .overtaken, .refused: false
        }
    }

    /// Whether reading the card again can help.
    var mayPass: Bool {
        switch self {
        case .reader(let error): Interruption.mayPass(error.kind)
        case .card(let error):
            switch error.kind {
            case .reader(let kind), .interrupted(let kind): Interruption.mayPass(kind)
            // Poor contact can cause any of these.
            case .differs, .garbled, .otherChip: true
            case .otherTag, .wrongPassword, .limitsPasswords, .lockedSettings, .ignoresPassword:
                false
            }
        case .ntag424(let error):
            switch error.kind {
            case .reader(let kind), .unknown(let kind): Interruption.mayPass(kind)
            // Reading again cannot help the card, but it decides what happens to an open payment.
            case .fixedSettings, .lockedKey: true
            // The key sent before a write may have arrived damaged.
            case _ where error.isUnauthenticated: true
            case .notTried: false
            default: !error.isPermanent
            }
        // The next reading asks the ledger whether the commit succeeded.
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

/// Queries the ledger during a tap, translating its errors.
func asking<Success: Sendable>(
    _ question: @autoclosure () async throws(LedgerError) -> Success
) async throws(Interruption) -> Success {
    try await translating(awaiting: try await question(), into: Interruption.ledger)
}

extension TagReader {
    /// Performs a read. A tag refuses a read only if a password protects its content from being
    /// read.
    func performInTap<Procedure: TagProcedure>(
        _ procedure: Procedure, on known: CardUID?
    ) async throws(Interruption) -> Procedure.Outcome {
        do throws(Interruption) {
            return try await performInTap(procedure)
        } catch .card(let cause) where cause.kind == .reader(.refused(NAK.invalidArgument)) {
            throw .refused(TapcardError.hidden(known))
        }
    }

    /// Performs a procedure during a tap.
    func performInTap<Procedure: TagProcedure>(
        _ procedure: Procedure
    ) async throws(Interruption) -> Procedure.Outcome {
        try await translating(awaiting: await perform(procedure), into: Interruption.card)
    }

    /// Performs a procedure. A key that the chip did not confirm is counted, and a key that this
    /// tap has already used the maximum number of times is not sent.
    func performInTap<Procedure: NTAG424Procedure>(
        _ procedure: Procedure, _ history: inout TapHistory
    ) async throws(Interruption) -> Procedure.Outcome {
        do {
            return try await perform(procedure, avoiding: history.spentKeys)
        } catch {
            history.noteSpentKey(by: error)
            throw .ntag424(error)
        }
    }
}
