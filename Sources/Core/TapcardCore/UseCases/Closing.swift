import Ledger
public import TapcardDomain

extension Station {
    /// Pays out the balance of a card and empties it. Where this tap has completed an earlier
    /// closing, that one is the answer: its money has to be handed out.
    public func close(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        try await run(Closing(id, only: card))
    }
}

/// The closing of a card, with the tickets that are lost with it.
package struct Closing: UseCase {
    private var change: CardChange

    package init(_ id: OperationID, only card: CardUID? = nil) {
        change = CardChange(.close, id, only: card)
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        do throws(TapcardError) {
            guard var receipt = try await change.step(at: station) else { return nil }
            receipt.ticketsGivenUp = await station.ticketsGivenUp(by: receipt.operation.id)
            return receipt
        } catch {
            throw await station.namingClosing(error)
        }
    }
}
