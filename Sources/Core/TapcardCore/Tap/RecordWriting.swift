import Cards
import Ledger
import Tags
import TapcardDomain
import TextCodecs

/// How what phones read stands after a tap.
public enum DisplayState: String, Sendable, Hashable, CaseIterable {
    /// Phones read the present state.
    case current
    /// Phones read the present state again: this tap has refreshed it.
    case repaired
    /// Phones still read an older state; the next tap refreshes it.
    case outOfDate = "out-of-date"
}

/// A change that is durable in the ledger, on its way onto the tag: first the record, page by page,
/// read back; then what the tag's protection lacks; then the ledger's word that it has happened;
/// only then what phones read.
struct RecordWriting: Sendable, Hashable {
    let reading: CardReading
    var open: OpenOperation
    /// Whether the tag has just taken the card's password.
    let isOpened: Bool
    /// Whether it is the request's own; an earlier tap has left open anything else.
    let isRequested: Bool

    /// Where the record goes.
    var place: Int {
        let isFromLook =
            SafetyRule.confirmedUnderTheLock.isLeftOut || SafetyRule.placeUnderTheLock.isLeftOut
        let confirmed = isFromLook ? reading.known?.card.confirmed ?? .none : open.confirmed
        return reading.slots.target(keeping: confirmed)
    }

    /// The pages of the record.
    fileprivate func writes(to layout: CardLayout) -> [PageWrite] {
        let writes = layout.writes(record: open.record, to: place)
        guard SafetyRule.programAgain.isLeftOut, let pages = reading.pages else { return writes }
        return zip(writes, layout.writes(record: pages.image.records[place], to: place))
            .filter { $0 != $1 }.map(\.0)
    }

    /// A page that only who has the password may write to a protected tag; nil for a card without
    /// pages.
    var probe: PageWrite? { (reading.pages?.layout).map { writes(to: $0)[0] } }
}

extension Station {
    /// Writes the record, and proves that it is on the card.
    func writeRecord(
        of change: RecordWriting, _ history: inout TapHistory
    ) async throws(Interruption) {
        surroundings.progress(.writing)
        switch change.reading.medium {
        case .ntag424(let chip): try await write(change, on: chip, &history)
        case .pages(let pages):
            _ = try await reader.performing(
                WritePages(
                    change.writes(to: pages.layout), longestAnswer: await reader.longestAnswer,
                    password: try await opening(change.open.card, isOpened: change.isOpened)))
        }
    }

    /// Brings what phones read to what has happened.
    func refreshDisplay(after change: RecordWriting) async -> DisplayState {
        let card = change.open.cardAfterwards
        let display = await refreshDisplay(
            on: change.reading, content: change.open.content, of: card,
            rewritingAll: card.isDisplayStale, isOpened: true)
        // A change that shows is no repair; a fresh record that brings the old face back is one.
        let isRepair = change.open.operation.kind == .reseal || display != .repaired
        return isRepair ? display : .current
    }

    /// A commit whose outcome is unknown is asked about again: the answer is taken under the
    /// card's lock and says what became of it. Any other failure leaves the change open, with its
    /// record on the tag.
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

    /// Brings what phones read up to date. A failure costs nothing but that: the ledger notes it
    /// and the next tap writes every page again.
    ///
    /// `isOpened` says that the tag has just taken the card's password.
    func refreshDisplay(
        on reading: CardReading, content: SealedContent, of card: LedgerCard, rewritingAll: Bool,
        isOpened: Bool = false
    ) async -> DisplayState {
        do throws(Interruption) {
            return try await writeDisplay(
                on: reading, content: content, of: card, rewritingAll: rewritingAll,
                isOpened: isOpened)
        } catch {
            surroundings.progress(.hint("what phones read was not refreshed: \(error.error.what)"))
            return .outOfDate
        }
    }

