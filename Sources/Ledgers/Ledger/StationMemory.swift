package import TapcardDomain

/// What a station stores about its ledger, for use while the ledger is offline.
package struct StationMemory: Hashable, Sendable {
    /// The last state of an operation that the station knew.
    package struct Note: Hashable, Sendable {
        /// The name of the ledger, which is the same on every server.
        package let ledgerID: String
        package let epoch: Int64
        package let card: CardUID
        package let operation: OperationID
        package let kind: Operation.Kind
        /// The amount in minor units.
        package let amount: Int64
        package let sequence: SequenceNumber
        package let state: Operation.State
        /// When the operation ended, or began if it is open, by the ledger's clock.
        package fileprivate(set) var at: Timestamp

        package init(_ operation: Operation, ledgerID: String, epoch: Int64) {
            (self.ledgerID, self.epoch) = (ledgerID, epoch)
            (card, self.operation) = (operation.uid, operation.id)
            (kind, amount) = (operation.kind, operation.amount)
            (sequence, state) = (operation.sequence, operation.state)
            at = operation.endedAt ?? operation.beganAt
        }

        /// Parses the words of `text`; nil for anything else.
        fileprivate init?(_ words: [String]) {
            guard words.count == 9, let epoch = Int64(words[1]), let card = CardUID(words[2]),
                let operation = OperationID(words[3]),
                let kind = Operation.Kind(stored: words[4]),
                let amount = Int64(words[5]),
                let sequence = UInt32(words[6]).flatMap({ SequenceNumber($0) }),
                let state = Operation.State(rawValue: words[7]), let time = Int64(words[8])
            else { return nil }
            (ledgerID, self.epoch, self.card) = (words[0], epoch, card)
            (self.operation, self.kind, self.amount) = (operation, kind, amount)
            (self.sequence, self.state) = (sequence, state)
            at = Timestamp(milliseconds: time)
        }

        fileprivate var text: String {
            "\(ledgerID) \(epoch) \(card) \(operation) \(kind.stored) \(amount) "
                + "\(sequence.value) \(state.rawValue) \(at.milliseconds)"
        }
    }

    /// The maximum number of open operations that are stored: more than a station leaves open on
    /// different cards while the ledger is responding. Beyond this number, the oldest are
    /// dropped.
    private static let maxOpen = 100
    /// The maximum number of ended operations to store: more than a till page retries.
    private static let maxEnded = 20
    /// The maximum number of failed payments to store: more than a station has in a day.
    private static let maxNotDone = 500
    /// The maximum age of a valid snapshot, in milliseconds: one day.
    private static let maxSnapshotAge: Int64 = 86_400_000
    private static let lastWord = "last"
    private static let endedWord = "ended"
    private static let openWord = "open"
    private static let notDoneWord = "not-done"
    private static let forgottenWord = "forgotten"

    /// The last change that the ledger confirmed. A server that lacks it has lost a commit, and
    /// perhaps more.
    package private(set) var last: Note?
    /// Operations that this station has begun, or may have begun, but whose outcome it does not
    /// know. Their records may be on the cards.
    package private(set) var open: [Note] = []
    /// The latest operations that took effect, oldest first, and the latest before each loss.
    package private(set) var ended: [Note] = []
    /// Operations that the ledger has reported to this station as not done, oldest first. They are
    /// kept for as long as a snapshot can be valid, because an offline payment must not contradict
    /// that report.
    package private(set) var notDone: [Note] = []
    /// The time of the latest operation that had to be dropped too early.
    private var forgottenAt: Timestamp?

    /// Whether operations had to be dropped that the station needs in order to take offline
    /// payments.
    package var hasForgotten: Bool { forgottenAt != nil }

    package init() {}

    /// Parses the text that a station has stored, skipping lines of any other kind.
    package init(_ text: String) {
        // Splitting by bytes is much faster than splitting by characters, and this code runs for
        // every payment.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            var words = line.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            guard let kind = words.first else { continue }
            words.removeFirst()
            if kind == StationMemory.forgottenWord, let time = words.first.flatMap({ Int64($0) }) {
                forgottenAt = Timestamp(milliseconds: time)
            }
            guard let note = Note(words) else { continue }
            if kind == StationMemory.lastWord { last = note }
            if kind == StationMemory.openWord { open.append(note) }
            if kind == StationMemory.endedWord { ended.append(note) }
            if kind == StationMemory.notDoneWord { notDone.append(note) }
        }
    }

    package var text: String {
        let lines =
            (last.map { ["\(StationMemory.lastWord) \($0.text)\n"] } ?? [])
            + (forgottenAt.map { ["\(StationMemory.forgottenWord) \($0.milliseconds)\n"] } ?? [])
            + open.map { "\(StationMemory.openWord) \($0.text)\n" }
            + notDone.map { "\(StationMemory.notDoneWord) \($0.text)\n" }
            + ended.map { "\(StationMemory.endedWord) \($0.text)\n" }
        return lines.joined()
    }

    /// Records an operation that the ledger has confirmed or may have stored.
    package mutating func note(_ note: Note, isConfirmed: Bool) {
        forget(at: note.at)
        if isConfirmed { last = note }
        if isConfirmed { open.removeAll { $0.operation == note.operation } }
        guard note.state == .pending else { return noteEnd(note, isConfirmed) }
        // A card has only one open operation. If the new one is unconfirmed, the ledger may not
        // have it, so the earlier one is kept as well.
        open.removeAll {
            $0.card == note.card && (isConfirmed || $0.operation == note.operation)
        }
        open.append(note)
        if open.count > StationMemory.maxOpen { noteForgotten(open.removeFirst()) }
    }

    /// Records that, according to the ledger, this operation was not done, no matter which station
    /// ended it.
    package mutating func noteNotDone(_ note: Note) {
        guard note.state == .voided, !notDone.contains(where: { $0.operation == note.operation })
        else { return }
        var note = note
        // The station learned this only now, even if the operation ended long ago.
        note.at = max(note.at, last?.at ?? note.at)
        open.removeAll { $0.operation == note.operation }
        notDone.append(note)
        if notDone.count > StationMemory.maxNotDone { noteForgotten(notDone.removeFirst()) }
    }

    private mutating func noteEnd(_ note: Note, _ isConfirmed: Bool) {
        // An unconfirmed end may not have happened, so the operation stays open.
        guard isConfirmed else { return }
        guard note.state == .committed else { return noteNotDone(note) }
        ended.removeAll { $0.operation == note.operation }
        ended.append(note)
        // Notes from before a loss are kept, because they show what may be lost.
        let current = ended.indices.filter { ended[$0].epoch == note.epoch }
        if current.count > StationMemory.maxEnded { ended.remove(at: current[0]) }
    }

    /// Drops everything that is older than any valid snapshot.
    private mutating func forget(at now: Timestamp) {
        func isOver(_ time: Timestamp) -> Bool {
            now.millisecondsSince(time) > StationMemory.maxSnapshotAge
        }
        notDone.removeAll { isOver($0.at) }
        if let time = forgottenAt, isOver(time) { forgottenAt = nil }
    }

    private mutating func noteForgotten(_ note: Note) {
        // Times may arrive in any order, and an earlier time must not replace a later one.
        forgottenAt = max(note.at, forgottenAt ?? note.at)
    }

    /// The earlier request with this ID, if it is open or this station stored its outcome.
    package func earlierRequest(of id: OperationID) -> Note? {
        let ends = SafetyRule.notDoneIsFinal.isDisabled ? ended : notDone + ended
        return open.first { $0.operation == id } ?? ends.first { $0.operation == id }
    }

    /// An operation with an unknown outcome that a request without an ID may be repeating: any
    /// operation on this card, or one of the same kind and amount if the card is not known.
    package func possiblyRepeated(
        _ kind: Operation.Kind, _ amount: Int64?, on card: CardUID?
    ) -> Note? {
        open.last { note in
            if let card { return note.card == card }
            return note.kind == kind && (amount == nil || note.amount == amount)
        }
    }
}
