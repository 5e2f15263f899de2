import Cards
import Ledger
import Tags
import TapcardDomain

/// A chip that proves that it is the card, and can never be written again.
extension Station {
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
