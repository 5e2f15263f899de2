import Cards
public import Ledger
import Tags
public import TapcardDomain

extension Station {
    /// Blocks, allows or forgets a card without a reader.
    public static func change(
        _ card: CardUID, _ change: StatusChange, in ledger: any LedgerStore,
        surroundings: Surroundings
    ) async throws(TapcardError) -> LedgerCard {
        let result = try await whileAsking(
            await ledger.change(
                card, change, id: surroundings.newID(), by: surroundings.cashier,
                at: ledger.time(at: surroundings.now())))
        switch result {
        case .success(let card): return card
        case .failure(let refusal) where refusal.rule == .cardUnknown:
            throw TapcardError(
                .refusal(.cardUnknown), TapcardError.sentence(refusal.detail),
                meaning: TapcardError.unchanged, next: [.card(.showCards)], uid: card)
        case .failure(let refusal):
            // A card that is not in use any more is not blocked: the remedy is another one.
            if change == .unblock, refusal.rule == .wrongState,
                let status = try? await ledger.knownCard(of: card)?.card.status, status != .active
            {
                throw TapcardError(
                    .refusal(.wrongState), "A \(status.rawValue) card cannot be unblocked.",
                    meaning: TapcardError.unchanged, next: [.card(.reissueTag)], uid: card)
            }
            throw TapcardError(refusal, uid: card)
        }
    }

    /// The number of the card on the reader; nothing is read from it.
    public func cardOnReader() async throws(TapcardError) -> CardUID {
        let identity = try await waitForTag()
        await reader.release()
        guard let uid = CardUID(bytes: identity.uid) else {
            throw TapcardError(.unsupportedTag, "This tag has no seven-byte number.")
        }
        return uid
    }
}
