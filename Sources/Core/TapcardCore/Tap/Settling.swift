import CardCryptography
import CardImage
import CardStore
public import Ledger
public import TapcardDomain

extension TapcardError {
    fileprivate static let moneyIsSafe = "The money is safe in the ledger."

    /// An honest card whose newest record was lost looks like a copy with one record spoilt.
    fileprivate static func onlyOld(
        _ sequence: SequenceNumber, on card: LedgerCard
    ) -> TapcardError {
        TapcardError(
            .damaged,
            "The only record left on the card is an old one, number \(sequence) of "
                + "\(card.confirmed).",
            meaning: "It is a copy or an image from before, or the newer record was lost. "
                + moneyIsSafe,
            next: [.card(.showHistory(card.uid)), .trust(.blockInDoubt(card.uid))], uid: card.uid)
    }

    /// The error of a tap that voided the open operation.
    fileprivate func voiding(_ open: Operation) -> TapcardError {
        saying(
            meaning: meaning.replacing(
                TapcardError.moneyIsSafe,
                with: "The open \(open.kind.noun) was voided; the money is safe in the ledger."))
    }
}

extension LedgerCard {
    /// Whether its balance went to another card before its own tag was ever written whole.
    fileprivate var wasReplacedHalfMade: Bool { status == .replaced && confirmed == .none }
}

extension Station {
    /// Why this tag cannot be trusted; nil where it can, or has no owner.
    func verdict(on sight: Sight) -> TapcardError? {
        let uid = sight.uid
        if let closed = formattedRefusal(sight) { return closed }
        switch sight.judgement {
        case .unknown, .inTheMaking, .trusted: return nil
        case .damaged where sight.view?.card.wasReplacedHalfMade == true:
            // Nothing was ever good on it, so there is nothing that could have been damaged.
            return TapcardError(LedgerCard.reportedLost, uid: uid)
        case .damaged:
            if let sequence = sight.slots.best?.record.sequence, let card = sight.view?.card {
                return TapcardError.onlyOld(sequence, on: card)
            }
            if let other = sealedElsewhere(sight)?.currency {
                return issuedElsewhere(other, uid)
            }
            return TapcardError(
                .damaged, "The card carries no record that can be believed.",
                meaning: TapcardError.moneyIsSafe, next: [.trust(.repair(uid))], uid: uid)
        case .forged where sight.slots.best == nil:
            return TapcardError(
                .forged, "The card's records are under a key that is given up.",
                meaning: "Nothing on it is believed; the money is safe in the ledger.",
                next: [.trust(.repairIfKnown(uid))], uid: uid)
        case .forged:
            return TapcardError(
                .forged, "The card carries a record that this ledger never issued.",
                meaning: "Nothing on it is believed; the money is safe in the ledger.",
                next: [.trust(.keepAndBlock(uid))], uid: uid)
        case .rolledBack:
            return TapcardError(
                .rolledBack,
                "The card carries an old state: two cards with one number, "
                    + "or an old image that was put back.",
                meaning: "Nothing on it is believed; the money is safe in the ledger. "
                    + "The card in hand may be the honest one.",
                next: [.trust(.blockOrRepair(uid))], uid: uid)
        case .ledgerBehind:
            return TapcardError(
                .ledgerBehind, "The card is ahead of the ledger, as after a restored backup.",
                meaning: sight.view?.gaps.isEmpty == false
                    ? "What happened since the backup is not in this ledger."
                    : "No backup was restored here: an older ledger "
                        + "was copied into its place, or somebody else has key "
                        + "\(sight.slots.best?.record.keyID ?? 0).",
                next: [.ledger(.bringNewerBack(uid))], uid: uid)
        }
    }

    /// A card of this ledger whose tag another station has made a card of its own of.
    private func issuedElsewhere(_ other: Currency, _ uid: CardUID) -> TapcardError {
        TapcardError(
            .cardCurrency,
            "This card is in \(other.code); this station is set to \(currency.code), and knows the "
                + "tag as a card of its own.", meaning: TapcardError.moneyIsSafe,
            next: [.trust(.useAtItsStation), .trust(.replace(uid))], uid: uid)
    }

    /// A card that was given up and formatted is a blank tag again, though the ledger knows it.
    func formattedRefusal(_ sight: Sight) -> TapcardError? {
        guard let card = sight.view?.card, sight.isGivenUp else { return nil }
        return TapcardError(
            Refusal(
                .cardClosed,
                "the tag \(sight.content.state); the card that was on it is " + card.status.rawValue
            ), uid: sight.uid)
    }