    /// Brings what phones read up to date and throws on failure, for a caller that wants just that.
    ///
    /// `keepingExtras` says whether members that others added stay. Of an NTAG 424,
    /// phones read an address, which does not change with the card.
    func writeDisplay(
        on reading: CardReading, content: SealedContent, of card: LedgerCard, rewritingAll: Bool,
        keepingExtras: Bool = true, isOpened: Bool = false
    ) async throws(Interruption) -> DisplayState {
        guard let pages = reading.pages else { return .current }
        guard
            let area = area(
                for: content, of: card, on: reading, pages, keepingExtras: keepingExtras)
        else {
            surroundings.progress(.hint("what phones are to read has no room on the chip"))
            return .outOfDate
        }
        let writes = pages.layout.writes(
            replacing: pages.image.area, with: area, rewritingAll: rewritingAll)
        do throws(Interruption) {
            if !writes.isEmpty {
                _ = try await reader.performing(
                    WritePages(
                        writes, longestAnswer: await reader.longestAnswer,
                        password: try await opening(card, isOpened: isOpened)))
            }
            if card.isDisplayStale {
                try await asking(await ledger.markDisplay(of: card.uid, stale: false))
            }
        } catch {
            do {
                try await ledger.markDisplay(of: card.uid, stale: true)
            } catch {
                // The guard on the tag says the same; the ledger's note only adds to it.
                surroundings.progress(
                    .hint("the ledger could not note that what phones read is old: \(error)"))
            }
            throw error
        }
        return writes.isEmpty ? .current : .repaired
    }

    /// The bytes for phones to read: the ledger's card with the members that others added, as long
    /// as these leave room for the card's own. Nil where not even these have room: no card is made
    /// so, but a ledger that somebody wrote into can say so.
    func area(
        for content: SealedContent, of card: LedgerCard, on reading: CardReading, _ pages: TagPages,
        keepingExtras: Bool = true
    ) -> [UInt8]? {
        var face = card.face(showing: content)
        if keepingExtras, card.status != .closed {
            face.extras = extras(on: reading, pages, of: card)
        }
        if let area = try? face.area(in: pages.layout) { return area }
        face.extras = []
        return try? face.area(in: pages.layout)
    }

    /// The members that others added. A key of the card's own that was torn or altered looks like
    /// one of them: they are believed only beside what the card itself has to say of its holder,
    /// and after a refresh that was broken off only where everything else is in its place.
    func extras(on reading: CardReading, _ pages: TagPages, of card: LedgerCard) -> [JSONMember] {
        if let face = reading.content.face {
            let isOfHolder =
                face.holder.id == card.holder.id
                && (card.holder.name == nil || face.holder.name == card.holder.name)
            let hasState =
                face.style == .iosApp || card.scratch == .none || face.scratch != .none
            return isOfHolder && hasState ? face.extras : []
        }
        guard let face = pages.image.remainingFace(in: currency), face.style == card.face,
            face.holder == card.holder,
            face.style == .iosApp || (face.scratch == .none) == (card.scratch == .none)
        else { return [] }
        let own = card.face(showing: card.content(.none, balance: face.balance))
            .shown(in: pages.layout)
        guard (face.ticket == nil) == (own.ticket == nil), (face.game == nil) == (own.game == nil)
        else { return [] }
        return face.extras
    }

    /// Requires room on the tag for a code: members that other writers added may have taken it.
    func requireRoom(for action: CardAction, on reading: CardReading) throws(Interruption) {
        guard case .scratch(let code) = action, let known = reading.known, let pages = reading.pages
        else { return }
        let face = CardFace(
            style: known.card.face, balance: known.balance, holder: known.card.holder,
            scratch: .scratched(code), extras: extras(on: reading, pages, of: known.card))
        do {
            _ = try face.area(in: pages.layout)
        } catch {
            throw .refused(TapcardError(error).naming(reading.uid))
        }
    }
}

extension LedgerCard {
    /// The card's own part of the text for phones.
    func face(showing content: SealedContent) -> CardFace {
        CardFace(
            style: face, balance: content.balance, holder: content.holder,
            scratch: content.scratch, ticket: ticket, game: game?.id)
    }
}
