import Cards
import Ledger
import Tags
import TapcardDomain

/// A change that is durable in the ledger and has to be written to the tag. First the record is
/// written page by page and read back, then the tag's protection is changed if necessary, then the
/// ledger confirms the operation, and only then is the text for phones updated.
struct RecordWriting: Sendable, Hashable {
    let reading: CardReading
    var open: OpenOperation
    /// Whether the tag has just accepted the card's password.
    let isAuthenticated: Bool
    /// Whether the change is the requested one, rather than one that an earlier tap left open.
    let isRequested: Bool

    /// The index of the slot to which the record is written.
    var slotIndex: Int {
        let usesNumberReadBefore =
            SafetyRule.confirmedUnderTheLock.isDisabled || SafetyRule.slotUnderTheLock.isDisabled
        // The number read along with the tag may be out of date: another station may have confirmed
        // a newer record since.
        let confirmed =
            usesNumberReadBefore ? reading.known?.card.confirmed ?? .none : open.confirmed
        return reading.slots.target(keeping: confirmed)
    }

    /// The writes that put the record on the tag.
    fileprivate func writes(to layout: CardLayout) -> [PageWrite] {
        let writes = layout.writes(record: open.record, to: slotIndex)
        // Even a page that reads correctly is written again, because weak bits may read correctly
        // for a while.
        guard SafetyRule.programAgain.isDisabled, let pages = reading.pages else { return writes }
        return zip(writes, layout.writes(record: pages.image.records[slotIndex], to: slotIndex))
            .filter { $0 != $1 }.map(\.0)
    }

    /// A page that can be written on a protected tag only with the password; nil for a card without
    /// pages.
    var probe: PageWrite? { (reading.pages?.layout).map { writes(to: $0)[0] } }
}

/// Writes records to cards, and confirms them in the ledger.
struct RecordWriter: StationWork {
    let station: Station

    /// Writes the record and verifies that it is on the card.
    func write(
        _ change: RecordWriting, _ history: inout TapHistory
    ) async throws(Interruption) {
        dependencies.progress(.writing)
        switch change.reading.medium {
        case .ntag424(let chip): try await station.ntag424Writer.write(change, on: chip, &history)
        case .pages(let pages):
            _ = try await reader.performInTap(
                WritePages(
                    change.writes(to: pages.layout),
                    maximumAnswerLength: await reader.maximumAnswerLength,
                    password: try await station.passwords.writePassword(
                        change.open.card, isAuthenticated: change.isAuthenticated)))
        }
    }

    /// Confirms the operation. If the outcome of the commit is unknown, confirms it again: the
    /// result, read while the card is locked, then shows whether the first commit succeeded. Any
    /// other failure leaves the operation open, with its record on the tag.
    func confirm(_ open: OpenOperation) async throws(Interruption) -> Confirmation {
        let maxAttempts = 3
        var attempts = 0
        while true {
            do {
                return try await ledger.confirm(open, at: now)
            } catch {
                attempts += 1
                guard error.kind == .outcomeUnknown else {
                    let reason = TapcardError(error)
                    throw .refused(TapcardError.stillOpen(open.operation, because: reason))
                }
                guard attempts < maxAttempts else { throw .ledger(error) }
            }
        }
    }
}
