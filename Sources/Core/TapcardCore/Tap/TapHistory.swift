import Cards
import Ledger
import Tags
import TapcardDomain

/// Everything that one tap has seen and resolved so far.
struct TapHistory: Sendable, Hashable {
    /// Operations that were open and have ended, oldest first, without fresh records.
    private(set) var resolved: [Operation] = []
    /// The balance that each making closed with the tag's earlier account.
    private(set) var closed: [OperationID: Int64] = [:]
    /// The operation that this tap is resolving; its outcome is unknown.
    private(set) var resolving: Operation?
    /// The request itself, if it was found open: its record may be on the tag by now.
    private(set) var open: Operation?
    private(set) var display = DisplayState.current
    /// The operation that resolving began, or may have begun if the ledger gave no answer.
    private(set) var perhapsBegun: OperationID?
    /// Why the card on the reader can never be written again, although it proves that it is the
    /// card.
    private(set) var unusable: TapcardError?
    /// How often in a row its chip has reported that it could not write or no longer takes a key,
    /// or has refused new keys.
    private(set) var refusedWrites = 0
    /// How often its chip was sent each key and did not confirm it.
    private var unconfirmed: [KeyNumber: Int] = [:]
    /// How many of these it refused.
    private var refused: [KeyNumber: Int] = [:]
    /// Whether this tap has changed the card or the ledger.
    private(set) var hasWorked = false

    /// The making of a card that an earlier tap left open.
    var made: Operation? { resolved.last { $0.kind.makesCard } }

    /// The switch of the tag's protection that this tap voided.
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

    /// Notes that an operation has ended. A fresh record is no news, and no end is reported twice.
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

    /// Notes an operation that is about to be resolved.
    mutating func note(resolving operation: Operation) { resolving = operation }

    mutating func note(unusable error: TapcardError) { unusable = error }

    mutating func noteRefusedWrite() { refusedWrites += 1 }

    /// A write that succeeds disproves earlier refusals.
    mutating func noteWritten() { (unusable, refusedWrites) = (nil, 0) }

    /// How often one tap sends a key that the chip does not confirm: the chip counts wrong ones,
    /// for each key by itself. An attempt without an answer counts as refused, because it may have
    /// been.
    ///
    /// The first can be wrong without fraud: after a restored backup, after another station changed
    /// the keys, or on a bad line. Only a second one shows which, and a later tap would have to
    /// spend it as well.
    private static let mostUnconfirmed = 2

    /// The keys that this tap no longer sends.
    var spentKeys: Set<KeyNumber> {
        Set(unconfirmed.filter { $0.value >= TapHistory.mostUnconfirmed }.keys)
    }

    /// Whether the chip was sent this key and did not confirm it.
    func hasSent(_ number: KeyNumber) -> Bool { unconfirmed[number] != nil }

    /// Whether the chip has refused this key as often as it may be sent.
    func hasRefused(_ number: KeyNumber) -> Bool {
        refused[number, default: 0] >= TapHistory.mostUnconfirmed
    }

    /// Counts a key that was sent and that the chip has not confirmed.
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
