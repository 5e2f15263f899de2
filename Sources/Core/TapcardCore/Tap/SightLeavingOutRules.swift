#if LEAVE_RULES_OUT
import CardImage
import CardStore
import Ledger
import TapcardDomain

extension Sight {
    /// Rule 6 left out: what must not be overwritten is taken from the look at the card.
    func placeLeavingOutRules(for work: OpenWork) -> Int {
        let seen = view?.card.confirmed ?? .none
        let isLeftOut =
            LeftOutRule.current == .confirmedUnderTheLock
            || LeftOutRule.current == .placeUnderTheLock
        return slots.target(keeping: isLeftOut ? seen : work.confirmed)
    }

    /// Rule 2 left out: a page that reads right is not written.
    func writesLeavingOutRules(of record: [UInt8], to place: Int) -> [PageWrite] {
        let writes = layout.writes(record: record, to: place)
        guard LeftOutRule.current == .programAgain else { return writes }
        return zip(writes, layout.writes(record: image.records[place], to: place))
            .filter { $0 != $1 }.map(\.0)
    }
}
#endif
