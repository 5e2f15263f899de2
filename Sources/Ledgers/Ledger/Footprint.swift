public import TapcardDomain

/// The rows that a transaction will read, as far as its caller knows in advance.
///
/// Remote storage loads these rows together in one round trip; any other row takes a separate
/// round trip. A footprint never affects what a transaction reads: an extra or missing row only
/// costs time.
public struct Footprint: Hashable, Sendable {
    /// The cards, each with its open operation, its gaps, and the activation attempt for its code.
    public var cards: [CardUID]
    /// The IDs of requests and operations.
    public var ids: [OperationID]
    /// The sequence numbers of records of the first card. Those of its confirmed number and of the
    /// last one assigned are always loaded.
    public var records: [SequenceNumber]

    /// Creates a footprint from the rows that a transaction will read.
    public init(
        cards: [CardUID] = [], ids: [OperationID] = [], records: [SequenceNumber] = []
    ) {
        (self.cards, self.ids, self.records) = (cards, ids, records)
    }

    /// The footprint of a transaction whose rows are not known in advance.
    public static let unknown = Footprint()
}

extension Request {
    /// The rows that are read to begin this request.
    var footprint: Footprint {
        var footprint = Footprint(cards: [uid], ids: [id])
        switch action {
        case .refund(let payment, _), .reverse(let payment, _): footprint.ids.append(payment)
        case .make(let plan):
            if case .replace(let lost) = plan.origin { footprint.cards.append(lost) }
        default: break
        }
        return footprint
    }
}

extension Operation {
    /// The rows that are read to resolve this open operation.
    var footprint: Footprint { Footprint(cards: [uid], ids: [id], records: [sequence]) }
}

extension OpenOperation {
    /// The rows that are read to resolve this operation.
    var footprint: Footprint {
        Footprint(cards: [card.uid], ids: [operation.id], records: [content.sequence])
    }
}