    /// Decides how to finish what an earlier tap left open. Throws where the card cannot be
    /// trusted; what was voided then is in the tap's history.
    func settle(
        _ sight: Sight, for request: OperationID?, _ history: inout TapHistory
    ) async throws(Interruption) -> Decision<Never> {
        if let error = verdict(on: sight) {
            guard [.damaged, .cardCurrency].contains(error.kind) else { throw .refused(error) }
            let voided = try await asking(
                await ledger.voidOpenPayment(on: sight.uid, seen: sight.seen, at: now))
            if let voided { history.note(ended: voided) }
            throw .refused(voided.map(error.voiding) ?? error)
        }
        guard let view = sight.view, let seen = sight.seen else { return .goOn }
        if let error = history.unusable,
            let decision = try await end(on: sight, view, because: error, for: request, &history)
        {
            return decision
        }
        try await takeTrustedKey(for: sight)
        switch step(on: sight, view, for: request) {
        case .nothing:
            return .goOn
        case .resume(let open):
            surroundings.progress(.settling(open.id))
            history.note(settling: open)
            let sealer = try sealer(of: sight)
            let settlement = try await asking(
                await ledger.resume(
                    open, seen: seen, tagHolds: sight.highest, sealer: sealer, at: now))
            return try decision(after: settlement, on: sight)
        case .end(let open, let end):
            surroundings.progress(.settling(open.id))
            history.note(settling: open)
            let sealer = try sealer(of: sight)
            let settlement = try await asking(
                await ledger.end(
                    open, as: end, resealWith: newID(), seen: seen, sealer: sealer, by: cashier,
                    at: now))
            // It has ended, whatever becomes of the fresh record that follows.
            if case .work = settlement { await lookUpEnd(&history) }
            return try decision(after: settlement, on: sight)
        case .activate(let attempt):
            surroundings.progress(.settling(attempt.id))
            do throws(Interruption) {
                let decision = try await begin(.activate, attempt.id, sight, seen)
                if case .perform = decision { history.note(perhapsBegun: attempt.id) }
                return decision
            } catch .ledger(let cause) where cause.kind == .outcomeUnknown {
                history.note(perhapsBegun: attempt.id)
                throw .ledger(cause)
            }
        case .reseal:
            // The card is as the ledger has it, and another station can write it.
            guard (try? sealer(of: sight)) != nil else { return .goOn }
            return try await reseal(sight, seen, above: .none)
        }
    }

    /// What the tap has begun to settle may have come to its end without an answer: the ledger
    /// knows, and whoever reads the answer of this tap has to hear of it.
    func lookUpEnd(_ history: inout TapHistory) async {
        guard let open = history.settling, let now = try? await ledger.operation(open.id) else {
            return
        }
        history.note(ended: now)
    }

    /// Writes the ledger's state under a fresh number.
    func reseal(
        _ sight: Sight, _ seen: Seen, above floor: SequenceNumber
    ) async throws(Interruption) -> Decision<Never> {
        try await begin(.reseal(above: floor), newID(), sight, seen)
    }

    /// A request of this moment and this cashier.
    func request(_ intent: Intent, _ id: OperationID, _ uid: CardUID) -> Request {
        Request(
            id: id, uid: uid, intent: intent, by: cashier, at: now,
            uptime: surroundings.uptime())
    }

    /// Begins what has to be done to the card.
    private func begin(
        _ intent: Intent, _ id: OperationID, _ sight: Sight, _ seen: Seen
    ) async throws(Interruption) -> Decision<Never> {
        let request = request(intent, id, sight.uid)
        let sealer = try sealer(of: sight)
        let beginning = try await asking(await ledger.begin(request, seen: seen, sealer: sealer))
        switch beginning {
        case .begun(let work): return .perform(work, isOpened: false)
        case .refused(let refusal): throw .refused(refusal, uid: sight.uid)
        case .known, .mismatched, .changed: return .lookAgain
        }
    }

    func decision(
        after settlement: Settlement, on sight: Sight
    ) throws(Interruption) -> Decision<Never> {
        switch settlement {
        case .work(let work): return .perform(work, isOpened: false)
        case .changed: return .lookAgain
        case .refused(let refusal): throw .refused(refusal, uid: sight.uid)
        }
    }

    private func step(
        on sight: Sight, _ view: CardView, for request: OperationID?
    ) -> SettlingStep {
        if case .inTheMaking(let open) = sight.judgement { return .resume(open) }
        guard let best = sight.slots.best else { return .nothing }
        return SettlingStep(
            tag: best.record, bytes: sight.slots.bytes[best.place],
            isUnderRetiredKey: keys.entry(best.record.keyID)?.status == .retired, view: view,
            expected: rendering(of: best.record, view, on: sight), request: request, now: now,
            uptime: surroundings.uptime(), lifetime: settings.paymentLifetime)
    }

    /// The bytes that this record's number would have today, under the key it was made with. A
    /// record is not written again only because the key was rotated. Empty if the rest of the card
    /// does not fit.
    private func rendering(of record: SealedRecord, _ view: CardView, on sight: Sight) -> [UInt8] {
        guard let entry = keys.entry(record.keyID), sight.fits(record) else { return [] }
        let content = view.card.content(record.sequence, balance: view.balance)
        return SealedRecord(content, on: sight.medium, under: entry)?.bytes ?? []
    }
}

/// An operation that an earlier tap had left open and that this tap brought to its end.
///
/// Its end was never reported, so the answer of this tap reports it, whatever was asked.
public struct Settled: Sendable, Hashable {
    /// The operation, in its final state.
    public let operation: Operation
    /// The amount that it adds to the balance, or would have added; negative for a payment.
    public let amount: Money
    /// The balance of the tag's earlier account that it closed.
    public let closed: Money

    init(_ operation: Operation, closed: Int64 = 0, _ currency: Currency) {
        self.operation = operation
        amount = operation.change(in: currency)
        self.closed = Money(minorUnits: closed, currency)
    }

    /// Whether it has happened; otherwise it was voided.
    public var isDone: Bool { operation.state == .committed }
}

extension Station {
    /// The operations that a tap settled, without the request, which has its own answer.
    func settled(_ history: TapHistory, besides request: OperationID? = nil) -> [Settled] {
        if SafetyRule.settledIsTold.isLeftOut { return [] }
        return history.settled.filter { $0.id != request }.map {
            Settled($0, closed: history.closed[$0.id] ?? 0, currency)
        }
    }

    /// What a making closed with the account that its tag had before. The making is not denied
    /// where the ledger goes away after it.
    func balanceClosed(by making: Operation) async -> Int64 {
        guard making.kind.makesCard else { return 0 }
        return
            (try? await ledger.read { rows throws(LedgerError) in
                try rows.booked(besides: making).closed
            }) ?? 0
    }
}
