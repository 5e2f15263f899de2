import CardCryptography
import Ledger
public import TapcardDomain

/// The result of `tag protect` or `tag unprotect`.
public struct ProtectionChange: Sendable, Hashable {
    /// The card's number.
    public let uid: CardUID
    /// Whether the tag has a password now.
    public let isProtected: Bool
    /// Nil for a card that this ledger does not know, and where only another writer's change was
    /// set back.
    public let operation: OperationID?
    /// The state of the text that phones read.
    public let display: DisplayState
    /// The operations of earlier taps that this one has resolved.
    public var resolved: [ResolvedOperation] = []
}

extension Station {
    /// Puts the card's password on its tag: from then on writing to it needs the keys, and every
    /// phone can still read it.
    public func protect(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> ProtectionChange {
        try await run(ProtectionSwitch(on: true, id, only: card))
    }

    /// Takes the password off the tag. The tag of a card that this ledger does not know, or that
    /// was given up and formatted, is released if its password derives from one of our keys.
    public func unprotect(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> ProtectionChange {
        try await run(ProtectionSwitch(on: false, id, only: card))
    }
}

/// Puts the card's password onto its tag, or takes it off.
package struct ProtectionSwitch: UseCase {
    private var tapping: Tapping<SwitchRequest>

    package init(on isProtected: Bool, _ id: OperationID, only card: CardUID? = nil) {
        tapping = Tapping(SwitchRequest(id, isProtecting: isProtected, card: card))
    }

    package mutating func step(
        at station: Station
    ) async throws(TapcardError) -> ProtectionChange? {
        try await tapping.step(at: station)
    }
}

private struct SwitchRequest: TapRequest {
    private let isProtecting: Bool
    let card: CardUID?
    private var action = CardAction.unprotect
    private var request: PendingRequest

    init(_ id: OperationID, isProtecting: Bool, card: CardUID?) {
        (self.isProtecting, self.card) = (isProtecting, card)
        request = PendingRequest(id, .unprotect, only: card)
    }

    var pending: PendingRequest? { request }

    mutating func recall(at station: Station) async throws(TapcardError) -> ProtectionChange? {
        if isProtecting { action = .protect(keyID: station.keys.sealing.id) }
        request = PendingRequest(request.id, action, only: card)
        let known = try await station.known(request.id, action, only: card)
        if let known, known.state == .committed {
            return change(station.receipt(known, isReplayed: true))
        }
        request.operation = known
        return nil
    }

    func examine(
        _ reading: CardReading, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<ProtectionChange> {
        guard reading.pages != nil else { throw .refused(.protectedByItsKeys(reading.uid)) }
        guard !isProtecting, reading.isGivenUp else { return .goOn }
        guard try await station.release(reading) else {
            throw .refused(Refusal(.wrongState, "the tag is not protected"), uid: reading.uid)
        }
        return .done(
            ProtectionChange(
                uid: reading.uid, isProtected: false, operation: nil, display: .current))
    }

    mutating func carryOut(
        on reading: CardReading, _ history: inout TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<ProtectionChange> {
        if let done = history.done(action.kind), request.operation == nil {
            // An earlier tap had begun it, and this one has finished it.
            return .done(change(station.receipt(done, isReplayed: true, history)))
        }
        if let card = reading.known?.card {
            if request.isSetBack, card.protection.isSteady,
                (card.protection == .off) != isProtecting
            {
                return .done(
                    ProtectionChange(
                        uid: reading.uid, isProtected: isProtecting, operation: nil,
                        display: history.display, resolved: station.resolved(history)))
            }
            if request.operation == nil || history.switchingEnded != nil {
                try await station.requireSwitchable(
                    reading, card, after: history.switchingEnded, noting: &request)
            }
        }
        switch try await station.carryOut(action, on: reading, history, noting: &request) {
        case .done(let receipt): return .done(change(receipt))
        case .perform(let open, let isOpened): return .perform(open, isOpened: isOpened)
        case .goOn, .readAgain: return .readAgain
        }
    }

    func performed(
        _ operation: Operation, _ display: DisplayState, _ history: inout TapHistory,
        at station: Station
    ) throws(Interruption) -> ProtectionChange? {
        try station.performed(operation, display, history).map(change)
    }

    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) async -> Result<ProtectionChange, TapcardError>? {
        await station.conclude(request, history, after: error)?.map(change)
    }

    private func change(_ receipt: Receipt) -> ProtectionChange {
        ProtectionChange(
            uid: receipt.uid, isProtected: isProtecting, operation: receipt.operation.id,
            display: receipt.display, resolved: receipt.resolved)
    }
}
