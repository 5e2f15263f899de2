import Cards
import Ledger
import Tags
import TapcardDomain

extension StatusChange {
    /// Blocks or unblocks a card, or removes its cardholder's name.
    func carryOut(
        on card: CardUID, in ledger: any LedgerStore, _ dependencies: Station.Dependencies
    ) async throws(TapcardError) -> LedgerCard {
        let result = try await queryingLedger(
            await ledger.change(
                card, self, id: dependencies.newID(), by: dependencies.requester,
                at: ledger.time(at: dependencies.now())))
        switch result {
        case .success(let card): return card
        case .failure(let refusal) where refusal.rule == .cardUnknown:
            throw TapcardError(
                .refusal(.cardUnknown), TapcardError.sentence(refusal.detail),
                meaning: TapcardError.unchanged, next: [.card(.showCards)], uid: card)
        case .failure(let refusal):
            // A closed or replaced card is not blocked, so the error suggests reissuing it instead.
            if self == .unblock, refusal.rule == .wrongState,
                let status = try? await ledger.knownCard(of: card)?.card.status, status != .active
            {
                throw TapcardError(
                    .refusal(.wrongState), "A \(status.rawValue) card cannot be unblocked.",
                    meaning: TapcardError.unchanged, next: [.card(.reissueTag)], uid: card)
            }
            throw TapcardError(refusal, uid: card)
        }
    }
}
