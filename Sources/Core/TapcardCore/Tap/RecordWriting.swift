import Cards
import Ledger
import Tags
import TapcardDomain

/// A change that is durable in the ledger, on its way to the tag: first the record, page by page,
/// read back; then whatever the tag's protection still needs; then the confirmation in the ledger;
/// and only then the text for phones.
struct RecordWriting: Sendable, Hashable {
    let reading: CardReading
    var open: OpenOperation
    /// Whether the tag has just accepted the card's password.
    let isOpened: Bool
    /// Whether it is the request's own change, rather than one that an earlier tap left open.
    let isRequested: Bool

    /// The slot that the record goes to.
    var place: Int {
        let isFromLook =
            SafetyRule.confirmedUnderTheLock.isLeftOut || SafetyRule.placeUnderTheLock.isLeftOut
        // Not the number from the look: another station may have confirmed a newer record since.
        let confirmed = isFromLook ? reading.known?.card.confirmed ?? .none : open.confirmed
        return reading.slots.target(keeping: confirmed)
    }

    /// The pages of the record.
    fileprivate func writes(to layout: CardLayout) -> [PageWrite] {
        let writes = layout.writes(record: open.record, to: place)
        // Even a page that reads correctly is programmed again: weak bits read correctly for a
        // while.
        guard SafetyRule.programAgain.isLeftOut, let pages = reading.pages else { return writes }
        return zip(writes, layout.writes(record: pages.image.records[place], to: place))
            .filter { $0 != $1 }.map(\.0)
    }

    /// A page that a protected tag allows only someone with the password to write; nil for a card
    /// without pages.
    var probe: PageWrite? { (reading.pages?.layout).map { writes(to: $0)[0] } }
}

/// Writes a record to the card, and then confirms it in the ledger.
struct RecordWriter: StationWork {
    let station: Station

    /// Writes the record and proves that it is on the card.
    func write(
        _ change: RecordWriting, _ history: inout TapHistory
    ) async throws(Interruption) {
        surroundings.progress(.writing)
        switch change.reading.medium {
        case .ntag424(let chip): try await station.ntag424Writer.write(change, on: chip, &history)
        case .pages(let pages):
            _ = try await reader.performing(
                WritePages(
                    change.writes(to: pages.layout), longestAnswer: await reader.longestAnswer,
                    password: try await station.passwords.opening(
                        change.open.card, isOpened: change.isOpened)))
        }
    }

    /// Confirms the operation. If the outcome of the commit is unknown, asks again: the answer,
    /// read under the card's lock, says what became of it. Any other failure leaves the change
    /// open, with its record on the tag.
    func confirm(_ open: OpenOperation) async throws(Interruption) -> Confirmation {
        let mostAttempts = 3
        var attempts = 0
        while true {
            do {
                return try await ledger.confirm(open, at: now)
            } catch {
                attempts += 1
                guard error.kind == .outcomeUnknown else {
                    let reason = TapcardError(error)
                    throw .refused(TapcardError.openStill(open.operation, because: reason))
                }
                guard attempts < mostAttempts else { throw .ledger(error) }
            }
        }
    }
}
