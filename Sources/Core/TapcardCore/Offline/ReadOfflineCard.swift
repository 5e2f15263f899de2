import Cards
import Ledger
import TapcardDomain

/// Reads a card while the ledger is offline.
struct ReadOfflineCard: TapUseCase {
    var tap = Tap()
    let card: CardUID?

    func examine(_ reading: CardReading, at station: Station) -> Decision<UnconfirmedCard> {
        let bytes = reading.slots.best.map { reading.slots.bytes[$0.slotIndex] }
        // Nothing is written to the card: without the ledger, two tills could give two different
        // records the same number.
        return .done(UnconfirmedCard(uid: reading.uid, chip: reading.chip, record: bytes))
    }

    func carryOut(
        on reading: CardReading, at station: Station
    ) -> Decision<UnconfirmedCard> { .readAgain }
}
