import Ledger
package import TapcardDomain

/// Refunds a payment or reverses a top-up.
package struct Refund: UseCase {
    private let reversed: OperationID
    private let amount: Money?
    private let id: OperationID?
    private let card: CardUID?
    /// The operation to refund or reverse, once it has been looked up in the ledger.
    private var known: Operation?
    private var change: CardChange?

    package init(
        of reversed: OperationID, _ amount: Money? = nil, id: OperationID? = nil,
        only card: CardUID? = nil
    ) {
        (self.reversed, self.amount, self.id, self.card) = (reversed, amount, id, card)
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> Receipt? {
        guard let known, var change else {
            let known = try await reversible(at: station)
            let action: CardAction =
                known.kind == .add ? .reverse(of: known.id, amount) : .refund(of: known.id, amount)
            self.known = known
            // The ledger's rules decide whether the tapped card may receive the refund, because the
            // card that paid may have been replaced. The ID is derived, so requests without an ID
            // of their own refund a payment only once.
            change = CardChange(action, id ?? known.id.derived(for: "refund"), only: card)
            return nil
        }
        defer { self.change = change }
        do throws(TapcardError) {
            return try await change.step(at: station)
        } catch {
            throw await explained(error, known, at: station)
        }
    }

    private func reversible(at station: Station) async throws(TapcardError) -> Operation {
        let known = try await queryingLedger(await station.ledger.answer(to: reversed))
        guard let known else {
            throw TapcardError(
                Refusal(.notRefundable, "operation \(reversed) is not in this ledger"))
        }
        if ![.pay, .add, .offline].contains(known.kind) {
            throw TapcardError(
                .refusal(.notRefundable),
                "Operation \(reversed) cannot be refunded; only payments, top-ups, "
                    + "and sales without a card can be.",
                meaning: TapcardError.unchanged, next: [.request(.insteadOfRefund(known.kind))],
                uid: known.uid)
        }
        return known
    }

    private func explained(
        _ error: TapcardError, _ known: Operation, at station: Station
    ) async -> TapcardError {
        // If the derived ID was already used with another amount, the operation has already been
        // refunded.
        let isRefunded =
            error.kind == .refusal(.alreadyRefunded)
            || id == nil && error.kind == .operationMismatch
        if isRefunded, let earlier = await refundMade(of: known.id, at: station) {
            let refusal = TapcardError(earlier.secondRefundRefusal(of: known.id, station.currency))
            return TapcardError(
                refusal.kind, refusal.what, meaning: refusal.meaning, next: refusal.next,
                uid: earlier.uid, operation: earlier.id)
        }
        guard known.kind == .add, error.kind == .refusal(.insufficientBalance) else { return error }
        return await advisingAmount(known.id, error.naming(known.uid), at: station)
    }

    /// The refund of an operation; nil if there is none or the ledger fails.
    private func refundMade(
        of reversed: OperationID, at station: Station
    ) async -> Operation? {
        try? await station.ledger.read { rows throws(LedgerError) in try rows.refund(of: reversed) }
    }

    /// The error for a balance that is too low, with advice about the amount that can still be
    /// reversed.
    private func advisingAmount(
        _ reversed: OperationID, _ error: TapcardError, at station: Station
    ) async -> TapcardError {
        guard let uid = error.uid, let known = try? await station.ledger.knownCard(of: uid) else {
            return error
        }
        guard known.balance.minorUnits > 0 else {
            return error.reworded(next: [.request(.allSpent)])
        }
        return error.reworded(next: [.request(.refundAtMost(reversed, known.balance))])
    }
}
