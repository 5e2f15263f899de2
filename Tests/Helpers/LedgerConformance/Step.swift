public import Ledger
public import TapcardDomain

/// One call to a ledger as a value, so that it can be made on several.
public enum Step: Sendable {
    case begin(Request, version: CardVersion?, key: UInt8, station: Int)
    case confirm(OpenOperation, station: Int, at: Timestamp)
    case resume(
        Operation, version: CardVersion, best: SequenceNumber, key: UInt8, station: Int,
        at: Timestamp)
    case end(
        Operation, Operation.State, id: OperationID, version: CardVersion, key: UInt8, station: Int,
        at: Timestamp)
    case voidOpen(CardUID, at: Timestamp)
    case change(CardUID, StatusChange, id: OperationID, at: Timestamp)
    case markDisplay(CardUID, stale: Bool)
    case skipNumbers
    case retire(UInt8, at: Timestamp)
    case requestActivation(CardUID, id: OperationID, version: CardVersion, at: Timestamp)
    case recordActivation(OperationID, rejectedBy: String?, at: Timestamp)
    case payOut(Money, of: TicketID, on: CardUID, id: OperationID, at: Timestamp)
    case book(OfflinePayment, at: Timestamp)

    var station: Int? {
        switch self {
        case .begin(_, _, _, let station), .confirm(_, let station, _),
            .resume(_, _, _, _, let station, _), .end(_, _, _, _, _, let station, _):
            station
        case .voidOpen, .change, .markDisplay, .skipNumbers, .retire,
            .requestActivation, .recordActivation, .payOut, .book:
            nil
        }
    }

    public func take(on ledger: any LedgerStore) async throws(LedgerError) -> Answer {
        switch self {
        case .begin(let request, let version, let key, _):
            return .beginning(
                try await ledger.begin(request, version: version, sealer: .hashing(key: key)))
        case .confirm(let open, _, let now):
            return .confirmation(try await ledger.confirm(open, at: now))
        case .resume(let open, let version, let best, let key, _, let now):
            return .resolution(
                try await ledger.resume(
                    open, version: version, tagHolds: best, sealer: .hashing(key: key), at: now))
        case .end(let open, let state, let id, let version, let key, _, let now):
            return .resolution(
                try await ledger.end(
                    open, as: state, resealWith: id, version: version, sealer: .hashing(key: key),
                    at: now))
        case .voidOpen(let uid, let now):
            return .voided(
                try await ledger.voidOpenPayment(
                    on: uid, version: try await ledger.knownCard(of: uid).map(CardVersion.init),
                    at: now)
            )
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
        case .requestActivation(let uid, let id, let version, let now):
            return .asked(
                try await ledger.requestActivation(of: uid, id: id, version: version, at: now))
        case .recordActivation(let id, let version, let now):
            return .answered(
                try await ledger.recordActivation(id, rejectedBy: version, at: now))
        case .payOut(let prize, let ticket, let uid, let id, let now):
            return .paid(
                try await ledger.payOut(prize, of: ticket, on: uid, id: id, at: now))
        case .book(let payment, let now):
            return .booked(try await ledger.book(payment, at: now))
        }
    }
}

/// The answer of a ledger, for comparison.
public enum Answer: Hashable, Sendable {
    case beginning(BeginOutcome)
    case confirmation(Confirmation)
    case resolution(Resolution)
    case voided(Operation?)
    case changed(Result<LedgerCard, Refusal>)
    case exhausted([CardUID])
    case asked(ActivationRequest)
    case answered(ActivationAttempt?)
    case paid(PrizePayout)
    case booked(BookedPayment)
    case nothing

    /// One word, to count what a run has met.
    public var word: String {
        switch self {
        case .beginning(.begun): "begun"
        case .beginning(.known), .asked(.known), .paid(.earlier): "known"
        case .beginning(.mismatched), .asked(.mismatched): "mismatched"
        case .beginning(.changed), .resolution(.changed), .asked(.changed): "changed"
        case .asked(.attempt): "asked"
        case .answered(let attempt): attempt?.state.rawValue ?? "never asked"
        case .beginning(.refused(let refusal)), .resolution(.refused(let refusal)),
            .changed(.failure(let refusal)), .asked(.refused(let refusal)),
            .paid(.refused(let refusal)):
            refusal.rule.rawValue
        case .confirmation(.committed): "committed"
        case .confirmation(.voided): "voided"
        case .confirmation(.superseded): "superseded"
        case .resolution(.open): "resolved"
        case .paid(.booked): "paid out"
        case .booked(let payment): payment.isNew ? "booked" : "booked before"
        case .voided, .changed(.success), .exhausted, .nothing: "done"
        }
    }
}
