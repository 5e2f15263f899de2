import Ledger
public import TapcardDomain

extension Station {
    /// Keeps a game of Mastermind on the card on the reader, in place of another one; nil removes
    /// it.
    public func keepGame(
        _ game: MastermindGame?, id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        try await CardChange(.game(game), id, only: card).run(at: self)
    }

    /// The card on the reader with its game; the tap resolves an open operation.
    public func keptGame(
        only card: CardUID? = nil
    ) async throws(TapcardError) -> (card: CardSummary, game: MastermindGame?) {
        let summary = try await ReadKnownCard(card: card).run(at: self)
        return (summary, summary.game)
    }
}
