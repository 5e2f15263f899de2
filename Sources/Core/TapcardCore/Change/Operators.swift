import CardStore
public import Ledger
import TagReading
public import TapcardDomain
import Type2Tag

extension Station {
    /// Blocks, allows or forgets a card that need not be there: no reader is needed.
    public static func change(
        _ card: CardUID, _ change: StatusChange, in ledger: any LedgerStore,
        surroundings: Surroundings
    ) async throws(TapcardError) -> LedgerCard {
        let result: Result<LedgerCard, Refusal>
        do {
            result = try await ledger.change(
                card, change, id: surroundings.newID(), by: surroundings.cashier,
                at: surroundings.now())
        } catch {
            throw TapcardError(error)
        }
        switch result {
        case .success(let card): return card
        case .failure(let refusal) where refusal.rule == .cardUnknown:
            throw TapcardError(
                .refusal(.cardUnknown), TapcardError.sentence(refusal.detail),
                meaning: TapcardError.unchanged,
                next: [.card(.showCards)], uid: card)
        case .failure(let refusal):
            // A card that is not in use any more was not blocked by anybody.
            if change == .unblock, refusal.rule == .wrongState,
                let status = try? await ledger.view(of: card)?.card.status, status != .active
            {
                throw TapcardError(
                    .refusal(.wrongState), "A \(status.rawValue) card cannot be unblocked.",
                    meaning: TapcardError.unchanged,
                    next: [.card(.reissueTag)],
                    uid: card)
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

    /// Writes the ledger's state onto a card and every page that phones read. A card that cannot
    /// be trusted is only written when the operator names it; of one that is named the password is
    /// looked for as well, which a ledger that was put back may not know of.
    public func repair(naming card: CardUID? = nil) async throws(TapcardError) -> CardReading {
        var hasWritten = false
        return try await tap(
            for: nil, only: card,
            early: { sight, state throws(Interruption) in
                guard card != nil, let seen = sight.seen, let view = sight.view else {
                    return .goOn
                }
                let problem = verdict(on: sight)
                if problem?.kind != .refusal(.cardClosed) {
                    try await learnProtection(of: sight, view.card)
                }
                guard problem != nil else { return .goOn }
                do throws(Interruption) {
                    try await rewrite(sight, view, seen, &state)
                } catch {
                    throw await reconsidered(error, sight)
                }
                hasWritten = true
                return .again
            },
            { sight, state throws(Interruption) in
                guard let view = sight.view else {
                    throw .refused(try await strangerRefusal(sight))
                }
                let content = view.card.content(sight.highest, balance: view.balance)
                do throws(Interruption) {
                    let display = try await writeDisplay(
                        on: sight, content: content, of: view.card, rewritingAll: true,
                        keepingExtras: false)
                    return try await reading(of: sight.uid, display, settled: settled(state))
                } catch {
                    // What was done is said, and that this was not.
                    guard hasWritten || state.hasWorked else { throw error }
                    surroundings.progress(
                        .hint("what phones read was not refreshed: \(error.error.what)"))
                    return try await reading(of: sight.uid, .outOfDate, settled: settled(state))
                }
            })
    }

    /// Whoever names a card takes the tag for it: what it is, the ledger learns, and the card is
    /// looked at again.
    private func learnProtection(
        of sight: Sight, _ card: LedgerCard
    ) async throws(Interruption) {
        guard let chip = Type2Chip.known.first(where: { $0.name == card.chip }) else { return }
        let settings = try await configuration(of: chip, known: card.uid)
        let found = card.protection.corrected(
            by: try await evidence(on: sight.identity, chip, settings, noted: card.protection))
        guard found != card.protection else { return }
        try await note(found, insteadOf: card.protection, of: card.uid)
        throw .overtaken
    }

    /// Ends an open payment, finishes anything else, and seals above whatever the tag holds.
    private func rewrite(
        _ sight: Sight, _ view: CardView, _ seen: Seen, _ state: inout TapState
    ) async throws(Interruption) {
        try await takeTrustedKey(for: sight)
        guard let open = view.open else {
            _ = try await reseal(sight, seen, above: sight.highest)
            return
        }
        if open.kind.isVoidable {
            let voided = try await asking { () throws(LedgerError) in
                try await ledger.voidOpenPayment(on: sight.uid, seen: seen, at: now)
            }
            if let voided { state.note(ended: voided) }
            let seen = Seen(confirmed: seen.confirmed, open: nil)
            _ = try await reseal(sight, seen, above: sight.highest)
            return
        }
        let settlement = try await asking { () throws(LedgerError) in
            try await ledger.resume(
                open, seen: seen, tagHolds: sight.highest, sealer: sealer, at: now)
        }
        guard case .work(let work) = settlement else { return }
        if case .committed(let operation) = try await perform(work, on: sight).0 {
            state.note(ended: operation)
        }
    }
}
