import Cards
import Ledger
import TapcardDomain

/// One reading of a card while its ledger is offline.
struct ReadOfflineCard: TapUseCase {
    var tap = Tap()
    let card: CardUID?

    func examine(_ reading: CardReading, at station: Station) -> Decision<UnconfirmedCard> {
        let bytes = reading.slots.best.map { reading.slots.bytes[$0.place] }
        // Nothing is written to it: otherwise two tills could give one number to two different
        // records.
        return .done(UnconfirmedCard(uid: reading.uid, chip: reading.chip, record: bytes))
    }

    func carryOut(
        on reading: CardReading, at station: Station
    ) -> Decision<UnconfirmedCard> { .readAgain }
}
