import Ledger
package import TapcardDomain

/// Closes a card, and reports the tickets that can no longer be claimed as a result.
package struct Closing: UseCase {
    private var change: CardChange

    package init(_ id: OperationID, only card: CardUID? = nil) {
        change = CardChange(.close, id, only: card)
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        do throws(TapcardError) {
            guard var receipt = try await change.step(at: station) else { return nil }
            receipt.ticketsGivenUp = await station.answering.ticketsGivenUp(
                by: receipt.operation.id)
            return receipt
        } catch {
            throw await naming(error, at: station)
        }
    }

    /// Describes the earlier closing in the error for a closed card. If the receipt for it was
    /// lost, the money is still in the drawer.
    private func naming(
        _ error: TapcardError, at station: Station
    ) async -> TapcardError {
        // Few operations are possible on a closed card, so its closing is among the newest.
        let searched = 100
        guard error.kind == .refusal(.cardClosed), let uid = error.uid,
            let last = try? await station.ledger.read({ rows throws(LedgerError) in
                try rows.operations(on: uid, last: searched)
            }),
            let closing = last.last(where: { $0.kind == .close && $0.state == .committed })
        else { return error }
        let amount = Money(minorUnits: closing.amount, station.currency).shown
        return TapcardError(
            .refusal(.cardClosed),
            "This card was already closed, and \(amount) was recorded as paid "
                + "out\(closing.whenAndByWhom).",
            meaning:
                "Nothing was recorded this time, so do not pay out any cash unless you recorded "
                + "that earlier payout and the cash is still in the drawer.",
            next: error.next, uid: uid, operation: closing.id
        ).reporting(error.resolved)
    }
}
