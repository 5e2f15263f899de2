import Cards
import Ledger
import Tags
import TapcardDomain

/// Everything that one tap has seen and resolved so far.
struct TapHistory: Sendable, Hashable {
    /// Operations that were open and have ended, oldest first, not counting fresh records.
    private(set) var resolved: [Operation] = []
    /// For each card that was made, the balance of the tag's earlier account when that was closed.
    private(set) var closed: [OperationID: Int64] = [:]
    /// The operation that this tap is resolving; its outcome is unknown.
    private(set) var resolving: Operation?
    /// The request itself, if it was found open: its record may be on the tag by now.
    private(set) var open: Operation?
    private(set) var display = DisplayState.current
    /// The operation that resolving began, or may have begun if the ledger gave no answer.
    private(set) var perhapsBegun: OperationID?
    /// Why the card on the reader can never be written to again, although it proves that it is the
    /// right card.
    private(set) var unusable: TapcardError?
    /// How many times in a row its chip has reported that it could not write or no longer accepts a
    /// key, or has refused new keys.
    private(set) var refusedWrites = 0
    /// How often each key was sent to its chip without being confirmed.
    private var unconfirmed: [KeyNumber: Int] = [:]
    /// How many of these attempts it refused.
    private var refused: [KeyNumber: Int] = [:]
    /// Whether this tap has changed the card or the ledger.
    private(set) var hasWorked = false

    /// The making of a card, if an earlier tap left it open.
    var made: Operation? { resolved.last { $0.kind.makesCard } }

    /// The switch in the tag's protection that this tap voided.
    var switchingEnded: Operation? {
        resolved.last { $0.kind.switchesProtection && $0.state == .voided }
    }

    mutating func note(open operation: Operation?, for request: OperationID?) {
        if let operation, operation.id == request { open = operation }
    }

    /// The operation as the tap last saw it, in case the ledger cannot be asked.
    func seen(_ id: OperationID) -> Operation? { resolved.last { $0.id == id } ?? open }

    /// The operation of this kind that this tap resolved as committed.
    func done(_ kind: Operation.Kind) -> Operation? {
        resolved.last { $0.kind == kind && $0.state == .committed }
    }

    /// Records that an operation has ended. A fresh record is not worth reporting, and no outcome
    /// is reported twice.
    mutating func note(ended operation: Operation) {
        guard operation.state != .pending else { return }
        if resolving?.id == operation.id { resolving = nil }
        hasWorked = true
        guard operation.kind != .reseal else { return }
        resolved.removeAll { $0.id == operation.id }
        resolved.append(operation)
    }

    mutating func note(closed amount: Int64, by making: OperationID) {
        if amount > 0 { closed[making] = amount }
    }

    /// Records that an operation is about to be resolved.
    mutating func note(resolving operation: Operation) { resolving = operation }

    mutating func note(unusable error: TapcardError) { unusable = error }

    mutating func noteRefusedWrite() { refusedWrites += 1 }

    /// A successful write disproves earlier refusals.
    mutating func noteWritten() { (unusable, refusedWrites) = (nil, 0) }

    /// How often one tap sends a key that the chip does not confirm: the chip counts failed
    /// attempts, separately for each key. An attempt that gets no answer counts as refused, because
    /// it may have been.
    ///
    /// The first attempt can fail without fraud: after a restored backup, after another station
    /// changed the keys, or on a bad connection. Only a second attempt shows which it is, and
    /// otherwise a later tap would have to spend it.
    private static let mostUnconfirmed = 2

    /// The keys that this tap will no longer send.
    var spentKeys: Set<KeyNumber> {
        Set(unconfirmed.filter { $0.value >= TapHistory.mostUnconfirmed }.keys)
    }

    /// Whether this key was sent to the chip and not confirmed.
    func hasSent(_ number: KeyNumber) -> Bool { unconfirmed[number] != nil }

    /// Whether the chip has refused this key as often as it may be sent.
    func hasRefused(_ number: KeyNumber) -> Bool {
        refused[number, default: 0] >= TapHistory.mostUnconfirmed
    }

    /// Counts a key that was sent but not confirmed by the chip.
    mutating func noteSpentKey(by error: NTAG424CardError) {
        guard let number = error.spentKey else { return }
        unconfirmed[number, default: 0] += 1
        if error.isImpostor { refused[number, default: 0] += 1 }
    }

    mutating func note(perhapsBegun id: OperationID) { perhapsBegun = id }

    mutating func note(_ operation: Operation?, _ display: DisplayState) {
        hasWorked = true
        if let operation { note(ended: operation) }
        if display != .current { self.display = display }
    }
}
