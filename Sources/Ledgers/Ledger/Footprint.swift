public import TapcardDomain

/// The rows that a transaction will read, as far as its caller knows in advance.
///
/// Remote storage loads them together, in one round trip, and any other row in a separate round
/// trip. A footprint never affects what a transaction reads: a row too many or too few only costs
/// time.
public struct Footprint: Hashable, Sendable {
    /// The cards, each with its open operation, its gaps, and the activation attempt for its code.
    public var cards: [CardUID]
    /// The IDs of a request and of operations.
    public var ids: [OperationID]
    /// The numbers of the first card's records.
    public var records: [SequenceNumber]

    /// Creates a footprint from the rows that a transaction will read.
    public init(
        cards: [CardUID] = [], ids: [OperationID] = [], records: [SequenceNumber] = []
    ) {
        (self.cards, self.ids, self.records) = (cards, ids, records)
    }

    /// The footprint of a transaction that does not announce its rows.
    public static let unknown = Footprint()
}

extension Request {
    /// The rows that are read in order to begin this request.
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
    /// The rows that are read in order to resolve this open operation.
    var footprint: Footprint { Footprint(cards: [uid], ids: [id], records: [sequence]) }
}

extension OpenOperation {
    /// The rows that are read in order to resolve this operation.
    var footprint: Footprint {
        Footprint(cards: [card.uid], ids: [operation.id], records: [content.sequence])
    }
}
