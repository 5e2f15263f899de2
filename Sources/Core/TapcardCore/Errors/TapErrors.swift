import Ledger
import TapcardDomain

/// The errors of a tap that may leave something open.
extension TapcardError {
    /// The error of an operation that has begun while it is unknown whether the card has it.
    static func openStill(_ open: Operation, because error: TapcardError) -> TapcardError {
        let isReaderGone = error.kind == .readerLost || error.kind == .noReader
        return TapcardError(
            .outcomeUnknown, "\(error.what) The \(open.kind.noun) \(open.id) is still open.",
            meaning: error.meaning(leavingOpen: open.kind),
            next: error.blamesTag
                ? error.next
                : (isReaderGone ? [.reader(.plugIn)] : []) + [.tag(.tapToResolve(error.kind))],
            // An id that the client cannot choose is of no use to a retry.
            uid: open.uid, operation: open.kind.takesIDOfClient ? open.id : nil)
    }

    /// What an open operation of this kind means.
    private func meaning(leavingOpen kind: Operation.Kind) -> String {
        switch kind {
        case .pay, .ticket, .close:
            "Whether the card has it is not known; until then it is not done."
        case _ where kind.isBookedAtOnce:
            isOfTagForGood
                ? "The ledger has it; this tag cannot follow."
                : "The ledger has it; the card follows at the next tap."
        case .protect:
            "Whether the tag asks for its password already is not known; the money is safe."
        case .unprotect:
            "Whether the tag still asks for its password is not known; the money is safe."
        default: "The money is safe in the ledger."
        }
    }

    /// The error of a tag that can no longer be used, for a request of this kind that was not begun
    /// because an older one is open.
    func notBegun(_ kind: Operation.Kind, after open: Operation) -> TapcardError {
        let (what, meaning) = kind.notDone
        let older =
            // A fresh record is nobody's request, so it is not worth a word.
            open.kind == .reseal
            ? ""
            : " The older \(open.kind.noun) \(open.id) is still open. "
                + self.meaning(leavingOpen: open.kind)
        return saying(meaning: "\(what) \(meaning)\(older)")
    }

    /// Whether the tag can never be written again, or not without its owner.
    var isOfTagForGood: Bool { [.lockedTag, .unusableTag].contains(kind) }

    /// Whether the tag itself is the obstacle, so that another tap would not help.
    var blamesTag: Bool {
        [.protectedTag, .lockedTag, .unusableTag, .unsupportedTag].contains(kind) && !next.isEmpty
    }

    /// Whether the card itself is wrong, so that another tap would not help.
    var blamesCard: Bool {
        result == .untrusted || kind == .ledgerBehind || kind == .cardCurrency
    }

    /// The error of a tap that had already resolved something.
    var afterWork: TapcardError {
        // Only "nothing was changed" is no longer true after such work.
        guard meaning == TapcardError.unchanged else { return self }
        return saying(
            meaning: "Earlier unfinished work was processed first; the history shows it. "
                + "Nothing else was changed.")
    }

    /// The error of a request with an unknown outcome, with the way to ask again: under its own id
    /// it never happens twice.
    func retriable(_ operation: Operation) -> TapcardError {
        guard kind == .outcomeUnknown, operation.kind.takesIDOfClient else { return self }
        return saying(next: next + [.request(.repeatWithID(operation.id))])
    }

    /// The error, naming both what is wrong with the card and the operation that stays open on it.
    func leavingOpen(_ open: Operation) -> TapcardError {
        saying(
            "\(what) The \(open.kind.noun) \(open.id) is still open.",
            meaning: open.kind.isBookedAtOnce
                ? "The ledger has the \(open.kind.noun). \(meaning)" : meaning)
    }

    /// The error of a ledger that failed while this was recorded and cannot be asked.
    static func perhapsBegun(
        _ perhaps: Operation, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) Whether the ledger has the \(perhaps.kind.noun) \(perhaps.id) is not "
                + "known.",
            meaning: "Nothing was written to the card, and nobody was told that it is done.",
            next: [.ledger(.readCardWhenWritable)], uid: perhaps.uid, operation: perhaps.id)
    }

    /// The error of a ledger that failed while this was recorded, and says that it was not.
    static func notBegun(_ perhaps: Operation) -> TapcardError {
        TapcardError(
            .ledgerUnavailable,
            "The ledger failed while it was being written. The \(perhaps.kind.noun) was not begun.",
            meaning: unchanged, next: [.ledger(.checkDisk)], uid: perhaps.uid)
    }
}
