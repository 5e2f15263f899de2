import TapcardCore
import TextCodecs

/// The card on the reader.
struct CardOnReader: Sendable {
    let session: Int
    /// The card's number; nil if it could not be read.
    let uid: String?
    /// The most recent reading. Both the reading and the problem are nil while the card is being
    /// read again.
    var read: JSONValue?
    var problem: TapcardError?
    /// What has been done for the card since it was put on the reader.
    var served = Visit().document

    /// Whether the ledger is still unusable and nothing else has changed. Such a state is reported
    /// only once.
    func isStillWithoutLedger(_ next: CardOnReader) -> Bool {
        next.problem?.result == .ledger && next.problem?.kind == problem?.kind
            && next.uid == uid && next.read == read && next.served == served
    }

    /// Discards the reading, because the card is still there but may have changed.
    mutating func forget() { (read, problem) = (nil, nil) }

    /// The response when the reader is empty.
    static let none: JSONValue = [
        "session": .null, "read": .null, "problem": .null, "served": Visit().document,
    ]

    var document: JSONValue {
        [
            "session": .number(String(session)), "read": read ?? .null,
            "problem": problem.map { Problem($0).document } ?? .null, "served": served,
        ]
    }
}

extension Visit {
    var document: JSONValue {
        .object(
            VisitRequest.allCases.compactMap { request in
                certainty(of: request).map {
                    JSONMember(key: request.rawValue, value: .string($0.rawValue))
                }
            })
    }
}
