import CardCryptography
import Ledger
public import TapcardDomain

/// The result of protecting a tag or removing its protection.
public struct ProtectionChange: Sendable, Hashable {
    /// The card's number.
    public let uid: CardUID
    /// Whether the tag now has a password.
    public let isProtected: Bool
    /// The ID of the operation. Nil for a card that is not in this ledger or no longer needed
    /// there, or if only a change by other software had to be undone.
    public let operation: OperationID?
    /// Whether phones see the current state.
    public let display: DisplayState
    /// The operations from earlier taps that this tap resolved.
    public var resolved: [ResolvedOperation] = []
}

/// Sets the card's password on its tag or removes it, and reports the resulting protection.
package struct ProtectionSwitch: TapUseCase {
    private let isProtecting: Bool
    private var change: CardChange

    /// Creates the use case. The key for a password is chosen only when the tap begins.
    package init(on isProtected: Bool, _ id: OperationID, only card: CardUID? = nil) {
        isProtecting = isProtected
        change = CardChange(.unprotect, id, only: card)
    }

    var tap: Tap {
        get { change.tap }
        set { change.tap = newValue }
    }
    var pending: PendingRequest? { change.request }
    var card: CardUID? { change.request.only }

    mutating func recall(at station: Station) async throws(TapcardError) -> ProtectionChange? {
        let id = change.request.id
        let action =
            isProtecting ? CardAction.protect(keyID: station.keys.sealing.id) : .unprotect
        change.request = PendingRequest(id, action, only: card)
        let known = try await station.answering.known(id, action, only: card)
        if let known, known.state == .committed {
            return answer(station.answering.receipt(known, isReplayed: true))
        }
        try station.sealing.requireTrustedReader()
        change.request.operation = known
        return nil
    }

    func examine(
        _ reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<ProtectionChange> {
        guard reading.pages != nil else { throw .refused(.protectedByItsKeys(reading.uid)) }
        // No operation is recorded for a tag that the ledger no longer needs.
        guard !isProtecting, reading.isAbandoned else { return .proceed }
        guard try await station.protectionSteps.release(reading) else {
            throw .refused(Refusal(.wrongState, "the tag has no write password"), uid: reading.uid)
        }
        return .done(
            ProtectionChange(
                uid: reading.uid, isProtected: false, operation: nil, display: .current))
    }

    mutating func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<ProtectionChange> {
        let history = tap.history
        if let done = history.done(change.request.kind), change.request.operation == nil {
            // An earlier tap began the same change, and this tap finished it.
            return .done(answer(station.answering.receipt(done, isReplayed: true, history)))
        }
        if let card = reading.known?.card {
            // Undoing a change by other software may already have given the tag the requested
            // state.
            if change.request.protectionDiffered, card.protection.isStable,
                (card.protection == .off) != isProtecting
            {
                return .done(
                    ProtectionChange(
                        uid: reading.uid, isProtected: isProtecting, operation: nil,
                        display: history.display, resolved: history.resolved(in: station.currency)))
            }
            // If this tap voided a change to the protection, the tag is checked again, because its
            // settings may have been locked.
            if change.request.operation == nil || history.switchingEnded != nil {
                try await station.protectionSteps.requireSwitchable(
                    reading, card, after: history.switchingEnded, noting: &change.request)
            }
        }
        switch try await change.carryOut(on: reading, at: station) {
        case .done(let receipt): return .done(answer(receipt))
        case .perform(let open, let isAuthenticated):
            return .perform(open, isAuthenticated: isAuthenticated)
        case .proceed, .readAgain: return .readAgain
        }
    }

    func performed(
        _ operation: Operation, _ display: DisplayState, at station: Station
    ) throws(Interruption) -> ProtectionChange? {
        try change.performed(operation, display, at: station).map(answer)
    }

    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<ProtectionChange, TapcardError>? {
        await change.conclude(after: error, at: station)?.map(answer)
    }

    private func answer(_ receipt: Receipt) -> ProtectionChange {
        ProtectionChange(
            uid: receipt.uid, isProtected: isProtecting, operation: receipt.operation.id,
            display: receipt.display, resolved: receipt.resolved)
    }
}
