import TapcardCore
import TextCodecs

/// The card on the reader.
struct LyingCard: Sendable {
    let session: Int
    /// The card's number; nil when it could not be read.
    let uid: String?
    /// The last reading. Both it and the problem are nil while the card is being read again.
    var read: JSONValue?
    var problem: TapcardError?

    /// Whether the ledger was away already, and nothing else is new: that is reported once, and not
    /// with each attempt to reach it.
    func isStillWithoutLedger(_ uid: String?, _ read: JSONValue?, _ next: TapcardError?) -> Bool {
        next?.result == .ledger && next?.kind == problem?.kind && uid == self.uid
            && read == self.read
    }

    /// Discards the reading: the card is still there but may have changed.
    mutating func forget() { (read, problem) = (nil, nil) }

    var document: JSONValue {
        [
            "session": .number(String(session)), "read": read ?? .null,
            "problem": problem.map { Problem($0).document } ?? .null,
        ]
    }
}
