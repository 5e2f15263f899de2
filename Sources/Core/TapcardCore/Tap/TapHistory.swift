import Cards
import Ledger
import Tags
import TapcardDomain

/// Everything that one tap has seen and resolved so far.
struct TapHistory: Sendable, Hashable {
    /// Operations that were open and have ended, the oldest first, without fresh records.
    private(set) var resolved: [Operation] = []
    /// The balance that each making among them closed with the tag's earlier account.
    private(set) var closed: [OperationID: Int64] = [:]
    /// The operation that this tap is resolving; its end is unknown.
    private(set) var resolving: Operation?
    /// The request itself, as it was found open: its record may be on the tag since.
    private(set) var open: Operation?
    private(set) var display = DisplayState.current
    /// The operation that resolving has begun, or may have begun where the ledger gave no answer.
    private(set) var perhapsBegun: OperationID?
    /// Why the card on the reader can never be written again, though it proves that it is the card.
    private(set) var unusable: TapcardError?
    /// How often in a row its chip has said that it could not write, or that it takes a key no
    /// more, or has refused new keys.
    private(set) var refusedWrites = 0
    /// How often its chip was sent each key and has not confirmed it.
    private var unconfirmed: [KeyNumber: Int] = [:]
    /// How often of these it has refused it.
    private var refused: [KeyNumber: Int] = [:]
    /// Whether card or ledger are not what they were before the tap.
    private(set) var hasWorked = false

    /// The making of a card that was left open.
    var made: Operation? { resolved.last { $0.kind.makesCard } }

    /// A switch of the tag's protection that was voided in this tap.
    var switchingEnded: Operation? {
        resolved.last { $0.kind.switchesProtection && $0.state == .voided }
    }

    mutating func note(open operation: Operation?, for request: OperationID?) {
        if let operation, operation.id == request { open = operation }
    }

    /// The operation as the tap last saw it, for when the ledger cannot be asked.
    func seen(_ id: OperationID) -> Operation? { resolved.last { $0.id == id } ?? open }

    /// The operation of this kind that this tap resolved as done.
    func done(_ kind: Operation.Kind) -> Operation? {
        resolved.last { $0.kind == kind && $0.state == .committed }
    }

    /// An operation has ended. A fresh record is no news, and nobody has to hear of
    /// the same end twice.
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

    /// An operation that is about to be resolved.
    mutating func note(resolving operation: Operation) { resolving = operation }

    mutating func note(unusable error: TapcardError) { unusable = error }

    mutating func noteRefusedWrite() { refusedWrites += 1 }

    mutating func noteWritten() { (unusable, refusedWrites) = (nil, 0) }

    /// The most attempts of one key in a tap that the chip does not confirm: it counts wrong ones,
    /// for each key by itself. An attempt without an answer counts as one that is refused, because
    /// the chip may have refused it.
    ///
    /// The first can be wrong without fraud: the ledger was restored from a backup, another station
    /// has changed the keys since, or the line is bad. Only a second one shows whether that is so,
    /// and a later tap would have to spend it as well.
    private static let mostUnconfirmed = 2

    /// The keys that are sent no more in this tap.
    var spentKeys: Set<KeyNumber> {
        Set(unconfirmed.filter { $0.value >= TapHistory.mostUnconfirmed }.keys)
    }

    /// Whether the chip was sent this key and has not confirmed it.
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
