import Cards
import Ledger
import Tags
import TapcardDomain

/// Everything that one tap has seen and resolved so far.
struct TapHistory: Sendable, Hashable {
    /// Operations that were open and have ended, oldest first; the rewriting of a record is left
    /// out.
    private(set) var resolved: [Operation] = []
    /// For each operation that made a card, the balance that the tag's earlier account had when the
    /// operation closed it.
    private(set) var closed: [OperationID: Int64] = [:]
    /// The operation that this tap is resolving; its outcome is not known yet.
    private(set) var resolving: Operation?
    /// The requested operation, if it was found open. Its record may already be on the tag.
    private(set) var open: Operation?
    private(set) var display = DisplayState.current
    /// The operation that this tap began, or may have begun, to bring the card up to date.
    private(set) var possiblyBegun: OperationID?
    /// Why the card on the reader can never be written to again, even though it has authenticated.
    private(set) var unusable: TapcardError?
    /// How many times in a row the card's chip has reported a memory error, refused its new keys,
    /// or reported that a key is blocked.
    private(set) var refusedWrites = 0
    /// How many times each key was sent to the chip without being confirmed.
    private var unconfirmed: [KeyNumber: Int] = [:]
    /// How many times the chip refused each key.
    private var refused: [KeyNumber: Int] = [:]
    /// What the ledger knew about the requested card before the tap; used for the first reading.
    var recalled: KnownCard?
    /// Whether this tap has changed the card or the ledger.
    private(set) var hasWorked = false

    /// The operation that made this card, if an earlier tap left it open and this tap resolved it.
    var made: Operation? { resolved.last { $0.kind.makesCard } }

    /// The change of the tag's protection that this tap voided, if any.
    var switchingEnded: Operation? {
        resolved.last { $0.kind.changesProtection && $0.state == .voided }
    }

    mutating func note(open operation: Operation?, for request: OperationID?) {
        if let operation, operation.id == request { open = operation }
    }

    /// The operation as the tap last saw it, for use if the ledger fails.
    func seen(_ id: OperationID) -> Operation? { resolved.last { $0.id == id } ?? open }

    /// The last operation of this kind that this tap resolved as committed.
    func done(_ kind: Operation.Kind) -> Operation? {
        resolved.last { $0.kind == kind && $0.state == .committed }
    }

    /// Records that an operation has ended. The rewriting of a record is not reported, and no
    /// outcome is reported twice.
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

    /// Records a successful write, which shows that the earlier refusals were temporary.
    mutating func noteWritten() { (unusable, refusedWrites) = (nil, 0) }

    /// How many times one tap may send a key that the chip does not confirm. The limit is needed
    /// because the chip counts failed attempts, separately for each key. An attempt without a
    /// response counts, too, because the chip may have refused it.
    ///
    /// The first attempt can fail even for a genuine card: after a backup was restored, after
    /// another station changed the keys, or because of a bad connection. Only a second attempt
    /// shows whether the card is genuine. If this tap did not make that attempt, a later tap would
    /// have to.
    private static let maxUnconfirmed = 2

    /// The keys that this tap will no longer send.
    var spentKeys: Set<KeyNumber> {
        Set(unconfirmed.filter { $0.value >= TapHistory.maxUnconfirmed }.keys)
    }

    /// Whether this key was sent to the chip and not confirmed.
    func hasSent(_ number: KeyNumber) -> Bool { unconfirmed[number] != nil }

    /// Whether the chip has refused this key as many times as the tap is allowed to send it.
    func hasRefused(_ number: KeyNumber) -> Bool {
        refused[number, default: 0] >= TapHistory.maxUnconfirmed
    }

    /// Counts a key that was sent but not confirmed by the chip.
    mutating func noteSpentKey(by error: NTAG424CardError) {
        guard let number = error.unconfirmedKey else { return }
        unconfirmed[number, default: 0] += 1
        // If the chip did not respond, it may not have refused the key.
        if error.isUnauthenticated { refused[number, default: 0] += 1 }
    }

    mutating func note(possiblyBegun id: OperationID) { possiblyBegun = id }

    mutating func note(_ operation: Operation?, _ display: DisplayState) {
        hasWorked = true
        if let operation { note(ended: operation) }
        // An update, or a failed one, is reported even if nothing has to be done later in the tap.
        if display != .current { self.display = display }
    }
}
