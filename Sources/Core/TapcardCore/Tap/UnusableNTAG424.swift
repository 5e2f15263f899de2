import Cards
import Ledger
import Tags
import TapcardDomain

/// A chip that proves that it is the card, and can never be written again.
extension Station {
    /// After so many refusals in one tap a chip is worn out, or cannot get other keys. A single
    /// refusal may be a weak field.
    private static let mostRefusedWrites = 2

    /// Notes that a chip which has refused a write will refuse every one. What it holds, only the
    /// look that follows proves.
    func noteUnusable(
        after error: Interruption, writing change: RecordWriting, _ history: inout TapHistory
    ) async {
        guard case .ntag424(let cause) = error, case .ntag424(let chip) = change.reading.medium
        else { return }
        if cause.isOfMemory {
            history.noteRefusedWrite()
            guard history.refusedWrites >= Station.mostRefusedWrites else { return }
            history.note(unusable: .worn(change.reading.uid))
        } else if cause.isOfChangedKey, isMakingWhole(change, chip) {
            history.noteRefusedWrite()
            guard history.refusedWrites >= Station.mostRefusedWrites else { return }
            history.note(unusable: .refusesKeys(change.reading.uid))
        } else if cause.isOfDeadKey {
            history.noteRefusedWrite()
            guard history.refusedWrites >= Station.mostRefusedWrites else { return }
            history.note(unusable: TapcardError(cause).naming(change.reading.uid))
        } else if cause.kind == .fixedSettings {
            history.note(unusable: TapcardError(cause).naming(change.reading.uid))
        } else if let key = cause.spentKey, cause.isImpostor {
            guard history.hasRefused(key) else { return }
            history.note(unusable: .otherKey(key, change.reading.uid))
        } else if !isMakingWhole(change, chip), let card = chip.visit?.card,
            let altered = await ntag424Scanner.alteredSettings(of: card, after: cause, &history)
        {
            // While a card gets other keys, that one may be gone.
            history.note(unusable: altered)
        }
    }

    /// Ends an open payment whose state this look proves not to be on the chip. Its command was
    /// bound to a session that is over, so it can never come there later. Nil to go on as usual.
    func end(
        on reading: CardReading, _ known: KnownCard, because error: TapcardError,
        for request: OperationID?, _ history: inout TapHistory
    ) async throws(Interruption) -> Decision<Never>? {
        guard let open = known.open else {
            // A look has nothing to write.
            guard request == nil else { throw .refused(error) }
            return nil
        }
        // The card has the new state, although an error said that it was not written.
        guard reading.highest < open.sequence else { return nil }
        guard open.kind.isVoidable else { throw .refused(error) }
        let voided = try await asking(
            await ledger.voidOpenPayment(on: reading.uid, version: reading.version, at: now))
        guard let voided else { return .readAgain }
        history.note(ended: voided)
        guard request == nil else { throw .refused(error) }
        return .readAgain
    }
}
