public import Games
public import Ledger
public import TapcardDomain

/// One call of a ledger as a value, so that it can be made on several.
public enum Step: Sendable {
    case begin(Request, seen: Seen?, key: UInt8, station: Int)
    case confirm(OpenWork, station: Int, at: Timestamp)
    case resume(
        Operation, seen: Seen, best: SequenceNumber, key: UInt8, station: Int, at: Timestamp)
    case end(
        Operation, Operation.State, id: OperationID, seen: Seen, key: UInt8, station: Int,
        at: Timestamp)
    case voidOpen(CardUID, at: Timestamp)
    case change(CardUID, StatusChange, id: OperationID, at: Timestamp)
    case markDisplay(CardUID, stale: Bool)
    case skipNumbers
    case retire(UInt8, at: Timestamp)
    case requestActivation(CardUID, id: OperationID, seen: Seen, at: Timestamp)
    case recordActivation(OperationID, rejectedBy: String?, at: Timestamp)
    case payOut(Money, of: TicketID, on: CardUID, id: OperationID, at: Timestamp)
    case settle(DeferredPurchase, at: Timestamp)

    var station: Int? {
        switch self {
        case .begin(_, _, _, let station), .confirm(_, let station, _),
            .resume(_, _, _, _, let station, _), .end(_, _, _, _, _, let station, _):
            station
        case .voidOpen, .change, .markDisplay, .skipNumbers, .retire,
            .requestActivation, .recordActivation, .payOut, .settle:
            nil
        }
    }

    public func take(on ledger: any LedgerStore) async throws(LedgerError) -> Answer {
        switch self {
        case .begin(let request, let seen, let key, _):
            return .beginning(
                try await ledger.begin(request, seen: seen, sealer: .hashing(key: key)))
        case .confirm(let work, _, let now):
            return .confirmation(try await ledger.confirm(work, at: now))
        case .resume(let open, let seen, let best, let key, _, let now):
            return .settlement(
                try await ledger.resume(
                    open, seen: seen, tagHolds: best, sealer: .hashing(key: key), at: now))
        case .end(let open, let state, let id, let seen, let key, _, let now):
            return .settlement(
                try await ledger.end(
                    open, as: state, resealWith: id, seen: seen, sealer: .hashing(key: key),
                    at: now))
        case .voidOpen(let uid, let now):
            return .voided(
                try await ledger.voidOpenPayment(
                    on: uid, seen: try await ledger.view(of: uid).map(Seen.init), at: now))
        case .change(let uid, let change, let id, let now):
            return .changed(try await ledger.change(uid, change, id: id, at: now))
        case .markDisplay(let uid, let stale):
            try await ledger.markDisplay(of: uid, stale: stale)
            return .nothing
        case .skipNumbers:
            return .exhausted(try await ledger.skipNumbersAfterRestore())
        case .retire(let key, let now):
            try await ledger.retire([key], at: now)
            return .nothing
        case .requestActivation(let uid, let id, let seen, let now):
            return .asked(
                try await ledger.requestActivation(of: uid, id: id, seen: seen, at: now))
        case .recordActivation(let id, let version, let now):
            return .answered(
                try await ledger.recordActivation(id, rejectedBy: version, at: now))
        case .payOut(let prize, let ticket, let uid, let id, let now):
            return .paid(
                try await ledger.payOut(prize, of: ticket, on: uid, id: id, at: now))
        case .settle(let purchase, let now):
            return .booked(try await ledger.settle(purchase, at: now))
        }
    }
}

/// The answer of a ledger, to compare.
public enum Answer: Hashable, Sendable {
    case beginning(Beginning)
    case confirmation(Confirmation)
    case settlement(Settlement)
    case voided(Operation?)
    case changed(Result<LedgerCard, Refusal>)
    case exhausted([CardUID])
    case asked(ActivationRequest)
    case answered(ActivationAttempt?)
    case paid(PrizePayout)
    case booked(SettledPurchase)
    case nothing

    /// One word, for a count of what a run has met.
    public var word: String {
        switch self {
        case .beginning(.begun): "begun"
        case .beginning(.known), .asked(.known), .paid(.earlier): "known"
        case .beginning(.mismatched), .asked(.mismatched): "mismatched"
        case .beginning(.changed), .settlement(.changed), .asked(.changed): "changed"
        case .asked(.attempt): "asked"
        case .answered(let attempt): attempt?.state.rawValue ?? "never asked"
        case .beginning(.refused(let refusal)), .settlement(.refused(let refusal)),
            .changed(.failure(let refusal)), .asked(.refused(let refusal)),
            .paid(.refused(let refusal)):
            refusal.rule.rawValue
        case .confirmation(.committed): "committed"
        case .confirmation(.voided): "voided"
        case .confirmation(.superseded): "superseded"
        case .settlement(.work): "settled"
        case .paid(.booked): "paid out"
        case .booked(let purchase): purchase.isNew ? "booked" : "booked before"
        case .voided, .changed(.success), .exhausted, .nothing: "done"
        }
    }
}
