import Ledger
import TapcardDomain

/// The errors from a tap that may leave something open.
extension TapcardError {
    /// The error for an operation that has begun, when it is not known whether it reached the card.
    static func openStill(_ open: Operation, because error: TapcardError) -> TapcardError {
        let isReaderGone = error.kind == .readerLost || error.kind == .noReader
        return TapcardError(
            .outcomeUnknown, "\(error.what) The \(open.kind.noun) \(open.id) is still open.",
            meaning: error.meaning(leavingOpen: open.kind),
            next: error.blamesTag
                ? error.next
                : (isReaderGone ? [.reader(.plugIn)] : []) + [.tag(.tapToResolve(error.kind))],
            // An ID that the client cannot choose is of no use for a retry.
            uid: open.uid, operation: open.kind.takesIDOfClient ? open.id : nil)
    }

    /// What an open operation of this kind means.
    private func meaning(leavingOpen kind: Operation.Kind) -> String {
        switch kind {
        case .pay, .ticket, .close:
            "The card may or may not have been written, and this is booked only if it was; hand "
                + "over nothing until the next tap shows the result."
        case _ where kind.isBookedAtOnce:
            isOfTagForGood
                ? "The ledger has booked the \(kind.noun), but this tag can no longer be updated."
                : "The ledger has booked the \(kind.noun), and the card will be updated at its "
                    + "next tap."
        case .protect:
            "The tag may or may not require the password already; the full balance is safe in the "
                + "ledger."
        case .unprotect:
            "The tag may or may not still require the password; the full balance is safe in the "
                + "ledger."
        default: TapcardError.moneyIsSafe
        }
    }

    /// The error for a tag that can no longer be used, when a request of this kind was not begun
    /// because an older one is open.
    func notBegun(_ kind: Operation.Kind, after open: Operation) -> TapcardError {
        let (what, meaning) = kind.notDone
        let older =
            // Nobody requested a fresh record, so it is not worth mentioning.
            open.kind == .reseal
            ? ""
            : " The new request was not started, because the earlier \(open.kind.noun) \(open.id) "
                + "on this card is still open. "
                + self.meaning(leavingOpen: open.kind)
        return saying(meaning: "\(what) \(meaning)\(older)")
    }

    /// Whether the tag can never be written to again, or only by its owner.
    var isOfTagForGood: Bool { [.lockedTag, .unusableTag].contains(kind) }

    /// Whether the tag itself is the problem, so that another tap would not help.
    var blamesTag: Bool {
        [.protectedTag, .lockedTag, .unusableTag, .unsupportedTag].contains(kind) && !next.isEmpty
    }

    /// Whether the card itself is wrong, so that another tap would not help.
    var blamesCard: Bool {
        result == .untrusted || kind == .ledgerBehind || kind == .cardCurrency
    }

    /// The error for a tap that had already resolved something.
    var afterWork: TapcardError {
        // After such work, only "nothing was changed" is no longer true.
        guard meaning == TapcardError.unchanged else { return self }
        return saying(
            meaning: "This tap first resolved an earlier operation that had been interrupted. "
                + "Nothing else was changed.")
    }

    /// The error for a request with an unknown outcome, including how to ask again: under its own
    /// ID it never happens twice.
    func retriable(_ operation: Operation) -> TapcardError {
        guard kind == .outcomeUnknown, operation.kind.takesIDOfClient else { return self }
        return saying(next: next + [.request(.repeatWithID(operation.id))])
    }

    /// The error, describing both what is wrong with the card and the operation that stays open on
    /// it.
    func leavingOpen(_ open: Operation) -> TapcardError {
        saying(
            "\(what) The \(open.kind.noun) \(open.id) is still open.",
            meaning: open.kind.isBookedAtOnce
                ? "The \(open.kind.noun) is booked in the ledger, although the card was not "
                    + "updated. \(meaning)" : meaning)
    }

    /// The error when the ledger failed while this was being recorded and can no longer be asked.
    static func perhapsBegun(
        _ perhaps: Operation, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) The ledger failed while recording the \(perhaps.kind.noun) "
                + "\(perhaps.id) and may or may not have it.",
            meaning: "The card was not written, and no success was reported to anyone.",
            next: [.ledger(.readCardWhenWritable)], uid: perhaps.uid, operation: perhaps.id)
    }

    /// The error when the ledger failed while this was being recorded, and reports that it was not
    /// recorded.
    static func notBegun(_ perhaps: Operation) -> TapcardError {
        TapcardError(
            .ledgerUnavailable,
            "The disk or the ledger failed. The \(perhaps.kind.noun) was definitely not recorded, "
                + "and it was not started.",
            meaning: unchanged, next: [.ledger(.checkDisk)], uid: perhaps.uid)
    }
}
