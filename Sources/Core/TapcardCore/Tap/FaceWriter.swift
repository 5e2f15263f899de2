import Cards
import Ledger
import Tags
import TapcardDomain
import TextCodecs

/// Whether phones see a card's current state after a tap.
public enum DisplayState: String, Sendable, Hashable, CaseIterable {
    /// Phones see the current state.
    case current
    /// Phones saw an older state until this tap updated it.
    case repaired
    /// Phones still see an older state; the next tap updates it.
    case outOfDate = "out-of-date"
}

/// Writes the text that phones read to a tag.
struct FaceWriter: StationWork {
    let station: Station

    /// Updates the text for phones after a change.
    func refresh(after change: RecordWriting) async -> DisplayState {
        let card = change.open.cardAfterConfirmation
        let display = await refresh(
            on: change.reading, content: change.open.content, of: card,
            rewritingAll: card.isDisplayStale, isAuthenticated: true)
        // Every change updates the text anyway, so only a reseal counts as a repair of the text.
        let isReseal = change.open.operation.kind == .reseal
        return display == .repaired && !isReseal ? .current : display
    }

    /// Updates the text for phones on a card that has nothing left to resolve.
    func refresh(
        ofResolved reading: CardReading, _ known: KnownCard, _ history: TapHistory
    ) async -> DisplayState {
        let refreshed = await refresh(
            on: reading, content: known.card.content(reading.highest, balance: known.balance),
            of: known.card, rewritingAll: known.card.isDisplayStale)
        return refreshed == .current ? history.display : refreshed
    }

    /// Whether phones see the current state of a card on which this tap resolves nothing.
    func unresolvedDisplay(_ reading: CardReading, _ known: KnownCard) -> DisplayState {
        let content = known.card.content(reading.highest, balance: known.balance)
        guard let pages = reading.pages else { return .current }
        return area(for: content, of: known.card, on: reading, pages) == pages.image.area
            ? .current : .outOfDate
    }

    /// Updates the text for phones. If that fails, the operation has still happened: the ledger
    /// records the failure, and the next tap writes every page again.
    ///
    /// `isAuthenticated` is true if the tag has just accepted the card's password.
    private func refresh(
        on reading: CardReading, content: SealedContent, of card: LedgerCard, rewritingAll: Bool,
        isAuthenticated: Bool = false
    ) async -> DisplayState {
        do throws(Interruption) {
            return try await write(
                on: reading, content: content, of: card, rewritingAll: rewritingAll,
                isAuthenticated: isAuthenticated)
        } catch {
            dependencies.progress(
                .hint(
                    "the NFC text for phones could not be updated and will be tried again at the "
                        + "next tap: \(error.error.what)"))
            return .outOfDate
        }
    }

    /// Updates the text for phones, and throws if that fails.
    ///
    /// If `keepingExtras` is true, JSON members that other software added are kept. On an NTAG 424,
    /// there is nothing to update: phones read an address, which does not change with the balance.
    func write(
        on reading: CardReading, content: SealedContent, of card: LedgerCard, rewritingAll: Bool,
        keepingExtras: Bool = true, isAuthenticated: Bool = false
    ) async throws(Interruption) -> DisplayState {
        guard let pages = reading.pages else { return .current }
        guard
            let area = area(
                for: content, of: card, on: reading, pages, keepingExtras: keepingExtras)
        else {
            dependencies.progress(.hint("the chip has no room for the NFC text for phones"))
            return .outOfDate
        }
        // After an interrupted update, a page may be weak even though it reads correctly, so every
        // page is written again.
        let writes = pages.layout.writes(
            replacing: pages.image.area, with: area, rewritingAll: rewritingAll)
        do throws(Interruption) {
            if !writes.isEmpty {
                _ = try await reader.performInTap(
                    WritePages(
                        writes, maximumAnswerLength: await reader.maximumAnswerLength,
                        password: try await station.passwords.writePassword(
                            card, isAuthenticated: isAuthenticated)))
            }
            // The update that failed earlier has now been made.
            if card.isDisplayStale {
                try await asking(await ledger.markDisplay(of: card.uid, stale: false))
            }
        } catch {
            do {
                try await ledger.markDisplay(of: card.uid, stale: true)
            } catch {
                // The guard on the tag also shows that the update did not finish, so this failure
                // is only logged.
                dependencies.progress(
                    .hint(
                        "the ledger could not record that the NFC text for phones is out of date: "
                            + "\(error)"))
            }
            throw error
        }
        return writes.isEmpty ? .current : .repaired
    }

    /// The bytes that phones read: the card's own members according to the ledger and, if there is
    /// room, the members that other software added. Nil if not even the card's own members fit. No
    /// such card is ever made, but an altered ledger could describe one.
    private func area(
        for content: SealedContent, of card: LedgerCard, on reading: CardReading, _ pages: TagPages,
        keepingExtras: Bool = true
    ) -> [UInt8]? {
        var face = card.face(showing: content)
        if keepingExtras, card.status != .closed {
            face.extras = extras(on: reading, pages, of: card)
        }
        // If there is not enough room, the members that other software added are dropped.
        if let area = try? face.area(in: pages.layout) { return area }
        face.extras = []
        return try? face.area(in: pages.layout)
    }

    /// The members that other software added. A torn or altered member of the card's own could look
    /// like one of them, so they are accepted only if the holder is right and, after an interrupted
    /// update, only if all of the card's own members are in place.
    private func extras(
        on reading: CardReading, _ pages: TagPages, of card: LedgerCard
    ) -> [JSONMember] {
        if let face = reading.content.face {
            // A name that was removed from the ledger may still be on the tag.
            let holderMatches =
                face.holder.id == card.holder.id
                && (card.holder.name == nil || face.holder.name == card.holder.name)
            let hasState =
                face.style == .iosApp || card.scratch == .none || face.scratch != .none
            return holderMatches && hasState ? face.extras : []
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

    /// Throws if the tag has no room for a code. Members that other software added may take up the
    /// space.
    func requireRoom(for action: CardAction, on reading: CardReading) throws(Interruption) {
        guard case .scratch(let code) = action, let known = reading.known, let pages = reading.pages
        else { return }
        let face = CardFace(
            style: known.card.face, balance: known.balance, holder: known.card.holder,
            scratch: .scratched(code), extras: extras(on: reading, pages, of: known.card))
        _ = try translating(face.area(in: pages.layout)) { (error: CardImageError) in
            Interruption.refused(TapcardError(error).naming(reading.uid))
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
