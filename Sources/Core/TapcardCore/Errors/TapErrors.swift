import Ledger
import TapcardDomain

/// Errors for a tap that may have left an operation open.
extension TapcardError {
    /// The error for an operation that has begun but may not have reached the card.
    static func stillOpen(_ open: Operation, because error: TapcardError) -> TapcardError {
        let isReaderGone = error.kind == .readerLost || error.kind == .noReader
        return TapcardError(
            .outcomeUnknown, "\(error.what) \(open.kind.titled(open.id)) is still open.",
            meaning: error.meaning(leavingOpen: open.kind),
            next: error.blamesTag
                ? error.next
                : (isReaderGone ? [.reader(.plugIn)] : []) + [.tag(.tapToResolve(error.kind))],
            // A client can retry only an operation whose ID it may choose.
            uid: open.uid, operation: open.kind.acceptsClientID ? open.id : nil)
    }

    /// What an open operation means if the card is written before the operation is booked.
    static func outcomeUnknown(of kind: Operation.Kind) -> String {
        "The card may or may not have been written to. Before you hand over anything, wait for the "
            + "next tap to show whether the \(kind.noun) went through."
    }

    /// What it means for the card and the money that an operation of this kind is still open.
    private func meaning(leavingOpen kind: Operation.Kind) -> String {
        switch kind {
        case .pay, .ticket, .close: TapcardError.outcomeUnknown(of: kind)
        case _ where kind.takesEffectImmediately:
            isPermanentForTag
                ? "The ledger has recorded the \(kind.noun), but this tag can no longer be updated."
                : "The ledger has recorded the \(kind.noun), and the card will be updated the next "
                    + "time it is tapped."
        case .protect:
            "The tag may or may not require the password already; the full balance is safe in the "
                + "ledger."
        case .unprotect:
            "The tag may or may not still require the password; the full balance is safe in the "
                + "ledger."
        default: TapcardError.moneyIsSafe
        }
    }

    /// This error for a request of this kind that was not begun because an older operation is still
    /// open on the card.
    func notBegun(_ kind: Operation.Kind, after open: Operation) -> TapcardError {
        let (what, meaning) = kind.notDone
        let older =
            // Nobody requested the rewriting of the record, so the message does not mention it.
            open.kind == .reseal
            ? ""
            : " The new request was not started, because an earlier \(open.kind.noun) on this card "
                + "(\(open.id)) is still open. "
                + self.meaning(leavingOpen: open.kind)
        return reworded(meaning: "\(what) \(meaning)\(older)")
    }

    /// Whether this station can never write to the tag again.
    var isPermanentForTag: Bool { [.lockedTag, .unusableTag].contains(kind) }

    /// Whether the tag itself is the problem, so that another tap would not help.
    var blamesTag: Bool {
        [.protectedTag, .lockedTag, .unusableTag, .unsupportedTag].contains(kind) && !next.isEmpty
    }

    /// Whether the card itself is the problem, so that another tap would not help.
    var isCardAtFault: Bool {
        result == .untrusted || kind == .ledgerBehind || kind == .cardCurrency
    }

    /// This error for a tap that resolved something before it failed.
    var afterResolving: TapcardError {
        // "Nothing was changed" is the only text that would be wrong after that.
        guard meaning == TapcardError.unchanged else { return self }
        return reworded(
            meaning: "This tap first resolved an earlier operation that had been interrupted. "
                + "Nothing else was changed.")
    }

    /// This error, with the advice to repeat the request with the same ID if the outcome is
    /// unknown. Each ID takes effect only once.
    func advisingRetry(_ operation: Operation) -> TapcardError {
        guard kind == .outcomeUnknown, operation.kind.acceptsClientID else { return self }
        return reworded(next: next + [.request(.repeatWithID(operation.id))])
    }

    /// This error, with a mention of the operation that is still open on the card.
    func leavingOpen(_ open: Operation) -> TapcardError {
        reworded(
            "\(what) \(open.kind.titled(open.id)) is still open.",
            meaning: open.kind.takesEffectImmediately
                ? "The \(open.kind.noun) is recorded in the ledger, but the card may not show it "
                    + "yet. \(meaning)" : meaning)
    }

    /// The error for an operation that may have begun: the ledger failed while recording it, and is
    /// still failing.
    static func possiblyBegun(
        _ operation: Operation, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) The ledger failed while recording \(operation.kind.noun) "
                + "\(operation.id) and may or may not contain it.",
            meaning: "The card was not written to, and no success was reported to anyone.",
            next: [.ledger(.readCardWhenWritable)], uid: operation.uid, operation: operation.id)
    }

    /// The error for an operation that was not begun: the ledger failed while recording it, and now
    /// reports that it was not recorded.
    static func notBegun(_ operation: Operation) -> TapcardError {
        TapcardError(
            .ledgerUnavailable,
            "The disk or the ledger failed. The \(operation.kind.noun) was definitely not "
                + "recorded, and it was not started.",
            meaning: unchanged, next: [.ledger(.checkDisk)], uid: operation.uid)
    }
}

/// Errors of commands for tags of any kind.
extension TapcardError {
    /// The error with "tag" in place of "card", because the tag may not be a card.
    var wordedForTag: TapcardError {
        withoutMoney.reworded(what.replacing(" card", with: " tag"))
    }

    /// The error for a command that moves no money. Adds how to share a reader with `serve`.
    package var withoutMoney: TapcardError {
        let unchanged = result == .noReader ? "" : TapcardError.nothingWritten
        return reworded(
            meaning: meaning == TapcardError.unchanged ? unchanged : meaning,
            next: kind == .readerBusy ? next + [.reader(.share)] : next)
    }
}
